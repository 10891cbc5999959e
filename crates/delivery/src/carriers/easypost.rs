//! EasyPost, which sells the labels of many carriers.
//!
//! A shipment is created, which yields rates, and then bought with one of them. Its reference may
//! be used in place of its identifier, so a shipment whose identifier was lost is found again.

pub(super) mod webhook;
mod wire;

use domain::{
    carriers::{
        account::CarrierAccount,
        job::LabelPurchase,
        rate::{Rate, ServiceRule, choose_rate},
    },
    identifier::MerchantId,
    returns::rma::DocumentFormat,
};
use http::{Method, StatusCode};
use serde_json::json;
use world::Secret;

use super::{
    CarrierApi, CarrierCall, FetchedDocument, RefundStatus, Shipment,
    client::{ApiAnswer, ApiClient, ApiRequest},
    failure::CarrierFailure,
};
use crate::{address::Refused, sender::client::HttpClient};

pub(super) struct EasyPost {
    client: ApiClient,
    services: Vec<ServiceRule>,
    unit_weight_grams: i64,
}

impl EasyPost {
    pub(super) fn new(
        merchant: &MerchantId,
        account: &CarrierAccount<Secret>,
        client: &HttpClient,
    ) -> Result<Self, Refused> {
        Ok(Self {
            client: ApiClient::new(merchant, &account.base_url, &account.api_key, client)?,
            services: account.services.clone(),
            unit_weight_grams: account.unit_weight_grams,
        })
    }

    async fn post(&self, path: &str, body: &serde_json::Value) -> Result<Shipment, CarrierFailure> {
        let body = body.to_string();
        let (method, body) = (&Method::POST, body.as_bytes());
        let answer = self.client.call(ApiRequest { method, path, body }).await?;
        read_shipment(&answer)
    }
}

impl CarrierApi for EasyPost {
    fn find_shipment<'a>(&'a self, id_or_reference: &'a str) -> CarrierCall<'a, Option<Shipment>> {
        Box::pin(async move {
            let path = format!("/shipments/{id_or_reference}");
            let request = ApiRequest { method: &Method::GET, path: &path, body: &[] };
            let answer = self.client.call(request).await?;
            if answer.status == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            read_shipment(&answer).map(Some)
        })
    }

    fn create_shipment<'a>(&'a self, purchase: &'a LabelPurchase) -> CarrierCall<'a, Shipment> {
        Box::pin(async move {
            let body = wire::new_shipment(purchase, self.unit_weight_grams);
            self.post("/shipments", &body).await
        })
    }

    fn buy<'a>(&'a self, shipment: &'a Shipment, rate: &'a Rate) -> CarrierCall<'a, Shipment> {
        Box::pin(async move {
            let path = format!("/shipments/{}/buy", shipment.id);
            self.post(&path, &json!({ "rate": { "id": rate.id } })).await
        })
    }

    fn request_code<'a>(&'a self, shipment: &'a Shipment) -> CarrierCall<'a, Shipment> {
        Box::pin(async move {
            let path = format!("/shipments/{}/forms", shipment.id);
            self.post(&path, &json!({ "form": { "type": wire::CODE_FORM } })).await
        })
    }

    fn fetch_document<'a>(&'a self, url: &'a str) -> CarrierCall<'a, FetchedDocument> {
        Box::pin(async move {
            let bytes = self.client.fetch(url).await?;
            let unknown = || CarrierFailure::passing("the label is neither PDF, PNG nor ZPL");
            let format = DocumentFormat::ALL.into_iter().find(|it| it.matches(&bytes));
            let format = format.ok_or_else(unknown)?;
            Ok(FetchedDocument { format, bytes })
        })
    }

    fn refund<'a>(&'a self, shipment_id: &'a str) -> CarrierCall<'a, RefundStatus> {
        Box::pin(async move {
            let path = format!("/shipments/{shipment_id}/refund");
            let shipment = self.post(&path, &json!({})).await?;
            let unclear = || CarrierFailure::passing("the answer does not say what was refunded");
            shipment.refund.ok_or_else(unclear)
        })
    }

    fn choose_rate<'a>(&self, shipment: &'a Shipment, currency: &str) -> Option<&'a Rate> {
        choose_rate(&shipment.rates, &self.services, currency)
    }
}

fn read_shipment(answer: &ApiAnswer) -> Result<Shipment, CarrierFailure> {
    if !answer.status.is_success() {
        let words = wire::read_error(&answer.body);
        let failure = CarrierFailure::answered(answer.status, words);
        return Err(CarrierFailure { retry_after_ms: answer.retry_after_ms, ..failure });
    }
    let status = Some(answer.status.as_u16());
    let unreadable = || CarrierFailure {
        status,
        ..CarrierFailure::passing("the carrier's answer is not a shipment")
    };
    wire::read_shipment(&answer.body).ok_or_else(unreadable)
}

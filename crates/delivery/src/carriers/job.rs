//! One job at a carrier's API, from wherever the last attempt stopped.
//!
//! A label must never be bought twice, although the process may end at any moment and any answer
//! may be lost. These steps make sure of it:
//!
//! 1. A shipment is created with a reference that only this label has, or found by it.
//! 2. Its identifier is remembered durably. If two nodes do the job, the first identifier counts
//!    for both.
//! 3. The label of that very shipment is bought. A shipment has at most one label, so a repeated
//!    purchase is refused by the carrier.
//! 4. The label is stored durably with the return.
//!
//! After step 2, the shipment is always looked up first: if it has a label, that one is taken. A
//! label that is not wanted any more when it was bought is given back at once. So a node that loses
//! its lease in the middle of a job may go on with it.

use domain::carriers::{
    job::{CarrierJob, LabelKey, LabelPurchase},
    label_request::LabelFormat,
};

use super::{
    BoughtLabel, CarrierApi, CarrierDesk, FetchedDocument, PostageLabel, PurchaseState,
    RefundStatus, Shipment, failure::CarrierFailure,
};

/// What a job is done with.
#[derive(Clone, Copy)]
pub(super) struct JobTools<'a> {
    pub(super) api: &'a dyn CarrierApi,
    pub(super) desk: &'a dyn CarrierDesk,
}

/// Does the job as far as it is not done. Its effect is durable when this returns without a
/// failure.
pub(super) async fn run_job(job: &CarrierJob, tools: JobTools<'_>) -> Result<(), CarrierFailure> {
    match job {
        CarrierJob::BuyLabel(key) => tools.buy_label(key).await,
        CarrierJob::RefundLabel(key) => {
            let shipment_id = tools.desk.find_shipment_id(key).await;
            tools.refund(shipment_id.map_err(CarrierFailure::passing)?).await
        }
    }
}

impl JobTools<'_> {
    async fn buy_label(self, key: &LabelKey) -> Result<(), CarrierFailure> {
        match self.desk.state_of(key).await.map_err(CarrierFailure::passing)? {
            PurchaseState::Stored => Ok(()),
            PurchaseState::Unwanted { shipment_id } => self.refund(shipment_id).await,
            PurchaseState::Wanted { request, shipment_id } => {
                let purchase = LabelPurchase { key: key.clone(), request: *request };
                let label = self.buy(&purchase, shipment_id.as_deref()).await?;
                let shipment_id = label.shipment_id.clone();
                let stored = self.desk.store_label(key, label).await;
                if stored.map_err(CarrierFailure::passing)? {
                    return Ok(());
                }
                self.refund(Some(shipment_id)).await
            }
        }
    }

    /// Buys a label, or finds the one that was bought.
    async fn buy(
        self,
        purchase: &LabelPurchase,
        shipment_id: Option<&str>,
    ) -> Result<BoughtLabel, CarrierFailure> {
        let shipment = match shipment_id {
            Some(id) => self.find_remembered(id).await?,
            None => self.begin_shipment(purchase).await?,
        };
        let (shipment, label) = match shipment.label.clone() {
            // It was bought, but we were interrupted before it was stored.
            Some(label) => (shipment, label),
            None => self.buy_or_find(purchase, shipment).await?,
        };
        let document = self.api.fetch_document(&label.document_url).await?;
        let code = if purchase.request.formats.contains(&LabelFormat::Qr) {
            self.fetch_code(&shipment).await?
        } else {
            None
        };
        Ok(BoughtLabel {
            shipment_id: shipment.id,
            tracking_number: label.tracking_number,
            document,
            code,
            rate: label.rate,
        })
    }

    async fn find_remembered(self, id: &str) -> Result<Shipment, CarrierFailure> {
        let shipment = self.api.find_shipment(id).await?;
        // Another one must not be bought in its place: it may have a label, too.
        shipment.ok_or_else(|| {
            CarrierFailure::passing(format!("the carrier does not know its shipment {id} any more"))
        })
    }

    /// The shipment of a label for which none is remembered. It is remembered afterwards.
    async fn begin_shipment(self, purchase: &LabelPurchase) -> Result<Shipment, CarrierFailure> {
        let reference = purchase.key.reference();
        let shipment = match self.api.find_shipment(&reference).await? {
            Some(shipment) => shipment,
            None => self.api.create_shipment(purchase).await?,
        };
        let remembered = self.desk.remember_shipment(&purchase.key, &shipment.id).await;
        let remembered = remembered.map_err(CarrierFailure::passing)?;
        if remembered == shipment.id {
            Ok(shipment)
        } else {
            self.find_remembered(&remembered).await
        }
    }

    /// Buys the label of a shipment that had none when it was looked up.
    async fn buy_or_find(
        self,
        purchase: &LabelPurchase,
        shipment: Shipment,
    ) -> Result<(Shipment, PostageLabel), CarrierFailure> {
        let currency = &purchase.request.currency;
        let rate = self.api.choose_rate(&shipment, currency).ok_or_else(|| {
            let count = shipment.rates.len();
            CarrierFailure::lasting(format!(
                "none of the {count} services that the carrier offers is one that may be bought"
            ))
        })?;
        let bought = match self.api.buy(&shipment, rate).await {
            Ok(bought) => bought,
            // Another node, or a request that was repeated, may have bought it.
            Err(failure) if failure.is_refusal() => {
                let now = self.find_remembered(&shipment.id).await?;
                if now.label.is_some() { now } else { return Err(failure) }
            }
            Err(failure) => return Err(failure),
        };
        let label = bought.label.clone().ok_or_else(|| {
            CarrierFailure::passing("the carrier sold the label and did not say where it is")
        })?;
        Ok((bought, label))
    }

    /// The code for a drop-off point. Not every carrier has one; the shopper then needs the label.
    async fn fetch_code(
        self,
        shipment: &Shipment,
    ) -> Result<Option<FetchedDocument>, CarrierFailure> {
        let url = match &shipment.code_url {
            Some(url) => Some(url.clone()),
            None => match self.api.request_code(shipment).await {
                Ok(shipment) => shipment.code_url,
                Err(failure) if failure.is_denial() => None,
                Err(failure) => return Err(failure),
            },
        };
        match url {
            Some(url) => self.api.fetch_document(&url).await.map(Some),
            None => Ok(None),
        }
    }

    /// Gives back the label of a shipment, if it has one.
    async fn refund(self, shipment_id: Option<String>) -> Result<(), CarrierFailure> {
        let Some(id) = shipment_id else { return Ok(()) };
        let shipment = self.find_remembered(&id).await?;
        if shipment.label.is_none() {
            return Ok(());
        }
        let status = match shipment.refund {
            // A rejected refund may be asked for again: very new labels are rejected by mistake.
            None | Some(RefundStatus::Rejected) => match self.api.refund(&shipment.id).await {
                Ok(status) => status,
                // Another node, or a request that was repeated, may have asked for it.
                Err(failure) if failure.is_refusal() => {
                    self.find_remembered(&id).await?.refund.ok_or(failure)?
                }
                Err(failure) => return Err(failure),
            },
            Some(status) => status,
        };
        match status {
            RefundStatus::Submitted | RefundStatus::Refunded | RefundStatus::NotApplicable => {
                Ok(())
            }
            RefundStatus::Rejected => {
                Err(CarrierFailure::passing("the carrier rejected the refund of the label"))
            }
        }
    }
}

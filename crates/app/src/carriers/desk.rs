//! What is known about labels while they are bought: the desk of the adapters for carriers.

use std::sync::Arc;

use delivery::carriers::{
    BoughtLabel, CarrierCourier, CarrierDesk, DeskAnswer, FetchedDocument, PurchaseState,
};
use domain::{
    carriers::job::LabelKey,
    identifier::MerchantId,
    returns::{
        carrier::{
            CarrierEvent, CarrierEventKind,
            label::{ReportedDocument, ReportedLabel},
        },
        rma::{DocumentPurpose, Label, LabelCost, Rma, RmaStatus},
    },
    time::micros,
};
use store::{Transaction, with_causes};

use crate::{
    App, AppError,
    carriers::{accounts::open_account, label_requests::describe_request},
    returns::{carrier_events::apply_carrier_event, change_return::ReturnTarget, origin::Origin},
};

/// The labels of one merchant.
struct MerchantDesk {
    app: App,
    merchant: MerchantId,
}

/// What buys the labels of a merchant. None if the merchant has no account.
pub(crate) async fn find_courier(
    app: &App,
    merchant: &MerchantId,
) -> Result<Option<CarrierCourier>, AppError> {
    let Some(account) = open_account(app, merchant).await? else { return Ok(None) };
    let desk = Arc::new(MerchantDesk { app: app.clone(), merchant: merchant.clone() });
    let courier = CarrierCourier::new(merchant, &account, desk, &app.http);
    courier.map(Some).map_err(|refused| AppError::Conflict(refused.to_string()))
}

impl MerchantDesk {
    async fn load(&self, key: &LabelKey) -> Result<Option<Rma>, AppError> {
        let found = self.app.store.rma(&self.merchant, &key.rma_identifier).await?;
        Ok(found.map(|found| found.value))
    }

    async fn load_state(&self, key: &LabelKey) -> Result<PurchaseState, AppError> {
        let Self { app, merchant } = self;
        let shipment_id = app.store.carrier_shipment(merchant, &key.reference()).await?;
        let Some(rma) = self.load(key).await?.filter(|rma| is_awaited(rma, key)) else {
            return Ok(PurchaseState::Unwanted { shipment_id });
        };
        if rma.labels.iter().any(|label| is_for(label, key)) {
            return Ok(PurchaseState::Stored);
        }
        let requested_us = micros(rma.updated_at);
        let rma = rma.only_parcel(key.parcel);
        let request = describe_request(app, merchant, &rma, requested_us).await?;
        Ok(match request {
            Some(request) => PurchaseState::Wanted { request: Box::new(request), shipment_id },
            None => PurchaseState::Unwanted { shipment_id },
        })
    }

    async fn remember(&self, key: &LabelKey, shipment_id: &str) -> Result<String, AppError> {
        let Self { app, merchant } = self;
        let reference = key.reference();
        let mut transaction = Transaction::new("remembering a shipment at a carrier");
        let now_us = app.world.now_us();
        transaction.remember_carrier_shipment(merchant, &reference, shipment_id, now_us);
        app.commit(transaction).await?;
        let first = app.store.carrier_shipment(merchant, &reference).await?;
        Ok(first.unwrap_or_else(|| shipment_id.to_owned()))
    }

    /// Stores the label as if the carrier had reported it.
    async fn store(&self, key: &LabelKey, label: BoughtLabel) -> Result<bool, AppError> {
        let Self { app, merchant } = self;
        let has_several = self.load(key).await?.is_some_and(|rma| rma.parcel_count > 1);
        let parcel = has_several.then_some(key.parcel);
        let event = CarrierEvent {
            kind: CarrierEventKind::LabelCreated,
            rma_identifier: Some(key.rma_identifier.clone()),
            tracking_number: Some(label.tracking_number.clone()),
            order_line_item_identifiers: Vec::new(),
            generation: Some(key.generation),
            label: Some(ReportedLabel { parcel, ..report(&label) }),
            occurred_at: None,
        };
        let origin = Origin::easypost();
        let rma = &key.rma_identifier;
        apply_carrier_event(ReturnTarget { app, merchant, rma, origin: &origin }, None, &event)
            .await?;
        // Whatever the effect was, the return says whether it has this label.
        let stored = self.load(key).await?.is_some_and(|rma| {
            let mut labels = rma.labels.iter();
            labels.any(|it| is_for(it, key) && it.tracking_number == label.tracking_number)
                && is_awaited(&rma, key)
        });
        Ok(stored)
    }
}

/// Whether it is the label that the key means.
fn is_for(label: &Label, key: &LabelKey) -> bool {
    label.generation == key.generation && label.details.parcel.unwrap_or(1) == key.parcel
}

/// Whether the return still needs labels of this generation. Goods that arrived in another way need
/// none.
fn is_awaited(rma: &Rma, key: &LabelKey) -> bool {
    rma.status != RmaStatus::Canceled
        && rma.label_generation == key.generation
        && rma.units.iter().any(|unit| unit.receipt.is_none())
}

fn report(label: &BoughtLabel) -> ReportedLabel {
    let document = |purpose: DocumentPurpose, fetched: &FetchedDocument| ReportedDocument {
        purpose,
        format: fetched.format,
        content: Some(fetched.bytes.to_vec()),
        url: None,
    };
    let code = label.code.as_ref().map(|code| document(DocumentPurpose::Code, code));
    let rate = label.rate.as_ref();
    ReportedLabel {
        parcel: None,
        carrier: rate.map(|rate| rate.carrier.clone()),
        service: rate.map(|rate| rate.service.clone()),
        cost: rate.map(|rate| LabelCost {
            amount_cents: rate.price_cents,
            currency: rate.currency.clone(),
        }),
        expires_at: None,
        documents: [document(DocumentPurpose::Label, &label.document)]
            .into_iter()
            .chain(code)
            .collect(),
        hand_off: None,
    }
}

impl CarrierDesk for MerchantDesk {
    fn state_of<'a>(&'a self, key: &'a LabelKey) -> DeskAnswer<'a, PurchaseState> {
        Box::pin(async { self.load_state(key).await.map_err(|error| with_causes(&error)) })
    }

    fn remember_shipment<'a>(
        &'a self,
        key: &'a LabelKey,
        shipment_id: &'a str,
    ) -> DeskAnswer<'a, String> {
        Box::pin(async {
            self.remember(key, shipment_id).await.map_err(|error| with_causes(&error))
        })
    }

    fn find_shipment_id<'a>(&'a self, key: &'a LabelKey) -> DeskAnswer<'a, Option<String>> {
        Box::pin(async {
            let found = self.app.store.carrier_shipment(&self.merchant, &key.reference()).await;
            found.map_err(|error| with_causes(&error))
        })
    }

    fn store_label<'a>(&'a self, key: &'a LabelKey, label: BoughtLabel) -> DeskAnswer<'a, bool> {
        Box::pin(async { self.store(key, label).await.map_err(|error| with_causes(&error)) })
    }
}

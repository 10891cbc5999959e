//! Loads orders: the newest snapshot as the merchant sent it, plus the refunds that earlier
//! snapshots reported and that this one omits.

use boxed::boxed;
use domain::{
    exchanges::{
        chain::{ExchangeCredit, held_to_credit},
        record::ExchangeRecord,
    },
    faults::Faults,
    identifier::MerchantId,
    json::{self, Json},
    orders::{
        order::{Order, Refund},
        order_message::{read_stored_order, read_stored_refund},
    },
    returns::ledger::Ledger,
};
use store::{StoreError, StoredOrder, Versioned};

use crate::{App, AppError};

/// An order, its ledger, and how it is connected with exchanges.
#[derive(Clone)]
pub(crate) struct OrderWithLedger {
    pub(crate) order: Order,
    /// The version of the order, which a change of its ledger leaves as it is.
    pub(crate) version: i64,
    pub(crate) ledger: Versioned<Ledger>,
    /// Whether units of the order were exchanged.
    pub(crate) exchanged: bool,
    /// The exchange that the order was placed for, if it is an exchange order.
    pub(crate) origin: Option<ExchangeRecord>,
}

pub(crate) async fn load_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<OrderWithLedger>, AppError> {
    let Some(stored) = app.store.stored_order(merchant, order_id).await? else { return Ok(None) };
    let snapshot = read_newest(&stored, order_id)?;
    // An exchange order is worth no more than what was returned for it.
    let order = match &stored.origin {
        Some(record) => {
            let credit = load_exchange_credit(app, merchant, record).await?;
            held_to_credit(&snapshot, &credit, &stored.ledger.value)
        }
        None => snapshot,
    };
    let StoredOrder { version, ledger, exchanged, origin, .. } = stored;
    Ok(Some(OrderWithLedger { order, version, ledger, exchanged, origin }))
}

/// What was given for an exchange order. A change of the return does not make it wrong: what was
/// given for shipped goods does not become less when others are canceled.
pub(crate) async fn load_exchange_credit(
    app: &App,
    merchant: &MerchantId,
    record: &ExchangeRecord,
) -> Result<ExchangeCredit, AppError> {
    let rma = app.store.rma(merchant, &record.rma_identifier).await?.map(|rma| rma.value);
    let has_card = record.credit_cents > record.goods_credit_cents;
    let policy = match rma.as_ref().filter(|_| has_card) {
        Some(rma) => {
            let next = rma.policy_version.saturating_add(1);
            app.store.policies(merchant, next, 1).await?.pop()
        }
        None => None,
    };
    let offer = policy.and_then(|version| version.policy.gift_card);
    let gift_card_sku = offer.as_ref().map(|offer| offer.sku.as_str());
    Ok(ExchangeCredit::of(record, rma.as_ref(), gift_card_sku))
}

/// The order alone.
pub(crate) async fn find_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<Order>, AppError> {
    Ok(load_order(app, merchant, order_id).await?.map(|found| found.order))
}

/// The order as JSON.
#[boxed]
pub async fn load_order_json(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Vec<u8>, AppError> {
    let stored = app.store.stored_order(merchant, order_id).await?;
    let stored = stored.ok_or(AppError::NotFound("order"))?;
    let mut text = Vec::with_capacity(stored.body.len());
    merge_refunds(&stored)?.write(&mut text);
    Ok(text)
}

/// The newest snapshot, with every refund that was ever reported, as the merchant sent it.
pub(crate) async fn find_newest_snapshot(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<Order>, AppError> {
    let stored = app.store.stored_order(merchant, order_id).await?;
    stored.map(|stored| read_newest(&stored, order_id)).transpose()
}

fn read_newest(stored: &StoredOrder, order_id: &str) -> Result<Order, AppError> {
    read_order(&merge_refunds(stored)?, order_id)
}

/// An order from its bytes as they are stored.
pub(crate) fn read_order_body(body: &[u8], order_id: &str) -> Result<Order, AppError> {
    read_order(&json::parse(body)?, order_id)
}

fn read_order(document: &Json<'_>, order_id: &str) -> Result<Order, AppError> {
    let unreadable = |faults: Faults| corrupt("orders", order_id, &faults);
    Ok(read_stored_order(document).map_err(unreadable)?)
}

/// A refund that was recorded for an order.
pub(crate) fn read_recorded_refund(body: &[u8], order_id: &str) -> Result<Refund, AppError> {
    let unreadable = |faults: Faults| corrupt("refunds", order_id, &faults);
    Ok(read_stored_refund(&json::parse(body)?).map_err(unreadable)?)
}

/// What was stored cannot be read: that is our fault, not the caller's.
fn corrupt(table: &'static str, id: &str, faults: &Faults) -> StoreError {
    StoreError::Corrupt { table, id: id.to_owned(), why: faults.summary() }
}

/// The newest snapshot with every refund that was ever reported.
fn merge_refunds(stored: &StoredOrder) -> Result<Json<'_>, AppError> {
    let mut document = json::parse(&stored.body)?;
    let recorded = stored.refunds.iter().map(|body| json::parse(body));
    let recorded = recorded.collect::<Result<Vec<_>, _>>()?;
    if let Json::Object(order) = &mut document {
        for (key, value) in &mut order.entries {
            if let ("refunds", Json::List(refunds)) = (key.as_ref(), value) {
                let reported: Vec<_> =
                    refunds.iter().map(|refund| refund.get("identifier").cloned()).collect();
                let omitted = recorded
                    .iter()
                    .filter(|refund| !reported.contains(&refund.get("identifier").cloned()));
                refunds.extend(omitted.cloned());
            }
        }
    }
    Ok(document)
}

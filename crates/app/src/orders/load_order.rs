//! Loads orders: the newest snapshot as the merchant sent it, plus the refunds that earlier
//! snapshots reported and that this one omits.

use domain::{
    exchanges::{chain::held_to_credit, record::ExchangeRecord},
    identifier::MerchantId,
    json::{self, Json},
    orders::{
        order::Order,
        order_message::{OrderReadContext, read_order},
    },
    returns::ledger::Ledger,
};
use store::{StoredOrder, Versioned};

use crate::{App, AppError};

/// An order, its ledger, and how it is connected with exchanges.
pub(crate) struct OrderWithLedger {
    pub(crate) order: Order,
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
    let context = OrderReadContext { now: app.world.now(), strict: false };
    let (snapshot, _) =
        read_order(&merge_refunds(&stored)?, &context).map_err(AppError::Invalid)?;
    // An exchange order is worth no more than what was returned for it.
    let order = match &stored.origin {
        Some(record) => held_to_credit(&snapshot.order, record),
        None => snapshot.order,
    };
    let StoredOrder { ledger, exchanged, origin, .. } = stored;
    Ok(Some(OrderWithLedger { order, ledger, exchanged, origin }))
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

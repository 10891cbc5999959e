//! What of an order can come back, why or why not, and for how much.

use domain::{
    exchange::{chain::held_to_credit, record::ExchangeRecord},
    identifier::MerchantId,
    json,
    order::Order,
    order_message::{Context, read_order},
    returns::returnability::{Returnability, returnability as judge},
};

use crate::{App, AppError, held_order::held_order, policies::policy};

pub async fn returnability(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Returnability, AppError> {
    let ledger = async { Ok(app.store.ledger(merchant, order_id).await?.value) };
    let (order, ledger, policy) =
        tokio::try_join!(order(app, merchant, order_id), ledger, policy(app, merchant))?;
    let order = order.ok_or(AppError::NotFound("order"))?;
    Ok(judge(&order, &ledger, &policy.policy, app.world.now()))
}

/// An order as it is held, with every refund that was ever reported for it. An exchange order is worth no
/// more than what was given for it.
pub(crate) async fn order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<Order>, AppError> {
    Ok(order_and_origin(app, merchant, order_id).await?.map(|(order, _)| order))
}

/// An order, and what is known of it as an exchange order, if it is one.
pub(crate) async fn order_and_origin(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<(Order, Option<ExchangeRecord>)>, AppError> {
    let placed = async { Ok(app.store.exchange_order_named(merchant, order_id).await?) };
    let (body, placed) = match tokio::try_join!(held_order(app, merchant, order_id), placed) {
        Ok(found) => found,
        Err(AppError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let context = Context { now: app.world.now(), strict: false };
    let (snapshot, _) = read_order(&json::parse(&body)?, &context).map_err(AppError::Invalid)?;
    let origin = placed.map(|record| record.value);
    let order = match &origin {
        Some(record) => held_to_credit(&snapshot.order, record),
        None => snapshot.order,
    };
    Ok(Some((order, origin)))
}

//! What of an order can come back, why or why not, and for how much.

use domain::{
    exchange::chain::held_to_credit,
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
    let order = order(app, merchant, order_id).await?.ok_or(AppError::NotFound("order"))?;
    let ledger = app.store.ledger(merchant, order_id).await?.value;
    let policy = policy(app, merchant).await?.policy;
    Ok(judge(&order, &ledger, &policy, app.world.now()))
}

/// An order as it is held, with every refund that was ever reported for it. An exchange order is worth no
/// more than what was given for it.
pub(crate) async fn order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<Order>, AppError> {
    let body = match held_order(app, merchant, order_id).await {
        Ok(body) => body,
        Err(AppError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let context = Context { now: app.world.now(), strict: false };
    let (snapshot, _) = read_order(&json::parse(&body)?, &context).map_err(AppError::Invalid)?;
    let placed = app.store.exchange_order_named(merchant, order_id).await?;
    Ok(Some(match placed {
        Some(record) => held_to_credit(&snapshot.order, &record.value),
        None => snapshot.order,
    }))
}

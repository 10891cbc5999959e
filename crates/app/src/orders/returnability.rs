//! What of an order can come back, why or why not, and for how much.

use domain::{
    exchanges::{chain::held_to_credit, record::ExchangeRecord},
    identifier::MerchantId,
    orders::{
        order::Order,
        order_message::{OrderReadContext, read_order},
    },
    returns::{
        ledger::Ledger,
        returnability::{Returnability, check_returnability},
    },
};
use store::Versioned;

use crate::{App, AppError, orders::load_order::merge_refunds, returns::policies::load_policy};

pub async fn load_returnability(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Returnability, AppError> {
    let (held, policy) =
        tokio::try_join!(load_order(app, merchant, order_id), load_policy(app, merchant))?;
    let held = held.ok_or(AppError::NotFound("order"))?;
    Ok(check_returnability(&held.order, &held.ledger.value, &policy.policy, app.world.now()))
}

/// An order as it is held, with every refund that was ever reported for it. An exchange order is worth no
/// more than what was given for it.
pub(crate) async fn find_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<Order>, AppError> {
    Ok(load_order(app, merchant, order_id).await?.map(|held| held.order))
}

/// An order and what is known of its units.
pub(crate) struct OrderWithLedger {
    pub(crate) order: Order,
    pub(crate) ledger: Versioned<Ledger>,
    /// Whether something was exchanged for what was bought with it.
    pub(crate) exchanged: bool,
    /// How it came about, if it is an exchange order.
    pub(crate) origin: Option<ExchangeRecord>,
}

pub(crate) async fn load_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<OrderWithLedger>, AppError> {
    let Some(file) = app.store.stored_order(merchant, order_id).await? else { return Ok(None) };
    let context = OrderReadContext { now: app.world.now(), strict: false };
    let (snapshot, _) = read_order(&merge_refunds(&file)?, &context).map_err(AppError::Invalid)?;
    let order = match &file.origin {
        Some(record) => held_to_credit(&snapshot.order, record),
        None => snapshot.order,
    };
    let (ledger, exchanged, origin) = (file.ledger, file.exchanged, file.origin);
    Ok(Some(OrderWithLedger { order, ledger, exchanged, origin }))
}

//! Whether the right of withdrawal is offered for a return.

use boxed::boxed;
use domain::{identifier::MerchantId, returns::rma::Rma, withdrawal::period::is_shipped_to_eu};

use crate::{App, AppError, orders::load_order::find_order};

/// Whether the shopper of a return may have the right of withdrawal from its order. Who got the
/// goods as a gift did not conclude the contract.
#[boxed]
pub async fn may_withdraw(app: &App, merchant: &MerchantId, rma: &Rma) -> Result<bool, AppError> {
    let first = rma.units.first().filter(|_| !rma.gift_refund_only());
    let Some(unit) = first else { return Ok(false) };
    let order = find_order(app, merchant, &unit.goods.order_identifier).await?;
    Ok(order.is_some_and(|order| is_shipped_to_eu(&order)))
}

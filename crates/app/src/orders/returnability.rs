//! Which units of an order can be returned, why or why not, and for how much.

use domain::{
    identifier::MerchantId,
    returns::returnability::{Returnability, check_returnability},
};

use crate::{App, AppError, orders::load_order::load_order, returns::policies::load_policy};

pub async fn load_returnability(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Returnability, AppError> {
    let (found, policy) =
        tokio::try_join!(load_order(app, merchant, order_id), load_policy(app, merchant))?;
    let found = found.ok_or(AppError::NotFound("order"))?;
    Ok(check_returnability(&found.order, &found.ledger.value, &policy.policy, app.world.now()))
}

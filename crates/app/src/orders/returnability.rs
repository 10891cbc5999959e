//! Which units of an order can be returned, why or why not, and for how much.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    orders::order::Order,
    returns::returnability::{Returnability, check_returnability},
};

use crate::{
    App, AppError,
    orders::load_order::{OrderWithLedger, load_order},
    returns::policies::{PolicyView, load_policy},
};

/// An order and what decides on its return, loaded once for everything that a page needs.
pub struct ReturnableOrder {
    pub(crate) loaded: OrderWithLedger,
    pub policy: PolicyView,
}

impl ReturnableOrder {
    pub fn order(&self) -> &Order {
        &self.loaded.order
    }

    /// Which of its units can be returned now.
    pub fn returnability(&self, app: &App) -> Returnability {
        let OrderWithLedger { order, ledger, exchanged, .. } = &self.loaded;
        let now = app.world.now();
        let returnability = check_returnability(order, &ledger.value, &self.policy.policy, now);
        if *exchanged { returnability.refund_only() } else { returnability }
    }
}

#[boxed]
pub async fn load_returnable_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<ReturnableOrder, AppError> {
    let (loaded, policy) =
        tokio::try_join!(load_order(app, merchant, order_id), load_policy(app, merchant))?;
    Ok(ReturnableOrder { loaded: loaded.ok_or(AppError::NotFound("order"))?, policy })
}

#[boxed]
pub async fn load_returnability(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Returnability, AppError> {
    Ok(load_returnable_order(app, merchant, order_id).await?.returnability(app))
}

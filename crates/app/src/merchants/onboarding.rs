//! The onboarding of a new merchant, from its credentials to its first order.

use boxed::boxed;
use domain::{identifier::MerchantId, messages::state::MessageState};
use store::MessageFilter;

use crate::{App, AppError};

/// Which steps are done. A merchant always has credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onboarding {
    /// The addresses of its systems are set.
    pub endpoints: bool,
    /// One of its systems accepted a message, possibly a test message.
    pub delivered: bool,
    /// The merchant published an order.
    pub order: bool,
}

impl Onboarding {
    pub const fn is_complete(self) -> bool {
        self.endpoints && self.delivered && self.order
    }
}

#[boxed]
pub async fn load_onboarding(app: &App, merchant: &MerchantId) -> Result<Onboarding, AppError> {
    let endpoints = app.store.endpoints(merchant).await?.value;
    let filter = MessageFilter {
        state: Some(MessageState::Delivered),
        limit: 1,
        ..MessageFilter::default()
    };
    let (delivered, _) = app.store.messages(merchant, &filter).await?;
    Ok(Onboarding {
        endpoints: endpoints.base_url.is_some() || !endpoints.overrides.is_empty(),
        delivered: !delivered.is_empty(),
        order: app.store.has_orders(merchant).await?,
    })
}

//! A merchant's account at a service that sells labels.

use serde::{Deserialize, Serialize};

use super::rate::ServiceRule;

/// Where EasyPost's API is.
pub const EASYPOST_URL: &str = "https://api.easypost.com/v2";

/// What a unit weighs if its order line does not say so.
pub const USUAL_UNIT_WEIGHT_GRAMS: i64 = 500;

/// An account at EasyPost. `S` is a secret: sealed as it is stored, or open as it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarrierAccount<S> {
    /// The address of the API, up to its version.
    pub base_url: String,
    pub api_key: S,
    /// What webhooks are signed with. Without it, none is accepted.
    pub webhook_secret: Option<S>,
    /// Which services may be bought. Empty: all.
    pub services: Vec<ServiceRule>,
    /// What a unit weighs if its order line does not say so.
    pub unit_weight_grams: i64,
}

impl<S> CarrierAccount<S> {
    /// The same account with each secret replaced, such as sealed or opened.
    pub fn try_map<T, E>(
        self,
        mut change: impl FnMut(S) -> Result<T, E>,
    ) -> Result<CarrierAccount<T>, E> {
        Ok(CarrierAccount {
            base_url: self.base_url,
            api_key: change(self.api_key)?,
            webhook_secret: self.webhook_secret.map(change).transpose()?,
            services: self.services,
            unit_weight_grams: self.unit_weight_grams,
        })
    }
}

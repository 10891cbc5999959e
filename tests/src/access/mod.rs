//! Who may do what: tokens, and merchants who must not see each other.

mod metrics;
pub(crate) mod tenants;
mod token;

//! Who may do what: tokens, and merchants who must not see each other.

pub(crate) mod tenants;
mod token;

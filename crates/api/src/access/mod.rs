//! Tokens, clients and operators.

mod client_form;
pub(crate) mod clients;
pub(crate) mod keys;
pub(crate) mod operators;
pub(crate) mod revoke;
pub(crate) mod token;

//! Tokens, clients and operators.

pub(crate) mod clients;
pub(crate) mod operators;
pub(crate) mod token;

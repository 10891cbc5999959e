//! Who may use the service: clients, tokens, operators and sessions.

pub(crate) mod clients;
pub(crate) mod lookup_attempts;
pub(crate) mod operators;
pub(crate) mod order_proofs;
pub(crate) mod sealing_keys;
pub(crate) mod tokens;

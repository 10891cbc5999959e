//! Clients, tokens, look-ups, operators and sessions.

mod clients;
mod lookup_attempts;
mod operators;
mod order_proofs;
mod sealing_keys;

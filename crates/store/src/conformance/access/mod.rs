//! Clients, tokens, operators and sessions.

mod clients;
mod operators;

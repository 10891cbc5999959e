//! Who may do what: clients, tokens, operators, sessions and secrets.

pub mod add_client;
pub mod authenticate;
pub mod change_client;
pub mod devices;
pub mod issue_token;
pub(crate) mod lookup_limit;
pub mod operators;
pub mod order_proofs;
pub(crate) mod passwords;
pub mod portal_links;
pub mod refusals;
pub mod revoke_token;
pub mod rotate_secret;
pub mod sealing;
pub mod secrets;
pub mod sessions;

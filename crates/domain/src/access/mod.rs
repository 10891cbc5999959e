//! Who may do what: clients, operators and scopes.

pub mod client;
pub mod operator;
pub mod password;
pub mod proof;
pub mod scope;

//! Who may do what: clients, operators and scopes.

pub mod client;
pub mod operator;
pub(crate) mod operator_name;
pub mod password;
pub mod proof;
pub mod scope;

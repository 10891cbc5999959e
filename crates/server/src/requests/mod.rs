//! Requests that both the API and the console accept, read into the requests of use cases.

pub mod carriers;
pub mod clients;
pub mod endpoints;
pub mod identifiers;
pub mod mail;
pub mod merchants;
pub(crate) mod query_value;

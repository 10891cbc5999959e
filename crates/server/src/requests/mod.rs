//! What both the API and the console are asked, read into the requests of use cases.

pub mod clients;
pub mod endpoints;
pub mod identifiers;
pub mod merchants;

//! Logging in, passwords, clients, and who may see a page.

pub(crate) mod clients;
pub(crate) mod confirm;
pub(crate) mod login;
pub(crate) mod merchant_visit;
pub(crate) mod password;
mod reach;
pub(crate) mod visit;
pub(crate) mod visitor;

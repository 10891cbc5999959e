//! The withdrawal function: a shopper states the withdrawal from a contract, reviews the statement,
//! confirms it, and gets an acknowledgement. It needs neither a script nor an account.

mod pages;
mod route;
mod statement;

pub(crate) use route::routes;

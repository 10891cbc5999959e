//! Money of a merchant: the finance page, and its entries as a file.

mod export;
mod finance;

use axum::{Router, routing::get};
use server::Web;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route(finance::PATH, get(finance::show))
        .route("/console/finance/entries.csv", get(export::download))
}

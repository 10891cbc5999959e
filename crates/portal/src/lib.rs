//! The returns portal: a shopper finds an order, chooses the items to return, reviews the refund
//! and confirms. Pages are rendered on the server and need no script.
//!
//! A shopper who knows the order number and the buyer's email address or postal code gets a pass
//! for one hour, in a cookie of the merchant's portal. The page of a return is found by the
//! identifier of the return, which cannot be guessed, and shows neither the shopper's name nor the
//! address.
//!
//! Pages have the merchant's theme and the shopper's language. A form is accepted only from a page
//! of ours (`csrf`), and errors are pages, too (`error_page`).

mod choose;
mod csrf;
mod error_page;
mod form;
mod label;
mod language;
mod link;
mod proof;
mod review;
mod route;
mod selection;
mod status;
#[cfg(test)]
mod tests;
mod theme;
mod visit;
mod withdraw;
mod words;

use axum::{Router, extract::Request, http::StatusCode, middleware, response::Response};
use csrf::require_same_origin;
use language::PageLanguage;
use server::Web;

pub use error_page::show_errors_as_pages;
pub use label::routes as label_routes;

/// Every page of the portal, except for the label.
pub fn routes() -> Router<Web> {
    route::routes()
        .merge(link::routes())
        .merge(withdraw::routes())
        .layer(middleware::from_fn(show_errors_as_pages))
        .layer(middleware::from_fn(require_same_origin))
}

/// The page for a request that failed outside of any portal, in the language of its sender.
pub fn render_error_page(status: StatusCode, request: &Request) -> Response {
    error_page::render_error(status, PageLanguage::of_any_portal(request))
}

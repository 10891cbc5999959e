//! The returns portal: a shopper finds an order, chooses what comes back and why, sees what it comes to, and
//! confirms. Pages are rendered here and need no script.
//!
//! Whoever names an order and something that only the buyer knows gets a pass for an hour, in a cookie of the
//! merchant's portal. A return that was started is found by its identifier, which cannot be guessed; its
//! page names neither the shopper nor where it lives.
//!
//! Pages have the merchant's look and the shopper's language. A form counts only when it comes from a page of
//! ours, and what goes wrong is told on a page, too.

mod choose;
mod csrf;
mod error_page;
mod form;
mod label;
mod language;
mod locale;
mod review;
mod route;
mod selection;
mod status;
#[cfg(test)]
mod tests;
mod theme;
mod visit;
mod wording;
mod words;

use axum::Router;
use server::Web;

/// Every page of the portal, and the label.
pub fn routes(web: Web) -> Router<Web> {
    route::routes(web).merge(label::routes())
}

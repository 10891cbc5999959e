//! The console: where operators see what is stuck and why, and warehouse workers receive what arrives.
//!
//! Pages are rendered here and are complete without scripts; `console.js` only adds comfort. A file for
//! each part, with the routes of that part; [`frame`] is what all pages have in common, [`visit`]
//! decides who may see a page and whether a form is one of ours.

mod access;
mod core;
mod merchants;
mod messages;
mod orders;
mod returns;
mod warehouse;

use axum::{Router, middleware, routing::any};

use server::Web;

/// Every page of the console.
pub fn routes() -> Router<Web> {
    Router::new()
        .merge(access::login::routes())
        .merge(core::overview::routes())
        .merge(merchants::list::routes())
        .merge(merchants::merchant::routes())
        .merge(access::clients::routes())
        .merge(messages::endpoints::routes())
        .merge(returns::policy::routes())
        .merge(access::password::routes())
        .merge(messages::failures::routes())
        .merge(messages::jobs::routes())
        .merge(messages::list::routes())
        .merge(messages::message::routes())
        .merge(returns::refunds::routes())
        .merge(warehouse::exceptions::routes())
        .merge(warehouse::receive::routes())
        .merge(core::search::routes().merge(orders::routes()).merge(returns::routes()))
        .merge(warehouse::units::routes().merge(core::audit::routes()))
        .route("/console/{*rest}", any(core::problem::no_such_page))
        .method_not_allowed_fallback(server::error::method_not_allowed)
        .layer(middleware::from_fn(core::problem::in_html))
}

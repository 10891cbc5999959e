//! The console: operators find and fix problems, warehouse workers receive parcels, and merchants
//! look after their own integration.
//!
//! Pages are rendered here and work without scripts; `console.js` only adds convenience. Each file
//! has the routes of its pages. [`core::frame`] is what all pages have in common, and
//! [`access::visit`] decides who may see a page and which forms are accepted.

mod access;
mod core;
mod merchants;
mod messages;
mod money;
mod orders;
mod returns;
mod warehouse;
mod withdrawal;

use axum::{Router, middleware, routing::any};

use server::Web;

/// Every page of the console.
pub fn routes() -> Router<Web> {
    Router::new()
        .merge(access::login::routes())
        .merge(core::overview::routes())
        .merge(merchants::list::routes())
        .merge(merchants::add::routes())
        .merge(merchants::merchant::routes().merge(merchants::portal::routes()))
        .merge(access::clients::routes())
        .merge(messages::endpoints::routes())
        .merge(messages::endpoint_test::routes().merge(messages::certify::routes()))
        .merge(messages::mail::routes().merge(messages::mail_kind::routes()))
        .merge(returns::policy::routes())
        .merge(access::password::routes())
        .merge(messages::failures::routes())
        .merge(messages::jobs::routes())
        .merge(messages::list::routes())
        .merge(messages::message::routes().merge(messages::replays::routes()))
        .merge(returns::refunds::routes())
        .merge(money::routes())
        .merge(withdrawal::list::routes())
        .merge(warehouse::exceptions::routes())
        .merge(warehouse::plates::routes().merge(warehouse::disposition::routes()))
        .merge(warehouse::receive::routes())
        .merge(warehouse::drop_ship::routes())
        .merge(warehouse::asns::routes())
        .merge(warehouse::shipments::routes())
        .merge(warehouse::warehouses::routes())
        .merge(core::search::routes().merge(orders::routes()).merge(returns::routes()))
        .merge(warehouse::units::routes().merge(core::audit::routes()))
        .route("/console/{*rest}", any(core::problem::no_such_page))
        .method_not_allowed_fallback(server::error::method_not_allowed)
        .layer(middleware::from_fn(core::problem::errors_to_html))
}

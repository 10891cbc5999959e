//! The API: its routes, and the file that describes them, which a test holds to the code.

#![cfg_attr(
    not(feature = "describe"),
    expect(unused_imports, dead_code, reason = "only descriptions use them; lints run with them")
)]

mod access;
mod admin;
mod carriers;
mod core;
mod docs;
mod exchanges;
mod merchants;
mod messages;
mod money;
mod orders;
mod returns;
mod warehouse;
mod withdrawal;

// Only the tests compile the descriptions of handlers and types: see the crate `undescribed`.
#[cfg(not(feature = "describe"))]
extern crate undescribed as utoipa;

use axum::{
    Router,
    routing::{get, patch, post, put},
};
#[cfg(feature = "describe")]
pub use docs::generated::generate_description;
use domain::messages::kind::MessageKind;

use server::Web;

/// The routes for operators start with this.
const ADMIN: &str = "/admin";

/// The routes of the API, and its reference for people and for tools.
pub fn routes() -> Router<Web> {
    order_routes()
        .merge(return_routes())
        .merge(warehouse_routes())
        .merge(message_routes())
        .nest(ADMIN, admin::routes())
        .merge(docs::routes())
}

/// The description of the API.
pub fn description() -> serde_json::Value {
    docs::description()
}

/// The JSON Schemas of all messages to merchants.
pub fn message_schemas() -> Vec<(MessageKind, serde_json::Value)> {
    let document = description();
    let schema = |kind| docs::message_schema(&document, kind).map(|schema| (kind, schema));
    MessageKind::to_merchant().filter_map(schema).collect()
}

/// The routes for monitoring. They have no rate limit.
pub fn probes() -> Router<Web> {
    core::probes::routes()
}

/// Tokens, orders, and what becomes of them.
fn order_routes() -> Router<Web> {
    Router::new()
        .route("/oauth/token", post(access::token::issue))
        .route("/oauth/revoke", post(access::revoke::revoke))
        .route("/returns_portal_orders", post(orders::publish::publish))
        .route("/orders", get(orders::list::list))
        .route("/orders/{identifier}", get(orders::publish::show_order))
        .route("/withdrawals", get(withdrawal::list::list))
        .route("/money/entries", get(money::books::entries))
        .route("/money/balance", get(money::books::balance))
        .route("/refund_problems", get(money::differences::list))
        .route(
            "/orders/{identifier}/lines/{line}/variants",
            get(exchanges::exchange_orders::variants),
        )
        .route("/exchange_orders", get(exchanges::exchange_orders::list))
}

fn return_routes() -> Router<Web> {
    Router::new()
        .route("/orders/{identifier}/returnability", get(returns::lifecycle::show_returnability))
        .route("/returns/quote", post(returns::lifecycle::quote))
        .route("/returns", post(returns::lifecycle::start).get(returns::list::list))
        .route("/returns/{rma}", get(returns::lifecycle::show))
        .route("/returns/{rma}/cancel", post(returns::lifecycle::cancel))
        .route("/returns/{rma}/labels", post(returns::labels::renew))
        .route("/returns/{rma}/labels/{sha256}", get(returns::labels::show))
        .route("/returns/{rma}/events", get(returns::history::events))
        .route("/returns/{rma}/message", get(returns::current_message::show))
        .route("/carrier_events", post(returns::carrier::report))
        .route("/label_requests", get(returns::carrier::list))
        .route("/carriers/easypost/{merchant}/webhooks", post(carriers::webhooks::receive))
        .route("/returns/{rma}/receiving/close", post(returns::lifecycle::close))
}

fn warehouse_routes() -> Router<Web> {
    Router::new()
        .route("/receipts", post(warehouse::receipts::report))
        .route("/asns", post(warehouse::asns_and_shipments::announce).get(warehouse::lists::asns))
        .route(
            "/asns/{asn_number}",
            put(warehouse::asns_and_shipments::replace).get(warehouse::lists::asn),
        )
        .route(
            "/shipments",
            post(warehouse::asns_and_shipments::ship).get(warehouse::lists::shipments),
        )
        .route(
            "/shipments/{asn_number}",
            patch(warehouse::asns_and_shipments::change)
                .get(warehouse::asns_and_shipments::shipment),
        )
        .route("/units/{unit_identifier}", get(warehouse::units::story))
        .route("/units/{unit_identifier}/changes", post(warehouse::units::change))
        .route("/disposition_report", get(warehouse::disposition::report))
        .route(
            "/drop_ship_orders",
            post(warehouse::drop_ship::place).get(warehouse::lists::drop_ship_orders),
        )
        .route("/drop_ship_orders/{client_identifier}", get(warehouse::drop_ship::show))
        .route("/drop_ship_orders/{client_identifier}/shipments", post(warehouse::drop_ship::ship))
        .route(
            "/drop_ship_orders/{client_identifier}/cancellations",
            post(warehouse::drop_ship::cancel),
        )
}

fn message_routes() -> Router<Web> {
    Router::new()
        .route("/messages", get(messages::log::list))
        .route("/messages/{id}", get(messages::log::show))
        .route("/messages/{id}/retry", post(messages::log::retry))
        .route("/messages/{id}/signature", post(messages::explain::explain))
        .route("/messages/{id}/curl", get(messages::explain::show_command))
        .route("/reconciliation", post(messages::reconciliation::compare))
        .route("/reconciliation/digest", get(messages::reconciliation::digest))
        .route("/messages/replay", post(messages::replay::start))
        .route("/replays/{id}", get(messages::replay::show).delete(messages::replay::cancel))
}

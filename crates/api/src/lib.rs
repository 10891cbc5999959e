//! The API: its routes, and the description that is generated from them.

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

use axum::Router;
use domain::messages::kind::MessageKind;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document,
        security::{ClientCredentials, Flow, OAuth2, Scopes as FlowScopes, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use server::Web;

/// The routes for operators start with this.
const ADMIN: &str = "/admin";

/// The routes of the API, and its reference for people and for tools.
pub fn routes() -> Router<Web> {
    described_routes().0.merge(docs::routes())
}

/// The description of the API.
pub fn description() -> serde_json::Value {
    docs::describe(described_routes().1)
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

/// The routes of the API and the document that describes them.
fn described_routes() -> (Router<Web>, Document) {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(access::token::issue))
        .routes(routes!(access::revoke::revoke))
        .routes(routes!(orders::publish::publish))
        .routes(routes!(orders::list::list))
        .routes(routes!(orders::publish::show_order))
        .routes(routes!(returns::lifecycle::show_returnability))
        .routes(routes!(returns::lifecycle::quote))
        .routes(routes!(returns::lifecycle::start, returns::list::list))
        .routes(routes!(returns::lifecycle::show))
        .routes(routes!(returns::lifecycle::cancel))
        .routes(routes!(returns::labels::renew))
        .routes(routes!(returns::labels::show))
        .routes(routes!(returns::history::events))
        .routes(routes!(returns::current_message::show))
        .routes(routes!(withdrawal::list::list))
        .routes(routes!(money::books::entries))
        .routes(routes!(money::books::balance))
        .routes(routes!(money::differences::list))
        .routes(routes!(exchanges::exchange_orders::variants))
        .routes(routes!(exchanges::exchange_orders::list))
        .routes(routes!(returns::carrier::report))
        .routes(routes!(returns::carrier::list))
        .routes(routes!(carriers::webhooks::receive))
        .routes(routes!(warehouse::receipts::report))
        .routes(routes!(warehouse::asns_and_shipments::announce, warehouse::lists::asns))
        .routes(routes!(warehouse::asns_and_shipments::replace, warehouse::lists::asn))
        .routes(routes!(warehouse::asns_and_shipments::ship, warehouse::lists::shipments))
        .routes(routes!(
            warehouse::asns_and_shipments::change,
            warehouse::asns_and_shipments::shipment
        ))
        .routes(routes!(warehouse::units::story))
        .routes(routes!(warehouse::units::change))
        .routes(routes!(warehouse::disposition::report))
        .routes(routes!(warehouse::drop_ship::place, warehouse::lists::drop_ship_orders))
        .routes(routes!(warehouse::drop_ship::show))
        .routes(routes!(warehouse::drop_ship::ship))
        .routes(routes!(warehouse::drop_ship::cancel))
        .routes(routes!(returns::lifecycle::close))
        .routes(routes!(messages::log::list))
        .routes(routes!(messages::log::show))
        .routes(routes!(messages::log::retry))
        .routes(routes!(messages::explain::explain))
        .routes(routes!(messages::explain::show_command))
        .routes(routes!(messages::reconciliation::compare))
        .routes(routes!(messages::reconciliation::digest))
        .routes(routes!(messages::replay::start))
        .routes(routes!(messages::replay::show, messages::replay::cancel))
        .nest(ADMIN, admin::routes())
        .split_for_parts()
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Homeward",
        description = "Integration of returns, exchanges and fulfillment. A merchant's systems \
                       publish orders here. Operators manage merchants and credentials under \
                       `/admin`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "This server.")),
    tags(
        (name = "Token", description = "Access tokens for systems."),
        (name = "Orders", description = "Publish a merchant's orders, and read them back."),
        (name = "Returns", description = "What can be returned, and the returns themselves."),
        (name = "Exchanges", description = "Variants that a shopper can get instead of a refund, and \
                                            exchange orders."),
        (name = "Carrier", description = "Label requests and tracking events."),
        (name = "Warehouse", description = "Inbound ASNs, receipts, units and shipments."),
        (name = "Drop ship", description = "Orders that the warehouse ships directly to shoppers."),
        (name = "Money", description = "What was promised, what was paid, and the books of a merchant."),
        (name = "Messages to you", description = "The calls that your systems get, each with its \
                                                  headers and its signature."),
        (name = "Messages", description = "Messages to a merchant, and the attempts to deliver them."),
        (name = "Operation", description = "For operators' tools: merchants, credentials, imports, \
                                            failures, audit trail. Needs the scope `admin`.")
    ),
    modifiers(&Security)
)]
struct Description;

struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut Document) {
        let names = domain::access::scope::Scope::ALL.map(|scope| (scope.name(), scope.meaning()));
        let flow = Flow::ClientCredentials(ClientCredentials::new(
            "/oauth/token",
            FlowScopes::from_iter(names),
        ));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::OAuth2(OAuth2::new([flow])));
    }
}

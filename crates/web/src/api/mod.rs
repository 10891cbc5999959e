//! The API: its routes and, generated from them, its description.

pub mod admin;
mod body;
mod caller;
mod carrier;
mod dock;
mod drop_ship;
pub(crate) mod error;
mod exchanges;
pub(crate) mod form;
mod idempotency;
pub(crate) mod limit;
mod messages;
mod orders;
pub(crate) mod path;
pub(crate) mod probes;
pub(crate) mod query;
mod receipts;
mod returns;
mod token;
mod units;
mod version;
mod warehouse;

use axum::Router;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document,
        security::{ClientCredentials, Flow, OAuth2, Scopes as FlowScopes, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Web;

/// Operator's routes carry this in front.
const ADMIN: &str = "/admin";

/// The routes of the API and the document that describes them.
pub(crate) fn routes() -> (Router<Web>, Document) {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(token::issue))
        .routes(routes!(orders::publish))
        .routes(routes!(orders::held))
        .routes(routes!(returns::returnable))
        .routes(routes!(returns::quote))
        .routes(routes!(returns::start))
        .routes(routes!(returns::show))
        .routes(routes!(returns::cancel))
        .routes(routes!(exchanges::variants))
        .routes(routes!(exchanges::list))
        .routes(routes!(carrier::report))
        .routes(routes!(carrier::wanted))
        .routes(routes!(receipts::report))
        .routes(routes!(warehouse::announce))
        .routes(routes!(warehouse::replace))
        .routes(routes!(warehouse::ship))
        .routes(routes!(warehouse::change, warehouse::shipment))
        .routes(routes!(units::story))
        .routes(routes!(units::change))
        .routes(routes!(drop_ship::place))
        .routes(routes!(drop_ship::show))
        .routes(routes!(drop_ship::ship))
        .routes(routes!(drop_ship::cancel))
        .routes(routes!(returns::close))
        .routes(routes!(messages::list))
        .routes(routes!(messages::show))
        .routes(routes!(messages::retry))
        .nest(ADMIN, admin::routes())
        .split_for_parts()
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Homeward",
        description = "Returns, exchange and fulfilment integration. A merchant's systems publish \
                       orders here; operators manage merchants and credentials under `/admin`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "Token", description = "How a system proves who it is."),
        (name = "Orders", description = "What a merchant's systems publish, and what is held of it."),
        (name = "Returns", description = "What can come back, and the returns themselves."),
        (name = "Exchanges", description = "What a shopper can have instead of money."),
        (name = "Carrier", description = "Labels that are wanted, and what happens to parcels."),
        (name = "Warehouse", description = "What is announced, what arrives, what leaves."),
        (name = "Drop ship", description = "Orders that the warehouse ships for merchants."),
        (name = "Messages", description = "What was sent to a merchant, and how that went."),
        (name = "Operation", description = "For operators' tools: merchants, credentials, history, \
                                            audit. Needs the scope `admin`.")
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

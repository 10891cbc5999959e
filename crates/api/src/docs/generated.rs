//! The description of the API, generated from the handlers and their types.
//!
//! Handlers say with `#[utoipa::path]` what they take and answer, types with `ToSchema` what they
//! consist of. A test compares what comes of that with `openapi.json`, which is what is served.

mod complete;
mod webhooks;

use serde_json::Value;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document,
        security::{ClientCredentials, Flow, OAuth2, Scopes as FlowScopes, SecurityScheme},
    },
};

use crate::ADMIN;

/// The description of the API, as the code has it, with the responses that many operations share.
pub fn generate_description() -> Value {
    let document = Description::openapi();
    let mut document = serde_json::to_value(document).expect("the description has string keys");
    webhooks::add_webhooks(&mut document);
    complete::complete(&mut document);
    document
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
    nest((path = ADMIN, api = AdminDescription)),
    paths(
        crate::access::token::issue,
        crate::access::revoke::revoke,
        crate::orders::publish::publish,
        crate::orders::list::list,
        crate::orders::publish::show_order,
        crate::returns::lifecycle::show_returnability,
        crate::returns::lifecycle::quote,
        crate::returns::lifecycle::start,
        crate::returns::list::list,
        crate::returns::lifecycle::show,
        crate::returns::lifecycle::cancel,
        crate::returns::labels::renew,
        crate::returns::labels::show,
        crate::returns::history::events,
        crate::returns::current_message::show,
        crate::withdrawal::list::list,
        crate::money::books::entries,
        crate::money::books::balance,
        crate::money::differences::list,
        crate::exchanges::exchange_orders::variants,
        crate::exchanges::exchange_orders::list,
        crate::returns::carrier::report,
        crate::returns::carrier::list,
        crate::carriers::webhooks::receive,
        crate::warehouse::receipts::report,
        crate::warehouse::asns_and_shipments::announce,
        crate::warehouse::lists::asns,
        crate::warehouse::asns_and_shipments::replace,
        crate::warehouse::lists::asn,
        crate::warehouse::asns_and_shipments::ship,
        crate::warehouse::lists::shipments,
        crate::warehouse::asns_and_shipments::change,
        crate::warehouse::asns_and_shipments::shipment,
        crate::warehouse::units::story,
        crate::warehouse::units::change,
        crate::warehouse::disposition::report,
        crate::warehouse::drop_ship::place,
        crate::warehouse::lists::drop_ship_orders,
        crate::warehouse::drop_ship::show,
        crate::warehouse::drop_ship::ship,
        crate::warehouse::drop_ship::cancel,
        crate::returns::lifecycle::close,
        crate::messages::log::list,
        crate::messages::log::show,
        crate::messages::log::retry,
        crate::messages::explain::explain,
        crate::messages::explain::show_command,
        crate::messages::reconciliation::compare,
        crate::messages::reconciliation::digest,
        crate::messages::replay::start,
        crate::messages::replay::show,
        crate::messages::replay::cancel,
    ),
    modifiers(&Security)
)]
struct Description;

#[derive(OpenApi)]
#[openapi(paths(
    crate::merchants::accounts::list,
    crate::merchants::accounts::add,
    crate::merchants::accounts::show,
    crate::merchants::accounts::change,
    crate::merchants::accounts::rotate_signing_secret,
    crate::carriers::accounts::show,
    crate::carriers::accounts::set,
    crate::messages::mail::show,
    crate::messages::mail::set,
    crate::messages::mail::test,
    crate::returns::policy::show,
    crate::returns::policy::set,
    crate::merchants::retention::show,
    crate::merchants::retention::set,
    crate::returns::policy::versions,
    crate::returns::policy::check,
    crate::merchants::portal::show,
    crate::merchants::portal::set,
    crate::merchants::portal::set_picture,
    crate::merchants::portal::remove_picture,
    crate::merchants::portal::sign_link,
    crate::warehouse::exceptions::list,
    crate::warehouse::exceptions::decide,
    crate::returns::refunds::list,
    crate::returns::refunds::settle,
    crate::money::differences::decide,
    crate::money::books::merchant_entries,
    crate::money::books::merchant_balance,
    crate::messages::endpoints::list,
    crate::messages::endpoints::set,
    crate::messages::endpoints::set_one,
    crate::messages::endpoints::forget,
    crate::messages::endpoints::pause,
    crate::messages::endpoints::resume,
    crate::messages::endpoints::test,
    crate::messages::certify::certify,
    crate::orders::import::import,
    crate::orders::shoppers::export,
    crate::orders::shoppers::erase,
    crate::messages::reconciliation::compare_for_merchant,
    crate::messages::operator_log::list,
    crate::messages::operator_log::show,
    crate::messages::explain::show_any_command,
    crate::messages::operator_log::retry,
    crate::messages::operator_log::discard,
    crate::messages::failures::list,
    crate::messages::failures::retry,
    crate::messages::failures::job,
    crate::messages::failures::cancel,
    crate::messages::reports::deliveries,
    crate::access::clients::list,
    crate::access::clients::add,
    crate::access::clients::change,
    crate::access::clients::rotate_secret,
    crate::access::operators::list,
    crate::access::operators::add,
    crate::access::operators::change,
    crate::access::operators::set_password,
    crate::warehouse::disposition::list,
    crate::warehouse::disposition::set,
    crate::warehouse::disposition::merchant_report,
    crate::warehouse::settings::list,
    crate::warehouse::settings::show_routes,
    crate::warehouse::settings::set_routes,
    crate::warehouse::settings::show,
    crate::warehouse::settings::set,
    crate::warehouse::settings::remove,
    crate::withdrawal::documents::check,
    crate::core::audit::list,
    crate::access::keys::list,
    crate::core::status::show,
))]
struct AdminDescription;

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

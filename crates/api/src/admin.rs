//! The routes for operators' tools: merchants, clients, imports, failures, audit trail.

use utoipa_axum::{router::OpenApiRouter, routes};

use server::Web;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(crate::merchants::accounts::list, crate::merchants::accounts::add))
        .routes(routes!(crate::merchants::accounts::show, crate::merchants::accounts::change))
        .routes(routes!(crate::merchants::accounts::rotate_signing_secret))
        .routes(routes!(crate::carriers::accounts::show, crate::carriers::accounts::set))
        .routes(routes!(crate::messages::mail::show, crate::messages::mail::set))
        .routes(routes!(crate::messages::mail::test))
        .routes(routes!(crate::returns::policy::show, crate::returns::policy::set))
        .routes(routes!(crate::merchants::retention::show, crate::merchants::retention::set))
        .routes(routes!(crate::returns::policy::versions))
        .routes(routes!(crate::returns::policy::check))
        .routes(routes!(crate::merchants::portal::show, crate::merchants::portal::set))
        .routes(routes!(
            crate::merchants::portal::set_picture,
            crate::merchants::portal::remove_picture
        ))
        .routes(routes!(crate::merchants::portal::sign_link))
        .routes(routes!(crate::warehouse::exceptions::list))
        .routes(routes!(crate::warehouse::exceptions::decide))
        .routes(routes!(crate::returns::refunds::list))
        .routes(routes!(crate::returns::refunds::settle))
        .routes(routes!(crate::money::differences::decide))
        .routes(routes!(crate::money::books::merchant_entries))
        .routes(routes!(crate::money::books::merchant_balance))
        .routes(routes!(crate::messages::endpoints::list, crate::messages::endpoints::set))
        .routes(routes!(crate::messages::endpoints::set_one, crate::messages::endpoints::forget))
        .routes(routes!(crate::messages::endpoints::pause))
        .routes(routes!(crate::messages::endpoints::resume))
        .routes(routes!(crate::messages::endpoints::test))
        .routes(routes!(crate::messages::certify::certify))
        .routes(routes!(crate::orders::import::import))
        .routes(routes!(crate::orders::shoppers::export))
        .routes(routes!(crate::orders::shoppers::erase))
        .routes(routes!(crate::messages::reconciliation::compare_for_merchant))
        .routes(routes!(crate::messages::operator_log::list))
        .routes(routes!(crate::messages::operator_log::show))
        .routes(routes!(crate::messages::explain::show_any_command))
        .routes(routes!(crate::messages::operator_log::retry))
        .routes(routes!(crate::messages::operator_log::discard))
        .routes(routes!(crate::messages::failures::list))
        .routes(routes!(crate::messages::failures::retry))
        .routes(routes!(crate::messages::failures::job, crate::messages::failures::cancel))
        .routes(routes!(crate::messages::reports::deliveries))
        .routes(routes!(crate::access::clients::list, crate::access::clients::add))
        .routes(routes!(crate::access::clients::change))
        .routes(routes!(crate::access::clients::rotate_secret))
        .routes(routes!(crate::access::operators::list, crate::access::operators::add))
        .routes(routes!(crate::access::operators::change))
        .routes(routes!(crate::access::operators::set_password))
        .merge(warehouse_routes())
        .routes(routes!(crate::withdrawal::documents::check))
        .routes(routes!(crate::core::audit::list))
        .routes(routes!(crate::access::keys::list))
        .routes(routes!(crate::core::status::show))
}

fn warehouse_routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(crate::warehouse::disposition::list, crate::warehouse::disposition::set))
        .routes(routes!(crate::warehouse::disposition::merchant_report))
        .routes(routes!(crate::warehouse::settings::list))
        .routes(routes!(
            crate::warehouse::settings::show_routes,
            crate::warehouse::settings::set_routes
        ))
        .routes(routes!(
            crate::warehouse::settings::show,
            crate::warehouse::settings::set,
            crate::warehouse::settings::remove
        ))
}

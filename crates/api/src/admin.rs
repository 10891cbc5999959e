//! The routes for operators' tools: merchants, clients, imports, failures, audit trail.

use axum::{
    Router,
    routing::{get, patch, post, put},
};

use crate::{
    access, carriers, core, merchants, messages, money, orders, returns, warehouse, withdrawal,
};
use server::Web;

pub(super) fn routes() -> Router<Web> {
    merchant_routes().merge(warehouse_routes()).merge(message_routes()).merge(platform_routes())
}

/// Merchants, what they may do, and what they owe.
fn merchant_routes() -> Router<Web> {
    Router::new()
        .route("/merchants", get(merchants::accounts::list).post(merchants::accounts::add))
        .route(
            "/merchants/{merchant}",
            get(merchants::accounts::show).patch(merchants::accounts::change),
        )
        .route(
            "/merchants/{merchant}/rotate_signing_secret",
            post(merchants::accounts::rotate_signing_secret),
        )
        .route(
            "/merchants/{merchant}/carrier",
            get(carriers::accounts::show).put(carriers::accounts::set),
        )
        .route("/merchants/{merchant}/policy", get(returns::policy::show).put(returns::policy::set))
        .route(
            "/merchants/{merchant}/retention",
            get(merchants::retention::show).put(merchants::retention::set),
        )
        .route("/merchants/{merchant}/policy/versions", get(returns::policy::versions))
        .route("/policy/check", post(returns::policy::check))
        .route(
            "/merchants/{merchant}/portal",
            get(merchants::portal::show).put(merchants::portal::set),
        )
        .route(
            "/merchants/{merchant}/portal/logo",
            put(merchants::portal::set_picture).delete(merchants::portal::remove_picture),
        )
        .route("/merchants/{merchant}/portal/links", post(merchants::portal::sign_link))
        .route("/refunds", get(returns::refunds::list))
        .route("/merchants/{merchant}/refunds/{refund}/match", post(returns::refunds::settle))
        .route(
            "/merchants/{merchant}/refunds/{refund}/difference",
            post(money::differences::decide),
        )
        .route("/merchants/{merchant}/money/entries", get(money::books::merchant_entries))
        .route("/merchants/{merchant}/money/balance", get(money::books::merchant_balance))
}

fn warehouse_routes() -> Router<Web> {
    Router::new()
        .route("/exceptions", get(warehouse::exceptions::list))
        .route(
            "/merchants/{merchant}/units/{unit}/questions/{asn_number}/answer",
            post(warehouse::exceptions::decide),
        )
        .route(
            "/merchants/{merchant}/disposition",
            get(warehouse::disposition::list).put(warehouse::disposition::set),
        )
        .route(
            "/merchants/{merchant}/disposition/report",
            get(warehouse::disposition::merchant_report),
        )
        .route("/warehouses", get(warehouse::settings::list))
        .route(
            "/return_routes",
            get(warehouse::settings::show_routes).put(warehouse::settings::set_routes),
        )
        .route(
            "/warehouses/{identifier}",
            get(warehouse::settings::show)
                .put(warehouse::settings::set)
                .delete(warehouse::settings::remove),
        )
}

fn message_routes() -> Router<Web> {
    Router::new()
        .route("/merchants/{merchant}/mail", get(messages::mail::show).put(messages::mail::set))
        .route("/merchants/{merchant}/mail/test", post(messages::mail::test))
        .route(
            "/merchants/{merchant}/endpoints",
            get(messages::endpoints::list).put(messages::endpoints::set),
        )
        .route(
            "/merchants/{merchant}/endpoints/{kind}",
            put(messages::endpoints::set_one).delete(messages::endpoints::forget),
        )
        .route("/merchants/{merchant}/endpoints/{kind}/pause", post(messages::endpoints::pause))
        .route("/merchants/{merchant}/endpoints/{kind}/resume", post(messages::endpoints::resume))
        .route("/merchants/{merchant}/endpoints/{kind}/test", post(messages::endpoints::test))
        .route("/merchants/{merchant}/certify", post(messages::certify::certify))
        .route(
            "/merchants/{merchant}/reconciliation",
            post(messages::reconciliation::compare_for_merchant),
        )
        .route("/messages", get(messages::operator_log::list))
        .route("/messages/{id}", get(messages::operator_log::show))
        .route("/messages/{id}/curl", get(messages::explain::show_any_command))
        .route("/messages/{id}/retry", post(messages::operator_log::retry))
        .route("/messages/{id}/discard", post(messages::operator_log::discard))
        .route("/failures", get(messages::failures::list))
        .route("/failures/retry", post(messages::failures::retry))
        .route(
            "/failures/retry/{id}",
            get(messages::failures::job).delete(messages::failures::cancel),
        )
        .route("/reports/deliveries", get(messages::reports::deliveries))
}

/// Who may do what, who did what, and what one rarely needs.
fn platform_routes() -> Router<Web> {
    Router::new()
        .route("/merchants/{merchant}/orders/import", post(orders::import::import))
        .route("/shoppers/export", post(orders::shoppers::export))
        .route("/shoppers/erase", post(orders::shoppers::erase))
        .route("/clients", get(access::clients::list).post(access::clients::add))
        .route("/clients/{client_id}", patch(access::clients::change))
        .route("/clients/{client_id}/rotate_secret", post(access::clients::rotate_secret))
        .route("/operators", get(access::operators::list).post(access::operators::add))
        .route("/operators/{operator}", patch(access::operators::change))
        .route("/operators/{operator}/password", post(access::operators::set_password))
        .route("/withdrawals/check", post(withdrawal::documents::check))
        .route("/audit", get(core::audit::list))
        .route("/keys", get(access::keys::list))
        .route("/status", get(core::status::show))
}

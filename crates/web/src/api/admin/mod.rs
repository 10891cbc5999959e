//! What operators' tools call: merchants, clients, history, audit.

mod audit;
pub(crate) mod clients;
pub(crate) mod endpoints;
mod exceptions;
mod failures;
mod import;
pub(crate) mod merchants;
mod messages;
mod operators;
pub(crate) mod policy;
mod portal;
mod refunds;
mod reports;
mod status;

use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Web;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(merchants::list, merchants::add))
        .routes(routes!(merchants::show, merchants::change))
        .routes(routes!(merchants::rotate_signing_secret))
        .routes(routes!(policy::show, policy::set))
        .routes(routes!(policy::versions))
        .routes(routes!(policy::check))
        .routes(routes!(portal::show, portal::set))
        .routes(routes!(portal::set_picture, portal::remove_picture))
        .routes(routes!(exceptions::list))
        .routes(routes!(exceptions::decide))
        .routes(routes!(refunds::list))
        .routes(routes!(refunds::settle))
        .routes(routes!(endpoints::list, endpoints::set))
        .routes(routes!(endpoints::set_one, endpoints::forget))
        .routes(routes!(endpoints::pause))
        .routes(routes!(endpoints::resume))
        .routes(routes!(endpoints::test))
        .routes(routes!(import::import))
        .routes(routes!(messages::list))
        .routes(routes!(messages::show))
        .routes(routes!(messages::retry))
        .routes(routes!(messages::discard))
        .routes(routes!(failures::list))
        .routes(routes!(failures::retry))
        .routes(routes!(failures::job, failures::cancel))
        .routes(routes!(reports::deliveries))
        .routes(routes!(clients::list, clients::add))
        .routes(routes!(clients::change))
        .routes(routes!(clients::rotate_secret))
        .routes(routes!(operators::list, operators::add))
        .routes(routes!(operators::change))
        .routes(routes!(operators::set_password))
        .routes(routes!(audit::list))
        .routes(routes!(status::show))
}

//! What operators' tools call: merchants, clients, history, audit.

mod audit;
mod clients;
mod import;
mod merchants;
mod status;

use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Web;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(merchants::list, merchants::add))
        .routes(routes!(merchants::show, merchants::change))
        .routes(routes!(merchants::rotate_signing_secret))
        .routes(routes!(import::import))
        .routes(routes!(clients::list, clients::add))
        .routes(routes!(clients::change))
        .routes(routes!(clients::rotate_secret))
        .routes(routes!(audit::list))
        .routes(routes!(status::show))
}

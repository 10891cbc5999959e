//! What this process is: for `homeward doctor` and for operators who ask.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Web,
    api::{
        caller::{Admin, Allowed},
        error::ApiError,
    },
};

#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    #[schema(example = "0.1.0")]
    version: &'static str,
    #[schema(example = "sandbox")]
    environment: &'static str,
    /// `sqlite` or `postgres`.
    #[schema(example = "sqlite")]
    store: &'static str,
    schema_version: i64,
    uptime_s: u64,
    rate_limit_per_minute: u32,
}

/// Show the status
#[utoipa::path(
    get, path = "/status", tag = "Operation",
    responses((status = 200, body = Status, description = "What this process is.")),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: Allowed<Admin>,
) -> Result<Json<Status>, ApiError> {
    Ok(Json(Status {
        version: env!("CARGO_PKG_VERSION"),
        environment: web.settings.environment,
        store: web.app.store.engine_name(),
        schema_version: web.app.store.schema_version().await.map_err(app::AppError::Store)?,
        uptime_s: web.started.elapsed().as_secs(),
        rate_limit_per_minute: web.settings.rate_limit_per_minute,
    }))
}

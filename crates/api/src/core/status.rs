//! The status of this process, for `homeward doctor` and for operators.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::core::caller::{Admin, Allowed};
use server::{Web, error::ApiError};

/// The version and configuration of this process.
#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    #[schema(example = "0.1.0")]
    version: &'static str,
    /// `sandbox` or `production`.
    #[schema(example = "sandbox")]
    environment: &'static str,
    /// `sqlite` or `postgres`.
    #[schema(example = "sqlite")]
    store: &'static str,
    /// The version of the database schema.
    #[schema(example = 1)]
    schema_version: i64,
    /// Seconds since the process started.
    #[schema(example = 86400)]
    uptime_s: u64,
    /// The number of requests that one address may make in a minute.
    #[schema(example = 2500)]
    rate_limit_per_minute: u32,
}

/// Show the status
#[utoipa::path(
    get, path = "/status", operation_id = "show_status", tag = "Operation",
    responses((status = 200, body = Status, description = "The status of this process.", example = json!({
        "version": "0.1.0", "environment": "sandbox", "store": "sqlite", "schema_version": 1,
        "uptime_s": 86400, "rate_limit_per_minute": 2500
    }))),
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

//! The warehouses of the platform: list, show, set and remove them.

use app::{
    AppError,
    warehouse::settings::{
        list_warehouses, load_return_routes, load_warehouse, remove_warehouse, set_return_routes,
        set_warehouse,
    },
};
use axum::{Json, extract::State};
use domain::faults::FaultCode;
use domain::warehouse::{
    return_routes::{ReturnRoutes, read_routes},
    settings::{Warehouse, WarehouseSettings, is_identifier, read_settings},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    admin_request::AdminRequest,
    body::{EmptyRequest, JsonRequest},
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, path::Path};

/// The warehouses of the platform.
#[derive(Serialize, ToSchema)]
pub(crate) struct Warehouses {
    /// Sorted by identifier.
    warehouses: Vec<Warehouse>,
}

/// The address of a warehouse.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes the address; it is read as text")]
struct WarehousePath {
    /// The identifier of the warehouse.
    #[param(example = "31", min_length = 1, max_length = 255)]
    identifier: String,
}

/// A text that cannot be the identifier of a warehouse names none.
fn parse_warehouse(text: &str) -> Result<&str, ApiError> {
    Some(text).filter(|text| is_identifier(text)).ok_or(AppError::NotFound("warehouse").into())
}

fn sample_settings() -> Value {
    json!({
        "external_identifier": "WH-EAST", "stock_transfer_identifier": "ST-EAST",
        "address": { "name": "Receiving dock 4", "company": "Juniper Logistics",
            "street": "77 Mill Road", "street2": null, "city": "Newark", "state": "NJ",
            "zip": "07105", "country": "US" },
        "time_zone": "America/New_York", "default_channel": "Restock"
    })
}

fn sample_warehouse() -> Value {
    let mut warehouse = sample_settings();
    if let Some(fields) = warehouse.as_object_mut() {
        fields.insert("identifier".to_owned(), json!("31"));
    }
    warehouse
}

/// List warehouses
///
/// The warehouses that are configured. A receipt may name others, too.
#[utoipa::path(
    get, path = "/warehouses", operation_id = "list_warehouses", tag = "Operation",
    responses((status = 200, body = Warehouses, description = "Sorted by identifier.",
        example = json!({ "warehouses": [sample_warehouse()] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
) -> Result<Json<Warehouses>, ApiError> {
    Ok(Json(Warehouses { warehouses: list_warehouses(&web.app).await? }))
}

/// Show a warehouse
#[utoipa::path(
    get, path = "/warehouses/{identifier}", operation_id = "show_warehouse", tag = "Operation",
    params(WarehousePath),
    responses((status = 200, body = Warehouse, description = "The current settings.",
        example = json!(sample_warehouse()))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(identifier): Path<String>,
) -> Result<Json<Warehouse>, ApiError> {
    Ok(Json(load_warehouse(&web.app, parse_warehouse(&identifier)?).await?))
}

/// Set a warehouse
///
/// Adds a warehouse, or replaces all settings of one. Shipments that leave or go to it get its
/// other identifiers and its address if they do not send them. Existing shipments do not change.
#[utoipa::path(
    put, path = "/warehouses/{identifier}", operation_id = "set_warehouse", tag = "Operation",
    params(WarehousePath, IdempotencyHeader),
    request_body(content = WarehouseSettings, example = json!(sample_settings())),
    responses(
        (status = 200, body = Warehouse, description = "The new settings.",
            example = json!(sample_warehouse())),
        (status = 409, body = Message, description = "There are too many warehouses.",
            example = json!({ "message": "there are already 1000 warehouses" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.time_zone",
                FaultCode::Invalid,
                "must be the name of a time zone, such as America/New_York",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<Warehouse>, ApiError> {
    let identifier = parse_warehouse(&request.path)?;
    let settings = request.body.read(read_settings)?;
    Ok(Json(set_warehouse(request.scope(&web.app), identifier, &settings).await?))
}

/// Show where returns go
///
/// The table of which warehouse returns go to.
#[utoipa::path(
    get, path = "/return_routes", operation_id = "show_return_routes", tag = "Operation",
    responses((status = 200, body = ReturnRoutes, description = "In the order of the table.",
        example = json!(sample_routes()))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show_routes(
    State(web): State<Web>,
    _: Allowed<Admin>,
) -> Result<Json<ReturnRoutes>, ApiError> {
    Ok(Json(load_return_routes(&web.app).await?))
}

/// Set where returns go
///
/// Replaces the whole table. The first row that matches a return decides where it goes; without
/// one, it goes to the merchant's return address. Labels that a carrier issued do not change.
#[utoipa::path(
    put, path = "/return_routes", operation_id = "set_return_routes", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = ReturnRoutes, example = json!(sample_routes())),
    responses(
        (status = 200, body = ReturnRoutes, description = "The new table.",
            example = json!(sample_routes())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.routes[0].warehouse",
                FaultCode::Invalid,
                "must be a configured warehouse with an address",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set_routes(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<Json<ReturnRoutes>, ApiError> {
    let routes = body.read(read_routes)?;
    Ok(Json(set_return_routes(caller.scope(&web.app, key.as_ref()), &routes).await?))
}

fn sample_routes() -> Value {
    json!({ "routes": [
        { "merchant": "acme", "country": "CA", "return_method": "mail-back", "warehouse": "32" },
        { "merchant": "acme", "warehouse": "31" },
    ] })
}

/// Remove a warehouse
///
/// Existing shipments do not change.
#[utoipa::path(
    delete, path = "/warehouses/{identifier}", operation_id = "remove_warehouse",
    tag = "Operation",
    params(WarehousePath, IdempotencyHeader),
    responses((status = 200, body = Warehouse, description = "The settings that it had.",
        example = json!(sample_warehouse()))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn remove(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(identifier): Path<String>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<Warehouse>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(remove_warehouse(scope, parse_warehouse(&identifier)?).await?))
}

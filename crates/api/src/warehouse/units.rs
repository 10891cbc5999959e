//! Single units: their timelines, and changes that the warehouse makes.

use app::warehouse::{
    unit_changes::change_unit_state,
    unit_story::{UnitStory, load_unit_story},
};
use axum::{Json, extract::State};
use domain::faults::FaultCode;
use domain::warehouse::unit::{UnitChange, UnitRecord, read_unit_change};
use serde_json::Value;

use super::warehouse_request::{ForMerchant, WarehouseRequest};
use crate::core::{
    caller::{Merchant, Read},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, json_body::JsonBody, path::Path};

/// Read a unit's timeline
///
/// When the unit was announced, received, graded, moved and shipped, with its open questions and
/// the messages to its merchant.
#[utoipa::path(
    get, path = "/units/{unit_identifier}", operation_id = "read_unit", tag = "Warehouse",
    params(("unit_identifier" = String, Path, description = "The license plate of the unit.",
        example = "LP-0093321")),
    responses(
        (status = 200, body = UnitStory, description = "The unit with its timeline.",
            example = json!(sample_story())),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn story(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(unit_identifier): Path<String>,
) -> Result<Json<UnitStory>, ApiError> {
    Ok(Json(load_unit_story(&web.app, Some(&merchant.id), &unit_identifier).await?))
}

/// Grade or move a unit
///
/// Changes the condition, the channel or the location of a unit in the warehouse, or several of
/// them. The timeline of the unit shows who made the change and why. The Outbound ASN has the
/// condition at the time of shipment. Values that are the same as before change nothing.
#[utoipa::path(
    post, path = "/units/{unit_identifier}/changes", operation_id = "change_unit",
    tag = "Warehouse",
    params(
        ("unit_identifier" = String, Path, description = "The license plate of the unit.",
            example = "LP-0093321"),
        ForMerchant,
        IdempotencyHeader,
    ),
    request_body(content = UnitChange, example = json!(sample_change())),
    responses(
        (status = 200, body = UnitRecord, description = "The new state.",
            example = json!(sample_unit())),
        (status = 409, body = Message, description = "The unit is not in the warehouse.",
            example = json!({ "message": "the unit is not in the warehouse" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.condition",
                FaultCode::Invalid,
                "must be one of N, R, A, B, C, X, TT",
            ))),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    Path(unit_identifier): Path<String>,
    request: WarehouseRequest<JsonBody>,
) -> Result<Json<UnitRecord>, ApiError> {
    let change = request.body.read(read_unit_change)?;
    Ok(Json(change_unit_state(request.scope(&web.app), &unit_identifier, &change).await?))
}

fn sample_story() -> Value {
    let story = UnitStory { unit: domain::samples::received_unit(), messages: Vec::new() };
    serde_json::to_value(story).expect("a story has string keys")
}

fn sample_change() -> Value {
    serde_json::from_str(domain::samples::unit_change_request()).expect("the sample is JSON")
}

fn sample_unit() -> Value {
    serde_json::to_value(domain::samples::received_unit()).expect("a unit has string keys")
}

//! Single units: their stories, and what the warehouse changes about them.

use app::warehouse::{
    unit_changes::change_unit_state,
    unit_story::{UnitStory, load_unit_story},
};
use axum::{Json, extract::State};
use domain::warehouse::unit::{UnitChange, UnitRecord, read_unit_change};
use serde_json::Value;

use super::warehouse_request::{ForMerchant, WarehouseRequest};
use crate::core::{
    caller::{Merchant, Read},
    idempotency::IdempotencyHeader,
};
use server::{
    Web,
    error::{ApiError, Invalid, Message},
    json_body::JsonBody,
    path::Path,
};

/// Read a unit's story
///
/// Announced, received, graded, moved, shipped, with the open questions about it and the messages in which its
/// merchant was told.
#[utoipa::path(
    get, path = "/units/{unit_identifier}", operation_id = "read_unit", tag = "Warehouse",
    params(("unit_identifier" = String, Path, description = "The license plate of the unit.",
        example = "LP-0093321")),
    responses(
        (status = 200, body = UnitStory, description = "What is known of it.",
            example = json!(sample_story())),
        (status = 404, body = Message, description = "This merchant has no such unit.",
            example = json!({ "message": "there is no such unit" })),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn story(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(unit_identifier): Path<String>,
) -> Result<Json<UnitStory>, ApiError> {
    Ok(Json(load_unit_story(&web.app, &merchant.caller, None, &unit_identifier).await?))
}

/// Grade or move a unit
///
/// What is different about a unit that is in the warehouse: its condition, its channel, its location, any of them. Its
/// story tells who changed it and why, and the Outbound ASN carries the condition that it leaves in. What is
/// true already changes nothing.
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
        (status = 200, body = UnitRecord, description = "As it is now.",
            example = json!(sample_unit())),
        (status = 404, body = Message, description = "There is no such unit.",
            example = json!({ "message": "there is no such unit" })),
        (status = 409, body = Message, description = "The unit is not in the warehouse.",
            example = json!({ "message": "the unit is not in the warehouse" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.condition must be one of N, R, A, B, C, \
                    X, TT",
                "errors": [{ "field": "$.condition", "code": "invalid" }]
            })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    Path(unit_identifier): Path<String>,
    request: WarehouseRequest<JsonBody>,
) -> Result<Json<UnitRecord>, ApiError> {
    let change = request.body.read(read_unit_change)?;
    let which = (request.merchant.as_ref(), unit_identifier.as_str());
    Ok(Json(change_unit_state(&web.app, &request.caller, request.asks(), which, &change).await?))
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

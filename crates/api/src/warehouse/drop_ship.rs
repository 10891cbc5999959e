//! Drop-ship orders: merchants place them, the warehouse ships and cancels.

use app::warehouse::drop_ship::{
    act_on_drop_ship_order, load_drop_ship_order, place_drop_ship_order, read_drop_ship_order,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::warehouse::drop_ship::{
    DropShipCancelRequest, DropShipEnvelope, DropShipOrder, DropShipShipRequest, DropShipTask,
    read_cancellation, read_shipping,
};
use serde_json::Value;

use super::warehouse_request::{ForMerchant, WarehouseRequest};
use crate::core::{
    body::JsonRequest,
    caller::{DropShipWrite, Merchant, Read},
    idempotency::IdempotencyHeader,
};
use server::{
    Web,
    error::{ApiError, Message},
    json_body::JsonBody,
    path::Path,
};

/// Place a drop-ship order
///
/// The warehouse ships it directly to the shopper. At most 125 lines.
#[utoipa::path(
    post, path = "/drop_ship_orders", operation_id = "place_drop_ship_order", tag = "Drop ship",
    params(IdempotencyHeader),
    request_body(content = DropShipEnvelope, example = json!(sample_request())),
    responses(
        (status = 201, body = DropShipOrder, description = "Accepted.",
            example = json!(sample_order())),
        (status = 409, body = Message, description = "An order with this identifier was placed before.",
            example = json!({ "message": "drop-ship order DS-20417 already exists" })),
    ),
    security(("token" = ["drop_ship:write"]))
)]
pub(crate) async fn place(
    State(web): State<Web>,
    merchant: Merchant<DropShipWrite>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<(StatusCode, Json<DropShipOrder>), ApiError> {
    let order = body.read(|document| read_drop_ship_order(&web.app, document))?;
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    let order = place_drop_ship_order(scope, &order).await?;
    Ok((StatusCode::CREATED, Json(order)))
}

/// Read a drop-ship order
#[utoipa::path(
    get, path = "/drop_ship_orders/{client_identifier}", operation_id = "read_drop_ship_order",
    tag = "Drop ship",
    params(("client_identifier" = String, Path, description = "The merchant's identifier of the \
        order.", example = "DS-20417")),
    responses(
        (status = 200, body = DropShipOrder, description = "The current state.",
            example = json!(sample_order())),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(client_identifier): Path<String>,
) -> Result<Json<DropShipOrder>, ApiError> {
    Ok(Json(load_drop_ship_order(&web.app, Some(&merchant.id), &client_identifier).await?))
}

/// Ship units of a drop-ship order
///
/// Adds one shipment, for which the merchant gets a Drop Shipment Confirmation. A request with the
/// same tracking number and the same lines is the same shipment.
#[utoipa::path(
    post, path = "/drop_ship_orders/{client_identifier}/shipments",
    operation_id = "ship_drop_ship_order", tag = "Drop ship",
    params(
        ("client_identifier" = String, Path, description = "The merchant's identifier of the \
            order.", example = "DS-20417"),
        ForMerchant,
        IdempotencyHeader,
    ),
    request_body(content = DropShipShipRequest, example = json!(sample_shipping())),
    responses(
        (status = 201, body = DropShipTask<'_>, description = "The changed order, without its \
            amounts.", example = json!(view_task(&domain::samples::drop_ship_order()))),
        (status = 409, body = Message, description = "There are not enough open \
            units, or the tracking number was used with other lines.",
            example = json!({ "message": "line DS-20417-1 has no more than 0 open units" })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn ship(
    State(web): State<Web>,
    Path(client_identifier): Path<String>,
    request: WarehouseRequest<JsonBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let action = request.body.read(read_shipping)?;
    let scope = request.scope(&web.app);
    let order = act_on_drop_ship_order(scope, &client_identifier, &action).await?;
    Ok((StatusCode::CREATED, Json(view_task(&order))))
}

/// Cancel units of a drop-ship order
///
/// Cancels some units or, without `items`, all open units. The merchant gets a Drop Shipment
/// Cancellation when nothing of the order was shipped and nothing is open anymore, and otherwise a
/// Drop Shipment Partial Cancellation.
#[utoipa::path(
    post, path = "/drop_ship_orders/{client_identifier}/cancellations",
    operation_id = "cancel_drop_ship_order", tag = "Drop ship",
    params(
        ("client_identifier" = String, Path, description = "The merchant's identifier of the \
            order.", example = "DS-20417"),
        ForMerchant,
        IdempotencyHeader,
    ),
    request_body(content = DropShipCancelRequest, example = json!(sample_cancellation())),
    responses(
        (status = 201, body = DropShipTask<'_>, description = "The changed order, without its \
            amounts.", example = json!(view_task(&domain::samples::drop_ship_order()))),
        (status = 409, body = Message, description = "There are not enough open units.",
            example = json!({ "message": "line DS-20417-1 has no more than 0 open units" })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn cancel(
    State(web): State<Web>,
    Path(client_identifier): Path<String>,
    request: WarehouseRequest<JsonBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let action = request.body.read(read_cancellation)?;
    let scope = request.scope(&web.app);
    let order = act_on_drop_ship_order(scope, &client_identifier, &action).await?;
    Ok((StatusCode::CREATED, Json(view_task(&order))))
}

/// The order as the warehouse may see it.
fn view_task(order: &DropShipOrder) -> Value {
    serde_json::to_value(DropShipTask::of(order)).expect("an order has string keys")
}

fn parse_sample(text: &str) -> Value {
    serde_json::from_str(text).expect("the sample is JSON")
}

fn sample_request() -> Value {
    parse_sample(domain::samples::drop_ship_order_request())
}

fn sample_shipping() -> Value {
    parse_sample(domain::samples::drop_ship_shipment_request())
}

fn sample_cancellation() -> Value {
    parse_sample(domain::samples::drop_ship_cancellation_request())
}

fn sample_order() -> Value {
    serde_json::to_value(domain::samples::drop_ship_order()).expect("an order has string keys")
}

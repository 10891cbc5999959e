//! Orders: a merchant publishes them, and reads what is held.

use app::{
    held_order::held_order,
    take_in_orders::{OrdersMessage, TakenIn, take_in_orders},
};
use axum::{
    Json,
    extract::{Path, State},
    http::header::CONTENT_TYPE,
    response::IntoResponse,
};
use domain::order::Order;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    body::JsonRequest,
    caller::{Merchant, OrdersWrite, Read},
    error::{ApiError, Invalid, Message},
    query::Query,
    version::ApiVersion,
};
use crate::Web;

/// The message that publishes orders.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the message; domain reads it, to tell all faults at once")]
pub(crate) struct ReturnsPortalOrderMessage {
    returns_portal_order: ReturnsPortalOrder,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the message; domain reads it, to tell all faults at once")]
pub(crate) struct ReturnsPortalOrder {
    /// At most 1,000.
    #[schema(max_items = 1000)]
    orders: Vec<Order>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PublishQuery {
    /// Answer as if, but store nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Publish orders
///
/// Each order is a full snapshot and replaces the one held, unless its `updated_at` is older. The message
/// is stored whole or not at all. Fields that are not known are kept and named in `warnings`. Refund entries
/// are recorded once and never change.
#[utoipa::path(
    post,
    path = "/returns_portal_orders",
    tag = "Orders",
    params(
        PublishQuery,
        ("Api-Version" = String, Header, description = "Must be `3`.", example = "3"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same request with the same \
            key within 24 hours gets the first answer; another request with that key gets 409."),
    ),
    request_body(
        content = ReturnsPortalOrderMessage,
        example = json!(sample())
    ),
    responses(
        (status = 200, body = TakenIn, description = "Stored.", example = json!({
            "orders": [{ "identifier": "A-1001", "result": "created" }], "warnings": []
        })),
        (status = 400, body = Message, description = "Not JSON, or not version 3."),
        (status = 401, body = Message, description = "No token, or one that is unknown or expired."),
        (status = 403, body = Message, description = "The token lacks `orders:write`."),
        (status = 409, body = Message, description = "The key was used for another request."),
        (status = 413, body = Message, description = "Larger than 10 MiB."),
        (status = 415, body = Message, description = "Not `application/json`."),
        (status = 422, body = Invalid, description = "Every field that is not acceptable. Nothing \
            was stored.", example = json!({
            "message": "1 field is not acceptable: $.returns_portal_order.orders[0].status must be \
                        one of Created, Shipped, Cancelled",
            "errors": [{ "field": "$.returns_portal_order.orders[0].status", "code": "invalid" }]
        })),
        (status = 429, body = Message, description = "Too many requests from this address."),
    ),
    security(("token" = ["orders:write"]))
)]
pub(crate) async fn publish(
    State(web): State<Web>,
    merchant: Merchant<OrdersWrite>,
    _: ApiVersion,
    Query(PublishQuery { dry_run }): Query<PublishQuery>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<TakenIn>, ApiError> {
    let message = OrdersMessage { body, dry_run, repeatable };
    Ok(Json(take_in_orders(&web.app, &merchant.caller, message).await?))
}

fn sample() -> serde_json::Value {
    serde_json::from_str(domain::samples::order_message()).expect("the sample is JSON")
}

/// Read an order
///
/// The newest snapshot as it was sent, unknown fields included, with every refund ever reported for it.
#[utoipa::path(
    get,
    path = "/orders/{identifier}",
    tag = "Orders",
    params(("identifier" = String, Path, description = "The order's identifier.")),
    responses(
        (status = 200, body = Order, description = "What is held."),
        (status = 401, body = Message, description = "No token, or one that is unknown or expired."),
        (status = 403, body = Message, description = "The token lacks `read`."),
        (status = 404, body = Message, description = "This merchant has no such order."),
        (status = 429, body = Message, description = "Too many requests from this address."),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn held(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(identifier): Path<String>,
) -> Result<impl IntoResponse, ApiError> {
    let order = held_order(&web.app, &merchant.id, &identifier).await?;
    Ok(([(CONTENT_TYPE, "application/json")], order))
}

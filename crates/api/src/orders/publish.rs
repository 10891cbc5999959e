//! Orders: merchants publish them and read them back.

use app::orders::{
    load_order::load_order_json,
    publish_orders::{IntakeResult, OrdersMessage, publish_orders},
};
use axum::{Json, extract::State, response::Response};
use domain::faults::FaultCode;
use domain::orders::order::Order;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    body::JsonRequest,
    caller::{Merchant, OrdersWrite, Read},
    idempotency::IdempotencyHeader,
    json_text::json_response,
    sample,
    version::ApiVersion,
};
use server::Web;
use server::{
    error::{ApiError, Invalid, Message},
    path::Path,
    query::Query,
};

/// The message that publishes orders.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the message; it is read field by field")]
pub(crate) struct ReturnsPortalOrderMessage {
    returns_portal_order: ReturnsPortalOrder,
}

/// The orders of one message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the message; it is read field by field")]
pub(crate) struct ReturnsPortalOrder {
    /// The orders, each as a full snapshot.
    #[schema(max_items = 1000)]
    orders: Vec<Order>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PublishQuery {
    /// Check the orders and respond as usual, but store nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Publish orders
///
/// Each order is a full snapshot that replaces the stored one, unless its `updated_at` is older.
/// The message is stored completely or not at all. Unknown fields are stored and reported in
/// `warnings`. Refund entries are recorded once and never change.
#[utoipa::path(
    post,
    path = "/returns_portal_orders",
    operation_id = "publish_orders",
    tag = "Orders",
    params(
        PublishQuery,
        ("Api-Version" = String, Header, description = "Must be `3`.", example = "3"),
        IdempotencyHeader,
    ),
    request_body(
        content = ReturnsPortalOrderMessage,
        example = json!(sample_message())
    ),
    responses(
        (status = 200, body = IntakeResult, description = "Stored.", example = json!({
            "orders": [{ "identifier": "ORD-100472", "result": "created" }], "warnings": []
        })),
        (status = 400, body = Message, description = "The body is not JSON, or the version is not 3.",
            example = json!({ "message": "the header Api-Version is missing; 3 is supported" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.returns_portal_order.orders[0].status",
                FaultCode::Invalid,
                "must be one of Created, Shipped, Cancelled",
            ))),
    ),
    security(("token" = ["orders:write"]))
)]
pub(crate) async fn publish(
    State(web): State<Web>,
    merchant: Merchant<OrdersWrite>,
    _: ApiVersion,
    Query(PublishQuery { dry_run }): Query<PublishQuery>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<Json<IntakeResult>, ApiError> {
    // The use case reads the bytes itself, because it stores each order as it was sent.
    let strict = merchant.caller.settings.strict;
    let message = OrdersMessage { body: body.into_bytes(), dry_run, strict };
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    Ok(Json(publish_orders(scope, message).await?))
}

fn sample_message() -> serde_json::Value {
    serde_json::from_str(domain::samples::order_message()).expect("the sample is JSON")
}

fn sample_order() -> serde_json::Value {
    let order = sample_message().pointer("/returns_portal_order/orders/0").cloned();
    order.expect("the sample has an order")
}

/// Read an order
///
/// The newest snapshot as it was sent, including unknown fields, with all refunds that were ever
/// reported for it.
#[utoipa::path(
    get,
    path = "/orders/{identifier}",
    operation_id = "read_order",
    tag = "Orders",
    params(("identifier" = String, Path, description = "The order's identifier.",
        example = "ORD-100472")),
    responses(
        (status = 200, body = Order, description = "The order.",
            example = json!(sample_order())),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show_order(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(identifier): Path<String>,
) -> Result<Response, ApiError> {
    let order = load_order_json(&web.app, &merchant.id, &identifier).await?;
    Ok(json_response(order))
}

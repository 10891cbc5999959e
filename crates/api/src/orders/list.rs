//! The orders of a merchant in the order of their changes.

use app::orders::order_list::{ChangedOrder, list_changed_orders};
use axum::{Json, extract::State};
use domain::orders::order::OrderStatus;
use serde::Serialize;
use utoipa::ToSchema;

use crate::core::{
    caller::{Merchant, Read},
    work_list::WorkListParameters,
};
use server::{Web, error::ApiError, query::Query};

/// A page of orders.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedOrders {
    /// Those that changed first come first.
    orders: Vec<ChangedOrder>,
    /// Send it as `after` to continue, now or later.
    #[schema(example = "1771578900000000_acme_ORD-100472")]
    next: String,
    /// Whether more can be read already.
    more: bool,
}

/// List orders
///
/// In the order of their changes: an order that changes moves to the end. Continue from `next`,
/// also when there was nothing more, and no change is missed. `reference` is the order's identifier
/// or the number that the shopper knows.
#[utoipa::path(
    get, path = "/orders", operation_id = "list_orders", tag = "Orders",
    params(WorkListParameters),
    responses((status = 200, body = ChangedOrders, description = "A page of the list.",
        example = json!({ "orders": [{
            "identifier": "ORD-100472", "status": "Shipped", "updated_at": "2026-02-12T14:03:09Z"
        }], "next": "1771578900000000_acme_ORD-100472", "more": false }))),
    security(("token" = ["read"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(parameters): Query<WorkListParameters>,
) -> Result<Json<ChangedOrders>, ApiError> {
    let query = parameters.query(&merchant.caller, &OrderStatus::ALL.map(OrderStatus::name))?;
    let page = list_changed_orders(&web.app, &merchant.id, &query).await?;
    Ok(Json(ChangedOrders { orders: page.entries, next: page.next, more: page.more }))
}

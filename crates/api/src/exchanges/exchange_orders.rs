//! Exchanges: the variants that a shopper can get instead, and exchange orders.

use app::exchanges::{
    exchange_orders::{ExchangeOrderQuery, ExchangeOrders, list_exchange_orders},
    variants::{LineVariants, list_line_variants},
};
use axum::{Json, extract::State};
use domain::exchanges::record::ExchangeState;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::caller::{Merchant, Read};
use server::Web;
use server::{
    error::{ApiError, Message},
    path::Path,
    query::Query,
};

const PAGE_MAX: usize = 500;
const PAGE: usize = 100;

/// List the variants of an order line
///
/// The variants that units of the line can be exchanged for. They come from the merchant's own
/// server, which has three seconds to respond; its response is cached for half a minute. If the
/// server does not respond, the variants that were sent with the order are used.
#[utoipa::path(
    get, path = "/orders/{identifier}/lines/{line}/variants", operation_id = "list_variants",
    tag = "Exchanges",
    params(
        ("identifier" = String, Path, description = "The order's identifier.",
            example = "ORD-100472"),
        ("line" = String, Path, description = "The line's identifier.", example = "ORD-100472-1"),
    ),
    responses(
        (status = 200, body = LineVariants, description = "Sold out ones and those with another \
            price are marked.", example = json!({
                "source": "merchant", "skipped": 0,
                "variants": [{
                    "sku": "TEE-NAVY-L", "title": "Organic cotton tee, navy, L",
                    "attributes": [{ "name": "Size", "value": "L" }],
                    "unit_price_amount_cents": 4500, "in_stock": true, "even": true
                }]
            })),
        (status = 502, body = Message, description = "The merchant's server cannot be reached, and \
            nothing else is known.", example = json!({
                "message": "the request to the merchant's server failed: it responded with 500"
            })),
        (status = 503, body = Message, description = "The merchant's server did not answer in \
            time, and nothing else is known.", example = json!({
                "message": "the merchant's server did not respond in time"
            })),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn variants(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path((order, line)): Path<(String, String)>,
) -> Result<Json<LineVariants>, ApiError> {
    Ok(Json(list_line_variants(&web.app, &merchant.id, &order, &line).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExchangeOrdersQuery {
    /// `pending`, `placed`, `failed` or `cancelled`. If absent, all states.
    #[param(inline)]
    state: Option<ExchangeState>,
    /// Only the exchange order of this return.
    rma: Option<String>,
    /// Start after this one: `next` of the previous page.
    before: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List exchange orders
///
/// The orders that the merchant was asked to place, with their returns and amounts. Use
/// `transaction_id` to reconcile them.
#[utoipa::path(
    get, path = "/exchange_orders", operation_id = "list_exchange_orders", tag = "Exchanges",
    params(ExchangeOrdersQuery),
    responses((status = 200, body = ExchangeOrders, description = "Newest first.",
        example = json!({ "exchange_orders": [{
            "original_order_id": "ORD-100472", "rma_identifier": "RMA-7K3Q-9XWD-2M4T",
            "transaction_id": "PAY-7K3Q-9XWD-2M4T-1", "state": "placed", "credit_cents": 4610,
            "goods_credit_cents": 4610,
            "currency": "USD", "created_at": "2026-02-20T10:15:00Z",
            "decided_at": "2026-02-20T10:15:02Z", "exchange_order_identifier": "EX-100001",
            "total_amount_cents": 4860, "product_amount_cents": 4500, "tax_amount_cents": 360
        }] }))),
    security(("token" = ["read"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<ExchangeOrdersQuery>,
) -> Result<Json<ExchangeOrders>, ApiError> {
    let wanted = ExchangeOrderQuery {
        state: query.state,
        rma: query.rma,
        before: query.before,
        limit: query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX),
    };
    Ok(Json(list_exchange_orders(&web.app, &merchant.id, &wanted).await?))
}

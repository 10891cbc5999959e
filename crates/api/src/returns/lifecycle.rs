//! Returns: returnability, quotes, and the returns themselves.

use app::{
    orders::returnability::load_returnability,
    returns::{
        change_return::{cancel_return, close_receiving, load_return},
        history::load_return_as_of,
        start_return::{QuotedReturn, quote_return, start_return},
    },
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use domain::returns::{
    message::expected::ExpectedReturn,
    request::{ReturnRequest, read_request},
    returnability::Returnability,
    rma::Rma,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::return_answer::{ReturnAnswer, respond, view_return};
use crate::core::{
    body::{EmptyRequest, JsonRequest},
    caller::{Allowed, Merchant, Read, ReturnsWrite, WarehouseWrite},
    idempotency::IdempotencyHeader,
};
use server::Web;
use server::{
    error::{ApiError, Message, Refusals},
    path::Path,
    query::Query,
};

/// The return as the warehouse may see it: without amounts and e-mail addresses.
pub(super) fn view_expected(rma: &Rma) -> Value {
    serde_json::to_value(ExpectedReturn::of(rma)).expect("a return has string keys")
}

/// Which units can be returned
///
/// For each unit of the order: whether it can be returned; each rule that applies, with its
/// verdict, the fact it is based on and the time at which the verdict changes; the exact refund
/// with its parts; and the available methods with their fees.
#[utoipa::path(
    get, path = "/orders/{identifier}/returnability", operation_id = "read_returnability",
    tag = "Returns",
    params(("identifier" = String, Path, description = "The order's identifier.",
        example = "ORD-100472")),
    responses(
        (status = 200, body = Returnability, description = "The returnability at this moment.",
            example = json!(sample_returnability())),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show_returnability(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(identifier): Path<String>,
) -> Result<Json<Returnability>, ApiError> {
    Ok(Json(load_returnability(&web.app, &merchant.id, &identifier).await?))
}

/// Quote a return
///
/// The response is the same as for the start of the same return, except that `rma_identifier` and
/// `label` are null. Nothing is stored.
#[utoipa::path(
    post, path = "/returns/quote", operation_id = "quote_return", tag = "Returns",
    params(IdempotencyHeader),
    request_body(content = ReturnRequest, example = json!(sample_request())),
    responses(
        (status = 201, body = ReturnAnswer<'_>, description = "The return as it would be started.",
            example = json!(sample_answer())),
        (status = 409, body = Message, description = "The units are on another return.",
            example = json!({ "message": taken() })),
        (status = 422, body = Refusals, description = "Every invalid field, or every rule that \
            refuses the return.", example = json!(sample_refusal())),
    ),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn quote(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let request = body.read(read_request)?;
    let (scope, settings) = (merchant.caller.scope(&web.app, None), merchant.caller.settings);
    let QuotedReturn { rma, quote } = quote_return(scope, settings, &request).await?;
    let answer = view_return(&rma, Some(quote));
    let mut response = serde_json::to_value(answer).expect("the keys are text");
    // A quote is not stored, so it has no identifier and no links.
    if let Value::Object(fields) = &mut response {
        fields.insert("rma_identifier".to_owned(), Value::Null);
        fields.insert("links".to_owned(), Value::Object(serde_json::Map::new()));
    }
    Ok((StatusCode::CREATED, Json(response)))
}

/// Start a return
///
/// The units are spent, their refunds are fixed, the merchant gets an RMA message, and a label is
/// requested from the carrier. The items may belong to several orders of one shopper.
#[utoipa::path(
    post, path = "/returns", operation_id = "start_return", tag = "Returns",
    params(IdempotencyHeader),
    request_body(content = ReturnRequest, example = json!(sample_request())),
    responses(
        (status = 201, body = ReturnAnswer<'_>, description = "Started.",
            example = json!(sample_answer())),
        (status = 409, body = Message, description = "The units are on another return, or the key \
            was used for another request.", example = json!({ "message": taken() })),
        (status = 422, body = Refusals, description = "Every invalid field, or every rule that \
            refuses the return. Nothing was stored.", example = json!(sample_refusal())),
    ),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn start(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<(StatusCode, Response), ApiError> {
    let request = body.read(read_request)?;
    let caller = &merchant.caller;
    let scope = caller.scope(&web.app, key.as_ref());
    let started = start_return(scope, caller.settings, &request).await?;
    Ok((StatusCode::CREATED, respond(&started.rma, Some(started.quote))))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReturnQuery {
    /// The return as it was at this time, as the RMA message of that time said. By default, now.
    #[param(example = "2026-02-23T07:41:12Z")]
    as_of: Option<Timestamp>,
}

/// Read a return
#[utoipa::path(
    get, path = "/returns/{rma}", operation_id = "read_return", tag = "Returns",
    params(
        ("rma" = String, Path, description = "The return's identifier.",
            example = "RMA-7K3Q-9XWD-2M4T"),
        ReturnQuery,
    ),
    responses(
        (status = 200, body = ReturnAnswer<'_>, description = "The state, now or then.",
            example = json!(sample_answer())),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(rma): Path<String>,
    Query(query): Query<ReturnQuery>,
) -> Result<Response, ApiError> {
    let rma = match query.as_of {
        None => load_return(&web.app, &merchant.id, &rma).await?,
        Some(as_of) => load_return_as_of(&web.app, &merchant.id, &rma, as_of).await?,
    };
    Ok(respond(&rma, None))
}

/// Cancel a return
///
/// Possible until the carrier, the drop-off point or the warehouse has the goods. The units can
/// then be returned again. Canceling a canceled return changes nothing.
#[utoipa::path(
    post, path = "/returns/{rma}/cancel", operation_id = "cancel_return", tag = "Returns",
    params(
        ("rma" = String, Path, description = "The return's identifier.",
            example = "RMA-7K3Q-9XWD-2M4T"),
        IdempotencyHeader,
    ),
    responses(
        (status = 200, body = ReturnAnswer<'_>, description = "The return is canceled.",
            example = json!(sample_answer())),
        (status = 409, body = Message, description = "It is too late.",
            example = json!({ "message": "the carrier already has goods of the return" })),
    ),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn cancel(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    Path(rma): Path<String>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Response, ApiError> {
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    Ok(respond(&cancel_return(scope, &rma).await?, None))
}

/// Close the receiving of a return
///
/// The warehouse expects no more units. Units that did not arrive become `NOT_RECEIVED`, and a
/// return that is not fully refunded by now becomes `PARTIAL_REFUND`.
#[utoipa::path(
    post, path = "/returns/{rma}/receiving/close", operation_id = "close_receiving",
    tag = "Warehouse",
    params(
        ("rma" = String, Path, description = "The return's identifier.",
            example = "RMA-7K3Q-9XWD-2M4T"),
        IdempotencyHeader,
    ),
    responses(
        (status = 200, body = ExpectedReturn<'_>, description = "Closed.",
            example = json!(view_expected(&domain::samples::rma()))),
        (status = 409, body = Message, description = "Our warehouse does not receive this return, \
            or the return is canceled.", example = json!({ "message": "the return was canceled" })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn close(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<WarehouseWrite>,
    Path(rma): Path<String>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<Value>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(view_expected(&close_receiving(scope, &rma).await?)))
}

fn taken() -> &'static str {
    "these units are already being returned: $.items[0]: already in return RMA-7K3Q-9XWD-2M4T"
}

fn sample_request() -> Value {
    serde_json::json!({
        "email": "dana.whitfield@example.com",
        "return_method": "mail-back",
        "items": [{
            "order_identifier": "ORD-100472", "order_line_item_identifier": "ORD-100472-1",
            "quantity": 1, "return_reason": "too_small", "resolution": "refund"
        }]
    })
}

pub(super) fn sample_answer() -> Value {
    serde_json::to_value(view_return(&domain::samples::rma(), None)).expect("the keys are text")
}

fn sample_refusal() -> Value {
    serde_json::json!({
        "message": "the return is refused: $.items[0] shipped on 2026-01-02; the 30-day window \
                    ends on 2026-02-01 (window)",
        "errors": [{
            "field": "$.items[0]", "code": "invalid", "rule": "window",
            "message": "shipped on 2026-01-02; the 30-day window ends on 2026-02-01"
        }]
    })
}

fn sample_returnability() -> Value {
    serde_json::json!({
        "order_identifier": "ORD-100472", "currency": "USD", "at": "2026-02-20T10:15:00Z",
        "reasons": [{
            "code": "too_small", "label": "Too small", "offers_exchange": true,
            "merchant_fault": false
        }],
        "lines": [{
            "line_identifier": "ORD-100472-1",
            "units": [{
                "unit": 0, "returnable": true,
                "rules": [{
                    "rule": "window", "verdict": "allows",
                    "fact": "shipped on 2026-02-12; the 30-day window ends on 2026-03-14",
                    "changes_at": "2026-03-15T00:00:00Z"
                }],
                "refund": {
                    "refund_cents": 4610, "price_cents": 4500, "discount_cents": 250,
                    "tax_cents": 360
                },
                "methods": [{ "method": "mail-back", "fee_cents": 0 }],
                "exchange": true, "gift_card": false
            }]
        }]
    })
}

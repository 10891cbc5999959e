//! Returns: returnability, quotes, and the returns themselves.

use app::{
    orders::returnability::load_returnability,
    returns::{
        change_return::{cancel_return, close_receiving, load_return},
        history::load_return_as_of,
        start_return::{QuotedReturn, quote_return, start_return},
    },
};
use axum::{Json, extract::State, http::StatusCode};
use domain::money::statement::Statement;
use domain::returns::{
    message::{RmaMessage, expected::ExpectedReturn},
    quote::Quote,
    request::{ReturnRequest, read_request},
    returnability::Returnability,
    rma::{Rma, RmaUnit, WrongItem},
};
use domain::withdrawal::identifier::WithdrawalId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::label_view::{LabelView, view_labels};
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

/// A return as in the message to the merchant, with its label and links.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReturnAnswer<'a> {
    #[serde(flatten)]
    message: RmaMessage<'a>,
    /// Null until the carrier has created it.
    #[schema(required)]
    label: Option<Label<'a>>,
    /// What the carrier said about each label, also about those that are void.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    labels: Vec<LabelView<'a>>,
    links: Links,
    /// The version of the merchant's policy that applies to the return.
    #[schema(example = 3, minimum = 0)]
    policy_version: i64,
    /// The withdrawal from the contract that started the return, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawal_identifier: Option<&'a WithdrawalId>,
    /// What was promised, what was paid, and what is left.
    statement: Statement,
    /// Units that the warehouse rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    rejected_units: Vec<RejectedUnit<'a>>,
    /// What was in its parcels, does not belong to it, and was rejected.
    #[serde(skip_serializing_if = "<[WrongItem]>::is_empty")]
    #[schema(required = false)]
    wrong_items: &'a [WrongItem],
    /// The amounts of the return. Only in the responses to a quote and to the start of a return.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<Quote>,
}

/// The label that the shopper attaches to the parcel, or shows at the drop-off point.
#[derive(Serialize, ToSchema)]
pub(crate) struct Label<'a> {
    #[schema(example = "9400111899223197428490")]
    tracking_number: &'a str,
    /// A page to print. Anyone who knows this address can open it, until the carrier has the goods
    /// or the label expires.
    #[schema(example = "/labels/RMA-7K3Q-9XWD-2M4T-5H2QK8N4W7RXD3MZT6YB9VCJ1P")]
    url: String,
    /// Until when the carrier accepts it. After that, request a new one.
    #[schema(value_type = String, format = DateTime, example = "2026-04-21T10:15:00Z")]
    expires_at: Timestamp,
}

/// A unit that the warehouse rejected.
#[derive(Serialize, ToSchema)]
pub(crate) struct RejectedUnit<'a> {
    #[schema(example = "ORD-100472")]
    order_identifier: &'a str,
    #[schema(example = "ORD-100472-1")]
    order_line_item_identifier: &'a str,
    /// The license plate of the unit.
    #[schema(example = "LP-0093321")]
    unit_identifier: &'a str,
    #[schema(example = "stained")]
    reject_reason: &'a str,
}

/// Addresses on this server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Links {
    /// The return itself.
    #[serde(rename = "self")]
    #[schema(example = "/returns/RMA-7K3Q-9XWD-2M4T")]
    this: String,
    #[schema(example = "/returns/RMA-7K3Q-9XWD-2M4T/cancel")]
    cancel: String,
    #[schema(example = "/labels/RMA-7K3Q-9XWD-2M4T-5H2QK8N4W7RXD3MZT6YB9VCJ1P")]
    label: String,
}

pub(super) fn respond(rma: &Rma, quote: Option<Quote>) -> Json<Value> {
    let id = &rma.rma_identifier;
    let tracking_number = rma.units.iter().find_map(|unit| unit.tracking_number.as_deref());
    let label = tracking_number.map(|tracking_number| Label {
        tracking_number,
        url: format!("/labels/{}", rma.label_name()),
        expires_at: rma.labels_expire_at(),
    });
    let links = Links {
        this: format!("/returns/{id}"),
        cancel: format!("/returns/{id}/cancel"),
        label: format!("/labels/{}", rma.label_name()),
    };
    let response = ReturnAnswer {
        message: RmaMessage::of(rma),
        label,
        labels: view_labels(rma),
        links,
        policy_version: rma.policy_version,
        withdrawal_identifier: rma.withdrawal_identifier.as_ref(),
        statement: Statement::of(rma),
        rejected_units: rma.units.iter().filter_map(view_rejection).collect(),
        wrong_items: &rma.wrong_items,
        quote,
    };
    Json(serde_json::to_value(response).expect("a response has string keys"))
}

/// The return as the warehouse may see it: without amounts and e-mail addresses.
pub(super) fn view_expected(rma: &Rma) -> Value {
    serde_json::to_value(ExpectedReturn::of(rma)).expect("a return has string keys")
}

fn view_rejection(unit: &RmaUnit) -> Option<RejectedUnit<'_>> {
    let receipt = unit.receipt.as_ref()?;
    Some(RejectedUnit {
        order_identifier: &unit.goods.order_identifier,
        order_line_item_identifier: &unit.goods.order_line_item_identifier,
        unit_identifier: &receipt.receipt_identifier,
        reject_reason: receipt.reject_reason.as_deref()?,
    })
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
    let Json(mut response) = respond(&rma, Some(quote));
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
) -> Result<(StatusCode, Json<Value>), ApiError> {
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
    #[param(value_type = Option<String>, format = DateTime, example = "2026-02-23T07:41:12Z")]
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
) -> Result<Json<Value>, ApiError> {
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
) -> Result<Json<Value>, ApiError> {
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
    respond(&domain::samples::rma(), None).0
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

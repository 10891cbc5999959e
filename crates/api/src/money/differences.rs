//! Refunds that differ from the promise, for the merchant and for operators.

use app::{
    money::differences::{DifferenceAction, DifferenceAnswer, answer_difference},
    returns::refund_problems::{ProblemView, RefundProblemPage, list_own_problems},
};
use axum::{Json, extract::State};
use domain::{faults::Faults, json::Json as Document, reader::TEXT_MAX};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use crate::core::{
    admin_request::AdminRequest,
    caller::{Merchant, Read},
    idempotency::IdempotencyHeader,
    paging::{PAGE, PAGE_MAX},
    sample,
};
use server::{
    Web,
    error::{ApiError, Invalid, Message},
    json_body::read_object,
    query::Query,
    requests::identifiers::parse_merchant,
};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OwnProblemsQuery {
    /// Start after this refund: `next` of the previous page.
    after: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List your refunds with a problem
///
/// Refunds that could not be assigned to a return, or whose amount is not what was promised, with
/// both amounts and what was decided about them.
#[utoipa::path(
    get, path = "/refund_problems", operation_id = "list_own_refund_problems", tag = "Money",
    params(OwnProblemsQuery),
    responses((status = 200, body = RefundProblemPage, description = "Oldest first.",
        example = json!({ "refunds": [sample_difference()],
            "next": "1771139508000000_acme_RF-2201" }))),
    security(("token" = ["read"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<OwnProblemsQuery>,
) -> Result<Json<RefundProblemPage>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let after = query.after.as_deref();
    Ok(Json(list_own_problems(&web.app, &merchant.id, after, limit).await?))
}

/// Decide about a difference
///
/// Accepts that a refund is not what was promised, asks the merchant about it, or expects the rest.
#[utoipa::path(
    post, path = "/merchants/{merchant}/refunds/{refund}/difference",
    operation_id = "decide_difference", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        ("refund" = String, Path, description = "The refund's identifier.", example = "RF-2201"),
        IdempotencyHeader,
    ),
    request_body(content = DifferenceAnswer, example = json!({
        "action": "accept", "note": "agreed with the merchant by telephone"
    })),
    responses(
        (status = 200, body = ProblemView, description = "Decided.",
            example = json!(sample_difference())),
        (status = 404, body = Message, description = "The refund has no problem.",
            example = json!(sample::not_found("refund problem"))),
        (status = 409, body = Message, description = "The difference is settled, or has changed.",
            example = json!({ "message": "the difference is already settled" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.action",
                domain::faults::FaultCode::Invalid,
                "must be one of accept, ask, await",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn decide(
    State(web): State<Web>,
    request: AdminRequest<(String, String)>,
) -> Result<Json<ProblemView>, ApiError> {
    let (merchant, refund) = &request.path;
    let scope = request.scope(&web.app);
    let (merchant, answer) = (parse_merchant(merchant)?, request.body.read(read_answer)?);
    Ok(Json(answer_difference(scope.for_merchant(&merchant), refund, &answer).await?))
}

fn read_answer(document: &Document<'_>) -> Result<DifferenceAnswer, Faults> {
    read_object(document, |at| {
        let refused = "must be one of accept, ask, await";
        let action = at.required("action", |at| at.named(DifferenceAction::parse, refused));
        let note = at.required("note", |at| at.text(1..=TEXT_MAX).map(str::to_owned));
        Some(DifferenceAnswer { action: action?, note: note? })
    })
}

fn sample_difference() -> Value {
    serde_json::json!({
        "merchant": "acme", "refund_identifier": "RF-2201", "order_identifier": "ORD-100472",
        "kind": "short_paid", "state": "short_paid", "noticed_at": "2026-02-26T11:00:00Z",
        "detail": "pays less than was promised: 4014 instead of 4015 minor units of USD for \
                   RMA-7K3Q-9XWD-2M4T",
        "difference": {
            "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "currency": "USD",
            "promised_cents": 4015, "paid_cents": 4014
        }
    })
}

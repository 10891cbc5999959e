//! Refunds that need an operator.

use app::returns::refund_problems::{
    ProblemView, RefundMatch, RefundProblemPage, list_refund_problems, match_refund,
};
use axum::{Json, extract::State};
use domain::{
    faults::{FaultCode, Faults},
    json::Json as Document,
    money::comparison::DifferenceKind,
    reader::TEXT_MAX,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::core::paging::{PAGE, PAGE_MAX};
use crate::core::{
    admin_request::AdminRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, query::Query};
use server::{json_body::read_object, requests::identifiers::parse_merchant};

/// The problem of a refund.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProblemState {
    Unmatched,
    Conflict,
    ShortPaid,
    OverPaid,
    PaidNotReceived,
    PaidAfterReject,
    ShippingNotPaid,
    Asked,
    Awaited,
    Settled,
}

impl ProblemState {
    const fn name(self) -> &'static str {
        match self {
            Self::Unmatched => "unmatched",
            Self::Conflict => "conflict",
            Self::ShortPaid => DifferenceKind::ShortPaid.name(),
            Self::OverPaid => DifferenceKind::OverPaid.name(),
            Self::PaidNotReceived => DifferenceKind::PaidNotReceived.name(),
            Self::PaidAfterReject => DifferenceKind::PaidAfterReject.name(),
            Self::ShippingNotPaid => DifferenceKind::ShippingNotPaid.name(),
            Self::Asked => "asked",
            Self::Awaited => "awaited",
            Self::Settled => "settled",
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProblemsQuery {
    /// `unmatched`: it is not clear which return the refund pays for. `conflict`: it pays for units
    /// that were spent before. `short_paid`, `over_paid`, `paid_not_received`,
    /// `paid_after_reject`, `shipping_not_paid`: it is not what was promised. `asked`: the merchant
    /// was asked about it. `awaited`: the rest is expected. `settled`: the problem is resolved.
    #[param(inline, example = "unmatched")]
    state: ProblemState,
    /// Start after this refund: `next` of the previous page.
    after: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List refunds with a problem
#[utoipa::path(
    get, path = "/refunds", operation_id = "list_refund_problems", tag = "Operation",
    params(ProblemsQuery),
    responses((status = 200, body = RefundProblemPage, description = "Oldest first.",
        example = json!({ "refunds": [sample_problem()], "next": "1771139508000000_acme_RF-2201" }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(query): Query<ProblemsQuery>,
) -> Result<Json<RefundProblemPage>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let after = query.after.as_deref();
    Ok(Json(list_refund_problems(&web.app, query.state.name(), after, limit).await?))
}

/// Match a refund
///
/// Assigns a refund to a return and closes the units it pays for. Without a return, the refund is
/// marked as settled and changes nothing else.
#[utoipa::path(
    post, path = "/merchants/{merchant}/refunds/{refund}/match", operation_id = "match_refund",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        ("refund" = String, Path, description = "The refund's identifier.", example = "RF-2201"),
        IdempotencyHeader,
    ),
    request_body(content = RefundMatch, example = json!({
        "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "note": "agreed with the merchant by telephone"
    })),
    responses(
        (status = 200, body = ProblemView, description = "Settled.", example = json!(sample_problem())),
        (status = 404, body = Message, description = "The refund or the return was not found.",
            example = json!(sample::not_found("return"))),
        (status = 409, body = Message, description = "The return does not expect money for these units.",
            example = json!({
                "message": "the return does not expect a refund for these units"
            })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.note",
                FaultCode::InvalidType,
                "must be a string",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn settle(
    State(web): State<Web>,
    request: AdminRequest<(String, String)>,
) -> Result<Json<ProblemView>, ApiError> {
    let (merchant, refund) = &request.path;
    let scope = request.scope(&web.app);
    let (merchant, matched) = (parse_merchant(merchant)?, request.body.read(read_match)?);
    Ok(Json(match_refund(scope.for_merchant(&merchant), refund, &matched).await?))
}

fn read_match(document: &Document<'_>) -> Result<RefundMatch, Faults> {
    read_object(document, |at| {
        Some(RefundMatch {
            rma_identifier: at.optional_identifier("rma_identifier"),
            note: at.optional("note", |at| at.text(1..=TEXT_MAX).map(str::to_owned)),
        })
    })
}

fn sample_problem() -> Value {
    serde_json::json!({
        "merchant": "acme", "refund_identifier": "RF-2201", "order_identifier": "ORD-100472",
        "kind": "unmatched", "state": "unmatched", "noticed_at": "2026-02-26T11:00:00Z",
        "detail": "does not name a return, and could pay for any of RMA-7K3Q-9XWD-2M4T, \
                   RMA-8K3Q-9XWD-2M4T"
    })
}

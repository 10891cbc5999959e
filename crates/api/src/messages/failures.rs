//! The failure queue, for operators: list it, retry what matches in the background.

use app::{
    core::commit_once::Request,
    messages::{
        bulk_retry::{RetryJob, cancel_bulk_job, find_bulk_job, start_bulk_job},
        failure_queue::{FailureAction, FailurePage, list_failures},
    },
};
use axum::{Json, extract::State, http::StatusCode};
use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::Deserialize;
use store::FailureFilter;
use utoipa::IntoParams;

use crate::core::paging::{PAGE, PAGE_MAX};
use crate::core::{
    caller::{Admin, Allowed},
    idempotency::{Idempotency, IdempotencyHeader},
};
use server::requests::identifiers::parse_merchant;
use server::{
    Web,
    error::{ApiError, Message},
    path::Path,
    query::Query,
};

/// Which failures are meant; everything that is said must hold.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FailuresQuery {
    /// Of this merchant; of every merchant when absent.
    merchant: Option<String>,
    /// `rma`, `exchange_variants`, `exchange_order`, `outbound_asn`, `inventory_receipt`,
    /// `drop_shipment_confirmation`, `drop_shipment_cancellation` or `drop_shipment_partial_cancellation`; every kind
    /// when absent.
    #[param(inline)]
    kind: Option<MessageKind>,
    /// With this status of the last answer, 0 for none; any when absent.
    status: Option<i64>,
    /// Failed at this time or later.
    #[param(value_type = Option<String>)]
    from: Option<Timestamp>,
    /// Failed at this time or earlier.
    #[param(value_type = Option<String>)]
    to: Option<Timestamp>,
}

impl FailuresQuery {
    fn filter(self) -> Result<FailureFilter, ApiError> {
        Ok(FailureFilter {
            merchant: self.merchant.as_deref().map(parse_merchant).transpose()?,
            kind: self.kind,
            status: self.status,
            from_us: self.from.map_or(i64::MIN, Timestamp::as_microsecond),
            to_us: self.to.map_or(i64::MAX, Timestamp::as_microsecond),
        })
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Begin behind this failure: `next` of the page before.
    after: Option<String>,
    /// At most 500; 100 when absent.
    limit: Option<usize>,
}

/// List the failure queue
///
/// Messages whose tries are used up, oldest first.
#[utoipa::path(
    get, operation_id = "list_failures", path = "/failures", tag = "Operation",
    params(FailuresQuery, PageQuery),
    responses(
        (status = 200, body = FailurePage, description = "Oldest first.", example = json!({
            "failures": [{
                "id": "msg_acme_42", "merchant": "acme", "kind": "rma", "ref": "RMA-7K2M9QWX",
                "created_at": "2026-02-14T16:02:10Z", "failed_at": "2026-02-15T07:11:48Z",
                "status": 503, "error": null, "superseded": false
            }],
            "next": "1771139508000000_acme_42"
        })),
        (status = 404, body = Message, description = "The query names what cannot be a merchant.",
            example = json!({ "message": "there is no such merchant" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(filter): Query<FailuresQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<FailurePage>, ApiError> {
    let limit = page.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let after = page.after.as_deref();
    Ok(Json(list_failures(&web.app, &filter.filter()?, after, limit).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForceQuery {
    /// Send superseded messages too.
    #[serde(default)]
    force: bool,
}

/// Retry failures
///
/// Puts everything that matches back among the messages that are sent, in the background. Superseded snapshots are
/// skipped unless forced. The job belongs to the node that began it.
#[utoipa::path(
    post, operation_id = "retry_failures", path = "/failures/retry", tag = "Operation",
    params(FailuresQuery, ForceQuery, IdempotencyHeader),
    responses(
        (status = 202, body = RetryJob, description = "Begun.", example = json!({
            "id": "k7w2mq9d4x", "state": "running", "total": 12000, "retried": 0, "discarded": 0,
            "skipped": 0
        })),
        (status = 400, body = Message, description = "The query or the `Idempotency-Key` is not as \
            described.", example = json!({
                "message": "Failed to deserialize query string: status: invalid digit found in string"
            })),
        (status = 404, body = Message, description = "The query names what cannot be a merchant.",
            example = json!({ "message": "there is no such merchant" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn retry(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Query(filter): Query<FailuresQuery>,
    Query(ForceQuery { force }): Query<ForceQuery>,
    idempotency: Idempotency,
) -> Result<(StatusCode, Json<RetryJob>), ApiError> {
    let repeatable = idempotency.of(b"");
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    let action = FailureAction::Retry { force };
    let job = start_bulk_job(&web.app, request, filter.filter()?, action).await?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// Show a background retry
///
/// Ask the node that began it. Jobs that ended are forgotten after a while.
#[utoipa::path(
    get, operation_id = "show_retry", path = "/failures/retry/{id}", tag = "Operation",
    params(("id" = String, Path, description = "The job's identifier.", example = "k7w2mq9d4x")),
    responses(
        (status = 200, body = RetryJob, description = "How far it got.", example = json!({
            "id": "k7w2mq9d4x", "state": "done", "total": 12000, "retried": 11990, "discarded": 0,
            "skipped": 10
        })),
        (status = 404, body = Message, description = "This node knows no such job.",
            example = json!({ "message": "there is no such job" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn job(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(id): Path<String>,
) -> Result<Json<RetryJob>, ApiError> {
    Ok(Json(find_bulk_job(&web.app, &id)?))
}

/// Cancel a background retry
///
/// What it has put back stays put back.
#[utoipa::path(
    delete, operation_id = "cancel_retry", path = "/failures/retry/{id}", tag = "Operation",
    params(
        ("id" = String, Path, description = "The job's identifier.", example = "k7w2mq9d4x"),
        IdempotencyHeader,
    ),
    responses(
        (status = 200, body = RetryJob, description = "How far it got.", example = json!({
            "id": "k7w2mq9d4x", "state": "cancelled", "total": 12000, "retried": 500, "discarded": 0,
            "skipped": 0
        })),
        (status = 404, body = Message, description = "This node knows no such job.",
            example = json!({ "message": "there is no such job" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn cancel(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(id): Path<String>,
    idempotency: Idempotency,
) -> Result<Json<RetryJob>, ApiError> {
    let repeatable = idempotency.of(b"");
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    Ok(Json(cancel_bulk_job(&web.app, request, &id).await?))
}

//! The failure queue, for operators: list it, and retry matching messages in the background.

use app::messages::{
    bulk_retry::{RetryJob, cancel_bulk_job, find_bulk_job, start_bulk_job},
    failure_queue::{FailureAction, FailurePage, list_failures},
};
use axum::{Json, extract::State, http::StatusCode};
use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::Deserialize;
use store::FailureFilter;
use utoipa::IntoParams;

use crate::core::paging::{PAGE, PAGE_MAX};
use crate::core::{
    body::EmptyRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    refusals::InvalidMerchant,
};
use server::requests::identifiers::parse_merchant;
use server::{
    Web,
    error::{ApiError, Message},
    path::Path,
    query::Query,
};

/// A filter for failures. All conditions must match.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FailuresQuery {
    /// Only messages of this merchant. If absent, of all merchants.
    merchant: Option<String>,
    /// `rma`, `exchange_variants`, `exchange_order`, `outbound_asn`, `inventory_receipt`,
    /// `drop_shipment_confirmation`, `drop_shipment_cancellation`,
    /// `drop_shipment_partial_cancellation`, `withdrawal` or `mail`. If absent, all kinds.
    #[param(inline)]
    kind: Option<MessageKind>,
    /// Only messages with this status of the last response, or 0 if there was no response.
    status: Option<i64>,
    /// Only messages that failed at this time or later.
    #[param(value_type = Option<String>)]
    from: Option<Timestamp>,
    /// Only messages that failed at this time or earlier.
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
    /// Start after this failure: `next` of the previous page.
    after: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List the failure queue
///
/// The messages that failed all attempts, oldest first.
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
        InvalidMerchant,
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
    /// Also send messages that were superseded by newer ones.
    #[serde(default)]
    force: bool,
}

/// Retry failures
///
/// A background job enqueues all matching messages again. Superseded messages are skipped unless
/// `force` is set. The job belongs to the node that started it.
#[utoipa::path(
    post, operation_id = "retry_failures", path = "/failures/retry", tag = "Operation",
    params(FailuresQuery, ForceQuery, IdempotencyHeader),
    responses(
        (status = 202, body = RetryJob, description = "The job was started.", example = json!({
            "id": "k7w2mq9d4x", "state": "running", "total": 12000, "retried": 0, "discarded": 0,
            "skipped": 0
        })),
        (status = 400, body = Message, description = "The query or the `Idempotency-Key` is \
            invalid.", example = json!({
                "message": "status must be a whole number"
            })),
        InvalidMerchant,
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn retry(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Query(filter): Query<FailuresQuery>,
    Query(ForceQuery { force }): Query<ForceQuery>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<(StatusCode, Json<RetryJob>), ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    let action = FailureAction::Retry { force };
    let job = start_bulk_job(scope, filter.filter()?, action).await?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// Show a background retry
///
/// Only the node that started the job knows it. Finished jobs are removed after some time.
#[utoipa::path(
    get, operation_id = "show_retry", path = "/failures/retry/{id}", tag = "Operation",
    params(("id" = String, Path, description = "The job's identifier.", example = "k7w2mq9d4x")),
    responses(
        (status = 200, body = RetryJob, description = "The progress of the job.", example = json!({
            "id": "k7w2mq9d4x", "state": "done", "total": 12000, "retried": 11990, "discarded": 0,
            "skipped": 10
        })),
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
/// Messages that were already enqueued stay enqueued.
#[utoipa::path(
    delete, operation_id = "cancel_retry", path = "/failures/retry/{id}", tag = "Operation",
    params(
        ("id" = String, Path, description = "The job's identifier.", example = "k7w2mq9d4x"),
        IdempotencyHeader,
    ),
    responses(
        (status = 200, body = RetryJob, description = "The progress of the job.", example = json!({
            "id": "k7w2mq9d4x", "state": "cancelled", "total": 12000, "retried": 500, "discarded": 0,
            "skipped": 0
        })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn cancel(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(id): Path<String>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<RetryJob>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(cancel_bulk_job(scope, &id).await?))
}

//! The withdrawals of a merchant.

use app::{
    core::list_query::ListQuery,
    withdrawal::list::{WithdrawalView, list_withdrawals},
};
use axum::{Json, extract::State};
use domain::withdrawal::{clock::RefundState, record::WithdrawalOutcome};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    caller::{Merchant, Read},
    paging::{PAGE, PAGE_MAX},
};
use server::{Web, error::ApiError, query::Query};

/// A page of withdrawals.
#[omit_none]
#[derive(Serialize, ToSchema)]
pub(crate) struct Withdrawals {
    /// Newest first.
    withdrawals: Vec<WithdrawalView>,
    /// Pass it as `before` to get the next page. Absent on the last page.
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WithdrawalsQuery {
    /// Start before this withdrawal: `next` of the previous page.
    before: Option<String>,
    /// Only those with this outcome: `accepted`, `partly_accepted`, `late`, `excepted` or
    /// `settled`.
    #[param(example = "accepted")]
    outcome: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List withdrawals
///
/// Shoppers' statements of withdrawal from contracts, each with the state of its refund.
#[utoipa::path(
    get, path = "/withdrawals", operation_id = "list_withdrawals", tag = "Returns",
    params(WithdrawalsQuery),
    responses((status = 200, body = Withdrawals, description = "Newest first.",
        example = json!({ "withdrawals": [sample_view()] }))),
    security(("token" = ["read"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<WithdrawalsQuery>,
) -> Result<Json<Withdrawals>, ApiError> {
    let parse = |name: &str| {
        let unknown = || ApiError::BadRequest(format!("unknown outcome {name}"));
        WithdrawalOutcome::parse(name).ok_or_else(unknown)
    };
    let list_query = ListQuery {
        merchant: Some(merchant.id.clone()),
        status: query.outcome.as_deref().map(parse).transpose()?,
        before: query.before.as_deref(),
        limit: query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX),
    };
    let (withdrawals, next) = list_withdrawals(&web.app, &list_query).await?;
    Ok(Json(Withdrawals { withdrawals, next }))
}

fn sample_view() -> WithdrawalView {
    WithdrawalView {
        record: domain::samples::withdrawal(),
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        refund_state: RefundState::AwaitsGoods,
    }
}

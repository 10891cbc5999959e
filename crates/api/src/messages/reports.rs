//! Reports for operators.

use app::messages::delivery_report::{DeliveryReport, load_delivery_report};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::{
    caller::{Admin, Allowed},
    sample,
};
use server::requests::identifiers::parse_merchant;
use server::{
    Web,
    error::{ApiError, Message},
    query::Query,
};

const HOURS: i64 = 24;
/// A busy installation has millions of counts in a year.
const DAYS_MAX: i64 = 31;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReportQuery {
    /// Only attempts for this merchant. If absent, for all merchants.
    merchant: Option<String>,
    /// Only hours that start at this time or later. By default 24 hours before `to`.
    #[param(value_type = Option<String>)]
    from: Option<Timestamp>,
    /// Only hours that start before this time. By default now.
    #[param(value_type = Option<String>)]
    to: Option<Timestamp>,
}

/// Report deliveries
///
/// Attempts by hour, merchant, kind and status code, with the time from commit to response. With
/// `Accept: text/csv`, the report is comma-separated values. A report covers at most 31 days.
#[utoipa::path(
    get, operation_id = "report_deliveries", path = "/reports/deliveries", tag = "Operation",
    params(ReportQuery),
    responses(
        (status = 200, description = "One row per hour, merchant, kind and status.", content(
            (DeliveryReport = "application/json", example = json!(sample_report())),
            (String = "text/csv", example = json!(sample_report().to_csv())),
        )),
        (status = 400, body = Message, description = "The query is invalid, or the period is longer \
            than 31 days.", example = json!({ "message": too_long() })),
        (status = 404, body = Message, description = "The merchant in the query is not a valid identifier.",
            example = json!(sample::not_found("merchant"))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn deliveries(
    State(web): State<Web>,
    _: Allowed<Admin>,
    headers: HeaderMap,
    Query(query): Query<ReportQuery>,
) -> Result<Response, ApiError> {
    let merchant = query.merchant.as_deref().map(parse_merchant).transpose()?;
    let to = query.to.unwrap_or_else(|| web.app.world.now());
    let day_before = to.checked_sub(SignedDuration::from_hours(HOURS)).unwrap_or(Timestamp::MIN);
    let from = query.from.unwrap_or(day_before);
    if to.duration_since(from) > SignedDuration::from_hours(HOURS * DAYS_MAX) {
        return Err(ApiError::BadRequest(too_long()));
    }
    let report = load_delivery_report(&web.app, merchant.as_ref(), from, to).await?;
    Ok(if wants_csv(&headers) {
        ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], report.to_csv()).into_response()
    } else {
        Json(report).into_response()
    })
}

fn too_long() -> String {
    format!("a report covers at most {DAYS_MAX} days: ask for shorter periods with from and to")
}

fn sample_report() -> DeliveryReport {
    let report = serde_json::json!({
        "rows": [{
            "hour": "2026-02-14T16:00:00Z", "merchant": "acme", "kind": "rma", "status": 200,
            "attempts": 1811, "mean_ms": 38.2, "p50_ms": 32.0, "p99_ms": 128.0,
            "mean_request_ms": 35.9
        }]
    });
    serde_json::from_value(report).expect("the sample is a report")
}

fn wants_csv(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/csv"))
}

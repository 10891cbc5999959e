//! Disposition: the rules that propose channels, and the report of what became of returned goods.

use app::{
    merchants::change_merchant::load_merchant,
    warehouse::{
        disposition::{DispositionView, list_dispositions, set_disposition},
        disposition_report::{DispositionReport, format_csv, report_dispositions},
    },
};
use axum::{
    Json,
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use domain::{
    faults::FaultCode,
    identifier::MerchantId,
    warehouse::disposition::{DispositionTable, read_disposition},
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use crate::core::{
    admin_request::AdminRequest,
    caller::{Admin, Allowed, Merchant, Read},
    idempotency::IdempotencyHeader,
    refusals::UnknownMerchant,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, path::Path, query::Query, requests::identifiers::parse_merchant};

/// The rules of a merchant.
#[derive(Serialize, ToSchema)]
pub(crate) struct Dispositions {
    /// The table for all warehouses first, then those for single warehouses.
    dispositions: Vec<DispositionView>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WarehouseQuery {
    /// The warehouse that the rules are for. Absent: for all warehouses.
    #[param(example = "31", max_length = 255)]
    warehouse: Option<String>,
}

/// How the report is written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportFormat {
    #[default]
    Json,
    Csv,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DispositionQuery {
    /// The first day, in UTC. By default, 30 days are reported.
    #[param(value_type = Option<String>, format = Date, example = "2026-03-01")]
    from: Option<Date>,
    /// The last day, in UTC. By default, today.
    #[param(value_type = Option<String>, format = Date, example = "2026-03-31")]
    to: Option<Date>,
    /// `json`, or `csv` with a header line.
    #[param(inline, example = "json")]
    #[serde(default)]
    format: ReportFormat,
}

fn sample_table() -> Value {
    json!({ "rules": [
        { "conditions": ["B", "C"], "channel": "OUTLET" },
        { "tags": ["hazmat"], "channel": "HAZARD" },
        { "reasons": ["defective"], "value_min_cents": 5000, "channel": "REPAIR" }
    ] })
}

fn sample_report() -> Value {
    json!({ "from": "2026-03-01", "to": "2026-03-31", "goods": [
        { "channel": "OUTLET", "condition": "B", "outcome": "received", "units": 12,
          "weighed_units": 10, "weight": "4.250" }
    ] })
}

/// List disposition rules
///
/// The rules that propose the channel of a received unit. The first rule that matches decides; the
/// table of the warehouse is asked before the one for all warehouses.
#[utoipa::path(
    get, path = "/merchants/{merchant}/disposition", operation_id = "list_disposition_rules",
    tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = Dispositions, description = "All tables of the merchant.",
            example = json!({ "dispositions": [sample_table()] })),
        UnknownMerchant,
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
) -> Result<Json<Dispositions>, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    Ok(Json(Dispositions { dispositions: list_dispositions(&web.app, &merchant).await? }))
}

/// Set disposition rules
///
/// Replaces the table for a warehouse, or for all warehouses. A table without rules is removed.
/// Units that no rule matches go to `RTS`, broken ones to `DAMAGED`: only a rule that names the
/// condition X sends broken units back to stock.
#[utoipa::path(
    put, path = "/merchants/{merchant}/disposition", operation_id = "set_disposition_rules",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        WarehouseQuery,
        IdempotencyHeader,
    ),
    request_body(content = DispositionTable, example = json!(sample_table())),
    responses(
        (status = 200, body = DispositionView, description = "The new table.",
            example = json!(sample_table())),
        UnknownMerchant,
        (status = 409, body = Message, description = "There are too many tables.",
            example = json!({ "message": "there are already 1000 tables of rules" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.rules[0].conditions[0]",
                FaultCode::Invalid,
                "must be one of N, R, A, B, C, X, TT",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    Query(query): Query<WarehouseQuery>,
    request: AdminRequest<String>,
) -> Result<Json<DispositionView>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let table = request.body.read(read_disposition)?;
    let scope = request.scope(&web.app).for_merchant(&merchant);
    let warehouse = query.warehouse.as_deref().filter(|it| !it.is_empty());
    Ok(Json(set_disposition(scope, warehouse, &table).await?))
}

#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes a response; the handlers build it")]
pub(crate) enum ReversedPeriod {
    /// `from` is after `to`.
    #[response(status = 400, example = json!({
        "message": "from (2026-03-31) must not be after to (2026-03-01)"
    }))]
    BadRequest(Message),
}

/// Report what became of returned goods
///
/// How many units of returns were received in a period, by channel, condition and outcome, and what
/// they weigh as far as their orders say so.
#[utoipa::path(
    get, path = "/disposition_report", operation_id = "report_dispositions", tag = "Warehouse",
    params(DispositionQuery),
    responses(
        (status = 200, description = "Sorted by channel, condition and outcome.", content(
            (DispositionReport = "application/json", example = json!(sample_report())),
            (String = "text/csv", example = json!("channel,condition,outcome,units,weighed_units,weight")),
        )),
        ReversedPeriod,
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn report(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<DispositionQuery>,
) -> Result<Response, ApiError> {
    answer_report(&web, &merchant.id, &query).await
}

/// Report what became of a merchant's returned goods
///
/// As the merchant sees it.
#[utoipa::path(
    get, path = "/merchants/{merchant}/disposition/report",
    operation_id = "report_merchant_dispositions", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        DispositionQuery,
    ),
    responses(
        (status = 200, description = "Sorted by channel, condition and outcome.", content(
            (DispositionReport = "application/json", example = json!(sample_report())),
            (String = "text/csv", example = json!("channel,condition,outcome,units,weighed_units,weight")),
        )),
        ReversedPeriod,
        UnknownMerchant,
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn merchant_report(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
    Query(query): Query<DispositionQuery>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    load_merchant(&web.app, &merchant).await?;
    answer_report(&web, &merchant, &query).await
}

/// Without this, the report of a reversed period would be that of a single day.
fn refuse_reversed(query: &DispositionQuery) -> Result<(), ApiError> {
    match (query.from, query.to) {
        (Some(from), Some(to)) if from > to => {
            Err(ApiError::BadRequest(format!("from ({from}) must not be after to ({to})")))
        }
        (_, _) => Ok(()),
    }
}

async fn answer_report(
    web: &Web,
    merchant: &MerchantId,
    query: &DispositionQuery,
) -> Result<Response, ApiError> {
    refuse_reversed(query)?;
    let report = report_dispositions(&web.app, merchant, query.from, query.to).await?;
    if query.format == ReportFormat::Csv {
        let headers = [
            (CONTENT_TYPE, "text/csv; charset=utf-8"),
            (CONTENT_DISPOSITION, "attachment; filename=\"disposition.csv\""),
        ];
        return Ok((headers, format_csv(&report)).into_response());
    }
    Ok(Json(report).into_response())
}

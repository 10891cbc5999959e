//! The books of a merchant.

use app::{
    merchants::change_merchant::load_merchant,
    money::{
        books::{BalanceAnswer, EntryQuery, MoneyEntries, list_entries, load_balance_answer},
        export::stream_csv,
    },
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use domain::identifier::MerchantId;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    caller::{Admin, Allowed, Merchant, Read},
    paging::{PAGE, PAGE_MAX},
    refusals::UnknownMerchant,
};
use server::{
    Web, error::ApiError, path::Path, query::Query, requests::identifiers::parse_merchant,
};

/// How entries are written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryFormat {
    #[default]
    Json,
    Csv,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntriesQuery {
    /// Entries from this time.
    #[param(example = "2026-02-01T00:00:00Z")]
    from: Option<Timestamp>,
    /// Entries before this time.
    #[param(example = "2026-03-01T00:00:00Z")]
    to: Option<Timestamp>,
    /// Start after this event: `next` of the previous page.
    after: Option<String>,
    /// How many events a page has: at most 500, by default 100. An event has several entries.
    limit: Option<usize>,
    /// `json`: a page. `csv`: all entries at once, with a header line.
    #[param(inline, example = "json")]
    #[serde(default)]
    format: EntryFormat,
}

/// List money entries
///
/// Every event of a return that promises, pays, charges or forgives money posts entries to the
/// accounts of the merchant. The entries of an event sum to zero.
#[utoipa::path(
    get, path = "/money/entries", operation_id = "list_money_entries", tag = "Money",
    params(EntriesQuery),
    responses((status = 200, description = "Oldest first.", content(
        (MoneyEntries = "application/json", example = json!(sample_entries())),
        (String = "text/csv", example = json!("at,rma_identifier,event,account,currency,amount_cents")),
    ))),
    security(("token" = ["read"]))
)]
pub(crate) async fn entries(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<EntriesQuery>,
) -> Result<Response, ApiError> {
    answer_entries(&web, merchant.id, &query).await
}

/// List a merchant's money entries
///
/// As the merchant sees them: the entries of an event sum to zero.
#[utoipa::path(
    get, path = "/merchants/{merchant}/money/entries", operation_id = "list_merchant_money_entries",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        EntriesQuery,
    ),
    responses(
        (status = 200, description = "Oldest first.", content(
            (MoneyEntries = "application/json", example = json!(sample_entries())),
            (String = "text/csv", example = json!("at,rma_identifier,event,account,currency,amount_cents")),
        )),
        UnknownMerchant,
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn merchant_entries(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
    Query(query): Query<EntriesQuery>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    load_merchant(&web.app, &merchant).await?;
    answer_entries(&web, merchant, &query).await
}

async fn answer_entries(
    web: &Web,
    merchant: MerchantId,
    query: &EntriesQuery,
) -> Result<Response, ApiError> {
    if query.format == EntryFormat::Csv {
        let rows = stream_csv(web.app.clone(), merchant, query.from, query.to);
        let headers = [
            (CONTENT_TYPE, "text/csv; charset=utf-8"),
            (CONTENT_DISPOSITION, "attachment; filename=\"entries.csv\""),
        ];
        return Ok((headers, Body::from_stream(rows)).into_response());
    }
    let wanted = EntryQuery {
        from: query.from,
        to: query.to,
        after: query.after.as_deref(),
        limit: query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX),
    };
    Ok(Json(list_entries(&web.app, &merchant, &wanted).await?).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct BalanceQuery {
    /// The balance before this time. By default, now.
    #[param(example = "2026-03-01T00:00:00Z")]
    as_of: Option<Timestamp>,
}

/// The trial balance
///
/// The balance of every account, by currency. They sum to zero. What is still promised is listed by
/// the age of the returns.
#[utoipa::path(
    get, path = "/money/balance", operation_id = "read_money_balance", tag = "Money",
    params(BalanceQuery),
    responses((status = 200, body = BalanceAnswer, description = "The balance.",
        example = json!(sample_balance()))),
    security(("token" = ["read"]))
)]
pub(crate) async fn balance(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<BalanceQuery>,
) -> Result<Json<BalanceAnswer>, ApiError> {
    Ok(Json(load_balance_answer(&web.app, &merchant.id, query.as_of).await?))
}

/// A merchant's trial balance
///
/// As the merchant sees it: the balance of every account, by currency, and what is still promised.
#[utoipa::path(
    get, path = "/merchants/{merchant}/money/balance", operation_id = "read_merchant_money_balance",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        BalanceQuery,
    ),
    responses(
        (status = 200, body = BalanceAnswer, description = "The balance.",
            example = json!(sample_balance())),
        UnknownMerchant,
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn merchant_balance(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
    Query(query): Query<BalanceQuery>,
) -> Result<Json<BalanceAnswer>, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    load_merchant(&web.app, &merchant).await?;
    Ok(Json(load_balance_answer(&web.app, &merchant, query.as_of).await?))
}

fn sample_entries() -> Value {
    let entry = |account: &str, amount: i64| {
        serde_json::json!({
            "at": "2026-02-20T10:15:00Z", "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "event": 1,
            "account": account, "currency": "USD", "amount_cents": amount
        })
    };
    serde_json::json!({
        "entries": [entry("promised", -4265), entry("goods", 4500), entry("tax", 360),
            entry("fees", -595)],
        "next": "1771582500000000_1_RMA-7K3Q-9XWD-2M4T"
    })
}

fn sample_balance() -> Value {
    serde_json::json!({
        "as_of": "2026-03-01T00:00:00Z",
        "currencies": [{
            "currency": "USD", "sum_cents": 0,
            "accounts": [
                { "account": "promised", "amount_cents": -4265 },
                { "account": "goods", "amount_cents": 4500 },
                { "account": "tax", "amount_cents": 360 },
                { "account": "fees", "amount_cents": -595 }
            ]
        }],
        "open": [{
            "from_days": 0, "to_days": 30, "currency": "USD", "returns": 1, "open_cents": 4265
        }]
    })
}

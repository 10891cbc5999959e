//! A merchant's disposition rules, edited as text, and what became of its returned goods.

use app::warehouse::{
    disposition::{DispositionView, list_dispositions, set_disposition},
    disposition_report::{DispositionReport, format_csv, report_dispositions},
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{
        HeaderValue,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    },
    response::{IntoResponse, Response},
    routing::get,
};
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    json,
    returns::receipt::Condition,
    warehouse::disposition::{DispositionRule, DispositionTable, read_disposition},
};
use jiff::civil::Date;
use serde::Deserialize;

use crate::{
    access::{
        visit::{Operator, OperatorForm},
        visitor::Visitor,
    },
    core::{
        field::FormState,
        form::non_empty,
        format::to_sentence,
        frame::{Frame, Section, form_status, redirect_with_notice, render_page},
        urls::{add_query, disposition_url},
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::requests::identifiers::parse_merchant;
use server::{Web, error::ApiError, json_body::JsonBody, path::Path, query::Query};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/disposition", get(show).post(save))
        .route("/console/merchants/{merchant}/disposition/report.csv", get(download))
}

/// Which table is edited, and which days are reported.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DispositionQuery {
    warehouse: String,
    from: String,
    to: String,
}

#[derive(Template)]
#[template(path = "warehouse/disposition.html", whitespace = "minimize")]
struct DispositionPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    tables: Vec<TableView>,
    warehouse: String,
    text: String,
    problems: Vec<String>,
    /// The days as they were entered, or those of the report.
    days: ReportDays,
    report: DispositionReport,
    csv_url: String,
}

struct ReportDays {
    from: String,
    to: String,
    /// Whether the first day is after the last one, so that there is nothing to report.
    is_reversed: bool,
}

impl ReportDays {
    fn new(query: &DispositionQuery, report: &DispositionReport) -> Result<Self, ApiError> {
        let (from, to) = (read_day(&query.from)?, read_day(&query.to)?);
        let is_reversed = from.is_some_and(|from| from > report.to);
        let from = from.filter(|_| is_reversed).unwrap_or(report.from).to_string();
        Ok(Self { from, to: to.unwrap_or(report.to).to_string(), is_reversed })
    }
}

/// A table of rules in words.
struct TableView {
    title: String,
    url: String,
    rules: Vec<RuleView>,
}

struct RuleView {
    matches: String,
    channel: String,
}

impl TableView {
    fn new(merchant: &MerchantId, view: &DispositionView) -> Self {
        let warehouse = view.warehouse_identifier.as_deref();
        Self {
            title: warehouse
                .map_or_else(|| "All warehouses".to_owned(), |it| format!("Warehouse {it}")),
            url: add_query(
                &disposition_url(merchant.as_str()),
                &[("warehouse", warehouse.unwrap_or_default())],
            ),
            rules: view.table.rules.iter().map(describe_rule).collect(),
        }
    }
}

fn describe_rule(rule: &DispositionRule) -> RuleView {
    let conditions: Vec<&str> = rule.conditions.iter().map(|it| Condition::name(*it)).collect();
    let cents = |word: &str, cents: Option<i64>| cents.map(|cents| format!("{word} {cents} cents"));
    let list = |word: &str, values: &[String]| {
        (!values.is_empty()).then(|| format!("{word} {}", values.join(", ")))
    };
    let parts = [
        (!conditions.is_empty()).then(|| format!("condition {}", conditions.join(", "))),
        list("SKU", &rule.skus),
        list("tag", &rule.tags),
        list("reason", &rule.reasons),
        cents("worth at least", rule.value_min_cents),
        cents("worth at most", rule.value_max_cents),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let matches = if parts.is_empty() { "every unit".to_owned() } else { parts.join("; ") };
    RuleView { matches: to_sentence(&matches), channel: rule.channel.clone() }
}

fn read_day(text: &str) -> Result<Option<Date>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |_| ApiError::BadRequest(format!("{text} is not a day such as 2026-02-28"));
    text.parse().map(Some).map_err(wrong)
}

async fn load_report(
    web: &Web,
    merchant: &MerchantId,
    query: &DispositionQuery,
) -> Result<DispositionReport, ApiError> {
    let (from, to) = (read_day(&query.from)?, read_day(&query.to)?);
    Ok(report_dispositions(&web.app, merchant, from, to).await?)
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct RulesForm {
    text: Option<String>,
    problems: Vec<String>,
}

async fn render(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    query: DispositionQuery,
    form: RulesForm,
) -> Result<Response, ApiError> {
    let views = list_dispositions(&web.app, merchant).await?;
    let report = load_report(web, merchant, &query).await?;
    let current = views
        .iter()
        .find(|it| it.warehouse_identifier.as_deref().unwrap_or_default() == query.warehouse);
    let empty = DispositionTable::default();
    let table = current.map_or(&empty, |it| &it.table);
    let days = [("from", report.from.to_string()), ("to", report.to.to_string())];
    let days = days.each_ref().map(|(name, day)| (*name, day.as_str()));
    let csv_url = format!("{}/report.csv", disposition_url(merchant.as_str()));
    let period = ReportDays::new(&query, &report)?;
    let status = form_status(!form.problems.is_empty() || period.is_reversed);
    let content = DispositionPage {
        frame: Frame::new(visitor, Section::Merchants, format!("Disposition of {merchant}")),
        tabs: MerchantTabs::new(merchant, MerchantTab::Disposition),
        tables: views.iter().map(|it| TableView::new(merchant, it)).collect(),
        text: form.text.unwrap_or_else(|| json::pretty(&table.to_json())),
        warehouse: query.warehouse,
        problems: form.problems,
        csv_url: add_query(&csv_url, &days),
        days: period,
        report,
    };
    Ok(render_page(visitor, status, &content))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(merchant): Path<String>,
    Query(query): Query<DispositionQuery>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    render(&web, &visitor, &merchant, query, RulesForm::default()).await
}

async fn save(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let (text, warehouse) = (form.raw("rules").to_owned(), form.text("warehouse").to_owned());
    let table = match JsonBody::from(text.clone()).read(read_disposition) {
        Ok(table) => table,
        Err(error) => {
            let form = RulesForm { text: Some(text), problems: list_problems(error)? };
            let query = DispositionQuery { warehouse, ..DispositionQuery::default() };
            return render(&web, &visitor, &merchant, query, form).await;
        }
    };
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    set_disposition(scope, non_empty(&warehouse), &table).await?;
    let url = disposition_url(merchant.as_str());
    Ok(redirect_with_notice(&web, &url, "Saved. The rules apply to units from now on."))
}

/// Everything that is wrong with the text, each with its path.
fn list_problems(error: ApiError) -> Result<Vec<String>, ApiError> {
    if let ApiError::App(malformed @ app::AppError::Malformed(_)) = &error {
        return Ok(vec![to_sentence(&malformed.to_string())]);
    }
    let mut form = FormState::new(Vec::new());
    form.assign_faults(error)?;
    Ok(form.problems)
}

async fn download(
    State(web): State<Web>,
    _: Operator,
    Path(merchant): Path<String>,
    Query(query): Query<DispositionQuery>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let report = load_report(&web, &merchant, &query).await?;
    if ReportDays::new(&query, &report)?.is_reversed {
        return Err(ApiError::BadRequest("the first day is after the last one".to_owned()));
    }
    let name = format!("attachment; filename=\"disposition-{merchant}.csv\"");
    let name = HeaderValue::try_from(name).expect("a merchant's identifier is plain ASCII");
    let headers = [
        (CONTENT_DISPOSITION, name),
        (CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, format_csv(&report)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_that_ends_before_it_begins_is_shown_as_it_was_entered() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        // The report begins with its last day at the latest.
        let report =
            DispositionReport { from: day("2026-02-01"), to: day("2026-02-01"), goods: Vec::new() };
        let read = |from: &str| {
            let (from, to) = (from.to_owned(), "2026-02-01".to_owned());
            let query = DispositionQuery { from, to, ..DispositionQuery::default() };
            ReportDays::new(&query, &report).unwrap()
        };
        let reversed = read("2026-03-01");
        assert!(reversed.is_reversed);
        assert_eq!((reversed.from.as_str(), reversed.to.as_str()), ("2026-03-01", "2026-02-01"));
        assert!(!read("2026-02-01").is_reversed && !read("").is_reversed);
    }
}

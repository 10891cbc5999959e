//! The audit trail: who changed what, and when.

use app::core::audit_trail::{AuditEntry, AuditTrailQuery, list_changes};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use serde::Deserialize;
use serde_json::Value;

use super::{
    form::non_empty,
    format::TimeElement,
    frame::{Frame, Section, render_page},
    lists::{FilterOption, PAGE_SIZE, Paging, merchant_options, parse_merchant_filter},
    urls::add_query,
};
use crate::access::visit::Operator;
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/audit";

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(show))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AuditPageQuery {
    merchant: String,
    actor: String,
    before: String,
}

#[derive(Template)]
#[template(path = "core/audit.html", whitespace = "minimize")]
struct AuditPage<'a> {
    frame: Frame<'a>,
    merchants: Vec<FilterOption>,
    actor: &'a str,
    rows: Vec<ChangeRow>,
    paging: Paging,
}

struct ChangeRow {
    at: TimeElement,
    actor: String,
    /// All changes by this actor.
    actor_url: String,
    address: String,
    merchant: String,
    action: String,
    /// What was changed: names and values.
    details: Vec<(String, String)>,
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(query): Query<AuditPageQuery>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant_filter(&query.merchant)?;
    let actor = query.actor.trim();
    let wanted = AuditTrailQuery {
        merchant: merchant.as_ref(),
        actor: non_empty(actor),
        before: Some(query.before.as_str()),
        limit: PAGE_SIZE,
    };
    let found = list_changes(&web.app, &wanted).await?;
    let filter = [("merchant", query.merchant.as_str()), ("actor", actor)];
    let content = AuditPage {
        frame: Frame::new(&visitor, Section::Audit, "Audit trail"),
        merchants: merchant_options(&web, &visitor, &query.merchant).await?,
        actor,
        rows: found.changes.iter().map(change_row).collect(),
        paging: Paging::newest_first(PATH, &filter, &query.before, found.next.as_deref()),
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn change_row(change: &AuditEntry) -> ChangeRow {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let details = match &change.detail {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.replace('_', " "), text(value))).collect()
        }
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            vec![(String::new(), text(&change.detail))]
        }
    };
    ChangeRow {
        at: TimeElement(change.at),
        actor_url: add_query(PATH, &[("actor", &change.actor)]),
        actor: change.actor.clone(),
        address: change.address.clone().unwrap_or_default(),
        merchant: change.merchant.clone(),
        action: change.action.clone(),
        details,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn a_change_stays_text() {
        let visitor = sample_visitor();
        let change = AuditEntry {
            id: HOSTILE.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            merchant: HOSTILE.to_owned(),
            actor: HOSTILE.to_owned(),
            address: Some(HOSTILE.to_owned()),
            action: HOSTILE.to_owned(),
            detail: json!({ HOSTILE: HOSTILE, "list": [HOSTILE] }),
        };
        assert_is_text(&AuditPage {
            frame: Frame::new(&visitor, Section::Audit, "Audit trail"),
            merchants: vec![FilterOption::new(HOSTILE, HOSTILE, HOSTILE)],
            actor: HOSTILE,
            rows: vec![change_row(&change)],
            paging: Paging::newest_first(PATH, &[("actor", HOSTILE)], HOSTILE, Some(HOSTILE)),
        });
    }
}

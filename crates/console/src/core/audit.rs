//! The audit trail: who changed what, and when.

use app::core::audit_trail::{AuditEntry, AuditQuery, list_changes};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use serde::Deserialize;
use serde_json::Value;

use super::{
    frame::{Frame, Section, page},
    lists::{Choice, Moment, PAGE, Paging, merchant_choices, merchant_named},
    words::address,
};
use crate::access::visit::Operator;
use server::{Web, error::ApiError, query::Query};

const HERE: &str = "/console/audit";

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/audit", get(show))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Filter {
    merchant: String,
    actor: String,
    before: String,
}

#[derive(Template)]
#[template(path = "core/audit.html", whitespace = "minimize")]
struct Trail<'a> {
    frame: Frame<'a>,
    merchants: Vec<Choice>,
    actor: &'a str,
    lines: Vec<Line>,
    paging: Paging,
}

struct Line {
    at: Moment,
    actor: String,
    /// The same list with nothing but what this actor did.
    by_actor: String,
    merchant: String,
    action: String,
    /// What was changed, by name.
    detail: Vec<(String, String)>,
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(filter): Query<Filter>,
) -> Result<Response, ApiError> {
    let merchant = merchant_named(&filter.merchant)?;
    let actor = filter.actor.trim();
    let wanted = AuditQuery {
        merchant: merchant.as_ref(),
        actor: Some(actor).filter(|it| !it.is_empty()),
        before: Some(filter.before.as_str()),
        limit: PAGE,
    };
    let found = list_changes(&web.app, &wanted).await?;
    let kept = [("merchant", filter.merchant.as_str()), ("actor", actor)];
    let trail = Trail {
        frame: Frame::new(&visitor, Section::Audit, "Audit trail"),
        merchants: merchant_choices(&web, &filter.merchant).await?,
        actor,
        lines: found.changes.iter().map(line).collect(),
        paging: Paging::new(HERE, &kept, &filter.before, found.next.as_deref()),
    };
    Ok(page(&visitor, StatusCode::OK, &trail))
}

fn line(change: &AuditEntry) -> Line {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let detail = match &change.detail {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.replace('_', " "), text(value))).collect()
        }
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            vec![(String::new(), text(&change.detail))]
        }
    };
    Line {
        at: Moment(change.at),
        by_actor: address(HERE, &[("actor", &change.actor)]),
        actor: change.actor.clone(),
        merchant: change.merchant.clone(),
        action: change.action.clone(),
        detail,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, visitor};

    #[test]
    fn whatever_was_changed_stays_text() {
        let visitor = visitor();
        let change = AuditEntry {
            id: HOSTILE.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            merchant: HOSTILE.to_owned(),
            actor: HOSTILE.to_owned(),
            action: HOSTILE.to_owned(),
            detail: json!({ HOSTILE: HOSTILE, "list": [HOSTILE] }),
        };
        assert_is_text(&Trail {
            frame: Frame::new(&visitor, Section::Audit, "Audit trail"),
            merchants: vec![super::super::lists::choice(HOSTILE, HOSTILE, HOSTILE)],
            actor: HOSTILE,
            lines: vec![line(&change)],
            paging: Paging::new(HERE, &[("actor", HOSTILE)], HOSTILE, Some(HOSTILE)),
        });
    }
}

//! What the pages show: finished texts, so that the templates decide nothing.

use askama::Template;
use domain::messages::kind::MessageKind;
use serde_json::Value;

use crate::{
    behavior::Behavior,
    calls::{
        call::{Call, CallOutcome},
        summary::Summary,
    },
    merchant::SimulatedMerchant,
    pages::form::BehaviorForm,
};

const BODY_SHOWN_BYTES: usize = 256 * 1024;
const VIOLATIONS_SHOWN: usize = 20;

#[derive(Default, Template)]
#[template(path = "overview.html")]
pub(crate) struct Overview {
    pub(crate) refresh_s: Option<u32>,
    pub(crate) counters: Vec<Counter>,
    pub(crate) kinds: Vec<KindRow>,
    pub(crate) violations: Vec<ViolationRow>,
    pub(crate) behaviors: Vec<String>,
    pub(crate) form: BehaviorForm,
    pub(crate) mistake: Option<String>,
    pub(crate) uses_tokens: bool,
    pub(crate) calls: Vec<CallRow>,
    pub(crate) stock: Vec<StockRow>,
}

pub(crate) struct Counter {
    label: &'static str,
    value: u64,
    /// Whether a value above zero is a problem.
    alarming: bool,
}

pub(crate) struct KindRow {
    name: &'static str,
    calls: u64,
    distinct_ids: u64,
    accepted_ids: u64,
    answers: String,
}

pub(crate) struct ViolationRow {
    call: u64,
    text: String,
}

pub(crate) struct CallRow {
    number: u64,
    time: String,
    what: String,
    webhook_id: String,
    sequence: String,
    attempt: String,
    signature: &'static str,
    answer: String,
    /// `good` or `bad`.
    tone: &'static str,
}

pub(crate) struct StockRow {
    sku: String,
    title: String,
    price: String,
    quantity: u32,
}

#[derive(Template)]
#[template(path = "call.html")]
pub(crate) struct CallPage {
    call: CallRow,
    at: String,
    path: String,
    repeated: bool,
    body_bytes: usize,
    /// None if the call is too old.
    content: Option<ContentView>,
}

struct ContentView {
    headers: Vec<(String, String)>,
    body: String,
    answer_body: String,
}

impl Overview {
    pub(crate) fn of(summary: &Summary, calls: &[Call], behaviors: &[Behavior]) -> Self {
        let violations = summary.violations.iter().take(VIOLATIONS_SHOWN);
        Self {
            counters: counters(summary),
            kinds: MessageKind::to_merchant()
                .filter_map(|kind| KindRow::of(summary, kind))
                .collect(),
            violations: violations
                .map(|violation| ViolationRow {
                    call: violation.call(),
                    text: violation.to_string(),
                })
                .collect(),
            behaviors: behaviors.iter().map(ToString::to_string).collect(),
            calls: calls.iter().map(CallRow::of).collect(),
            ..Self::default()
        }
    }

    fn kind_names() -> impl Iterator<Item = &'static str> {
        MessageKind::to_merchant().map(MessageKind::name)
    }
}

fn counters(summary: &Summary) -> Vec<Counter> {
    let counter = |label, value| Counter { label, value, alarming: false };
    let alarm = |label, value| Counter { label, value, alarming: value > 0 };
    vec![
        counter("Calls", summary.calls),
        counter("Messages", summary.distinct_ids),
        counter("Accepted", summary.accepted_ids),
        counter("Repeats", summary.repeats),
        counter("Accepted again", summary.accepted_again),
        alarm("Bad signatures", summary.bad_signatures),
        alarm("Unauthorized", summary.unauthorized),
        alarm("Unknown paths", summary.unknown_paths),
        alarm("Violations", summary.violation_count),
        counter("Exchange orders", summary.exchange_orders),
        counter("Token requests", summary.token_requests),
    ]
}

impl KindRow {
    fn of(summary: &Summary, kind: MessageKind) -> Option<Self> {
        let counts = summary.kinds.get(&kind)?;
        let answers = counts.answers.iter().map(|(answer, count)| format!("{answer}: {count}"));
        Some(Self {
            name: kind.name(),
            calls: counts.calls,
            distinct_ids: counts.distinct_ids,
            accepted_ids: counts.accepted_ids,
            answers: answers.collect::<Vec<_>>().join(", "),
        })
    }
}

impl CallRow {
    fn of(call: &Call) -> Self {
        let number = |value: Option<u64>| value.map_or_else(String::new, |it| it.to_string());
        Self {
            number: call.number,
            time: call.at.strftime("%H:%M:%S%.3f").to_string(),
            what: call.kind.map_or_else(|| call.path.clone(), |kind| kind.to_string()),
            webhook_id: call.webhook_id.clone().unwrap_or_default(),
            sequence: number(call.sequence),
            attempt: number(call.attempt),
            signature: call.signature.name(),
            answer: match call.answer {
                CallOutcome::Status(status) => status.to_string(),
                CallOutcome::Hang => "no response".to_owned(),
                CallOutcome::Close => "closed".to_owned(),
            },
            tone: if call.answer.is_success() { "good" } else { "bad" },
        }
    }
}

impl CallPage {
    pub(crate) fn of(call: &Call) -> Self {
        let content = call.content.as_ref().map(|content| ContentView {
            headers: content.headers.clone().into_iter().collect(),
            body: format_body(&content.body),
            answer_body: format_body(&content.answer_body),
        });
        Self {
            call: CallRow::of(call),
            at: call.at.strftime("%Y-%m-%d %H:%M:%S%.3f UTC").to_string(),
            path: call.path.clone(),
            repeated: call.repeated,
            body_bytes: call.body_bytes,
            content,
        }
    }
}

impl SimulatedMerchant {
    /// All articles with their stock.
    pub(crate) fn stock_rows(&self) -> Vec<StockRow> {
        let shop = self.0.shop();
        let variants = shop.catalog.products.iter().flat_map(|product| &product.variants);
        let row = |variant: &crate::shop::catalog::Variant| StockRow {
            sku: variant.sku.clone(),
            title: variant.title.clone(),
            price: {
                let cents = variant.unit_price_amount_cents;
                format!("{}.{:02}", cents / 100, cents % 100)
            },
            quantity: variant.quantity_in_stock,
        };
        variants.map(row).collect()
    }
}

/// JSON with line breaks, anything else as it is, and not more than a page can show.
fn format_body(text: &str) -> String {
    let Some((end, _)) = text.char_indices().find(|(index, _)| *index >= BODY_SHOWN_BYTES) else {
        let value: Option<Value> = serde_json::from_str(text).ok();
        let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
        return pretty.unwrap_or_else(|| text.to_owned());
    };
    format!("{}\n… (truncated)", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_readable_and_limited() {
        assert_eq!(format_body(r#"{"a":[1]}"#), "{\n  \"a\": [\n    1\n  ]\n}");
        assert_eq!(format_body("{broken"), "{broken");
        assert!(format_body(&"ä".repeat(BODY_SHOWN_BYTES)).ends_with("ä\n… (truncated)"));
    }
}

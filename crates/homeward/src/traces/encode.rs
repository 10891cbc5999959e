//! Spans as JSON, as OTLP over HTTP describes it.

use serde_json::{Value, json};

use super::collect::{FieldValue, FinishedSpan};

/// The kinds of spans, by their numbers in OTLP.
const KIND_INTERNAL: u8 = 1;
const KIND_SERVER: u8 = 2;
const KIND_CLIENT: u8 = 3;
const STATUS_ERROR: u8 = 2;

/// The body of a request to a collector.
pub(super) fn encode_spans(spans: &[FinishedSpan]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [("service.name", "homeward"), ("service.version", version)]
        .map(|(name, text)| json!({ "key": name, "value": { "stringValue": text } }));
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{
            "scope": { "name": "homeward", "version": version },
            "spans": spans.iter().map(encode_span).collect::<Vec<_>>(),
        }],
    }] })
}

fn encode_span(span: &FinishedSpan) -> Value {
    let (name, kind) = match span.name {
        "request" => (name_request(span), KIND_SERVER),
        "attempt" => (span.name.to_owned(), KIND_CLIENT),
        _ => (span.name.to_owned(), KIND_INTERNAL),
    };
    let mut encoded = json!({
        "traceId": hex(&span.place.trace),
        "spanId": hex(&span.place.span),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": nanoseconds(span.started_us),
        "endTimeUnixNano": nanoseconds(span.ended_us.max(span.started_us)),
        "attributes": span.fields.iter().map(|(name, value)| encode_field(name, value))
            .collect::<Vec<_>>(),
        "status": if span.failed { json!({ "code": STATUS_ERROR }) } else { json!({}) },
    });
    if let (Some(parent), Some(fields)) = (span.place.parent, encoded.as_object_mut()) {
        fields.insert("parentSpanId".to_owned(), hex(&parent).into());
    }
    encoded
}

/// Method and route, such as `POST /returns`.
fn name_request(span: &FinishedSpan) -> String {
    let text = |wanted: &str| {
        span.fields.iter().find_map(|(name, value)| match value {
            FieldValue::Text(text) if *name == wanted => Some(text.as_str()),
            FieldValue::Text(_) | FieldValue::Number(_) => None,
        })
    };
    let method = text("http.request.method").unwrap_or_default();
    format!("{method} {}", text("http.route").unwrap_or_default())
}

fn encode_field(name: &str, value: &FieldValue) -> Value {
    let value = match value {
        // JSON numbers are not exact for all 64-bit integers, so OTLP writes them as text.
        FieldValue::Number(number) => json!({ "intValue": number.to_string() }),
        FieldValue::Text(text) => json!({ "stringValue": text }),
    };
    json!({ "key": name, "value": value })
}

fn nanoseconds(time_us: i64) -> String {
    (i128::from(time_us) * 1_000).to_string()
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

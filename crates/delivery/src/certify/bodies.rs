//! Bodies that differ from the documented samples.

use domain::{messages::kind::MessageKind, samples};
use serde_json::{Value, json};

/// A text with letters of many scripts, a combining accent, and a character beyond 16 bits.
pub(super) const SCRIPTS: &str = "Zoë Ångström 李小龍 Ελένη Дмитрий محمد שירה ประเสริฐ 🧣 e\u{301}";

/// The documented sample, about `reference`.
pub(super) fn sample(kind: MessageKind, reference: &str) -> Value {
    let text = samples::message_about(kind, reference).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// The bytes of a body as they are usually sent.
pub(super) fn compact(body: &Value) -> Vec<u8> {
    serde_json::to_vec(body).expect("a sample has string keys")
}

/// The same JSON with other bytes.
pub(super) fn spaced(body: &Value) -> Vec<u8> {
    serde_json::to_vec_pretty(body).expect("a sample has string keys")
}

pub(super) fn with_unknown_field(mut body: Value) -> Value {
    set(&mut body, "field_of_tomorrow", &json!({ "list": [1, "two", null] }));
    body
}

/// A return with values that no version has so far.
pub(super) fn with_unknown_values(mut rma: Value) -> Value {
    set_in_items(&mut rma, "package_tracking_status", &json!("OUT_FOR_DELIVERY"));
    set_in_items(&mut rma, "return_reason", &json!("a_reason_of_tomorrow"));
    rma
}

/// A return with texts in many scripts.
pub(super) fn with_scripts(mut rma: Value) -> Value {
    set(&mut rma, "concept", &json!(SCRIPTS));
    rma
}

fn set(body: &mut Value, field: &str, value: &Value) {
    if let Some(fields) = body.as_object_mut() {
        fields.insert(field.to_owned(), value.clone());
    }
}

fn set_in_items(body: &mut Value, field: &str, value: &Value) {
    let items = body.get_mut("items").and_then(Value::as_array_mut);
    for item in items.into_iter().flatten() {
        set(item, field, value);
    }
}

/// The return with its first unit repeated until there are enough items and bytes.
pub(super) fn repeat_units(mut rma: Value, units_min: usize, bytes_min: usize) -> Value {
    let mut bytes = compact(&rma).len();
    if let Some(items) = rma.get_mut("items").and_then(Value::as_array_mut)
        && let Some(first) = items.first().cloned()
    {
        let item_bytes = compact(&first).len() + 1;
        while items.len() < units_min || bytes < bytes_min {
            items.push(first.clone());
            bytes += item_bytes;
        }
    }
    rma
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_grows_to_the_units_and_bytes_that_are_asked_for() {
        let rma = || sample(MessageKind::Rma, "CERT-1");
        assert_eq!(rma()["rma_identifier"], "CERT-1");
        let many = repeat_units(rma(), 400, 0);
        assert_eq!(many["items"].as_array().unwrap().len(), 400);
        let large = compact(&repeat_units(rma(), 0, 1 << 20)).len();
        assert!((1 << 20..(1 << 20) + 2_000).contains(&large), "{large}");
    }
}

//! The differences between two states of a return, in words.

use domain::{bodies::WriteJson, returns::rma::Rma};
use serde_json::Value;

/// How many differences are described, and how much of each value.
const DIFFERENCES_MAX: usize = 5;
const VALUE_CHARACTERS_MAX: usize = 60;

/// Says what is stored instead of what was expected.
pub(super) fn describe_differences(expected: &Rma, stored: &Rma) -> String {
    let mut found = Vec::new();
    collect_differences("", &expected.to_value(), &stored.to_value(), &mut found);
    let more = found.len().saturating_sub(DIFFERENCES_MAX);
    found.truncate(DIFFERENCES_MAX);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found.join("; ")
}

fn collect_differences(path: &str, expected: &Value, stored: &Value, found: &mut Vec<String>) {
    match (expected, stored) {
        (Value::Object(left), Value::Object(right)) => {
            let absent = right.keys().filter(|name| !left.contains_key(*name));
            for name in left.keys().chain(absent) {
                let dot = if path.is_empty() { "" } else { "." };
                let value = |of: &serde_json::Map<String, Value>| of.get(name).cloned();
                let (left, right) = (value(left).unwrap_or_default(), value(right));
                let path = format!("{path}{dot}{name}");
                collect_differences(&path, &left, &right.unwrap_or_default(), found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (position, (left, right)) in left.iter().zip(right).enumerate() {
                collect_differences(&format!("{path}[{position}]"), left, right, found);
            }
        }
        _ if expected == stored => (),
        _ => found.push(format!("{path} is {} instead of {}", shorten(stored), shorten(expected))),
    }
}

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE_CHARACTERS_MAX {
        return text;
    }
    let start: String = text.chars().take(VALUE_CHARACTERS_MAX).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_their_paths() {
        let expected = domain::samples::rma();
        let mut stored = expected.clone();
        stored.currency = "EUR".to_owned();
        stored.units[0].goods.title = "Other".to_owned();

        let said = describe_differences(&expected, &stored);

        assert!(said.contains(r#"currency is "EUR" instead of "USD""#), "{said}");
        assert!(said.contains(r#"units[0].title is "Other" instead of "#), "{said}");
        assert_eq!(describe_differences(&expected, &expected), "");
    }
}

//! Compares two documents path by path.

use serde::Serialize;
use serde_json::Value;

/// A path at which two documents differ. A side without a value there is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// All differences, in the order of the first document.
pub(crate) fn find_differences(before: &impl Serialize, after: &impl Serialize) -> Vec<Difference> {
    let value = |it: Result<Value, serde_json::Error>| it.unwrap_or_default();
    let (before, after) = (value(serde_json::to_value(before)), value(serde_json::to_value(after)));
    let mut found = Vec::new();
    compare("$", Some(&before), Some(&after), &mut found);
    found
}

fn compare(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    match (before, after) {
        (Some(before), Some(after)) if before == after => (),
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (key, value) in before {
                compare(&format!("{path}.{key}"), Some(value), after.get(key), found);
            }
            for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                compare(&format!("{path}.{key}"), None, Some(value), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for position in 0..before.len().max(after.len()) {
                let path = format!("{path}[{position}]");
                compare(&path, before.get(position), after.get(position), found);
            }
        }
        (before, after) => found.push(Difference {
            path: path.to_owned(),
            before: before.map(Value::to_string),
            after: after.map(Value::to_string),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changed_added_and_removed_values_are_found_with_their_paths() {
        let before = json!({ "days": 30, "same": [1], "fee": { "cents": 5 }, "list": ["a", "b"] });
        let after = json!({ "days": 60, "same": [1], "fee": null, "list": ["a"], "new": true });

        let found: Vec<_> = find_differences(&before, &after)
            .into_iter()
            .map(|it| format!("{} {:?} {:?}", it.path, it.before, it.after))
            .collect();

        let expected = [
            r#"$.days Some("30") Some("60")"#,
            r#"$.fee Some("{\"cents\":5}") Some("null")"#,
            r#"$.list[1] Some("\"b\"") None"#,
            r#"$.new None Some("true")"#,
        ];
        assert_eq!(found, expected);
        assert_eq!(find_differences(&before, &before), []);
    }
}

//! The description keeps its promises: paths, fields, types and statuses do not change by accident.
//!
//! The texts may change at any time. Everything else is compared with `contract.json`. After an
//! intended change, run this test with `UPDATE_SNAPSHOT=1` and review the difference of that file.

use std::{env, fs, path::PathBuf};

use serde_json::{Map, Value};

use super::describe_api;

/// Keywords that hold texts for people.
const TEXTS: [&str; 5] = ["description", "example", "examples", "summary", "title"];

/// Keywords that hold an object whose keys are names, not keywords.
const NAMES: [&str; 7] =
    ["content", "headers", "paths", "properties", "responses", "schemas", "webhooks"];

/// What the keys of an object are.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Keywords,
    Names,
}

#[test]
fn everything_but_the_texts_is_as_in_the_snapshot() {
    let current = without_texts(&describe_api());
    let path = snapshot_path();
    if env::var_os("UPDATE_SNAPSHOT").is_some() {
        let mut text = serde_json::to_string_pretty(&current).unwrap();
        text.push('\n');
        fs::write(&path, text).unwrap();
        return;
    }
    let snapshot: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    if let Some(difference) = first_difference(&snapshot, &current, "") {
        panic!(
            "/openapi.json differs from {} in more than its texts:\n{difference}\n\
             If this change is intended, run this test with UPDATE_SNAPSHOT=1.",
            path.display()
        );
    }
}

#[test]
fn a_field_may_have_the_name_of_a_keyword() {
    let field = serde_json::json!({ "type": "string", "description": "What it is called." });
    let schema = serde_json::json!({ "title": "Product", "properties": { "title": field } });

    let kept = strip_texts(&schema, Keys::Keywords);

    assert_eq!(kept, serde_json::json!({ "properties": { "title": { "type": "string" } } }));
}

fn snapshot_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/docs/tests/contract.json")
}

/// The document without texts and without the version of this build, its keys in order.
fn without_texts(document: &Value) -> Value {
    let mut contract = strip_texts(document, Keys::Keywords);
    contract.as_object_mut().unwrap().remove("info");
    let scopes = "/components/securitySchemes/token/flows/clientCredentials/scopes";
    let scopes = contract.pointer_mut(scopes).unwrap().as_object_mut().unwrap();
    scopes.values_mut().for_each(|meaning| *meaning = Value::Null);
    contract.sort_all_objects();
    contract
}

fn strip_texts(value: &Value, keys: Keys) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .filter(|(key, _)| keys == Keys::Names || !TEXTS.contains(&key.as_str()));
            let stripped = kept.map(|(key, value)| {
                let are_names = keys == Keys::Keywords && NAMES.contains(&key.as_str());
                let inner = if are_names { Keys::Names } else { Keys::Keywords };
                (key.clone(), strip_texts(value, inner))
            });
            Value::Object(stripped.collect::<Map<_, _>>())
        }
        Value::Array(elements) => {
            elements.iter().map(|element| strip_texts(element, Keys::Keywords)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The path and both values of the first place where the documents differ.
fn first_difference(snapshot: &Value, current: &Value, path: &str) -> Option<String> {
    match (snapshot, current) {
        (Value::Object(before), Value::Object(now)) => {
            let keys = before.keys().chain(now.keys().filter(|key| !before.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (before.get(key), now.get(key)) {
                    (Some(before), Some(now)) => first_difference(before, now, &path),
                    (before, now) => Some(describe(&path, before, now)),
                }
            })
        }
        (Value::Array(before), Value::Array(now)) => {
            (0..before.len().max(now.len())).find_map(|index| {
                let path = format!("{path}/{index}");
                match (before.get(index), now.get(index)) {
                    (Some(before), Some(now)) => first_difference(before, now, &path),
                    (before, now) => Some(describe(&path, before, now)),
                }
            })
        }
        _ => (snapshot != current).then(|| describe(path, Some(snapshot), Some(current))),
    }
}

fn describe(path: &str, before: Option<&Value>, now: Option<&Value>) -> String {
    let show = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
    format!("{path}\n  snapshot: {}\n  now:      {}", show(before), show(now))
}

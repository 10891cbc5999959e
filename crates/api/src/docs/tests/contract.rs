//! The description in `openapi.json` is that of the code, so no path, field, type, status or text
//! changes by accident.
//!
//! After an intended change, run this test with `UPDATE_SNAPSHOT=1` and review the difference of
//! that file.

use std::{env, fs, path::Path};

use serde_json::{Value, json};

use super::description;
use crate::{docs::DESCRIPTION, generate_description};

#[test]
fn the_description_in_the_file_is_that_of_the_code() {
    let generated = generate_description();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let text = serde_json::to_string_pretty(&generated).unwrap() + "\n";
    if env::var_os("UPDATE_SNAPSHOT").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let difference = first_difference(&description(), &generated, "");
    // The same fields in another order are another text.
    let is_same = difference.is_none() && DESCRIPTION == text;
    assert!(
        is_same,
        "{} differs from the code:\n{}\n\
         If this change is intended, run this test with UPDATE_SNAPSHOT=1.",
        path.display(),
        difference.as_deref().unwrap_or("the order of its fields, or the spaces between them"),
    );
}

#[test]
fn the_first_difference_is_named_by_its_pointer() {
    let file = json!({ "paths": { "/asns": { "tags": ["a", "b"] } }, "info": 1 });
    let code = json!({ "paths": { "/asns": { "tags": ["a", "c"] } }, "servers": 2 });

    let changed = first_difference(&file["paths"], &code["paths"], "").unwrap();
    let absent = first_difference(&code, &file["paths"], "").unwrap();

    assert_eq!(changed, "/~1asns/tags/1\n  file: \"b\"\n  code: \"c\"");
    assert!(absent.starts_with("/paths\n") && absent.ends_with("\n  code: absent"), "{absent}");
    assert_eq!(first_difference(&file, &file, ""), None);
}

/// The path and both values of the first place where the documents differ.
fn first_difference(file: &Value, code: &Value, path: &str) -> Option<String> {
    match (file, code) {
        (Value::Object(before), Value::Object(now)) => {
            let keys = before.keys().chain(now.keys().filter(|key| !before.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (before.get(key), now.get(key)) {
                    (Some(before), Some(now)) => first_difference(before, now, &path),
                    (before, now) => Some(show(&path, before, now)),
                }
            })
        }
        (Value::Array(before), Value::Array(now)) => {
            (0..before.len().max(now.len())).find_map(|index| {
                let path = format!("{path}/{index}");
                match (before.get(index), now.get(index)) {
                    (Some(before), Some(now)) => first_difference(before, now, &path),
                    (before, now) => Some(show(&path, before, now)),
                }
            })
        }
        _ => (file != code).then(|| show(path, Some(file), Some(code))),
    }
}

fn show(path: &str, file: Option<&Value>, code: Option<&Value>) -> String {
    let text = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
    format!("{path}\n  file: {}\n  code: {}", text(file), text(code))
}

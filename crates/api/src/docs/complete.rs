//! The answers that whole kinds of operations have in common, written once.
//!
//! An operation's own description says what is particular to it. Whatever has a body can be too
//! large, whatever needs a token can lack it: such answers are added here, unless the
//! operation describes them itself.

use serde_json::{Map, Value, json};

/// Adds the common answers to every operation.
pub(super) fn complete(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut);
    for operation in items.flat_map(Map::values_mut) {
        let common = common_answers(operation);
        let Some(answers) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
            continue;
        };
        for (status, answer) in common {
            answers.entry(status).or_insert(answer);
        }
        answers.sort_keys();
    }
}

fn common_answers(operation: &Value) -> Vec<(&'static str, Value)> {
    let mut answers = vec![("429", too_many_requests())];
    let has_parameter = |key: &str, value: &str| {
        let parameters = operation.get("parameters").and_then(Value::as_array);
        let mut parameters = parameters.into_iter().flatten();
        parameters.any(|parameter| parameter.get(key).and_then(Value::as_str) == Some(value))
    };
    if let Some(scope) = operation.pointer("/security/0/token/0").and_then(Value::as_str) {
        answers.push(("401", no_token()));
        answers.push(("403", no_scope(scope)));
    }
    let has_key = has_parameter("name", "Idempotency-Key");
    if has_key {
        answers.push(("409", key_used()));
    }
    let body = operation.pointer("/requestBody/content").and_then(Value::as_object);
    let media_type = body.and_then(|content| content.keys().next()).map(String::as_str);
    if let Some(media_type) = media_type {
        answers.push(("413", too_large()));
        answers.push(("415", other_type(media_type)));
    }
    match media_type {
        Some("application/json") => answers.push(("400", not_json())),
        Some(_) | None if has_key => answers.push(("400", not_a_key())),
        Some(_) | None if has_parameter("in", "query") => answers.push(("400", not_a_query())),
        Some(_) | None => (),
    }
    answers
}

fn refusal(description: &str, message: &str) -> Value {
    json!({
        "description": description,
        "content": {
            "application/json": {
                "schema": { "$ref": "#/components/schemas/Message" },
                "example": { "message": message }
            }
        }
    })
}

fn not_json() -> Value {
    refusal(
        "The body is not JSON, or a header is not as described.",
        "the body is not JSON: line 1, column 13: the document ends where a value is expected",
    )
}

fn not_a_key() -> Value {
    refusal(
        "The `Idempotency-Key` is not as described.",
        "the header Idempotency-Key must have 1 to 255 visible ASCII characters",
    )
}

fn not_a_query() -> Value {
    refusal(
        "The query is not as described.",
        "Failed to deserialize query string: limit: invalid digit found in string",
    )
}

fn no_token() -> Value {
    refusal(
        "No token, or one that is unknown, expired or revoked.",
        "the token is unknown, expired or revoked",
    )
}

fn no_scope(scope: &str) -> Value {
    let description = format!("The token lacks the scope `{scope}`.");
    refusal(&description, &format!("the token lacks the scope {scope}"))
}

fn key_used() -> Value {
    refusal(
        "The `Idempotency-Key` was used for another request.",
        "this Idempotency-Key was used for another request in the last 24 hours",
    )
}

fn too_large() -> Value {
    refusal("The body is larger than 10 MiB.", "the body is larger than 10485760 bytes")
}

fn other_type(media_type: &str) -> Value {
    let description = format!("The body is not `{media_type}`.");
    refusal(&description, &format!("the Content-Type must be {media_type}"))
}

fn too_many_requests() -> Value {
    let mut answer = refusal(
        "Too many requests from this address.",
        "more than 2500 requests in a minute from your address; try again in 12 s",
    );
    let header = |description: &str, example: u32| {
        let schema = json!({ "type": "integer", "minimum": 0 });
        json!({ "description": description, "schema": schema, "example": example })
    };
    let headers = json!({
        "Retry-After": header("Seconds to wait before the next request.", 12),
        "RateLimit-Limit": header("Requests that one address may make in a minute.", 2500),
        "RateLimit-Remaining": header("Requests that are left.", 0),
        "RateLimit-Reset": header("The same as `Retry-After`.", 12),
    });
    if let Some(answer) = answer.as_object_mut() {
        answer.insert("headers".to_owned(), headers);
    }
    answer
}

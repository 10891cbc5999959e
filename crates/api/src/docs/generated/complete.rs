//! Responses that many operations share, described once.
//!
//! The description of an operation says only what is particular to it. Any body can be too large,
//! any token can be missing, any address can name something that does not exist: such responses
//! are added here, unless the operation describes them itself.

use serde_json::{Map, Value, json};

use crate::{core::sample, docs::FORM};

/// The collections in addresses, and what an element of each is called.
const ELEMENTS: [(&str, &str); 18] = [
    ("asns", "ASN"),
    ("clients", "client"),
    ("drop_ship_orders", "drop-ship order"),
    ("endpoints", "kind of message"),
    ("labels", "label"),
    ("lines", "order line"),
    ("merchants", "merchant"),
    ("messages", "message"),
    ("operators", "operator"),
    ("orders", "order"),
    ("questions", "unit"),
    ("refunds", "refund"),
    ("replays", "replay"),
    ("retry", "job"),
    ("returns", "return"),
    ("shipments", "shipment"),
    ("units", "unit"),
    ("warehouses", "warehouse"),
];

/// Choices of which an entry may match both, because one has all fields of the other.
const OVERLAPPING: [&str; 2] = ["ListedDropShipOrder", "ListedReturn"];

/// Adds the shared responses to every operation, and corrects what the macros cannot express.
pub(super) fn complete(document: &mut Value) {
    let schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for (path, item) in paths.into_iter().flatten() {
        let operations = item.as_object_mut().into_iter().flat_map(Map::values_mut);
        for operation in operations {
            let mut shared = shared_responses(operation);
            shared.extend(element_not_found(path).map(|response| ("404", response)));
            shared.extend(missing_field(operation, &schemas).map(|response| ("422", response)));
            add_responses(operation, shared);
            state_security(operation);
            split_form_example(operation);
        }
    }
    merge_single_choices(document);
    for name in OVERLAPPING {
        let schema = document.pointer_mut(&format!("/components/schemas/{name}"));
        let schema = schema.and_then(Value::as_object_mut);
        if let Some((schema, choices)) = schema.and_then(|it| it.remove("oneOf").map(|of| (it, of)))
        {
            schema.insert("anyOf".to_owned(), choices);
        }
    }
}

/// An operation that needs no token says so.
fn state_security(operation: &mut Value) {
    if let Some(operation) = operation.as_object_mut() {
        operation.entry("security").or_insert_with(|| json!([{}]));
    }
}

/// The example of a form is an object with its fields, as the schema says.
fn split_form_example(operation: &mut Value) {
    let pointer = format!("/requestBody/content/{}/example", FORM.replace('/', "~1"));
    let Some(example) = operation.pointer_mut(&pointer) else { return };
    let Some(text) = example.as_str() else { return };
    let fields = text.split('&').filter_map(|field| field.split_once('='));
    *example = fields.map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
}

/// A choice between one schema is that schema.
fn merge_single_choices(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Array(choices)) = fields.get("oneOf")
                && let [Value::Object(only)] = choices.as_slice()
            {
                let only = only.clone();
                fields.remove("oneOf");
                for (name, value) in only {
                    fields.entry(name).or_insert(value);
                }
            }
            fields.values_mut().for_each(merge_single_choices);
        }
        Value::Array(values) => values.iter_mut().for_each(merge_single_choices),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
    }
}

fn add_responses(operation: &mut Value, shared: Vec<(&'static str, Value)>) {
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
        return;
    };
    for (status, response) in shared {
        responses.entry(status).or_insert(response);
    }
    responses.sort_keys();
}

/// The 404 of an address that names an element of a collection.
fn element_not_found(path: &str) -> Option<Value> {
    let (before, _) = path.rsplit_once("/{")?;
    let (_, collection) = before.rsplit_once('/')?;
    let (_, element) = ELEMENTS.into_iter().find(|(name, _)| *name == collection)?;
    let description = format!("The {element} was not found.");
    Some(refusal(&description, &sample::not_found(element)))
}

/// The 422 of a JSON body, with its first required field as the example.
fn missing_field(operation: &Value, schemas: &Value) -> Option<Value> {
    // The token endpoint, which needs no token, has errors of its own.
    operation.get("security")?;
    let body = operation.pointer("/requestBody/content/application~1json/schema")?;
    let reference = body.get("$ref").and_then(Value::as_str);
    let name = reference.and_then(|reference| reference.rsplit('/').next());
    let schema = name.and_then(|name| schemas.get(name)).unwrap_or(body);
    let field = schema.pointer("/required/0").and_then(Value::as_str)?;
    Some(json!({
        "description": "Every invalid field. Nothing was stored.",
        "content": {
            "application/json": {
                "schema": { "$ref": "#/components/schemas/Invalid" },
                "example": sample::missing_field(&format!("$.{field}"))
            }
        }
    }))
}

fn shared_responses(operation: &Value) -> Vec<(&'static str, Value)> {
    let mut responses = vec![("429", too_many_requests())];
    let has_parameter = |key: &str, value: &str| {
        let parameters = operation.get("parameters").and_then(Value::as_array);
        let mut parameters = parameters.into_iter().flatten();
        parameters.any(|parameter| parameter.get(key).and_then(Value::as_str) == Some(value))
    };
    if let Some(scope) = operation.pointer("/security/0/token/0").and_then(Value::as_str) {
        responses.push(("401", no_token()));
        responses.push(("403", no_scope(scope)));
        // Without a token, merchants that do not exist are not told apart.
        if has_parameter("name", "merchant") {
            let example = sample::not_found("merchant");
            responses.push(("404", refusal("The merchant was not found.", &example)));
        }
    }
    let has_key = has_parameter("name", "Idempotency-Key");
    if has_key {
        responses.push(("409", key_used()));
    }
    let body = operation.pointer("/requestBody/content").and_then(Value::as_object);
    let media_type = body.and_then(|content| content.keys().next()).map(String::as_str);
    if let Some(media_type) = media_type {
        responses.push(("413", too_large()));
        responses.push(("415", other_type(media_type)));
    }
    match media_type {
        Some("application/json") => responses.push(("400", not_json())),
        Some(_) | None if has_key => responses.push(("400", not_a_key())),
        Some(_) | None if has_parameter("in", "query") => responses.push(("400", not_a_query())),
        Some(_) | None => (),
    }
    responses
}

fn refusal(description: &str, example: &Value) -> Value {
    json!({
        "description": description,
        "content": {
            "application/json": {
                "schema": { "$ref": "#/components/schemas/Message" },
                "example": example
            }
        }
    })
}

fn refusal_saying(description: &str, message: &str) -> Value {
    refusal(description, &json!({ "message": message }))
}

fn not_json() -> Value {
    refusal("The body is not JSON, or a header is invalid.", &sample::not_json())
}

fn not_a_key() -> Value {
    refusal_saying(
        "The `Idempotency-Key` is invalid.",
        "the header Idempotency-Key must have 1 to 255 visible ASCII characters",
    )
}

fn not_a_query() -> Value {
    refusal_saying("The query is invalid.", "limit must be a whole number that is not negative")
}

fn no_token() -> Value {
    refusal_saying(
        "The token is missing, unknown, expired or revoked.",
        "the token is unknown, expired or revoked",
    )
}

fn no_scope(scope: &str) -> Value {
    let description = format!("The token lacks the scope `{scope}`.");
    refusal_saying(&description, &format!("the token lacks the scope {scope}"))
}

fn key_used() -> Value {
    refusal_saying(
        "The `Idempotency-Key` was used for another request.",
        "this Idempotency-Key was used for another request in the last 24 hours",
    )
}

fn too_large() -> Value {
    refusal_saying("The body is larger than 10 MiB.", "the body is larger than 10485760 bytes")
}

fn other_type(media_type: &str) -> Value {
    let description = format!("The body is not `{media_type}`.");
    refusal_saying(&description, &format!("the Content-Type must be {media_type}"))
}

fn too_many_requests() -> Value {
    let mut response = refusal_saying(
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
    if let Some(response) = response.as_object_mut() {
        response.insert("headers".to_owned(), headers);
    }
    response
}

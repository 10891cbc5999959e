//! The JSON Schema of a kind of message, cut out of the description so that it stands alone.

use domain::messages::kind::MessageKind;
use serde_json::{Map, Value};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Where the description has its schemas.
pub(super) const SCHEMAS: &str = "#/components/schemas/";
/// Where a schema that stands alone has those that it refers to.
const DEFINITIONS: &str = "#/$defs/";

/// None for a kind without a body.
pub(crate) fn message_schema(document: &Value, kind: MessageKind) -> Option<Value> {
    let body = format!("/webhooks/{kind}/post/requestBody/content/application~1json/schema");
    let mut body = document.pointer(&body)?.clone();
    let mut definitions = Map::new();
    collect(&body, document, &mut definitions);
    refer_to_definitions(&mut body);
    definitions.values_mut().for_each(refer_to_definitions);
    definitions.sort_keys();
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), DIALECT.into());
    schema.insert("title".to_owned(), kind.name().into());
    schema.extend(body.as_object()?.clone());
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    Some(Value::Object(schema))
}

/// Collects every schema that `value` refers to, directly or not.
fn collect(value: &Value, document: &Value, definitions: &mut Map<String, Value>) {
    match value {
        Value::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Value::as_str)
                && let Some(name) = name.strip_prefix(SCHEMAS)
                && !definitions.contains_key(name)
                && let Some(schema) = document.pointer(&format!("/components/schemas/{name}"))
            {
                definitions.insert(name.to_owned(), schema.clone());
                collect(schema, document, definitions);
            }
            for value in fields.values() {
                collect(value, document, definitions);
            }
        }
        Value::Array(values) => {
            for value in values {
                collect(value, document, definitions);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
    }
}

fn refer_to_definitions(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                *reference = reference.replacen(SCHEMAS, DEFINITIONS, 1);
            }
            fields.values_mut().for_each(refer_to_definitions);
        }
        Value::Array(values) => values.iter_mut().for_each(refer_to_definitions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
    }
}

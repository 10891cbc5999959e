//! Tests that the description is valid and complete, and that its examples match it.

use std::collections::BTreeSet;

use domain::{messages::kind::MessageKind, samples};
use serde_json::{Value, json};

use super::{description, operations, webhooks};
use crate::docs::{FORM, node::Node};

/// Fields that need no explanation.
const PLAIN: &[&str] = &[
    "access_token",
    "action",
    "amount_cents",
    "asn_number",
    "at",
    "billed_weight",
    "brand",
    "carrier",
    "changes",
    "city",
    "client_id",
    "client_secret",
    "clients",
    "comments",
    "company",
    "concept",
    "country",
    "country_code",
    "created",
    "created_at",
    "credit_card_company",
    "email",
    "event",
    "expected_delivery_date",
    "first_name",
    "gift_card_code",
    "gift_card_id",
    "id",
    "identifier",
    "image_url",
    "last_name",
    "line_identifier",
    "location_identifier",
    "merchant",
    "merchants",
    "message",
    "name",
    "original_item_identifier",
    "original_sku",
    "phone",
    "postal_code",
    "price_cents",
    "product_url",
    "province",
    "quantity",
    "reason",
    "recipient",
    "return_number",
    "return_reason",
    "scope",
    "serial_number",
    "shipping_cost_cents",
    "shipping_tax_cents",
    "signing_secret",
    "sku",
    "state",
    "street",
    "street1",
    "street2",
    "subject",
    "tax_cents",
    "telephone_number",
    "title",
    "token_type",
    "tracking_number",
    "transaction_id",
    "unit_price_amount_cents",
    "upc",
    "updated_at",
    "url",
    "user_login",
    "value",
    "variant_identifier",
    "version",
    "zip",
    "zip_code",
];

#[test]
fn the_description_is_of_openapi_3_1() {
    let document = description();

    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document["info"]["title"], "Homeward");
}

#[test]
fn every_operation_has_a_summary_a_tag_that_is_explained_and_a_name_of_its_own() {
    let document = description();
    let tags: BTreeSet<&str> =
        Node::root(&document).elements("tags").map(|tag| tag.text("name")).collect();
    let mut names = BTreeSet::new();

    for (method, path, operation) in [operations(&document), webhooks(&document)].concat() {
        assert!(!operation.text("summary").is_empty(), "{method} {path}");
        let mut own = operation.elements("tags").map(|tag| tag.value.as_str().unwrap());
        assert!(own.any(|tag| tags.contains(tag)), "{method} {path}");
        assert!(names.insert(operation.text("operationId")), "{method} {path}");
    }
}

#[test]
fn every_operation_says_how_it_succeeds() {
    let document = description();
    for (method, path, operation) in [operations(&document), webhooks(&document)].concat() {
        let mut successes =
            operation.entries("responses").filter(|(status, _)| status.starts_with('2'));
        assert!(successes.any(|(_, answer)| !answer.description().is_empty()), "{method} {path}");
    }
}

#[test]
fn every_operation_that_needs_a_token_says_what_happens_without() {
    for (method, path, operation) in operations(&description()) {
        let answers: Vec<&str> = operation.entries("responses").map(|(status, _)| status).collect();
        assert!(answers.contains(&"429"), "{method} {path}");
        if operation.elements("security").any(|it| it.get("token").is_some()) {
            assert!(answers.contains(&"401") && answers.contains(&"403"), "{method} {path}");
        }
        assert!(answers.is_sorted(), "{method} {path}");
    }
}

#[test]
fn every_parameter_is_explained_and_the_required_ones_have_an_example() {
    let document = description();
    for (method, path, operation) in [operations(&document), webhooks(&document)].concat() {
        for parameter in operation.elements("parameters") {
            let name = parameter.text("name");
            assert!(!parameter.description().is_empty(), "{method} {path}: {name}");
            let shown = parameter.example().is_some() || !parameter.flag("required");
            assert!(shown, "{method} {path}: {name}");
        }
    }
}

/// The content of a request or a response.
struct Content<'a> {
    operation: Node<'a>,
    place: String,
    kind: &'a str,
    schema: Node<'a>,
    example: Option<&'a Value>,
}

fn contents(document: &Value) -> Vec<Content<'_>> {
    let mut all = Vec::new();
    for (method, path, operation) in [operations(document), webhooks(document)].concat() {
        let body = operation.get("requestBody").into_iter().map(|body| ("body", body));
        for (part, holder) in body.chain(operation.entries("responses")) {
            let place = format!("{method} {path}, {part}");
            all.extend(holder.resolved().entries("content").map(|(kind, content)| Content {
                operation,
                place: format!("{place} as {kind}"),
                kind,
                schema: content.get("schema").unwrap(),
                example: content.example(),
            }));
        }
    }
    all
}

#[test]
fn every_operation_says_which_security_it_needs_and_the_document_names_a_server() {
    let document = description();
    for (method, path, operation) in operations(&document) {
        assert!(operation.get("security").is_some(), "{method} {path}");
    }
    assert_eq!(document.pointer("/servers/0/url"), Some(&json!("/")));
}

#[test]
fn no_choice_has_a_single_element() {
    fn check(value: &Value) {
        if let Some(Value::Array(choices)) = value.get("oneOf") {
            assert!(choices.len() > 1, "{value}");
        }
        match value {
            Value::Object(fields) => fields.values().for_each(check),
            Value::Array(values) => values.iter().for_each(check),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
        }
    }
    check(&description());
}

#[test]
fn every_operation_that_names_something_says_that_it_may_be_unknown() {
    let document = description();
    for (method, path, operation) in operations(&document) {
        let names_merchant =
            operation.elements("parameters").any(|it| it.text("name") == "merchant");
        let names = names_merchant || path.contains('{');
        // Without a token, nothing is told about what there is.
        let has_token = operation.elements("security").any(|it| it.get("token").is_some());
        let expected = if has_token { "404" } else { "401" };
        let answers = operation.get("responses").unwrap();
        assert!(!names || answers.get(expected).is_some(), "{method} {path}");
    }
}

#[test]
fn every_json_body_may_have_invalid_fields() {
    let document = description();
    for (method, path, operation) in operations(&document) {
        let has_token = operation.elements("security").any(|it| it.get("token").is_some());
        let body = operation.get("requestBody").and_then(|it| it.get("content"));
        let json = body.and_then(|content| content.get("application/json"));
        // A body that may be anything has no invalid fields.
        let is_json = json.is_some_and(|it| it.entries("schema").next().is_some());
        let answers = operation.get("responses").unwrap();
        assert!(!is_json || !has_token || answers.get("422").is_some(), "{method} {path}");
    }
}

#[test]
fn the_example_of_a_form_is_an_object() {
    let document = description();
    for content in contents(&document) {
        assert!(content.example.unwrap().is_object() || content.kind != FORM);
    }
}

#[test]
fn every_body_and_every_answer_has_an_example() {
    for content in contents(&description()) {
        assert!(content.example.is_some(), "{}", content.place);
    }
}

#[test]
fn every_json_example_is_what_its_schema_says() {
    for content in contents(&description()) {
        if content.kind == "application/json" {
            let result = check_value(content.example.unwrap(), content.schema, &content.place);
            assert_eq!(result, Ok(()));
        }
    }
}

#[test]
fn every_kind_of_message_has_a_schema_of_its_own_and_its_sample_is_what_the_schema_says() {
    let schemas = crate::message_schemas();
    for (kind, schema) in &schemas {
        let sample: Value = serde_json::from_str(samples::message(*kind).unwrap()).unwrap();
        assert_eq!(check_value(&sample, Node::root(schema), kind.name()), Ok(()));
        assert!(!schema.to_string().contains("#/components"), "{kind} stands alone");
        let mut broken = sample;
        broken.as_object_mut().unwrap().clear();
        check_value(&broken, Node::root(schema), kind.name()).unwrap_err();
    }
    let kinds = MessageKind::to_merchant().filter(|kind| samples::message(*kind).is_some());
    assert!(kinds.eq(schemas.into_iter().map(|(kind, _)| kind)));
}

/// Checks a value against its schema: types, required fields and unknown fields.
fn check_value(value: &Value, schema: Node<'_>, place: &str) -> Result<(), String> {
    let schema = schema.resolved();
    let choices = schema.elements("oneOf").chain(schema.elements("anyOf"));
    let choices: Vec<Node<'_>> = choices.collect();
    let tried = choices.iter().map(|choice| check_value(value, *choice, place));
    let misfits: Vec<String> = tried.filter_map(Result::err).collect();
    if !choices.is_empty() && misfits.len() == choices.len() {
        return Err(misfits.join(" | "));
    }
    let types = schema.elements("type").chain(schema.get("type"));
    let types: Vec<&str> = types.filter_map(|node| node.value.as_str()).collect();
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let whole_is_number = kind == "integer" && types.contains(&"number");
    if !types.is_empty() && !types.contains(&kind) && !whole_is_number {
        return Err(format!("{place}: {value} is not one of {types:?}"));
    }
    for element in value.as_array().into_iter().flatten() {
        check_value(
            element,
            schema.get("items").ok_or_else(|| format!("{place}: no items"))?,
            place,
        )?;
    }
    let Some((fields, properties)) = value.as_object().zip(schema.get("properties")) else {
        return Ok(());
    };
    for (name, field) in fields {
        let property = properties.get(name).ok_or_else(|| format!("{place}: unknown {name}"))?;
        check_value(field, property, &format!("{place}.{name}"))?;
    }
    // Callers do not send read-only fields.
    let read_only = |name: &str| {
        properties.get(name).is_some_and(|property| property.get("readOnly").is_some())
    };
    let mut required = schema.elements("required").filter_map(|name| name.value.as_str());
    match required.find(|name| !fields.contains_key(*name) && !read_only(name)) {
        Some(name) => Err(format!("{place}: {name} is missing")),
        None => Ok(()),
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn check(document: &Value, value: &Value) {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        let elements = value.as_array().into_iter().flatten();
        let fields = value.as_object().into_iter().flat_map(serde_json::Map::values);
        elements.chain(fields).for_each(|child| check(document, child));
    }
    let document = description();
    check(&document, &document);
}

#[test]
fn every_schema_is_explained_unless_its_fields_explain_themselves() {
    let document = description();
    let components = Node::root(&document).get("components").unwrap();

    for (name, schema) in components.entries("schemas") {
        let clear = |(name, field): (&str, Node<'_>)| {
            !field.description().is_empty() || PLAIN.contains(&name)
        };
        let mut fields = schema.entries("properties");
        assert!(!schema.description().is_empty() || fields.all(clear), "{name}");
    }
}

#[test]
fn every_field_is_explained_by_its_name_itself_its_type_or_its_operation() {
    fn check(schema: Node<'_>, operation: &str, place: &str) {
        let schema = schema.resolved();
        let choices = schema.elements("oneOf").chain(schema.elements("anyOf"));
        let choices = choices.chain(schema.get("items"));
        choices.for_each(|schema| check(schema, operation, place));
        for (name, field) in schema.entries("properties") {
            let place = format!("{place}.{name}");
            let by_type = field.elements("oneOf").any(|choice| !choice.description().is_empty());
            let clear = PLAIN.contains(&name)
                || !field.description().is_empty()
                || by_type
                || operation.contains(&format!("`{name}`"));
            assert!(clear, "{place}");
            check(field, operation, &place);
        }
    }
    for content in contents(&description()) {
        check(content.schema, content.operation.description(), &content.place);
    }
}

//! A schema as a list of fields for people.

use askama::{Template, filters::HtmlSafe};
use serde_json::Value;

use super::{node::Node, prose::Prose};

/// Nested fields are shown up to this depth, because a schema may contain itself.
const DEPTH_MAX: usize = 8;

/// An object with at most this many fields is shown unfolded.
const UNFOLDED_MAX: usize = 2;

#[derive(Default, Template)]
#[template(path = "docs/fields.html", whitespace = "minimize")]
pub(super) struct Fields {
    fields: Vec<Field>,
}

/// Who writes the values of a schema. A caller must know what to send, and what may be absent from
/// a response.
#[derive(Clone, Copy)]
pub(super) enum Writer {
    Caller,
    Service,
}

/// One field, in words.
struct Field {
    name: String,
    kind: String,
    required: bool,
    /// Whether it is required, in words; empty if that does not matter.
    presence: &'static str,
    description: Prose,
    /// Limits, the default and the like, each a short phrase.
    facts: Vec<String>,
    example: String,
    /// The allowed values, if there are only a few.
    values: Vec<String>,
    children: Fields,
}

impl HtmlSafe for Fields {}

impl Fields {
    /// The fields of the objects that `schema` describes.
    pub(super) fn of(schema: Node<'_>, writer: Writer) -> Self {
        Self::at(schema, SchemaContext { writer, depth: 0, certain: true })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Such as "12 fields". The page unfolds them on demand.
    fn count(&self) -> String {
        match self.fields.len() {
            1 => "1 field".to_owned(),
            count => format!("{count} fields"),
        }
    }

    fn unfolded(&self) -> bool {
        self.fields.len() <= UNFOLDED_MAX
    }

    fn at(schema: Node<'_>, context: SchemaContext) -> Self {
        let mut fields = Vec::new();
        if context.depth < DEPTH_MAX {
            collect(schema, context, &mut fields);
        }
        Self { fields }
    }
}

#[derive(Clone, Copy)]
struct SchemaContext {
    writer: Writer,
    depth: usize,
    /// Whether the schema always applies, and is not one of several alternatives.
    certain: bool,
}

/// The fields that every object of `schema` has and, as optional ones, those that some have.
fn collect(schema: Node<'_>, context: SchemaContext, fields: &mut Vec<Field>) {
    let schema = essence(schema);
    let required: Vec<&str> =
        schema.elements("required").filter_map(|name| name.value.as_str()).collect();
    for (name, property) in schema.entries("properties") {
        let required = context.certain && required.contains(&name);
        fields.push(field(name, property, required, context));
    }
    for part in schema.elements("allOf") {
        collect(part, context, fields);
    }
    for part in schema.elements("oneOf").chain(schema.elements("anyOf")) {
        collect(part, SchemaContext { certain: false, ..context }, fields);
    }
}

fn field(name: &str, property: Node<'_>, required: bool, context: SchemaContext) -> Field {
    let schema = without_null(property);
    let example = property.example().or_else(|| schema.example());
    Field {
        name: name.to_owned(),
        kind: kind(property),
        required,
        presence: match (context.writer, required) {
            (Writer::Caller, true) => "required",
            (Writer::Caller, false) => "optional",
            (Writer::Service, true) => "",
            (Writer::Service, false) => "may be absent",
        },
        description: Prose::new(match property.description() {
            "" => schema.description(),
            description => description,
        }),
        facts: facts(schema),
        example: example.map(words).unwrap_or_default(),
        values: essence(schema).elements("enum").map(|value| words(value.value)).collect(),
        children: Fields::at(
            schema,
            SchemaContext { depth: context.depth + 1, certain: true, ..context },
        ),
    }
}

/// The schema behind references, and of a list the schema of its elements.
fn essence(schema: Node<'_>) -> Node<'_> {
    let schema = without_null(schema);
    match schema.get("items") {
        Some(items) => without_null(items),
        None => schema,
    }
}

/// The schema itself, if the alternative is only null.
fn without_null(schema: Node<'_>) -> Node<'_> {
    let schema = schema.resolved();
    let choices = schema.elements("oneOf").chain(schema.elements("anyOf"));
    let mut choices = choices.filter(|choice| choice.text("type") != "null");
    match (choices.next(), choices.next()) {
        (Some(only), None) => only.resolved(),
        (_, _) => schema,
    }
}

/// The type in words, such as "string" or "list of objects".
pub(super) fn kind(schema: Node<'_>) -> String {
    let schema = without_null(schema);
    if let Some(items) = schema.get("items") {
        return format!("list of {}s", kind(items));
    }
    let named = || schema.elements("type").filter_map(|name| name.value.as_str());
    let name = match schema.text("type") {
        "" => named().find(|name| *name != "null").unwrap_or("object"),
        name => name,
    };
    match schema.text("format") {
        "date-time" => "timestamp".to_owned(),
        _ => name.to_owned(),
    }
}

/// Limits and defaults of the values.
fn facts(schema: Node<'_>) -> Vec<String> {
    let number = |key: &str| schema.value.get(key).filter(|value| value.is_number()).map(words);
    let range = |least: &str, most: &str, unit: &str| match (number(least), number(most)) {
        (Some(least), Some(most)) if least == most => Some(format!("exactly {least}{unit}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    };
    let default = schema.value.get("default").map(|value| format!("by default {}", words(value)));
    [
        range("minLength", "maxLength", " characters"),
        range("minimum", "maximum", ""),
        range("minItems", "maxItems", " elements"),
        default,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A plain value as text. Strings have no quotes.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

//! One operation of the API, as the page shows it.

use std::fmt::Write as _;

use axum::http::StatusCode;
use serde_json::Value;

use super::{
    FORM,
    code::Code,
    curl::Curl,
    node::Node,
    prose::{Prose, paragraphs},
    schema::{Fields, Writer, kind, words},
};

/// A body of at most this many characters is part of the command, a longer one is in a file.
const INLINE_MAX: usize = 200;

/// A body of at most this many characters stays on one line.
const ONE_LINE_MAX: usize = 50;

pub(super) struct Operation {
    /// The anchor on the page.
    pub(super) anchor: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) summary: String,
    pub(super) description: Vec<Prose>,
    /// The required scope.
    pub(super) access: Prose,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
    pub(super) responses: Vec<ResponseView>,
    /// The request as a command, then bodies.
    pub(super) listings: Vec<Listing>,
}

/// A parameter of a request, or a header of a response.
pub(super) struct Parameter {
    pub(super) name: String,
    /// Where in a request: path, query or header.
    pub(super) place: String,
    pub(super) kind: String,
    pub(super) required: bool,
    /// Whether it is required, in words; empty if that does not matter.
    pub(super) presence: &'static str,
    pub(super) meaning: Prose,
    pub(super) example: String,
}

pub(super) struct Body {
    pub(super) media_types: Vec<String>,
    pub(super) description: Prose,
    pub(super) fields: Fields,
}

pub(super) struct ResponseView {
    pub(super) status: String,
    /// The name of the status.
    pub(super) reason: &'static str,
    pub(super) success: bool,
    pub(super) meaning: Prose,
    pub(super) headers: Vec<Parameter>,
    pub(super) fields: Fields,
    /// The example, unless it is among the listings.
    pub(super) example: Option<Listing>,
}

/// Code with a caption.
pub(super) struct Listing {
    pub(super) caption: String,
    pub(super) code: Code,
}

impl Operation {
    pub(super) fn of(method: &str, path: &str, operation: Node<'_>) -> Self {
        let method = method.to_ascii_uppercase();
        let command = curl_command(&method, path, operation);
        let request = Listing { caption: "Request".to_owned(), code: Code::plain(command) };
        let mut listings = vec![request];
        listings.extend(body_listings(operation));
        let responses = operation.entries("responses");
        let mut responses: Vec<ResponseView> =
            responses.map(|(status, response)| view_response(status, response)).collect();
        let success = responses.iter_mut().find(|response| response.success);
        listings.extend(success.and_then(|response| response.example.take()));
        Self {
            anchor: anchor(operation.text("operationId")),
            path: path.to_owned(),
            summary: operation.text("summary").to_owned(),
            description: paragraphs(operation.text("description")),
            access: Prose::new(&access(operation)),
            parameters: operation.elements("parameters").map(view_parameter).collect(),
            body: operation.get("requestBody").map(|body| view_body(body, Writer::Caller)),
            responses,
            listings,
            method,
        }
    }

    /// A call that we make. It is shown without a command, because only we can sign it.
    pub(super) fn of_webhook(method: &str, path: &str, operation: Node<'_>) -> Self {
        let mut shown = Self::of(method, path, operation);
        shown.listings.remove(0);
        shown.access = Prose::new("Homeward calls you, and signs the call with your secret.");
        shown.body = operation.get("requestBody").map(|body| view_body(body, Writer::Service));
        shown
    }
}

/// The anchor for a name.
pub(super) fn anchor(name: &str) -> String {
    name.to_ascii_lowercase().replace([' ', '_'], "-")
}

/// The scopes that an operation needs.
fn scopes(operation: Node<'_>) -> Vec<&str> {
    let requirements = operation.elements("security");
    let names = requirements.flat_map(|requirement| requirement.elements("token"));
    names.filter_map(|name| name.value.as_str()).collect()
}

fn access(operation: Node<'_>) -> String {
    let meanings = operation.top().get("components").and_then(|components| {
        let scheme = components.get("securitySchemes")?.get("token")?;
        scheme.get("flows")?.get("clientCredentials")?.get("scopes")
    });
    let meaning = |scope| meanings.map_or("", |meanings| meanings.text(scope));
    let mut text = String::new();
    for scope in scopes(operation) {
        write!(text, "Needs a token with the scope `{scope}`: {}.", meaning(scope))
            .expect("writing to a string does not fail");
    }
    if text.is_empty() { "Needs no token.".to_owned() } else { text }
}

fn view_parameter(parameter: Node<'_>) -> Parameter {
    let parameter = parameter.resolved();
    let schema = parameter.get("schema").unwrap_or(parameter);
    Parameter {
        name: parameter.text("name").to_owned(),
        place: parameter.text("in").to_owned(),
        kind: kind(schema),
        required: parameter.flag("required"),
        presence: if parameter.flag("required") { "required" } else { "optional" },
        meaning: Prose::new(parameter.text("description")),
        example: parameter.example().map(words).unwrap_or_default(),
    }
}

fn view_header(name: &str, header: Node<'_>) -> Parameter {
    Parameter { name: name.to_owned(), presence: "", ..view_parameter(header) }
}

fn view_body(body: Node<'_>, writer: Writer) -> Body {
    let body = body.resolved();
    let schema = body.entries("content").find_map(|(_, content)| content.get("schema"));
    Body {
        media_types: body.entries("content").map(|(name, _)| name.to_owned()).collect(),
        description: Prose::new(body.text("description")),
        fields: schema.map(|schema| Fields::of(schema, writer)).unwrap_or_default(),
    }
}

/// The example of each kind of body.
fn body_listings(operation: Node<'_>) -> Vec<Listing> {
    let Some(body) = operation.get("requestBody").map(Node::resolved) else { return Vec::new() };
    let listing = |(media_type, content): (&str, Node<'_>)| {
        let code = Code::json(&as_sent(media_type, content.example()?));
        Some(Listing { caption: format!("Body, {media_type}"), code })
    };
    body.entries("content").filter_map(listing).collect()
}

/// The example as it is sent: the fields of a form are one line.
fn as_sent(media_type: &str, example: &Value) -> Value {
    match example.as_object().filter(|_| media_type == FORM) {
        Some(fields) => {
            let field = |(name, value): (&String, &Value)| format!("{name}={}", words(value));
            fields.iter().map(field).collect::<Vec<_>>().join("&").into()
        }
        None => example.clone(),
    }
}

fn view_response(status: &str, response: Node<'_>) -> ResponseView {
    let response = response.resolved();
    let content = response.entries("content").map(|(_, content)| content).next();
    let schema = content.and_then(|content| content.get("schema"));
    let code = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
    let example = content.and_then(Node::example).map(|example| Listing {
        caption: format!("Response {status}"),
        code: Code::json(example),
    });
    ResponseView {
        status: status.to_owned(),
        reason: code.and_then(|code| code.canonical_reason()).unwrap_or_default(),
        success: status.starts_with('2'),
        meaning: Prose::new(response.text("description")),
        headers: response.entries("headers").map(|(name, node)| view_header(name, node)).collect(),
        fields: schema.map(|schema| Fields::of(schema, Writer::Service)).unwrap_or_default(),
        example,
    }
}

/// The operation as a command to paste into a shell.
fn curl_command(method: &str, path: &str, operation: Node<'_>) -> String {
    let content = operation.get("requestBody").map(Node::resolved);
    let content = content.and_then(|body| body.entries("content").next());
    let mut target = path.to_owned();
    let parameters = || operation.elements("parameters").map(view_parameter);
    for parameter in parameters().filter(|parameter| parameter.place == "path") {
        target = target.replace(&format!("{{{}}}", parameter.name), &parameter.example);
    }
    let queried = parameters().filter(|parameter| parameter.place == "query" && parameter.required);
    let query: Vec<String> = queried.map(|it| format!("{}={}", it.name, it.example)).collect();
    if !query.is_empty() {
        target = format!("{target}?{}", query.join("&"));
    }
    let mut curl = Curl::new(method, &target, content.is_some());
    if !scopes(operation).is_empty() {
        curl = curl.header("Authorization", "Bearer $TOKEN");
    }
    for parameter in parameters().filter(|parameter| parameter.place == "header") {
        curl = curl.header(&parameter.name, &parameter.example);
    }
    let Some((media_type, content)) = content else { return curl.text() };
    let curl = curl.header("Content-Type", media_type);
    let Some(example) = content.example() else { return curl.text() };
    let text = words(example);
    if text.len() <= ONE_LINE_MAX {
        return curl.data(&text).text();
    }
    if text.len() <= INLINE_MAX {
        return curl.data(&Code::json(example).text()).text();
    }
    let extension = if media_type == "application/json" { "json" } else { "ndjson" };
    curl.file(&format!("{}.{extension}", operation.text("operationId"))).text()
}

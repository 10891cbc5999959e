//! The page `/docs`: a guide, then every operation by its tag.

use askama::Template;
use domain::messages::kind::MessageKind;
use serde_json::Value;

use super::{
    code::Code,
    curl::Curl,
    node::Node,
    operation::{Listing, Operation, anchor},
    prose::{Prose, paragraphs},
};
use server::assets::Assets;

/// The content of the page as texts, so that the template decides nothing.
#[derive(Template)]
#[template(path = "docs/reference.html", whitespace = "minimize")]
struct Reference {
    title: String,
    version: String,
    introduction: Vec<Prose>,
    base_style: String,
    docs_style: String,
    icon: String,
    token: Listing,
    publish: Listing,
    read: Listing,
    invalid: Listing,
    groups: Vec<Group>,
}

/// The operations under one tag.
struct Group {
    anchor: String,
    name: String,
    description: Prose,
    operations: Vec<Operation>,
}

pub(super) fn render(document: &Value, assets: &Assets) -> String {
    let document = Node::root(document);
    let information = document.get("info").unwrap_or(document);
    let page = Reference {
        title: information.text("title").to_owned(),
        version: information.text("version").to_owned(),
        introduction: paragraphs(information.text("description")),
        base_style: assets.base_style.address(),
        docs_style: assets.docs_style.address(),
        icon: assets.icon.address(),
        token: token_listing(),
        publish: publish_listing(),
        read: read_listing(),
        invalid: invalid_listing(),
        groups: document.elements("tags").map(|tag| group(document, tag)).collect(),
    };
    page.render().expect("writing to a string does not fail")
}

fn group(document: Node<'_>, tag: Node<'_>) -> Group {
    let name = tag.text("name");
    let tagged = |operation: &Node<'_>| {
        operation.elements("tags").any(|tag| tag.value.as_str() == Some(name))
    };
    let mut operations = Vec::new();
    for (path, _) in document.entries("paths") {
        let paths = document.get("paths").unwrap_or(document);
        let methods = paths.entries(path).filter(|(_, operation)| tagged(operation));
        operations.extend(methods.map(|(method, node)| Operation::of(method, path, node)));
    }
    for (kind, _) in document.entries("webhooks") {
        let path = MessageKind::parse(kind).and_then(MessageKind::default_path).unwrap_or(kind);
        let webhooks = document.get("webhooks").unwrap_or(document);
        let methods = webhooks.entries(kind).filter(|(_, operation)| tagged(operation));
        operations.extend(methods.map(|(method, node)| Operation::of_webhook(method, path, node)));
    }
    Group {
        anchor: anchor(name),
        name: name.to_owned(),
        description: Prose::new(tag.text("description")),
        operations,
    }
}

fn listing(caption: &str, text: impl Into<String>) -> Listing {
    Listing { caption: caption.to_owned(), code: Code::plain(text) }
}

fn token_listing() -> Listing {
    let curl = Curl::new("POST", "/oauth/token", true)
        .data("grant_type=client_credentials")
        .data("client_id=acme.k7w2mq9d4x")
        .data("client_secret=hws_Xk3…");
    let quiet = curl.text().replacen("curl", "curl -s", 1);
    listing("1. Get a token", format!("TOKEN=$({quiet} | jq -r .access_token)"))
}

fn publish_listing() -> Listing {
    let sample = domain::samples::minimal_order_message();
    let sample: Value = serde_json::from_str(sample).expect("the sample is JSON");
    let curl = Curl::new("POST", "/returns_portal_orders", true)
        .header("Authorization", "Bearer $TOKEN")
        .header("Api-Version", "3")
        .header("Content-Type", "application/json")
        .data(&Code::json(&sample).text());
    listing("2. Publish an order", curl.text())
}

fn read_listing() -> Listing {
    let curl =
        Curl::new("GET", "/orders/ORD-100473", false).header("Authorization", "Bearer $TOKEN");
    listing("3. Read it back", curl.text())
}

fn invalid_listing() -> Listing {
    let body = serde_json::json!({
        "message": "2 fields are invalid: $.returns_portal_order.orders[0].currency is \
                    missing; $.returns_portal_order.orders[0].items[2].quantity must be at least 0",
        "errors": [
            { "field": "$.returns_portal_order.orders[0].currency", "code": "missing_field" },
            { "field": "$.returns_portal_order.orders[0].items[2].quantity", "code": "invalid" }
        ]
    });
    Listing { caption: "Response 422".to_owned(), code: Code::json(&body) }
}

//! Tests that the description has everything a caller needs, and that the page shows it.

mod contract;
mod description;
mod page;
mod routes;

use serde_json::Value;

use super::{description, node::Node};

/// Every operation as method, path and node.
fn operations(document: &Value) -> Vec<(&str, &str, Node<'_>)> {
    list(document, "paths")
}

/// Every call to a merchant as method, kind and node.
fn webhooks(document: &Value) -> Vec<(&str, &str, Node<'_>)> {
    list(document, "webhooks")
}

fn list<'a>(document: &'a Value, part: &str) -> Vec<(&'a str, &'a str, Node<'a>)> {
    let root = Node::root(document);
    let items = root.get(part).unwrap();
    let methods = |(name, _)| items.entries(name).map(move |(method, node)| (method, name, node));
    root.entries(part).flat_map(methods).collect()
}

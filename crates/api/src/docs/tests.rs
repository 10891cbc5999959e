//! Tests that the description has everything a caller needs, and that the page shows it.

mod contract;
mod description;
mod page;

use serde_json::Value;

use super::{describe, node::Node};

/// The description as it is served.
fn describe_api() -> Value {
    let (_, document) = crate::described_routes();
    describe(document)
}

/// Every operation as method, path and node.
fn operations(document: &Value) -> Vec<(&str, &str, Node<'_>)> {
    let root = Node::root(document);
    let paths = root.get("paths").unwrap();
    let methods = |(path, _)| paths.entries(path).map(move |(method, node)| (method, path, node));
    root.entries("paths").flat_map(methods).collect()
}

//! Tests that the routes are those of the description, and that each leads to the handler that the
//! description is about.
//!
//! A router does not list its routes, so they are read from the source. That the running service
//! has every described operation is part of the tests of who may use what.

use std::{collections::BTreeSet, fs, path::Path};

use super::{description, operations};
use crate::ADMIN;

/// The files that have a table of routes, and how the paths in it start.
const TABLES: [(&str, &str); 2] = [("lib.rs", ""), ("admin.rs", ADMIN)];

/// A handler in a table of routes.
struct Handler<'a> {
    method: &'a str,
    /// Its module and its name.
    name: &'a str,
}

fn read_source(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The handlers of `get(a::b).post(a::c)`.
fn handlers(chain: &str) -> Vec<Handler<'_>> {
    let calls = chain.split(')').filter_map(|call| call.split_once('('));
    calls.map(|(method, name)| Handler { method: method.trim_matches('.'), name }).collect()
}

/// What the attribute of a handler calls its operation.
fn operation_of(handler: &str) -> String {
    let (module, name) = handler.rsplit_once("::").unwrap();
    let source = read_source(&format!("{}.rs", module.replace("::", "/")));
    let (before, _) = source.split_once(&format!("\npub(crate) async fn {name}(")).unwrap();
    let (_, attribute) = before.rsplit_once("#[utoipa::path(").unwrap();
    let (_, rest) = attribute.split_once("operation_id = \"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Method, path and operation of every route.
fn read_routes() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (file, prefix) in TABLES {
        let source = read_source(file).split_whitespace().collect::<String>().replace("),)", "))");
        for route in source.split(".route(\"").skip(1) {
            let (path, rest) = route.split_once("\",").unwrap();
            let chain = rest.split("))").next().unwrap();
            for handler in handlers(chain) {
                let operation = operation_of(handler.name);
                all.insert(format!("{} {prefix}{path}: {operation}", handler.method));
            }
        }
    }
    all
}

#[test]
fn the_routes_are_those_of_the_description() {
    let document = description();
    let described = operations(&document).into_iter().map(|(method, path, operation)| {
        format!("{method} {path}: {}", operation.text("operationId"))
    });
    let (described, routed) = (described.collect::<BTreeSet<_>>(), read_routes());

    let missing: Vec<_> = described.difference(&routed).collect();
    let unknown: Vec<_> = routed.difference(&described).collect();

    assert!(missing.is_empty(), "described, but not routed: {missing:?}");
    assert!(unknown.is_empty(), "routed, but not described: {unknown:?}");
}

//! Messages that were changed at random never break the server.
//!
//! Whatever is sent, the answer is 200, 400 or 422. After anything but 200, nothing of the message
//! is stored; after 200, what is read back is what was accepted.

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use crate::harness::{
    http::{Connection, Request},
    samples::full_order,
    server::{Server, publication},
    shared,
};

/// One change to a message, aimed by numbers that are taken modulo what there is.
#[derive(Clone, Debug)]
enum Mutation {
    /// Puts another value in a place.
    Replace(usize, Value),
    Remove(usize),
    /// Copies the value of one place to another.
    Copy(usize, usize),
    /// Adds a field, known or not, to an object.
    Add(usize, String, Value),
    /// Repeats an element of a list.
    Repeat(usize),
    /// Changes a byte of the text.
    Byte(usize, u8),
    Cut(usize),
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3i64..1_002).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!("\u{0}")),
        Just(json!("2026-02-30T00:00:00Z")),
        Just(json!("x".repeat(5_000))),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<usize>;
    prop_oneof![
        4 => (place(), value()).prop_map(|(at, value)| Mutation::Replace(at, value)),
        2 => place().prop_map(Mutation::Remove),
        2 => (place(), place()).prop_map(|(from, to)| Mutation::Copy(from, to)),
        2 => (place(), "[a-z ]{0,9}", value())
            .prop_map(|(at, key, value)| Mutation::Add(at, key, value)),
        1 => place().prop_map(Mutation::Repeat),
        1 => (place(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        1 => place().prop_map(Mutation::Cut),
    ]
}

/// The pointers of all values in a document.
fn places(document: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_owned());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    if let Some(fields) = document.as_object() {
        for (key, value) in fields {
            places(value, &format!("{here}/{}", escaped(key)), all);
        }
    }
    for (position, value) in document.as_array().into_iter().flatten().enumerate() {
        places(value, &format!("{here}/{position}"), all);
    }
}

/// The value at the place that the number means.
fn at(document: &mut Value, number: usize) -> &mut Value {
    let mut all = Vec::new();
    places(document, "", &mut all);
    let pointer = &all[number % all.len()];
    document.pointer_mut(pointer).unwrap()
}

fn change(document: &mut Value, mutation: &Mutation) {
    match mutation {
        Mutation::Replace(place, value) => *at(document, *place) = value.clone(),
        Mutation::Copy(from, to) => *at(document, *to) = at(document, *from).clone(),
        Mutation::Remove(place) => {
            if let Some(fields) = at(document, *place).as_object_mut() {
                let key = fields.keys().nth(place % fields.len().max(1)).cloned();
                key.and_then(|key| fields.shift_remove(&key));
            }
        }
        Mutation::Add(place, key, value) => {
            if let Some(fields) = at(document, *place).as_object_mut() {
                fields.insert(key.clone(), value.clone());
            }
        }
        Mutation::Repeat(place) => {
            if let Some(list) = at(document, *place).as_array_mut() {
                list.extend(list.first().cloned());
            }
        }
        Mutation::Byte(..) | Mutation::Cut(_) => (),
    }
}

/// The message with two orders of identifiers that nobody used before, and its changes applied.
fn mutated(case: u32, mutations: &[Mutation]) -> Vec<u8> {
    let orders = ["a", "b"].map(|name| {
        let mut order = full_order();
        order["identifier"] = json!(format!("case-{case}-{name}"));
        order["refunds"][0]["identifier"] = json!(format!("refund-{case}-{name}"));
        order
    });
    let mut document = json!({ "returns_portal_order": { "orders": orders } });
    for mutation in mutations {
        change(&mut document, mutation);
    }
    let mut bytes = document.to_string().into_bytes();
    for mutation in mutations {
        if let Mutation::Byte(place, byte) = mutation {
            let place = place % bytes.len();
            bytes[place] = *byte;
        }
        if let Mutation::Cut(place) = mutation {
            bytes.truncate(1 + place % bytes.len());
        }
    }
    bytes
}

/// The order as it is held: in one spelling, and as far as a float can tell.
fn as_held(order: &Value) -> Value {
    let mut order = order.clone();
    let fields = order.as_object_mut().unwrap();
    if let Some(shopper) = fields.remove("the service") {
        fields.insert("customer".to_owned(), shopper);
    }
    if fields["status"] == "Canceled" {
        fields["status"] = json!("Cancelled");
    }
    order
}

fn check(server: &Server, token: &str, case: u32, mutations: &[Mutation]) {
    let bytes = mutated(case, mutations);
    let mut connection = server.connect();
    let reply = connection.send(&publication(token, bytes.clone())).unwrap();
    let mut read = |identifier: &str| read_order(&mut connection, token, identifier);
    match reply.status {
        200 => {
            let sent: Value = serde_json::from_slice(&bytes).unwrap();
            let orders = sent["returns_portal_order"]["orders"].as_array().unwrap().clone();
            for order in orders {
                let identifier = order["identifier"].as_str().unwrap();
                assert_eq!(read(identifier), Some(as_held(&order)));
            }
        }
        400 | 422 => {
            for name in ["a", "b"] {
                assert_eq!(read(&format!("case-{case}-{name}")), None, "{}", reply.said());
            }
        }
        other => panic!("{other}: {}", reply.said()),
    }
}

fn read_order(
    connection: &mut Connection<std::net::TcpStream>,
    token: &str,
    identifier: &str,
) -> Option<Value> {
    let encode = |byte: u8| format!("%{byte:02X}");
    let target: String = identifier.bytes().map(encode).collect();
    let request = Request::get(&format!("/orders/{target}")).bearer(token);
    let reply = connection.send(&request).unwrap();
    assert!([200, 404].contains(&reply.status), "{}", reply.said());
    (reply.status == 200).then(|| reply.json())
}

/// Few cases, unless `PROPTEST_CASES` asks for more. Failures are printed and not kept in a file.
fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").map_or(64, |cases| cases.parse().unwrap());
    Config { cases, failure_persistence: None, ..Config::default() }
}

#[test]
fn a_message_changed_at_random_is_accepted_whole_or_refused_whole() {
    for server in shared::on_every_engine() {
        let token = server.token(&server.merchant("properties"));
        let mut runner = TestRunner::new(config());
        let case = std::cell::Cell::new(0);
        let changes = prop::collection::vec(mutation(), 0..4);
        let outcome = runner.run(&changes, |mutations| {
            // Also when a failing case is made smaller, every try has identifiers of its own.
            case.set(case.get() + 1);
            check(server, &token, case.get(), &mutations);
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{failure}"));
    }
}

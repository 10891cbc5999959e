//! `homeward demo`: a server with a merchant and orders, to look around.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use super::assert_refused;
use crate::harness::{
    home::{Home, text},
    http::{Connection, Request},
    server::signal,
};

/// Starts a demo and reads what it prints.
pub(crate) fn start(home: &Home, arguments: &[&str]) -> (Child, Value) {
    let all = [&["--json", "--listen", "127.0.0.1:0", "demo"], arguments].concat();
    let mut command = home.command(&all);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut printed = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    while !printed.ends_with("}\n") {
        assert_ne!(lines.by_ref().read_line(&mut printed).unwrap(), 0, "{printed}");
    }
    (child, serde_json::from_str(&printed).unwrap())
}

pub(crate) fn stop(mut demo: Child) {
    signal("-TERM", demo.id());
    assert_eq!(demo.wait().unwrap().code(), Some(0));
}

/// The statuses of the first, the last and a missing order.
fn order_statuses(told: &Value) -> [u16; 3] {
    let address = text(&told["address"]);
    let mut connection = Connection::open(address.strip_prefix("http://").unwrap()).unwrap();
    let body = json!({
        "grant_type": "client_credentials",
        "client_id": told["client_id"],
        "client_secret": told["client_secret"],
    });
    let token = connection.send(&Request::post("/oauth/token").json(body.to_string())).unwrap();
    let token = text(&token.json()["access_token"]);
    ["DEMO-1001", "DEMO-1020", "DEMO-1021"].map(|identifier| {
        let request = Request::get(&format!("/orders/{identifier}")).bearer(&token);
        connection.send(&request).unwrap().status
    })
}

#[test]
fn a_demo_has_a_merchant_with_orders_and_keeps_them() {
    let home = Home::sqlite();
    let (demo, told) = start(&home, &[]);
    assert_eq!(told["merchant"], "acme");
    assert_eq!(order_statuses(&told), [200, 200, 404]);
    stop(demo);

    let (demo, again) = start(&home, &[]);
    assert_eq!(again["client_secret"], told["client_secret"], "the same merchant");
    assert_eq!(order_statuses(&again), [200, 200, 404]);
    stop(demo);

    let (demo, anew) = start(&home, &["--reset"]);
    assert_ne!(anew["client_secret"], told["client_secret"]);
    assert_eq!(order_statuses(&anew), [200, 200, 404]);
    stop(demo);
}

#[test]
fn a_demo_never_removes_what_no_demo_made() {
    let home = Home::sqlite();
    let merchant = home.add_merchant("precious");

    let ran = home.run(&["demo", "--reset"]);

    assert_refused(&ran, &format!("{} holds no demo; not removed", home.data_dir().display()));
    assert_eq!(home.json(&["merchant", "list"])["merchants"][0]["merchant"], merchant.id);
}

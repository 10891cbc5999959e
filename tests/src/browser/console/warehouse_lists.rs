//! The lists of the warehouse at the console: workers ship, cancel and reject drop-ship orders, and
//! look at ASNs and shipments; operators set warehouses and where returns go.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::{
    browser::{
        operator::log_in,
        window::{Browser, ENTER, Scripts},
    },
    harness::{
        home::{Home, Merchant},
        http::Request,
        server::Server,
    },
};

/// A server that contains only the data of these tests.
fn shared_server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Home::new().serve(&[]))
}

/// A browser with a new person of this role who is logged in.
fn open_console(server: &Server, scripts: Scripts, role: &str) -> Option<Browser> {
    let browser = Browser::open(server, scripts)?;
    let (name, password) = server.operator(role);
    log_in(&browser, &name, &password);
    Some(browser)
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn ask(token: &str, method: &str, target: &str, body: &Value) {
    let request = Request::new(method, target).bearer(token).json(body.to_string());
    let reply = shared_server().send(&request);
    assert!((200..300).contains(&reply.status), "{method} {target}: {}", reply.said());
}

/// A merchant with three drop-ship orders, an ASN and a shipment, whose numbers contain its name.
fn fill() -> Merchant {
    let server = shared_server();
    let merchant = server.merchant("docked");
    let token = server.token(&merchant);
    let add = ["client", "add", "--name", "dock", "--scope", "warehouse:write"];
    let warehouse = server.token(&Merchant::read("platform", &server.home.json(&add)));
    let name = &merchant.id;
    for number in 1..=3 {
        let mut order = parse(domain::samples::drop_ship_order_request());
        order["order"]["client_identifier"] = json!(format!("DS-{name}-{number}"));
        ask(&token, "POST", "/drop_ship_orders", &order);
    }
    let mut asn = parse(domain::samples::inbound_asn_request());
    asn["asn_number"] = json!(format!("ASN-{name}"));
    let details = asn["cartons"][0]["details"].as_array_mut().unwrap();
    for (number, detail) in details.iter_mut().enumerate() {
        detail["unit_identifier"] = json!(format!("LP-{name}-{number}"));
    }
    ask(&token, "POST", "/asns", &asn);
    let mut shipment = parse(domain::samples::shipment_request());
    shipment["asn_number"] = json!(format!("OUT-{name}"));
    shipment["cartons"] = json!([{ "details": [{ "line_identifier": "1", "sku": "A",
        "program_identifier": "west", "unit_identifier": format!("LPS-{name}"),
        "condition": "N" }] }]);
    ask(&warehouse, "POST", &format!("/shipments?merchant={name}"), &shipment);
    merchant
}

fn work_on_orders(scripts: Scripts) {
    let Some(browser) = open_console(shared_server(), scripts, "warehouse") else { return };
    let name = fill().id;
    browser.follow("Drop ship");
    browser.set("merchant", &name);
    browser.press("Filter");
    browser.see("Open units");
    browser.examine("console-drop-ship-list");

    browser.follow(&format!("DS-{name}-1"));
    browser.see("Ship units");
    browser.examine("console-drop-ship");
    browser.fill("Units of line DS-20417-1", "9");
    browser.fill("Carrier", "UPS");
    browser.fill("Tracking number", &format!("1Z-{name}"));
    browser.press("Ship");
    browser.see("has no more than 2 open units");
    browser.examine("console-drop-ship-refused");
    // By keyboard: the entries are kept, and Enter sends the form.
    browser.fill("Units of line DS-20417-1", "1");
    browser.tab_to("Tracking number");
    browser.key(ENTER);
    browser.see("is partly shipped now");
    browser.see(&format!("1Z-{name}"));

    browser.follow("Drop ship");
    browser.follow(&format!("DS-{name}-2"));
    browser.fill("Reason", "inventory not found");
    browser.set("outcome", "rejected");
    browser.press("Confirm");
    browser.see("is rejected now");
    browser.follow("Drop ship");
    browser.follow(&format!("DS-{name}-3"));
    browser.fill("Reason", "inventory damaged");
    browser.set("outcome", "cancelled");
    browser.press("Confirm");
    browser.see("is canceled now");
    browser.examine("console-drop-ship-canceled");

    browser.follow("ASNs");
    browser.see(&format!("ASN-{name}"));
    browser.examine("console-asns");
    browser.follow(&format!("ASN-{name}"));
    browser.see(&format!("LP-{name}-0"));
    browser.examine("console-asn");
    browser.follow("Shipments");
    browser.see(&format!("OUT-{name}"));
    browser.examine("console-shipments");
    browser.follow(&format!("OUT-{name}"));
    browser.see(&format!("LPS-{name}"));
    browser.examine("console-shipment");
}

#[test]
fn a_worker_ships_rejects_and_cancels_drop_ship_orders_with_scripts() {
    work_on_orders(Scripts::On);
}

#[test]
fn a_worker_ships_rejects_and_cancels_drop_ship_orders_without_scripts() {
    work_on_orders(Scripts::Off);
}

fn set_warehouses(scripts: Scripts, identifier: &str) {
    // A server of its own, because the table of routes belongs to the platform.
    let server = Home::new().serve(&[]);
    let Some(browser) = open_console(&server, scripts, "operator") else { return };
    browser.follow("Warehouses");
    browser.examine("console-warehouses-empty");
    browser.follow("Add warehouse");
    browser.fill("Identifier", identifier);
    browser.fill("Time zone", "GMT +1");
    browser.press("Save warehouse");
    browser.see("Must be the name of a time zone");
    browser.examine("console-warehouse-refused");
    browser.fill("Time zone", "America/Toronto");
    browser.fill("City", "Calgary");
    browser.fill("Country", "ca");
    browser.press("Save warehouse");
    browser.see(&format!("Warehouse {identifier} was saved."));
    browser.see("Calgary, CA");

    browser.set("country", "CA");
    browser.set("warehouse", identifier);
    browser.press("Save table");
    browser.see("The table of return addresses was saved.");
    browser.examine("console-warehouses");
    browser.follow(identifier);
    browser.examine("console-warehouse");
    browser.press("Remove warehouse");
    browser.see(&format!("Warehouse {identifier} was removed."));
}

#[test]
fn an_operator_sets_a_warehouse_and_where_returns_go_with_scripts() {
    set_warehouses(Scripts::On, "North 1");
}

#[test]
fn an_operator_sets_a_warehouse_and_where_returns_go_without_scripts() {
    set_warehouses(Scripts::Off, "South/2");
}

//! A person with a scanner receives a parcel with one wrong unit in it, with keys only, with and
//! without scripts.

use serde_json::json;

use super::window::{Browser, ENTER, Scripts};
use crate::harness::{http::Request, shared, stage::Stage};

/// Announces two caps and a mug, and returns the number of the ASN.
fn announce_goods(stage: &Stage<'_>) -> String {
    let number = format!("ASN-{}", stage.merchant.id);
    let line = |line: &str, sku: &str, quantity: i64| json!({ "line_identifier": line, "sku": sku, "quantity": quantity });
    let asn = json!({
        "program_identifier": "returns-west", "asn_number": number, "status": "shipped",
        "details_type": "sku", "from": { "identifier": "12", "type": "store" },
        "to": { "identifier": "31", "type": "warehouse" },
        "cartons": [{ "details": [line("1", "CAP-SAND", 2), line("2", "MUG-CLAY", 1)] }],
    });
    let token = stage.server.token(&stage.merchant);
    let reply = stage.server.send(&Request::post("/asns").bearer(&token).json(asn.to_string()));
    assert_eq!(reply.status, 202, "{}", reply.said());
    number
}

/// A scanner types what it reads and presses Enter.
fn scan(browser: &Browser, code: &str) {
    browser.keys(code);
    browser.key(ENTER);
}

/// Enters the condition of the current unit. With scripts, no Enter is needed.
fn grade(browser: &Browser, scripts: Scripts, condition: &str) {
    match scripts {
        Scripts::On => drop(browser.key(condition)),
        Scripts::Off => scan(browser, condition),
    }
}

fn receive_parcel(scripts: Scripts) {
    let server = shared::sqlite();
    let Some(browser) = Browser::open(server, scripts) else { return };
    let stage = Stage::set(server);
    let number = announce_goods(&stage);
    let (name, password) = server.operator("warehouse");
    browser.visit("/console/receive");
    browser.set("name", &name);
    browser.set("password", &password);
    browser.press("Log in");
    browser.examine("receive-start");

    scan(&browser, &number);
    browser.see("0 of 3 received");
    browser.examine("receive-parcel");
    scan(&browser, "CAP-SAND");
    browser.examine("receive-grade");
    scan(&browser, &format!("LP-{number}"));
    grade(&browser, scripts, "a");
    browser.see("1 of 3 received");
    browser.examine("receive-received");

    scan(&browser, "HAT-RED");
    browser.see("Not in this parcel");
    browser.examine("receive-question");
    scan(&browser, "?");
    scan(&browser, "B");
    browser.see("Set aside");
    browser.see("1 of 3 received");
    browser.examine("receive-set-aside");

    for (unit, condition) in [("CAP-SAND", "N"), ("MUG-CLAY", "TT")] {
        scan(&browser, unit);
        scan(&browser, condition);
    }
    browser.see("All units are received");
    browser.key(ENTER);
    browser.see("Scan a parcel");
    scan(&browser, "NOBODY");
    browser.see("Unknown parcel");
    browser.examine("receive-unknown");
}

#[test]
fn a_parcel_is_received_with_scripts() {
    receive_parcel(Scripts::On);
}

#[test]
fn a_parcel_is_received_without_scripts() {
    receive_parcel(Scripts::Off);
}

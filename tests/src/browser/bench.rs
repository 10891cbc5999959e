//! A person with a scanner receives parcels with errors in them, with keys only, with and without
//! scripts.

use serde_json::json;

use super::window::{Browser, ENTER, Scripts};
use crate::harness::{home::text, http::Request, samples, shared, stage::Stage};

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
    let server = shared::server();
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

/// Starts a return of one clay mug at a merchant whose goods we receive.
fn start_return(stage: &Stage<'_>) -> String {
    let managed = json!({ "managed_receiving": true }).to_string();
    let target = format!("/admin/merchants/{}", stage.merchant.id);
    let change = Request::new("PATCH", &target).bearer(&stage.admin).json(managed);
    assert_eq!(stage.server.send(&change).status, 200);
    let mut order = samples::full_order();
    order["refunds"] = json!([]);
    order["tags"] = json!([]);
    order["items"][0]["tags"] = json!([]);
    order["items"][0]["quantity_refunded"] = json!(0);
    order["items"][0]["return_policy_end_date"] = json!("2126-01-01T00:00:00Z");
    let (id, line) = (text(&order["identifier"]), text(&order["items"][0]["identifier"]));
    let email = text(&order["customer"]["email"]);
    stage.publish(&[order]);
    let wanted = json!({ "email": email, "return_method": "mail-back", "items": [{
        "order_identifier": id, "order_line_item_identifier": line, "quantity": 1,
        "return_reason": "too_small", "resolution": "refund",
    }] });
    let started = stage.call("POST", "/returns", &wanted);
    assert_eq!(started.status, 201, "{}", started.said());
    text(&started.json()["rma_identifier"])
}

/// The errors of a day at the bench, with keys only: a damaged code, a rejected unit, a mistake, a
/// wrong item, an unknown parcel whose unit finds its return.
#[test]
fn parcels_with_errors_are_received_by_keys_alone() {
    let server = shared::server();
    let Some(browser) = Browser::open(server, Scripts::On) else { return };
    let stage = Stage::set(server);
    let (number, rma) = (announce_goods(&stage), start_return(&stage));
    let (name, password) = server.operator("warehouse");
    browser.visit("/console/receive");
    browser.set("name", &name);
    browser.set("password", &password);
    browser.press("Log in");

    scan(&browser, &number);
    scan(&browser, "012345678906");
    browser.see("The check digit of this barcode is wrong");
    browser.examine("receive-damaged");
    scan(&browser, "MUG-CLAY");
    scan(&browser, "!");
    browser.see("Why is it rejected?");
    browser.examine("receive-reject");
    scan(&browser, "2");
    browser.see("Rejected: Damaged in transit");
    scan(&browser, "X");
    browser.see("The merchant is notified");

    scan(&browser, "CAP-SAND");
    scan(&browser, "A");
    scan(&browser, "-");
    browser.see("Correct this unit");
    browser.examine("receive-correct");
    scan(&browser, "B");
    browser.see("The new receipt replaces the old one");
    scan(&browser, "CAP-SAND");
    scan(&browser, "A");
    scan(&browser, "CAP-SAND");
    browser.see("already received");

    scan(&browser, &format!("TORN-{number}"));
    browser.see("Not in this parcel");
    browser.visit("/console/receive");
    scan(&browser, &format!("TORN-{number}"));
    browser.see("Unknown parcel");
    scan(&browser, "?");
    scan(&browser, &rma_code(&stage, &rma));
    scan(&browser, "B");
    browser.see("Does it belong to one of these returns?");
    browser.examine("receive-stray");
    browser.key(&choice_of(&browser, &rma));
    browser.see("Matched and received");
}

/// The SKU of the first unit of a return.
fn rma_code(stage: &Stage<'_>, rma: &str) -> String {
    text(&stage.show_return(rma)["items"][0]["sku"])
}

/// The key that chooses this return.
fn choice_of(browser: &Browser, rma: &str) -> String {
    let page = browser.text();
    let before = page.split_once(rma).unwrap_or_else(|| panic!("{page}")).0;
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim().chars().take(1).collect()
}

#[test]
fn license_plates_and_disposition_rules_have_pages() {
    let server = shared::server();
    let Some(browser) = Browser::open(server, Scripts::Off) else { return };
    let stage = Stage::set(server);
    let rules = json!({ "rules": [{ "conditions": ["B", "C"], "channel": "OUTLET" }] });
    assert_eq!(stage.try_to_put("disposition", &rules).status, 200);
    let (name, password) = server.operator("operator");
    browser.visit(&format!("/console/plates/{}/U-0A1B2C3D", stage.merchant.id));
    browser.set("name", &name);
    browser.set("password", &password);
    browser.press("Log in");
    browser.see("U-0A1B2C3D");
    browser.examine("license-plate");
    browser.visit(&format!("/console/merchants/{}/disposition", stage.merchant.id));
    browser.see("Condition B, C");
    browser.examine("disposition");
}

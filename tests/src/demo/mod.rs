//! `homeward demo`, from outside: everybody in it has done what they are there for, its pages are
//! there, and its clock can be let run.

pub(crate) mod place;

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{
    binary::homeward,
    eventually,
    home::{Home, Ran, text},
    http::Request,
};
use place::Demo;

fn any_unit(rma: &Value, field: &str, value: &str) -> bool {
    rma["items"].as_array().unwrap().iter().any(|unit| unit[field] == value)
}

fn every_unit(rma: &Value, field: &str, value: &str) -> bool {
    rma["items"].as_array().unwrap().iter().all(|unit| unit[field] == value)
}

#[test]
fn half_a_year_has_passed_and_goes_on_after_a_restart() {
    let home = Home::sqlite();
    let demo = Demo::start(&home, &[]);
    demo.wait_for_the_history();
    assert_every_state(&demo);
    demo.assert_operators_have_something_to_do();
    demo.assert_orders_to_try();
    demo.assert_links_answer();
    demo.assert_pictures_are_shown();
    demo.assert_people_can_log_in();
    let secret = demo.told["client_secret"].clone();
    demo.stop();

    let demo = Demo::start(&home, &[]);
    assert_eq!(demo.told["client_secret"], secret, "the same merchant");
    demo.wait_for_the_history();
    demo.assert_orders_to_try();
    assert_parcel_travels(&demo);
    demo.stop();
}

fn assert_every_state(demo: &Demo) {
    let all = demo.returns();
    assert!(all.len() > 300, "{}", all.len());
    let has = |what: &str, is: &dyn Fn(&Value) -> bool| {
        assert!(all.iter().any(is), "no return is {what}");
    };
    for status in ["CREATED", "REFUNDED", "PARTIAL_REFUND", "CANCELED"] {
        has(status, &|rma| rma["status"] == status);
    }
    for place in ["PRE_TRANSIT", "TRANSIT", "DELIVERED"] {
        has(place, &|rma| every_unit(rma, "package_tracking_status", place));
    }
    for method in ["mail-back", "express-returns", "home-pickup"] {
        has(method, &|rma| rma["return_method"] == method);
    }
    for kind in ["REFUND", "EVEN_EXCHANGE", "UNEVEN_EXCHANGE"] {
        has(kind, &|rma| rma["status"] == "REFUNDED" && any_unit(rma, "refund_type", kind));
    }
    has("partly received", &|rma| {
        any_unit(rma, "receiving_status", "RECEIVED")
            && any_unit(rma, "receiving_status", "PENDING")
    });
    has("of a gift", &|rma| rma["gift_refund_only"] == true);
}

/// A visitor's parcel is scanned, paid for, replaced and received while the clock runs.
fn assert_parcel_travels(demo: &Demo) {
    let item = |line: &str, reason: &str| {
        json!({
            "order_identifier": "DEMO-1001", "order_line_item_identifier": line, "quantity": 1,
            "return_reason": reason, "resolution": "refund",
        })
    };
    let mut shoe = item("DEMO-1001-2", "too_small");
    shoe["resolution"] = json!("exchange");
    shoe["exchange_sku"] = json!("TRAIL-SHOE-SLATE-40");
    let request = json!({
        "email": "dana.whitfield@example.com", "return_method": "mail-back",
        "items": [shoe, item("DEMO-1001-3", "changed_mind")],
    });
    let started = demo.send(&demo.as_merchant(Request::post("/returns").json(request.to_string())));
    assert_eq!(started.status, 201, "{}", started.said());
    let rma = text(&started.json()["rma_identifier"]);

    let other_site = Request::post("/demo/clock").header("Sec-Fetch-Site", "cross-site");
    assert_eq!(demo.send(&other_site.body("speed=3600")).status, 403);
    assert_eq!(demo.send(&Request::post("/demo/clock").body("speed=7")).status, 400);
    assert_eq!(demo.send(&Request::post("/demo/clock").body("speed=3600")).status, 303);

    let asked = demo.as_merchant(Request::get(&format!("/returns/{rma}")));
    eventually("the goods are paid, replaced and received", || {
        let shown = demo.send(&asked).json();
        let received = every_unit(&shown, "receiving_status", "RECEIVED");
        (shown["status"] == "REFUNDED" && received).then_some(())
    });
    let events = demo.send(&demo.as_merchant(Request::get(&format!("/returns/{rma}/events"))));
    let shown = events.json();
    let reporters: Vec<&str> = (shown["events"].as_array().unwrap().iter())
        .filter(|event| event["change"]["event"] == "scanned")
        .map(|event| event["actor"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(reporters, ["acme.easypost", "acme.easypost"], "webhooks move the parcel");
}

#[test]
fn a_demo_that_was_broken_off_or_reset_begins_anew() {
    let home = Home::sqlite();
    let secret_of = |arguments: &[&str]| {
        let demo = Demo::start(&home, arguments);
        let secret = demo.told["client_secret"].clone();
        demo.stop();
        secret
    };
    let (first, second, third) = (secret_of(&[]), secret_of(&[]), secret_of(&["--reset"]));
    assert!(first != second && second != third, "each has a merchant of its own");
}

/// The names of the files in a directory.
fn list_files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_demo_neither_removes_nor_changes_what_no_demo_made() {
    let home = Home::sqlite();
    home.add_merchant("precious");
    let files = list_files(&home.data_dir());
    let data_dir = home.data_dir();

    for arguments in [&["demo"][..], &["demo", "--reset"]] {
        let by_variable = Ran::of(
            homeward()
                .current_dir(home.root())
                .env("HOMEWARD_DATA_DIR", &data_dir)
                .args(["--listen", "127.0.0.1:0"])
                .args(arguments),
        );
        let listen = &["--listen", "127.0.0.1:0"][..];
        for ran in [by_variable, home.run(&[listen, arguments].concat())] {
            assert_eq!(ran.code, Some(1));
            let words = format!("{} is not the directory of a demo", data_dir.display());
            assert!(ran.err.contains(&words), "{}", ran.err);
        }
    }
    assert_eq!(list_files(&data_dir), files);
    let merchants = home.json(&["merchant", "list"]);
    assert_eq!(merchants["merchants"].as_array().unwrap().len(), 1, "{merchants}");
    assert_eq!(home.json(&["operator", "list"])["operators"], json!([]));

    // Nor a directory that has nothing to do with Homeward.
    let other = home.root().join("letters");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("letter.txt"), "Dear Lena").unwrap();
    let path = other.to_str().unwrap();
    let ran = Ran::of(homeward().args(["--data-dir", path, "demo", "--reset"]));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(list_files(&other), ["letter.txt"]);
}

#[test]
fn a_demo_that_runs_is_not_removed_by_another() {
    let home = Home::sqlite();
    let demo = Demo::start(&home, &[]);

    let ran = home.run(&["--listen", "127.0.0.1:0", "demo", "--reset"]);

    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("is in use by process"), "{}", ran.err);
    assert!(list_files(&home.data_dir()).contains(&"demo.json".to_owned()));
    assert_eq!(demo.send(&Request::get("/readyz")).status, 200);
    demo.stop();
}

#[test]
fn a_demo_listens_on_loopback_only() {
    let home = Home::sqlite();
    let proxied = ["--listen", "0.0.0.0:0", "--trusted-proxies", "10.0.0.0/8", "demo"];
    for arguments in [&["--listen", "0.0.0.0:0", "demo"][..], &proxied] {
        let ran = home.run(arguments);
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains("the demo listens on loopback only"), "{}", ran.err);
    }
    assert!(!home.data_dir().exists());
}

#[test]
fn a_port_that_is_taken_is_named_and_nothing_is_left_running() {
    let home = Home::sqlite();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    let ran = home.run(&["--listen", &address, "demo"]);

    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains(&address) && ran.err.contains("--listen"), "{}", ran.err);
}

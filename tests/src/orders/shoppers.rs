//! The data of a shopper is found by the e-mail address, handed out, and erased without a trace,
//! while everything else stays as it was.
//!
//! `SHOPPERS` says how many other shoppers there are (2,000; the long run 1,000,000, in which an
//! erasure must also end within a second).

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::harness::{
    eventually,
    home::{Home, Ran, text},
    http::Request,
    mail_server::MailServer,
    read_number,
    stage::{QUICK, Stage, homes},
};
use crate::returns::scene::{Scene, refund, request, sample_order};

const EMAIL: &str = "Wilhelmina.Quackenbush@example.org";
/// What must not remain, in any case of letters.
const PERSONAL: [&str; 6] = [
    "quackenbush",
    "zanzibar crescent",
    "backyard flat",
    "5550177",
    "under the doormat",
    "49-quack",
];
/// The other shoppers at the same merchant, unless `SHOPPERS` says how many.
const OTHERS: usize = 2_000;
/// From so many shoppers on, the time that an erasure takes is judged, too.
const MANY: usize = 1_000_000;

fn order_of(identifier: &str, email: &str) -> Value {
    let mut order = sample_order(identifier);
    order["customer"] = json!({ "identifier": email, "email": email });
    order
}

/// An order that says much about its shopper, also in fields that we do not know.
fn personal_order() -> Value {
    let mut order = order_of("W", EMAIL);
    order["customer"] = json!({
        "identifier": "49-quack", "email": EMAIL, "phone": "+49 30 5550177",
        "first_name": "Wilhelmina", "last_name": "Quackenbush",
    });
    let address = json!({
        "name": "Wilhelmina Quackenbush", "street1": "77 Zanzibar Crescent",
        "street2": "Backyard flat", "city": "Berlin", "state": "", "zip_code": "10117",
        "country_code": "DE", "phone": "030 5550177",
    });
    order["shipping_address"] = address.clone();
    order["billing_address"] = address;
    order["note"] = json!("Key under the doormat");
    order["delivery_instructions"] = json!({ "text": "Under the doormat, W. Quackenbush" });
    order["items"][1]["title"] = json!("A mug for Wilhelmina Quackenbush");
    order
}

/// A drop-ship order to the same person, which is canceled.
fn place_drop_ship(scene: &Scene<'_>) {
    let sample = domain::samples::drop_ship_order_request();
    let mut order: Value = serde_json::from_str(sample).unwrap();
    let address = &mut order["order"]["shipping_address"];
    address["name"] = json!("Quackenbush, Wilhelmina");
    address["street"] = json!("77 Zanzibar Crescent");
    address["zip_code"] = json!("10117");
    address["telephone_number"] = json!("5550177");
    let placed = scene.stage.call("POST", "/drop_ship_orders", &order);
    assert_eq!(placed.status, 201, "{}", placed.said());
    let cancellation = json!({ "reason": "Ms. Quackenbush moved", "outcome": "cancelled" });
    let target = "/drop_ship_orders/DS-20417/cancellations";
    let canceled = scene.send("POST", target, &scene.stage.admin, &cancellation);
    assert!(canceled.status < 300, "{}", canceled.said());
}

/// A return with a label on which the shopper is named.
fn start_return(scene: &Scene<'_>) -> String {
    scene.set(&json!({ "carrier": "external", "managed_receiving": true }));
    let mut asked = request("mail-back", &[("W", "tee", 1)]);
    asked["email"] = json!(EMAIL);
    let rma = scene.start(&asked);
    let label = b"^XA^FO50,50 Wilhelmina Quackenbush, 77 Zanzibar Crescent";
    let results = scene.carry(&json!([{
        "type": "label_created", "rma_identifier": rma, "tracking_number": "H-1",
        "label": { "documents": [{ "format": "zpl", "content": STANDARD.encode(label) }],
            "hand_off": { "places": ["Kiosk, 75 Zanzibar Crescent"] } }
    }]));
    assert_eq!(results[0]["result"], "applied", "{results}");
    rma
}

/// Another article was in the parcel, and the reason for its rejection names the shopper.
fn reject_wrong_item(scene: &Scene<'_>, rma: &str) {
    let plate = format!("LP-OTHER-{rma}");
    scene.receive(&json!([{ "rma_identifier": rma, "unit_identifier": plate, "sku": "OTHER",
        "condition": "A" }]));
    let answer = json!({ "action": "reject", "reason": "Wilhelmina Quackenbush wore it" });
    let decided = scene.answer_question(&plate, rma, &answer);
    assert_eq!(decided.status, 200, "{}", decided.said());
}

/// The refund of the return, one cent short, and an operator who accepts it with a personal note.
fn finish_return(scene: &Scene<'_>, rma: &str) {
    let received = json!([{ "rma_identifier": rma, "line_identifier": "tee", "condition": "A",
        "unit_identifier": format!("LP-{rma}"),
        "return_reason": "Wilhelmina Quackenbush: too small" }]);
    scene.receive(&received);
    let mut paid = refund("RF-W", Some(rma), &[("tee", 1)]);
    paid["total_refund_amount_cents"] = json!(4_609);
    paid["note"] = json!("for Wilhelmina Quackenbush");
    scene.publish_refunds(&personal_order(), &[paid]);
    let target = format!("/admin/merchants/{}/refunds/RF-W/difference", scene.stage.merchant.id);
    let answer = json!({ "action": "accept", "note": "called 5550177, Ms. Quackenbush agrees" });
    let accepted = scene.send("POST", &target, &scene.stage.admin, &answer);
    assert_eq!(accepted.status, 200, "{}", accepted.said());
}

/// Searches a file of any size, whatever it contains.
fn assert_clean(file: &Path) {
    let pattern = format!(".{{0,80}}({}).{{0,80}}", PERSONAL.join("|"));
    let mut grep = Command::new("grep");
    grep.env("LC_ALL", "C").args(["-a", "-i", "-o", "-E", &pattern]).arg(file);
    let ran = Ran::of(&mut grep);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}: {}", file.display(), ran.err);
}

/// The files of an SQLite database, and a copy of any other.
fn assert_no_trace(home: &Home, name: &str) {
    let folder = home.data_dir();
    for file in ["homeward.db", "homeward.db-wal"] {
        let file = folder.join(file);
        if file.exists() {
            assert_clean(&file);
        }
    }
    let copy = home.root().join(name);
    let made = home.run(&["backup", copy.to_str().unwrap()]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert_clean(&copy);
    std::fs::remove_file(copy).unwrap();
}

fn erase(home: &Home, more: &[&str]) -> Ran {
    // The case of letters makes no difference.
    let email = EMAIL.to_uppercase();
    home.run(&[&["--json", "shopper", "erase", &email], more].concat())
}

/// The text of one order with other numbers, because a million of them are many to compose.
fn publish_others(scene: &Scene<'_>, others: usize) {
    let draft = order_of("O-NUMBER", "sNUMBER@example.com").to_string();
    for start in (0..others).step_by(500) {
        let numbers = start..others.min(start + 500);
        let orders = numbers.map(|number| draft.replace("NUMBER", &number.to_string()));
        let orders = orders.collect::<Vec<_>>().join(",");
        let message = format!(r#"{{"returns_portal_order":{{"orders":[{orders}]}}}}"#);
        let reply = scene.stage.server.publish(&scene.stage.token, &message);
        assert_eq!(reply.status, 200, "{}", reply.said());
    }
}

/// Asserts that everything about the shopper is handed out.
fn assert_exported(home: &Home, rma: &str) {
    let exported = home.json(&["shopper", "export", EMAIL]);
    assert_eq!(exported["orders"][0]["data"]["note"], "Key under the doormat");
    assert_eq!(exported["orders"].as_array().unwrap().len(), 1);
    assert_eq!(exported["returns"][0]["identifier"], json!(rma));
    assert_eq!(exported["drop_ship_orders"][0]["identifier"], "DS-20417");
    let mistyped = ["--merchant", "nosuch"];
    for ran in
        [home.run(&[&["shopper", "export", EMAIL][..], &mistyped].concat()), erase(home, &mistyped)]
    {
        assert_eq!(ran.code, Some(1), "{}", ran.out);
        assert!(ran.err.contains("merchant not found"), "{}", ran.err);
    }
    let readable = home.run(&["shopper", "export", EMAIL]).out;
    assert!(readable.contains("Key under the doormat"), "{readable}");
}

#[test]
fn one_of_many_shoppers_is_erased_without_a_trace_and_the_books_still_agree() {
    let others = read_number("SHOPPERS", OTHERS);
    for home in homes("shoppers") {
        let (mut server, mailbox) = (home.serve(&QUICK), MailServer::start());
        let rma = {
            let (stage, running) = Stage::with_receiver(&server);
            let scene = Scene { stage, running };
            let set = scene.stage.try_to_put("mail", &json!({ "server": mailbox.settings() }));
            assert_eq!(set.status, 200, "{}", set.said());
            publish_others(&scene, others);
            scene.publish(&personal_order());
            place_drop_ship(&scene);
            let rma = start_return(&scene);

            let refused = erase(&home, &[]);
            assert_eq!(refused.code, Some(1));
            assert!(
                refused.err.contains(&format!("return {rma} is not finished")),
                "{}",
                refused.err
            );

            reject_wrong_item(&scene, &rma);
            finish_return(&scene, &rma);
            let mails = mailbox.wait_for(3);
            assert!(mails.iter().all(|mail| mail.to.eq_ignore_ascii_case(EMAIL)), "{mails:?}");
            assert_exported(&home, &rma);

            // Messages that are being sent are not finished either.
            let (erased, time) = eventually("everything is sent", || {
                let started = Instant::now();
                let ran = erase(&home, &[]);
                assert!(ran.code == Some(0) || ran.err.contains("is not delivered"), "{}", ran.err);
                (ran.code == Some(0)).then(|| (ran.out, started.elapsed()))
            });
            eprintln!("one of {others} shoppers is erased in {time:?}");
            assert!(others < MANY || time < Duration::from_secs(1), "{time:?}");
            let erased: Value = serde_json::from_str(&erased).unwrap();
            assert_eq!(erased["orders"][0]["identifier"], "W");
            assert_eq!(erased["returns"][0]["identifier"], json!(rma));
            let messages = erased["messages"].as_array().unwrap();
            assert!(messages.iter().any(|it| it["ref"] == json!(rma)), "{messages:?}");
            assert!(messages.iter().any(|it| it["ref"] == "DS-20417"), "{messages:?}");
            assert!(messages.iter().any(|it| it["kind"] == "mail"), "{messages:?}");
            assert!(messages.iter().any(|it| it["kind"] == "inventory_receipt"), "{messages:?}");

            let shown = scene.show(&rma);
            assert_eq!(shown["status"], "REFUNDED");
            let order = scene.stage.call("GET", "/orders/W", &Value::Null).json();
            assert_eq!(order["customer"]["email"], "erased@erased.invalid");
            let other = scene.stage.call("GET", "/orders/O-7", &Value::Null).json();
            assert_eq!(text(&other["customer"]["email"]), "s7@example.com");
            rma
        };
        assert_no_trace(&home, "running.db");
        server.stop();
        assert_no_trace(&home, "stopped.db");

        server.restart();
        let checked = home.run(&["doctor", "--deep"]);
        assert_eq!(checked.code, Some(0), "{}", checked.out);
        let again = home.json(&["shopper", "export", EMAIL]);
        assert_eq!((&again["orders"], &again["returns"]), (&json!([]), &json!([])), "{rma}");
        server.stop();
    }
}

#[test]
fn what_is_open_is_erased_only_with_a_reason_which_the_audit_trail_has() {
    let home = Home::new();
    let server = home.serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    scene.publish(&personal_order());
    start_return(&scene);
    let mut asked = request("mail-back", &[("W", "tee", 1)]);
    asked["email"] = json!(EMAIL);
    let unlabeled = scene.start(&asked);
    let is_requested = || {
        let listed = scene.send("GET", "/label_requests", &scene.stage.admin, &Value::Null);
        listed.text().contains(&unlabeled)
    };
    assert!(is_requested());

    assert_eq!(erase(&home, &["--force"]).code, Some(2));
    let forced = erase(&home, &["--force", "--reason", "demanded by the authority"]);

    assert_eq!(forced.code, Some(0), "{}", forced.err);
    let trail = home.json(&["audit", "--merchant", &scene.stage.merchant.id]);
    let record = &trail["changes"][0];
    assert_eq!(record["action"], "shopper.erase");
    assert_eq!(record["detail"]["forced_because"], "demanded by the authority");
    assert!(!is_requested(), "there is no sender");
}

#[test]
fn a_buyer_gets_no_data_of_the_person_who_returns_a_gift() {
    let home = Home::new();
    let server = home.serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    scene.set_policy(&json!({ "gift_card": { "sku": "GC" }, "gift_returns": true }));
    scene.publish(&personal_order());
    let mut asked = request("mail-back", &[("W", "tee", 1)]);
    asked.as_object_mut().unwrap().remove("email");
    asked["gift"] = json!({ "giftee_email": "robin@example.org" });
    let rma = scene.start(&asked);

    let of_buyer = home.json(&["shopper", "export", EMAIL]);
    let of_giftee = home.json(&["shopper", "export", "robin@example.org"]);

    assert_eq!(of_buyer["orders"][0]["identifier"], "W");
    let of_buyer = of_buyer.to_string();
    assert!(!of_buyer.contains("robin") && !of_buyer.contains(&rma), "{of_buyer}");
    assert_eq!(of_giftee["returns"][0]["identifier"], json!(rma));
    assert!(!of_giftee.to_string().to_lowercase().contains("quackenbush"), "{of_giftee}");
}

#[test]
fn a_misspelled_field_or_one_that_has_no_effect_changes_nothing() {
    let home = Home::new();
    let server = home.serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    scene.publish(&personal_order());
    let merchant = scene.stage.merchant.id.as_str();
    let rotate = format!("/admin/merchants/{merchant}/rotate_signing_secret");
    for (target, field, body) in [
        ("/admin/shoppers/erase", "merchants", json!({ "email": EMAIL, "merchants": merchant })),
        (
            "/admin/clients",
            "scopez",
            json!({ "merchant": merchant, "name": "x", "scopez": "read" }),
        ),
        (rotate.as_str(), "revoke", json!({ "revoke": true })),
        ("/admin/failures/retry", "merchant", json!({ "merchant": merchant })),
    ] {
        let refused = scene.send("POST", target, &scene.stage.admin, &body);
        assert_eq!(refused.status, 422, "{target}: {}", refused.said());
        let refusal = refused.text();
        assert!(refusal.contains(&format!("$.{field}")), "{refusal}");
        assert!(refusal.contains("is not a known field"), "{refusal}");
    }
    for body in ["", "{}", "null"] {
        let retry = Request::post("/admin/failures/retry").bearer(&scene.stage.admin);
        let started = server.send(&if body.is_empty() { retry } else { retry.json(body) });
        assert_eq!(started.status, 202, "{body}: {}", started.said());
    }
    let exported = home.json(&["shopper", "export", EMAIL]);
    assert_eq!(exported["orders"].as_array().unwrap().len(), 1);
}

#[test]
fn a_shopper_is_erased_at_one_merchant_and_stays_at_another() {
    let home = Home::new();
    let server = home.serve(&QUICK);
    let stages = [Stage::set(&server), Stage::set(&server)];
    for stage in &stages {
        stage.publish(&[personal_order()]);
    }
    let first = stages[0].merchant.id.as_str();

    let erased = erase(&home, &["--merchant", first]);

    assert_eq!(erased.code, Some(0), "{}", erased.err);
    let left = home.json(&["shopper", "export", EMAIL]);
    assert_eq!(left["orders"].as_array().unwrap().len(), 1);
    assert_eq!(left["orders"][0]["merchant"], json!(stages[1].merchant.id));
    // The same snapshot again changes nothing, so the data does not come back by itself.
    stages[0].publish(&[personal_order()]);
    let left = home.json(&["shopper", "export", EMAIL, "--merchant", first]);
    assert_eq!(left["orders"], json!([]));
}

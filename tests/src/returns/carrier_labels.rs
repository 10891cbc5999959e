//! Labels that a carrier made: files, new labels, and labels that are void.

use std::thread;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::scene::{Scene, request, sample_order, scenes};
use crate::harness::{
    home::{Home, text},
    http::{Reply, Request},
    stage::{ALLOW, Stage},
};

/// A file of so many bytes that begins as its format does.
fn file(format: &str, bytes: usize) -> Vec<u8> {
    let start: &[u8] = match format {
        "pdf" => b"%PDF-1.7\n",
        "png" => b"\x89PNG\r\n\x1a\n",
        _ => b"^XA^FO50,50",
    };
    let filler = (0..).map(|it: u32| it.wrapping_mul(2_654_435_761).to_be_bytes()[0]);
    start.iter().copied().chain(filler).take(bytes).collect()
}

fn document(format: &str, bytes: &[u8]) -> Value {
    json!({ "format": format, "content": STANDARD.encode(bytes) })
}

/// A return at a merchant whose carrier is an external system.
fn start(scene: &Scene<'_>) -> String {
    scene.set(&json!({ "carrier": "external" }));
    scene.start_tee()
}

fn label(rma: &str, number: &str, documents: &[Value]) -> Value {
    json!({ "type": "label_created", "rma_identifier": rma, "tracking_number": number,
        "label": { "carrier": "Hermes", "service": "Paket", "documents": documents,
            "cost": { "amount_cents": 399, "currency": "EUR" } } })
}

fn issue(scene: &Scene<'_>, event: &Value) {
    assert_eq!(scene.carry(&json!([event]))[0]["result"], "applied", "{event}");
}

fn get(scene: &Scene<'_>, address: &str) -> Reply {
    scene.stage.server.send(&Request::get(address))
}

fn renew(scene: &Scene<'_>, rma: &str, reason: &str) -> Reply {
    scene.ask(&format!("/returns/{rma}/labels"), &json!({ "reason": reason }))
}

#[test]
fn the_bytes_of_a_label_are_those_of_the_carrier_in_every_format() {
    for scene in scenes() {
        let rma = start(&scene);
        let files = ["pdf", "png", "zpl"].map(|format| (format, file(format, 300_001)));
        let documents: Vec<Value> = files.iter().map(|it| document(it.0, &it.1)).collect();
        issue(&scene, &label(&rma, "H-1", &documents));

        let shown = scene.show(&rma);
        let label = &shown["labels"][0];
        assert_eq!((&label["carrier"], &label["generation"]), (&json!("Hermes"), &json!(1)));
        assert_eq!(label["cost"], json!({ "amount_cents": 399, "currency": "EUR" }));
        let page = text(&shown["links"]["label"]);
        let html = get(&scene, &page).text().to_owned();
        for (position, (format, bytes)) in files.iter().enumerate() {
            let sha256 = text(&label["documents"][position]["sha256"]);
            let by_shopper = get(&scene, &format!("{page}/{sha256}"));
            assert_eq!(by_shopper.status, 200, "{format}");
            assert!(by_shopper.body == *bytes, "{format}: other bytes");
            assert_eq!(by_shopper.header("cache-control"), Some("no-store"));
            assert_eq!(by_shopper.header("x-content-type-options"), Some("nosniff"));
            assert!(html.contains(&sha256), "{html}");
            let address = text(&label["links"][position]);
            let by_merchant = scene.stage.call("GET", &address, &Value::Null);
            assert!(by_merchant.body == *bytes, "{format}: other bytes for the merchant");
        }
        let elsewhere = get(&scene, &format!("{page}/{}", "0".repeat(64)));
        assert_eq!(elsewhere.status, 404);
    }
}

#[test]
fn a_file_that_is_not_what_it_says_is_refused_with_its_place() {
    for scene in scenes() {
        let rma = start(&scene);
        let large = file("pdf", (2 << 20) + 1);
        for (document, reason) in [
            (document("png", b"%PDF-1.7"), "must begin like a PNG file"),
            (json!({ "format": "pdf", "content": "%%%" }), "must be base64"),
            (document("pdf", &large), "must have at most 2 MiB"),
            (json!({ "format": "pdf", "url": "http://carrier.example/l" }), "an https address"),
            (json!({ "format": "pdf" }), "documents[0].content"),
        ] {
            let body = json!({ "events": [label(&rma, "H-1", &[document])] });
            let reply = scene.send("POST", "/carrier_events", &scene.stage.admin, &body);
            assert_eq!(reply.status, 422, "{}", reply.said());
            assert!(reply.said().contains(reason), "{reason}: {}", reply.said());
        }
        let fetched = json!({ "format": "pdf", "url": "https://carrier.example/l.pdf" });
        let many: Vec<Value> = (0..21)
            .map(|it| label(&rma, &format!("H-{it}"), std::slice::from_ref(&fetched)))
            .collect();
        let body = json!({ "events": many });
        let reply = scene.send("POST", "/carrier_events", &scene.stage.admin, &body);
        assert_eq!(reply.status, 422, "{}", reply.said());
        let near = json!({ "format": "pdf", "url": "https://127.0.0.1:9/label.pdf" });
        let refused = scene.carry(&json!([label(&rma, "H-1", &[near])]));
        assert_eq!(refused[0]["result"], "refused", "{refused}");
        assert_eq!(scene.show(&rma)["label"], Value::Null);
    }
}

#[test]
fn a_new_label_replaces_a_lost_one_and_late_events_of_the_old_one_change_nothing() {
    for scene in scenes() {
        let rma = start(&scene);
        assert_eq!(renew(&scene, &rma, "lost").status, 409, "there is none yet");
        issue(&scene, &label(&rma, "OLD", &[document("pdf", &file("pdf", 99))]));
        let old = text(&scene.show(&rma)["labels"][0]["links"][0]);
        assert_eq!(renew(&scene, &rma, "torn").status, 422);

        let renewed = renew(&scene, &rma, "lost");

        assert_eq!(renewed.status, 200, "{}", renewed.said());
        assert_eq!(renewed.json()["label"], Value::Null);
        assert_eq!(renewed.json()["labels"][0]["void"]["reason"], "lost");
        assert_eq!(scene.stage.call("GET", &old, &Value::Null).status, 404, "its file is gone");
        let late = json!([
            { "type": "label_created", "rma_identifier": rma, "tracking_number": "X", "generation": 1 },
            { "type": "in_transit", "rma_identifier": rma, "tracking_number": "OLD" },
            { "type": "label_voided", "rma_identifier": rma, "tracking_number": "OLD" },
        ]);
        for result in scene.carry(&late).as_array().unwrap() {
            assert_eq!(result["result"], "unchanged", "{result}");
        }

        issue(&scene, &label(&rma, "NEW", &[]));
        issue(&scene, &json!({ "type": "in_transit", "tracking_number": "NEW" }));
        let late = renew(&scene, &rma, "lost").said();
        assert!(late.contains("already used"), "{late}");
        let messages = scene.messages(&rma);
        let numbers: Vec<&Value> =
            messages.iter().map(|it| &it["items"][0]["tracking_number"]).collect();
        assert_eq!(
            numbers,
            [&Value::Null, &json!("OLD"), &Value::Null, &json!("NEW"), &json!("NEW")]
        );
    }
}

#[test]
fn each_parcel_of_a_return_has_its_own_label() {
    // Longer than a part of the return's number, which the page shows too.
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        let rma = scene.start(&request("mail-back", &[("A", "tee", 1), ("A", "mug", 1)]));
        for (line, number) in [("tee", "PARCEL-1"), ("mug", "PARCEL-2")] {
            let mut event = label(&rma, number, &[document("png", &file("png", 500))]);
            event["order_line_item_identifiers"] = json!([line]);
            issue(&scene, &event);
        }
        let page = get(&scene, &text(&scene.show(&rma)["links"]["label"]));
        for shown in ["PARCEL-1", "PARCEL-2", "Package 1 of 2", "Package 2 of 2"] {
            assert!(page.text().contains(shown), "{shown}: {}", page.text());
        }
        issue(&scene, &json!({ "type": "label_voided", "tracking_number": "PARCEL-2" }));
        let shown = scene.show(&rma);
        assert_eq!(shown["labels"][1]["void"]["reason"], "carrier");
        assert_eq!(shown["label"]["tracking_number"], "PARCEL-1");

        let mut event = label(&rma, "PARCEL-3", &[document("png", &file("png", 700))]);
        event["order_line_item_identifiers"] = json!(["mug"]);
        issue(&scene, &event);
        issue(&scene, &json!({ "type": "in_transit", "tracking_number": "PARCEL-1" }));
        let page = get(&scene, &text(&scene.show(&rma)["links"]["label"]));
        assert!(
            page.text().contains("PARCEL-3") && !page.text().contains("PARCEL-1"),
            "{}",
            page.text()
        );
        issue(&scene, &json!({ "type": "in_transit", "tracking_number": "PARCEL-3" }));
        let page = get(&scene, &text(&scene.show(&rma)["links"]["label"]));
        assert!(!page.text().contains("PARCEL-3"), "{}", page.text());
    }
}

#[test]
fn a_code_is_shown_with_the_carriers_instructions_and_places() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        let express = json!({ "method": "express-returns", "fee_cents": 0 });
        scene.set_policy(&json!({ "methods": [express] }));
        let rma = scene.start(&request("express-returns", &[("A", "tee", 1)]));
        let code = json!({ "purpose": "code", "format": "png",
            "content": STANDARD.encode(file("png", 900)) });
        let mut event = label(&rma, "Q-1", &[code]);
        event["label"]["hand_off"] = json!({ "code": "HB-4471",
            "instructions": "Show the code at the counter.", "places": ["Kiosk, Lange Reihe 9"] });
        issue(&scene, &event);

        let page = get(&scene, &text(&scene.show(&rma)["links"]["label"]));

        for shown in ["HB-4471", "Show the code at the counter.", "Kiosk, Lange Reihe 9"] {
            assert!(page.text().contains(shown), "{shown}: {}", page.text());
        }
    }
}

#[test]
fn a_hundred_large_labels_at_once_arrive_unchanged_in_little_memory() {
    const LABELS: usize = 100;
    let server = Home::new().serve(&ALLOW);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    scene.set(&json!({ "carrier": "external" }));
    let returns: Vec<String> = (0..LABELS)
        .map(|number| {
            let order = format!("A-{number}");
            scene.publish(&sample_order(&order));
            scene.start(&request("mail-back", &[(&order, "tee", 1)]))
        })
        .collect();
    let bytes = file("pdf", 2 << 20);
    let content = document("pdf", &bytes);

    thread::scope(|scope| {
        for rma in &returns {
            let (scene, content) = (&scene, &content);
            scope.spawn(move || issue(scene, &label(rma, rma, std::slice::from_ref(content))));
        }
    });
    thread::scope(|scope| {
        for rma in &returns {
            let (scene, bytes) = (&scene, &bytes);
            scope.spawn(move || {
                let shown = scene.show(rma);
                let sha256 = text(&shown["labels"][0]["documents"][0]["sha256"]);
                let reply = get(scene, &format!("{}/{sha256}", text(&shown["links"]["label"])));
                assert!(reply.status == 200 && reply.body == *bytes, "{}", reply.status);
            });
        }
    });

    let peak_mib = server.memory_peak_mib();
    assert!(peak_mib < 150, "{peak_mib} MiB");
}

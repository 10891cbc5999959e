//! What the contract shows is what is sent and accepted.

use serde_json::{Value, json};

use super::scene::scenes;
use crate::harness::{binary::workspace, samples};

/// The JSON blocks of the contract behind comments of this kind, with what the comment names.
fn blocks(kind: &str) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(workspace().join("docs/contract.md")).unwrap();
    let mark = format!("<!-- {kind}: ");
    let blocks = text.split(&mark).skip(1).map(|rest| {
        let (name, rest) = rest.split_once(" -->\n```json\n").unwrap();
        let (block, _) = rest.split_once("\n```").unwrap();
        (name.to_owned(), serde_json::from_str(block).unwrap())
    });
    blocks.collect()
}

#[test]
fn the_samples_of_the_contract_are_those_of_the_reference() {
    let found = blocks("sample");
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    for expected in ["returns_portal_order.json", "returns_portal_order_minimal.json", "rma.json"] {
        assert!(names.contains(&expected), "{expected} is not in {names:?}");
    }
    for (name, block) in found {
        let file = workspace().join("crates/domain/src/samples").join(&name);
        let sample: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(block, sample, "{name}");
    }
}

#[test]
fn the_requests_of_the_contract_are_accepted() {
    for scene in scenes() {
        let mut order = samples::full_order();
        order["refunds"] = json!([]);
        for line in order["items"].as_array_mut().unwrap() {
            line["return_policy_end_date"] = json!("2126-04-30");
            line.as_object_mut().unwrap().shift_remove("quantity_refunded");
        }
        scene.publish(&order);
        let sent = blocks("sent");
        assert_eq!(sent.len(), 4);
        for (target, body) in sent {
            let admin = target.starts_with("/admin");
            let token = if admin { &scene.stage.admin } else { &scene.stage.token };
            let reply = scene.send("POST", &target, token, &body);
            let expected = match target.as_str() {
                "/returns" => 201,
                "/messages/replay" => 202,
                _ => 200,
            };
            assert_eq!(reply.status, expected, "{target}: {}", reply.said());
        }
    }
}

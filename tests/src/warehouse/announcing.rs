//! Merchants announce goods, and think better of it until the first of them is here.

use serde_json::{Value, json};

use super::scene::{Scene, Who, quantities, sample_asn, scenes};
use crate::harness::http::Request;

const ASN: &str = "/asns/ASN-20260301-7";

fn announced(scene: &Scene, asn: &Value) -> (u16, Value) {
    let answer = scene.ask(Who::Merchant, "POST", "/asns", asn);
    (answer.status, answer.body)
}

fn result(word: &str) -> Value {
    json!({ "asn_number": "ASN-20260301-7", "result": word })
}

#[test]
fn an_asn_is_announced_once_and_another_of_its_number_is_a_conflict() {
    for scene in scenes() {
        let mut other = sample_asn();
        other["carrier"] = json!("ups");
        let mut other_program = quantities("ASN-20260301-7", &[("1", "A", 1)]);
        other_program["program_identifier"] = json!("returns-east");

        assert_eq!(announced(&scene, &sample_asn()), (202, result("created")));
        assert_eq!(announced(&scene, &sample_asn()), (202, result("unchanged")));
        let why = "an ASN with this number already exists in the program; change it with PUT";
        assert_eq!(announced(&scene, &other), (409, json!({ "message": why })));
        assert_eq!(announced(&scene, &other_program), (202, result("created")));

        for who in [Who::Merchant, Who::Warehouse] {
            let ambiguous = scene.get(who, ASN);
            assert_eq!((ambiguous.status, ambiguous.refused_fields()), (422, vec!["program"]));
            let why = ambiguous.body["message"].as_str().unwrap();
            assert!(why.ends_with("returns-east, returns-west"), "{why}");
            for (program, first) in [("returns-west", "TEE-NAVY-M"), ("returns-east", "A")] {
                let read = scene.get(who, &format!("{ASN}?program={program}"));
                assert_eq!(read.body["program_identifier"], program);
                assert_eq!(read.body["lines"][0]["sku"], first);
            }
            assert_eq!(scene.get(who, &format!("{ASN}?program=none")).status, 404);
        }
    }
}

#[test]
fn a_repeated_request_gets_the_first_answer() {
    for scene in scenes() {
        let request = scene.request("POST", "/asns", &sample_asn().to_string());
        let request = request.header("Idempotency-Key", "once");

        for _ in 0..2 {
            let answer = scene.send(Who::Merchant, request.clone());
            assert_eq!((answer.status, answer.body), (202, result("created")));
        }
    }
}

#[test]
fn everything_wrong_with_an_asn_is_said_at_once() {
    for scene in scenes() {
        let mut bad = sample_asn();
        bad["asn_number"] = json!("A 7");
        bad["status"] = json!("lost");
        bad["colour"] = json!("red");
        bad["from"] = json!({ "identifier": 7.5 });
        bad["cartons"][0]["reference"]["type"] = json!("Order");
        bad["cartons"][0]["details"][0]["quantity"] = json!(2);
        let first = bad["cartons"][0]["details"][0].clone();
        bad["cartons"][0]["details"][1] = first;
        bad.as_object_mut().unwrap().shift_remove("program_identifier");

        let (status, body) = announced(&scene, &bad);

        assert_eq!(status, 422);
        let mut errors: Vec<(&str, &str)> = body["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["field"].as_str().unwrap(), it["code"].as_str().unwrap()))
            .collect();
        errors.sort_unstable();
        let first = "$.cartons[0].details[0]";
        let second = "$.cartons[0].details[1]";
        let mut expected = [
            ("$.asn_number".to_owned(), "invalid"),
            (format!("{first}.quantity"), "invalid"),
            (format!("{second}.line_identifier"), "invalid"),
            (format!("{second}.quantity"), "invalid"),
            (format!("{second}.unit_identifier"), "invalid"),
            ("$.cartons[0].reference.type".to_owned(), "invalid"),
            ("$.colour".to_owned(), "invalid"),
            ("$.from.identifier".to_owned(), "invalid_type"),
            ("$.from.type".to_owned(), "missing_field"),
            ("$.program_identifier".to_owned(), "missing_field"),
            ("$.status".to_owned(), "invalid"),
        ];
        expected.sort_unstable();
        let expected: Vec<(&str, &str)> =
            expected.iter().map(|(field, code)| (field.as_str(), *code)).collect();
        assert_eq!(errors, expected);
        assert_eq!(scene.get(Who::Merchant, "/units/LP-0093321").status, 404);
    }
}

#[test]
fn the_number_of_an_asn_has_1_to_255_plain_characters() {
    for scene in scenes() {
        let status = |number: &str| {
            let asn = quantities(number, &[("1", "A", 1)]);
            // Without numbers of the scene, which would change the length.
            let request = Request::post("/asns").json(asn.to_string());
            scene.send(Who::Merchant, request).status
        };

        assert_eq!(status("7"), 202);
        assert_eq!(status(&"a".repeat(255)), 202);
        for number in ["", &"a".repeat(256), "A.7", "A/7", "Ä"] {
            assert_eq!(status(number), 422, "{number}");
        }
    }
}

#[test]
fn a_unit_that_another_asn_announces_is_refused_by_name() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        let mut second = sample_asn();
        second["asn_number"] = json!("ASN-8");

        let (status, body) = announced(&scene, &second);

        assert_eq!(status, 422, "{body}");
        let errors: Vec<&str> = body["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["field"].as_str().unwrap())
            .collect();
        let field = |line: usize| format!("$.cartons[0].details[{line}].unit_identifier");
        assert_eq!(errors, [field(0), field(1)]);
    }
}

#[test]
fn what_real_systems_add_to_an_asn_is_accepted_and_its_time_is_no_content() {
    for scene in scenes() {
        let mut asn = sample_asn();
        asn["asn_type"] = json!("return");
        asn["messagetimestamp"] = json!("2026-03-01T08:00:00.123+01:00");
        asn["cartons"][0]["details"][0]["condition"] = json!("Used - Good");
        asn["cartons"][0]["details"][0]["asin"] = json!("B07XYZ1234");
        assert_eq!(announced(&scene, &asn), (202, result("created")));

        asn["messagetimestamp"] = json!("2026-03-01T09:00:00.123+01:00");
        assert_eq!(announced(&scene, &asn), (202, result("unchanged")), "sent again");

        asn["cartons"][0]["details"][0]["asin"] = json!("B07XYZ12345");
        let (status, body) = announced(&scene, &asn);
        assert_eq!(status, 422, "{body}");
        let field = "$.cartons[0].details[0].asin";
        assert_eq!(body["errors"], json!([{ "field": field, "code": "invalid" }]));
    }
}

#[test]
fn an_asn_changes_until_the_first_of_its_units_is_here() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        let mut changed = sample_asn();
        changed["cartons"][0]["details"][1]["unit_identifier"] = json!("LP-0093323");

        let change = |asn: &Value| {
            let answer = scene.ask(Who::Merchant, "PUT", ASN, asn);
            (answer.status, answer.body)
        };

        assert_eq!(change(&changed), (202, result("updated")));
        assert_eq!(change(&changed), (202, result("unchanged")));
        assert_eq!(scene.get(Who::Merchant, "/units/LP-0093322").status, 404, "it was forgotten");
        assert_eq!(scene.get(Who::Merchant, "/units/LP-0093323").status, 200);

        scene.scan(&[json!({ "unit_identifier": "LP-0093323" })]);
        let why = json!({ "message": "units of the ASN were received already" });
        assert_eq!(change(&sample_asn()), (409, why));
        assert_eq!(change(&changed), (202, result("unchanged")), "it says the same");
    }
}

#[test]
fn what_was_not_announced_cannot_be_changed() {
    for scene in scenes() {
        let unknown = scene.ask(Who::Merchant, "PUT", ASN, &sample_asn());
        let other = scene.ask(Who::Merchant, "PUT", "/asns/ASN-8", &sample_asn());

        assert_eq!((unknown.status, unknown.body), (404, json!({ "message": "ASN not found" })));
        let why = json!({ "message": "the path and the body name different ASNs" });
        assert_eq!((other.status, other.body), (409, why));
    }
}

//! What a call looks like when it arrives.

use serde_json::json;
use sim::{Running, SignatureCheck};

use crate::harness::home::text;
use crate::harness::stage::{Stage, accepted, list_calls, receiver, servers};

const NO_AUTH: &str = r#"{"type":"none"}"#;

/// The only call so far.
fn only_call(running: &Running) -> sim::Call {
    accepted(running, 1);
    let mut calls = list_calls(running);
    assert_eq!(calls.len(), 1, "{calls:?}");
    calls.remove(0)
}

/// Sends a message to a merchant with this secret, which must find it valid. Returns how many
/// signatures it has.
fn count_signatures(stage: &Stage<'_>, secret: String) -> usize {
    let settings = sim::Settings { signing_secrets: vec![secret], ..stage.settings() };
    let running = receiver(settings);
    stage.point_to(&running.url(), &serde_json::from_str(NO_AUTH).unwrap());
    stage.test("lane", 1);
    let call = only_call(&running);
    assert_eq!(call.signature, SignatureCheck::Valid);
    call.content.unwrap().headers["webhook-signature"].split(' ').count()
}

#[test]
fn a_message_arrives_signed_with_every_header_and_the_bytes_that_were_stored() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let id = stage.test("lane", 7);

        let call = only_call(&running);

        assert_eq!(call.signature, SignatureCheck::Valid);
        let content = call.content.unwrap();
        let header = |name: &str| content.headers.get(name).map_or("", String::as_str);
        for (name, value) in [
            ("content-type", "application/json"),
            ("accept", "application/json"),
            ("x-service-api-version", "3"),
            ("x-service-event", "rma"),
            ("x-service-sequence", "7"),
            ("x-service-attempt", "1"),
            ("webhook-id", &id),
        ] {
            assert_eq!(header(name), value, "{name}");
        }
        assert!(header("user-agent").to_lowercase().starts_with("homeward/"), "{content:?}");
        assert!(header("webhook-timestamp").parse::<i64>().is_ok());
        assert_eq!(header("webhook-signature").matches("v1,").count(), 1);
        assert_eq!(header("authorization"), "");
        let message = stage.until(&id, "delivered");
        assert_eq!(content.body, text(&message["body"]));
        assert!(content.body.contains(r#""identifier":"lane""#), "{}", content.body);
    }
}

#[test]
fn each_kind_goes_to_its_path_and_names_its_version() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let kinds = [
            ("rma", "3"),
            ("exchange_order", "2"),
            ("outbound_asn", "1"),
            ("inventory_receipt", "1"),
            ("drop_shipment_confirmation", "1"),
            ("drop_shipment_cancellation", "1"),
            ("drop_shipment_partial_cancellation", "1"),
        ];
        // A test message is no exchange order, so the merchant would refuse that one.
        running.merchant().behave(&[sim::Behavior::status(200)]).unwrap();
        for (kind, version) in kinds {
            let id = stage.test_of(kind, "lane", 1);
            let call = crate::harness::eventually(kind, || {
                list_calls(&running).into_iter().find(|call| call.webhook_id.as_ref() == Some(&id))
            });
            let headers = call.content.unwrap().headers;
            assert_eq!(headers["x-service-event"], kind);
            assert_eq!(headers["x-service-api-version"], version, "{kind}");
            assert_eq!(
                call.kind.map(domain::messages::kind::MessageKind::name),
                Some(kind),
                "{}",
                call.path
            );
        }
        let merchant = &stage.merchant.id;
        let asked = format!("/admin/merchants/{merchant}/endpoints/exchange_variants/test");
        assert_eq!(stage.post(&asked).status, 409);
    }
}

#[test]
fn while_two_secrets_are_live_either_of_them_verifies() {
    for server in servers() {
        let stage = Stage::set(server);
        let rotated =
            server.home.json(&["merchant", "rotate-secret", &stage.merchant.id, "--signing"]);
        let secrets = [stage.signing_secret.clone(), text(&rotated["signing_secret"])];
        assert_ne!(secrets[0], secrets[1]);
        for secret in secrets {
            assert_eq!(count_signatures(&stage, secret), 2);
        }
    }
}

#[test]
fn an_old_secret_that_is_revoked_signs_nothing_any_more() {
    for server in servers() {
        let stage = Stage::set(server);
        let rotated = server.home.json(&[
            "merchant",
            "rotate-secret",
            &stage.merchant.id,
            "--signing",
            "--revoke-old",
        ]);
        assert_eq!(count_signatures(&stage, text(&rotated["signing_secret"])), 1);
    }
}

#[test]
fn a_merchant_with_another_secret_refuses_and_the_message_is_not_lost() {
    for server in servers() {
        let stage = Stage::set(server);
        let wrong = sim::Settings {
            signing_secrets: vec!["whsec_b3RoZXI=".to_owned()],
            ..stage.settings()
        };
        let running = receiver(wrong);
        stage.point_to(&running.url(), &json!({ "type": "none" }));
        let id = stage.test("lane", 1);
        let failed = stage.until(&id, "failed");
        assert_eq!(crate::harness::stage::statuses(&failed), [400; 6]);
        assert_eq!(failed["attempts"][0]["answer"], r#"{"message":"no signature matches"}"#);
    }
}

//! The account at a carrier: set by command and over the API, and its secrets are never shown.

use serde_json::json;

use super::simulated::{KEY, SimulatedCarrier, WEBHOOK_SECRET, account};
use crate::harness::{
    http::Request,
    stage::{Stage, homes, servers},
};

#[test]
fn an_account_is_set_by_command_and_its_secrets_are_never_shown() {
    for server in servers() {
        let stage = Stage::with(server, "account", &json!({}));
        let home = &server.home;
        let id = stage.merchant.id.as_str();
        let file = |name: &str, secret: &str| {
            let path = home.root().join(format!("{id}-{name}"));
            std::fs::write(&path, format!("{secret}\n")).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (key, secret) = (file("key", KEY), file("secret", WEBHOOK_SECRET));
        assert_ne!(home.run(&["carrier", "show", id]).code, Some(0), "there is none yet");

        let set = home.json(&[
            "carrier",
            "set",
            id,
            "--easypost-key-file",
            &key,
            "--webhook-secret-file",
            &secret,
            "--services",
            "USPS/GroundAdvantage,UPS",
        ]);

        let expected = json!({
            "merchant": id, "url": "https://api.easypost.com/v2",
            "services": ["USPS/GroundAdvantage", "UPS"], "unit_weight_grams": 500,
            "has_webhook_secret": true,
            "webhook_path": format!("/carriers/easypost/{id}/webhooks"),
        });
        assert_eq!(set, expected);
        assert_eq!(home.json(&["carrier", "show", id]), expected);
        let merchant = stage.get(&format!("/admin/merchants/{id}")).json();
        assert_eq!(merchant["settings"]["carrier"], "easypost");
        let audit = stage.get(&format!("/admin/audit?merchant={id}")).said();
        assert!(audit.contains("carrier.set"), "{audit}");
        for shown in [audit, set.to_string(), server.log()] {
            assert!(!shown.contains(KEY) && !shown.contains(WEBHOOK_SECRET), "{shown}");
        }
    }
}

#[test]
fn the_key_of_an_account_is_not_readable_in_the_data_directory() {
    let home = homes("carrier_secrets").next().unwrap();
    let server = home.serve(&[]);
    let stage = Stage::set(&server);
    let body = json!({ "api_key": KEY, "webhook_secret": WEBHOOK_SECRET });
    assert_eq!(stage.try_to_put("carrier", &body).status, 200);
    for entry in std::fs::read_dir(home.data_dir()).unwrap() {
        let path = entry.unwrap().path();
        let Ok(bytes) = std::fs::read(&path) else { continue };
        for secret in [KEY, WEBHOOK_SECRET] {
            let is_there = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_there, "{}", path.display());
        }
    }
}

#[test]
fn an_account_that_cannot_be_used_is_refused_with_every_fault() {
    for server in servers() {
        let stage = Stage::with(server, "account", &json!({}));
        let refused = stage.try_to_put(
            "carrier",
            &json!({
                "api_key": "two words", "webhook_secret": "gehe\u{fc}im", "services": ["USPS/", 7],
                "url": "http://10.1.2.3/v2", "unit_weight_grams": 0, "color": "blue",
            }),
        );
        assert_eq!(refused.status, 422, "{}", refused.said());
        let errors = refused.json()["errors"].as_array().unwrap().clone();
        let fields: Vec<&str> = errors.iter().map(|it| it["field"].as_str().unwrap()).collect();
        for field in [
            "$.api_key",
            "$.webhook_secret",
            "$.services[0]",
            "$.services[1]",
            "$.url",
            "$.unit_weight_grams",
            "$.color",
        ] {
            assert!(fields.contains(&field), "{field}: {fields:?}");
        }
        let missing = stage.get(&format!("/admin/merchants/{}/carrier", stage.merchant.id));
        assert_eq!(missing.status, 404);
        let unknown = Request::new("PUT", "/admin/merchants/no-such-shop/carrier")
            .bearer(&stage.admin)
            .json(json!({ "api_key": KEY }).to_string());
        assert_eq!(server.send(&unknown).status, 404);
    }
}

#[test]
fn a_key_that_the_carrier_refuses_is_a_failure_until_it_is_replaced() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = super::simulated::stage_with(server, &carrier);
        let mut wrong = account(&carrier);
        wrong["api_key"] = json!("revoked");
        assert_eq!(stage.try_to_put("carrier", &wrong).status, 200);
        let wanted = crate::returns::scene::request("mail-back", &[("A", "tee", 1)]);
        let rma = super::simulated::start(&stage, &wanted);
        let failed = stage.until_failed(1);
        assert!(failed[0].to_string().contains("401"), "{failed:?}");

        assert_eq!(stage.try_to_put("carrier", &account(&carrier)).status, 200);
        let id = failed[0]["id"].as_str().unwrap();
        assert!((200..300).contains(&stage.post(&format!("/admin/messages/{id}/retry")).status));
        stage.wait_for_label(&rma);
        assert_eq!(carrier.purchases().len(), 1);
    }
}

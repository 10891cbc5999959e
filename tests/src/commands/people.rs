//! `homeward merchant`, `client` and `audit`.

use serde_json::{Value, json};

use super::{assert_refused, make_places};
use crate::harness::home::{Home, text};

/// Takes the fields that nobody can foretell out of what a command printed.
fn without_chance(mut printed: Value, chance: &[&str]) -> Value {
    let fields = printed.as_object_mut().unwrap();
    for name in chance {
        let removed = fields.shift_remove(*name).unwrap_or_else(|| panic!("no {name}"));
        assert!(!removed.is_null(), "{name}");
    }
    printed
}

fn merchants(home: &Home) -> Vec<(String, String, bool, bool)> {
    let list = home.json(&["merchant", "list"]);
    let row = |merchant: &Value| {
        (
            text(&merchant["merchant"]),
            text(&merchant["name"]),
            merchant["settings"]["strict"].as_bool().unwrap(),
            merchant.get("disabled_at").is_some(),
        )
    };
    list["merchants"].as_array().unwrap().iter().map(row).collect()
}

fn row(id: &str, name: &str, strict: bool, disabled: bool) -> (String, String, bool, bool) {
    (id.to_owned(), name.to_owned(), strict, disabled)
}

#[test]
fn merchants_are_added_listed_changed_disabled_and_enabled() {
    for (home, _server) in make_places("merchants") {
        let added = home.json(&["merchant", "add", "beta", "--name", "Beta", "--strict"]);
        assert!(text(&added["client_id"]).starts_with("beta."), "{added}");
        assert!(text(&added["client_secret"]).starts_with("hws_"), "{added}");
        assert!(text(&added["signing_secret"]).starts_with("whsec_"), "{added}");
        let chance = ["client_id", "client_secret", "signing_secret"];
        assert_eq!(without_chance(added, &chance), json!({ "merchant": "beta" }));
        home.json(&["merchant", "add", "acme", "--name", "Acme"]);
        let expected = [row("acme", "Acme", false, false), row("beta", "Beta", true, false)];
        assert_eq!(merchants(&home), expected);

        let changed =
            home.json(&["merchant", "set", "acme", "--name", "Acme Ltd", "--strict", "true"]);
        let settings = json!({ "strict": true, "carrier": "simulated", "managed_receiving": false,
                "exchange_refusal_is_final": false, "refund_tolerance_cents": 0,
                "message_extensions": false,
                "weight_unit": "grams" });
        let expected = json!({ "merchant": "acme", "name": "Acme Ltd", "settings": settings });
        assert_eq!(without_chance(changed, &["created_at"]), expected);
        home.json(&["merchant", "set", "beta", "--strict", "false"]);
        let disabled = home.json(&["merchant", "disable", "beta"]);
        assert!(disabled["disabled_at"].is_string());
        let expected = [row("acme", "Acme Ltd", true, false), row("beta", "Beta", false, true)];
        assert_eq!(merchants(&home), expected);

        let words = home.run(&["merchant", "list"]);
        let table = "MERCHANT  STATE     AMOUNTS  NAME\n\
                     acme      enabled   strict   Acme Ltd\n\
                     beta      disabled  lenient  Beta\n";
        assert_eq!(words.out, table);
        let words = home.run(&["merchant", "enable", "beta"]);
        let said = "beta (Beta) is enabled. Amounts: lenient. Carrier: simulated. \
                    Receiving: merchant.\n";
        assert_eq!(words.out, said);
    }
}

#[test]
fn clients_are_added_listed_disabled_and_enabled() {
    for (home, _server) in make_places("clients") {
        home.add_merchant("acme");
        let scope = "orders:write read";
        let till =
            home.json(&["client", "add", "--merchant", "acme", "--name", "till", "--scope", scope]);
        let id = text(&till["client_id"]);
        assert!(id.starts_with("acme."));
        assert_eq!(till["scope"], scope);
        let all = home.json(&["client", "add", "--merchant", "acme", "--name", "all"]);
        assert_eq!(all["scope"], "orders:write returns:write asns:write drop_ship:write read");
        let carrier = ["client", "add", "--name", "gateway", "--scope", "carrier:write"];
        assert!(text(&home.json(&carrier)["client_id"]).starts_with("platform."));

        let disabled = home.json(&["client", "disable", &id]);
        let expected = json!({ "client_id": id, "name": "till", "scope": scope });
        let chance = ["secrets_created_at", "created_at", "disabled_at"];
        assert_eq!(without_chance(disabled, &chance), expected);
        let list = home.json(&["client", "list", "--merchant", "acme"]);
        let mut names: Vec<_> = list["clients"].as_array().unwrap().iter().collect();
        names.sort_by_key(|client| text(&client["name"]));
        let names: Vec<_> = names
            .iter()
            .map(|client| (text(&client["name"]), client.get("disabled_at").is_some()))
            .collect();
        let expected = [("A merchant", false), ("all", false), ("till", true)];
        assert_eq!(names, expected.map(|(name, disabled)| (name.to_owned(), disabled)));
        let enabled = home.json(&["client", "enable", &id]);
        assert!(enabled.get("disabled_at").is_none());
        let list = home.json(&["client", "list"]);
        let mut platform: Vec<_> =
            list["clients"].as_array().unwrap().iter().map(|it| text(&it["name"])).collect();
        platform.sort();
        assert_eq!(platform, ["admin", "gateway"], "the platform's own");
    }
}

#[test]
fn secrets_are_rotated_for_the_client_that_is_meant() {
    for (home, _server) in make_places("rotation") {
        let merchant = home.add_merchant("acme");
        let rotated = home.json(&["merchant", "rotate-secret", "acme"]);
        assert_eq!(rotated["client_id"], merchant.client_id);
        assert_ne!(rotated["client_secret"], merchant.client_secret);
        let signing = home.json(&["merchant", "rotate-secret", "acme", "--signing"]);
        assert!(text(&signing["signing_secret"]).starts_with("whsec_"));

        let second = home.json(&["client", "add", "--merchant", "acme", "--name", "till"]);
        let second = text(&second["client_id"]);
        let mut ids = [merchant.client_id, second.clone()];
        ids.sort();
        let ran = home.run(&["merchant", "rotate-secret", "acme"]);
        let several = "acme has several clients; choose one with --client: ";
        assert_refused(&ran, &format!("{several}{}", ids.join(", ")));
        let rotated = home.json(&["merchant", "rotate-secret", "acme", "--client", &second]);
        assert_eq!(rotated["client_id"], second);
        let list = home.json(&["client", "list", "--merchant", "acme"]);
        for client in list["clients"].as_array().unwrap() {
            assert_eq!(client["secrets_created_at"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn what_cannot_be_done_is_said_in_plain_words() {
    for (home, _server) in make_places("refusals") {
        home.add_merchant("acme");
        let nobody = "merchant not found";
        let cases: [(&[&str], &str); 8] = [
            (&["merchant", "add", "acme", "--name", "Again"], "merchant acme already exists"),
            (&["merchant", "set", "nobody", "--strict", "true"], nobody),
            (&["merchant", "disable", "nobody"], nobody),
            (&["merchant", "rotate-secret", "nobody"], nobody),
            (&["merchant", "rotate-secret", "nobody", "--signing"], nobody),
            (&["client", "add", "--merchant", "nobody", "--name", "x"], nobody),
            (&["client", "list", "--merchant", "nobody"], nobody),
            (&["client", "disable", "acme.none"], "client not found"),
        ];
        for (arguments, why) in cases {
            assert_refused(&home.run(arguments), why);
        }
        let rule = "a merchant's name must consist of the letters a to z, digits, and hyphens";
        for (name, why) in [("Acme", rule), ("platform", "is reserved for the platform itself")] {
            let ran = home.run(&["merchant", "add", name, "--name", "Big"]);
            assert_eq!(ran.code, Some(2), "{name}");
            assert!(ran.err.contains(why), "{}", ran.err);
        }
        let add = ["client", "add", "--merchant", "acme", "--name", "x", "--scope", "admin"];
        let ran = home.run(&add);
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains("$.scope"), "{}", ran.err);
    }
}

#[test]
fn names_that_no_address_can_hold_are_no_merchants() {
    let home = Home::new();
    for name in ["no body", "a/b", "a?b", "", "ü", "../merchants"] {
        for arguments in [
            &["merchant", "disable", name][..],
            &["merchant", "rotate-secret", name],
            &["client", "list", "--merchant", name],
            &["audit", "--merchant", name],
        ] {
            let ran = home.run(arguments);
            assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.out);
            assert!(ran.err.contains("a merchant's name "), "{arguments:?}: {}", ran.err);
        }
    }
}

#[test]
fn every_change_leaves_a_record_and_no_secret() {
    for (home, _server) in make_places("audit") {
        let merchant = home.add_merchant("acme");
        let client = home.json(&["client", "add", "--merchant", "acme", "--name", "till"]);
        let id = text(&client["client_id"]);
        let mut secrets = vec![merchant.client_secret.clone(), text(&client["client_secret"])];
        home.json(&["merchant", "set", "acme", "--strict", "true"]);
        let rotate = ["merchant", "rotate-secret", "acme", "--revoke-old", "--client", &id];
        secrets.push(text(&home.json(&rotate)["client_secret"]));
        let signing = home.json(&["merchant", "rotate-secret", "acme", "--signing"]);
        secrets.push(text(&signing["signing_secret"]));
        home.json(&["client", "disable", &id]);
        home.json(&["merchant", "disable", "acme"]);
        home.add_merchant("beta");

        let trail = home.json(&["audit", "--merchant", "acme"]);

        let scope = "orders:write returns:write asns:write drop_ship:write read";
        let first = json!({
            "name": "A merchant", "client": merchant.client_id,
            "settings": { "strict": false, "carrier": "simulated", "managed_receiving": false,
                "exchange_refusal_is_final": false, "refund_tolerance_cents": 0,
                "message_extensions": false,
                "weight_unit": "grams" },
        });
        let nothing = Value::Null;
        let unset = json!({
            "name": nothing, "strict": nothing, "carrier": nothing, "managed_receiving": nothing,
            "exchange_refusal_is_final": nothing, "refund_tolerance_cents": nothing,
            "message_extensions": nothing, "weight_unit": nothing,
            "return_address": nothing, "disabled": nothing,
        });
        let (mut strict, mut disabled) = (unset.clone(), unset);
        strict["strict"] = json!(true);
        disabled["disabled"] = json!(true);
        let expected = [
            ("merchant.change", disabled),
            ("client.change", json!({ "client": id, "disabled": true })),
            ("merchant.rotate_signing_secret", json!({ "revoked_old": false })),
            ("client.rotate_secret", json!({ "client": id, "revoked_old": true })),
            ("merchant.change", strict),
            ("client.add", json!({ "client": id, "name": "till", "scope": scope })),
            ("merchant.add", first),
        ];
        let changes = trail["changes"].as_array().unwrap();
        let found: Vec<_> = changes
            .iter()
            .map(|it| (it["action"].as_str().unwrap(), it["detail"].clone()))
            .collect();
        assert_eq!(found, expected);
        for change in changes {
            assert_eq!(change["merchant"], "acme");
            assert!(text(&change["actor"]).starts_with("platform."), "{change}");
        }
        let everything = home.json(&["audit", "--limit", "100"]);
        assert_eq!(everything["changes"].as_array().unwrap().len(), 9, "beta and the admin too");
        let latest = home.json(&["audit", "--limit", "1"]);
        assert_eq!(latest["changes"][0]["merchant"], "beta");
        assert!(secrets.iter().all(|secret| !everything.to_string().contains(secret)));
    }
}

//! Merchants at the console: from setup to the first order, settings, clients, endpoints, policies.

use std::sync::atomic::{AtomicU32, Ordering};

use sim::Settings;

use crate::harness::{
    console::Visitor,
    eventually,
    home::Merchant,
    samples::{message, sample_order},
    shared,
    stage::{Stage, receiver, servers},
};

/// All secrets on a page, in their order.
pub(crate) fn read_secrets(page: &str) -> Vec<String> {
    let shown = page.split("<code class=\"secret\">").skip(1);
    shown.map(|it| it.split('<').next().unwrap().to_owned()).collect()
}

/// Adds a merchant with the form, and reads the credentials from the page.
pub(super) fn add_merchant(visitor: &Visitor<'_>) -> Merchant {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let id = format!("console-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let fields = [("merchant", id.as_str()), ("name", "A <b>shop</b>"), ("carrier", "simulated")];
    let reply = visitor.post_confirmed("/console/add-merchant", &fields);
    assert_eq!(reply.status, 201, "{}", reply.said());
    let shown = read_secrets(reply.text());
    let [client_id, client_secret, signing_secret] = shown.as_slice() else { panic!("{shown:?}") };
    assert!(signing_secret.starts_with("whsec_"), "{signing_secret}");
    Merchant { id, client_id: client_id.clone(), client_secret: client_secret.clone() }
}

#[test]
fn a_merchant_is_set_up_until_its_first_order() {
    for server in servers() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}", merchant.id);
        let to_do = |page: &str| page.matches(">To do<").count();
        let page = visitor.page(&place);
        assert_eq!(to_do(&page), 3, "{page}");
        assert!(page.contains("A &#60;b&#62;shop&#60;/b&#62;"), "text stays text: {page}");

        let running = receiver(Settings::default());
        let fields = [("base_url", running.url()), ("auth.type", "none".to_owned())];
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        let page = visitor.submit(&format!("{place}/endpoints"), &fields);
        assert!(page.contains("Base address saved."), "{page}");
        let sent = visitor.post(&format!("{place}/endpoints/rma/test"), &[]);
        let tested = visitor.page(sent.header("location").unwrap());
        assert!(tested.contains("server accepted the test message"), "{tested}");
        assert_eq!(to_do(&visitor.page(&place)), 1);

        let token = server.token(&merchant);
        assert_eq!(server.publish(&token, &message(&[sample_order("first")])).status, 200);
        let page = visitor.page(&place);
        assert!(!page.contains("Setup"), "the setup is complete: {page}");
        assert!(visitor.page("/console/merchants").contains(&place));
    }
}

#[test]
fn faults_of_a_new_merchant_are_shown_at_their_fields() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let wrong = [("merchant", "Not A Name"), ("name", ""), ("carrier", "pigeon")];
        let reply = visitor.post("/console/add-merchant", &wrong);
        assert_eq!(reply.status, 422, "{}", reply.said());
        for fault in ["merchant-fault", "name-fault", "carrier-fault"] {
            assert!(reply.text().contains(&format!("id=\"{fault}\"")), "{}", reply.text());
        }
        assert!(reply.text().contains("value=\"Not A Name\""), "the input is kept");

        let known = add_merchant(&visitor);
        let again = [("merchant", known.id.as_str()), ("name", "x"), ("carrier", "external")];
        let reply = visitor.post_confirmed("/console/add-merchant", &again);
        assert_eq!(reply.status, 422);
        assert!(reply.text().contains(&format!("Merchant {} already exists.", known.id)));
    }
}

#[test]
fn settings_are_changed_and_a_merchant_is_disabled_under_the_operators_name() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}", merchant.id);
        let fields = [("name", "Shop"), ("carrier", "external"), ("strict", "true")];
        let page = visitor.submit(&place, &fields);
        assert!(page.contains("Settings saved."), "{page}");
        let held = server.home.json(&["merchant", "list"]);
        let held = held["merchants"].as_array().unwrap();
        let held = held.iter().find(|it| it["merchant"] == merchant.id.as_str()).unwrap();
        assert_eq!((&held["name"], &held["settings"]["strict"]), (&"Shop".into(), &true.into()));
        assert_eq!(held["settings"]["carrier"], "external");

        let settings = &held["settings"];
        assert_eq!(settings["refund_tolerance_cents"], 0);
        assert_eq!(settings["message_extensions"], false);

        let partly = [&fields[..], &[("return_address.city", "Portland")]].concat();
        let reply = visitor.post(&place, &partly);
        assert_eq!(reply.status, 422);
        assert!(reply.text().contains("id=\"return_address-street1-fault\""), "{}", reply.text());
        let address = ["name", "street1", "city", "state", "zip_code"]
            .map(|part| format!("return_address.{part}"));
        for country in ["USA", "U", "1a"] {
            let mut whole: Vec<(&str, &str)> = fields.to_vec();
            whole.extend(address.iter().map(|part| (part.as_str(), "x")));
            whole.push(("return_address.country_code", country));
            let reply = visitor.post(&place, &whole);
            assert_eq!(reply.status, 422, "{country}");
            let fault = "id=\"return_address-country_code-fault\"";
            assert!(reply.text().contains(fault), "{country}: {}", reply.text());
            assert_eq!(reply.text().matches("class=\"fault\"").count(), 1, "{}", reply.text());
        }

        let page = visitor.submit(&format!("{place}/disabled"), &[("disabled", "true")]);
        assert!(page.contains(">Disabled<"), "{page}");
        let trail = server.home.json(&["audit", "--merchant", &merchant.id]);
        let trail = trail["changes"].as_array().unwrap();
        assert!(trail.len() >= 3, "{trail:?}");
        assert!(trail.iter().all(|change| change["actor"] == visitor.name.as_str()), "{trail:?}");
    }
}

#[test]
fn the_tolerance_of_refunds_and_the_extensions_of_messages_are_saved() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}", merchant.id);
        let fields = |tolerance| {
            [
                ("name", "Shop"),
                ("carrier", "external"),
                ("refund_tolerance_cents", tolerance),
                ("message_extensions", "true"),
            ]
        };
        let page = visitor.submit(&place, &fields("25"));
        assert!(page.contains("Settings saved."), "{page}");
        assert!(page.contains("name=\"refund_tolerance_cents\" value=\"25\""), "{page}");
        let held = server.home.json(&["merchant", "list"]);
        let held = held["merchants"].as_array().unwrap();
        let held = held.iter().find(|it| it["merchant"] == merchant.id.as_str()).unwrap();
        assert_eq!(held["settings"]["refund_tolerance_cents"], 25);
        assert_eq!(held["settings"]["message_extensions"], true);

        for wrong in ["-1", "many", "1.5"] {
            let reply = visitor.post(&place, &fields(wrong));
            assert_eq!(reply.status, 422, "{wrong}: {}", reply.said());
            let fault = "id=\"refund_tolerance_cents-fault\"";
            assert!(reply.text().contains(fault), "{}", reply.text());
            let kept = format!("value=\"{wrong}\"");
            assert!(reply.text().contains(&kept), "the input is kept: {}", reply.text());
        }
        let page = visitor.submit(&place, &fields("")[..2]);
        assert!(page.contains("name=\"refund_tolerance_cents\" value=\"0\""), "{page}");
    }
}

#[test]
fn clients_get_secrets_that_are_shown_once() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}", merchant.id);
        let fields = [("name", "till"), ("orders:write", "yes"), ("read", "yes")];
        let reply = visitor.post_confirmed(&format!("{place}/clients"), &fields);
        let shown = read_secrets(reply.text());
        assert_eq!(shown[2], "orders:write read");
        let till = Merchant {
            id: merchant.id.clone(),
            client_id: shown[0].clone(),
            client_secret: shown[1].clone(),
        };
        server.token(&till);
        let page = visitor.page(&place);
        assert!(page.contains(&till.client_id) && !page.contains(&till.client_secret));

        let rotate = format!("/console/clients/{}/secret", till.client_id);
        let rotated = visitor.post_confirmed(&rotate, &[("revoke_old", "true")]);
        let rotated = read_secrets(rotated.text());
        assert_ne!(rotated[1], till.client_secret);
        server.token(&Merchant { client_secret: rotated[1].clone(), ..till.clone() });
        let page = visitor.submit(
            &format!("/console/clients/{}/disabled", till.client_id),
            &[("disabled", "true")],
        );
        assert!(page.contains("Its tokens were revoked"), "{page}");
        let signing = visitor.post_confirmed(&format!("{place}/signing-secret"), &[]);
        let signing = read_secrets(signing.text());
        assert!(signing[0].starts_with("whsec_"));
    }
}

#[test]
fn endpoints_are_paused_resumed_and_refused_with_reasons() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}/endpoints", merchant.id);
        let wrong = [("base_url", "http://hooks.example.com"), ("auth.type", "bearer")];
        let reply = visitor.post(&place, &wrong);
        assert_eq!(reply.status, 422, "{}", reply.said());
        assert!(reply.text().contains("id=\"base_url-fault\""), "{}", reply.text());
        let missing = "id=\"auth-token-fault\">Fill in this field.";
        assert!(reply.text().contains(missing), "{}", reply.text());
        assert!(!reply.text().contains("Bearer token <span"), "it is not optional");

        let right = [
            ("url", "https://hooks.example.com/rma"),
            ("auth.type", "bearer"),
            ("auth.token", "very secret"),
        ];
        let page = visitor.submit(&format!("{place}/rma"), &right);
        assert!(page.contains("https:&#x2F;&#x2F;hooks") || page.contains("https://hooks.example"));
        assert!(!page.contains("very secret"));
        assert!(visitor.submit(&format!("{place}/rma/pause"), &[]).contains(">Paused<"));
        assert!(!visitor.submit(&format!("{place}/rma/resume"), &[]).contains(">Paused<"));
        let page = visitor.submit(&format!("{place}/rma/forget"), &[]);
        assert!(page.contains("rma uses the base address again."), "{page}");
        assert_eq!(visitor.post(&format!("{place}/rma/explode"), &[]).status, 404);
        assert_eq!(visitor.get("/console/merchants/no-such-shop/endpoints").status, 404);
    }
}

#[test]
fn a_policy_is_edited_with_faults_and_a_preview() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}/policy", merchant.id);
        for (text, words) in [
            ("{ \"window_days\": \"many\" }", "$.window_days"),
            ("{ \"window_days\": ", "The body is not JSON"),
        ] {
            let reply = visitor.post(&place, &[("policy", text)]);
            assert_eq!(reply.status, 422, "{}", reply.said());
            assert!(reply.text().contains(words), "{}", reply.text());
        }

        let reply = visitor.post(&place, &[("policy", "{ \"window_days\": 45 }")]);
        assert_eq!(reply.status, 200, "{}", reply.said());
        assert!(reply.text().contains("$.window_days"), "{}", reply.text());
        assert!(reply.text().contains("<ins><code>45</code></ins>"), "{}", reply.text());
        assert!(visitor.page(&place).contains("Version 0"), "a preview saves nothing");

        let save = [("policy", "{ \"window_days\": 45 }"), ("save", "yes")];
        let page = visitor.submit(&place, &save);
        assert!(page.contains("Version 1 saved"), "{page}");
        let held = server.home.json(&["policy", "show", &merchant.id]);
        assert_eq!(held["policy"]["window_days"], 45);
        assert_eq!(held["set_by"], visitor.name.as_str());
        assert!(visitor.page(&format!("{place}/1")).contains("45"));
        assert_eq!(visitor.get(&format!("{place}/2")).status, 404);
    }
}

/// The check takes longer than a request may, so it runs in the background.
#[test]
fn the_check_of_endpoints_shows_its_progress_and_then_its_result() {
    for server in servers() {
        let (stage, _running) = Stage::with_receiver(server);
        let visitor = server.visitor("operator");
        let place = format!("/console/merchants/{}/certify", stage.merchant.id);
        assert!(visitor.page(&place).contains("Check the endpoints"));

        let started = visitor.post(&place, &[]);
        assert_eq!(started.header("location"), Some(place.as_str()), "{}", started.said());
        let result = eventually("the check is done", || {
            let reply = visitor.get(&place);
            let is_running = reply.text().contains("<progress");
            assert_eq!(is_running, reply.header("refresh").is_some(), "{}", reply.text());
            (!is_running).then(|| reply.text().to_owned())
        });
        assert!(result.contains("<dt>Checked</dt>"), "{result}");
        assert!(result.contains("Accept the documented sample of every kind"), "{result}");
    }
}

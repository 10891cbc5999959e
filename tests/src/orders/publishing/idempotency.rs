//! `Idempotency-Key`: the same request again gets the first answer again.

use serde_json::json;

use super::new_merchants;
use crate::harness::{
    http::Request,
    samples::{message, sample_order, taken_in},
    server::publication,
    shared,
};

const USED: &str =
    r#"409 {"message":"this Idempotency-Key was used for another request in the last 24 hours"}"#;

#[test]
fn the_same_request_gets_the_first_answer_and_another_is_refused() {
    for (server, token) in new_merchants() {
        let keyed = |target: &str, message: &str| {
            let request = publication(&token, message).target(target);
            server.send(&request.header("Idempotency-Key", "key-1")).said()
        };
        let (path, dry) = ("/returns_portal_orders", "/returns_portal_orders?dry_run=true");
        let (one, other) = (message(&[sample_order("A")]), message(&[sample_order("B")]));
        let first = taken_in(&[("A", "created")]);

        assert_eq!(keyed(path, &one), first);
        assert_eq!(keyed(path, &one), first, "not `unchanged`");
        assert_eq!(keyed(path, &other), USED);
        assert_eq!(keyed(dry, &one), USED, "another address is another request");
        assert_eq!(keyed(path, &one), first);

        assert_eq!(server.order(&token, "B").status, 404);
        assert_eq!(server.publish(&token, &one).said(), taken_in(&[("A", "unchanged")]));
    }
}

#[test]
fn a_key_belongs_to_the_client_that_used_it() {
    for (server, token) in new_merchants() {
        let other = server.token(&server.merchant("other"));
        for (token, identifier) in [(&token, "A"), (&other, "B")] {
            let request = publication(token, message(&[sample_order(identifier)]));
            let reply = server.send(&request.header("Idempotency-Key", "shared"));
            assert_eq!(reply.said(), taken_in(&[(identifier, "created")]));
        }
    }
}

#[test]
fn a_refused_request_uses_up_no_key() {
    for (server, token) in new_merchants() {
        let mut bad = sample_order("A");
        bad["status"] = json!("Lost");
        let keyed = |order| {
            let request = publication(&token, message(&[order]));
            server.send(&request.header("Idempotency-Key", "key-1"))
        };

        assert_eq!(keyed(bad).status, 422);
        assert_eq!(keyed(sample_order("A")).said(), taken_in(&[("A", "created")]));
    }
}

#[test]
fn a_key_that_nobody_could_repeat_is_refused() {
    for (server, token) in new_merchants() {
        let why = "the header Idempotency-Key must have 1 to 255 visible ASCII characters";
        let refused = format!("400 {}", json!({ "message": why }));
        let longest = "k".repeat(255);
        let too_long = "k".repeat(256);
        for (key, accepted) in
            [("", false), ("a b", false), ("clé", false), (&too_long, false), (&longest, true)]
        {
            let request = publication(&token, message(&[sample_order("A")]));
            let reply = server.send(&request.header("Idempotency-Key", key));
            assert_eq!(reply.said() == refused, !accepted, "{key}: {}", reply.said());
        }
    }
}

#[test]
fn an_operator_who_repeats_a_request_gets_the_same_secret_again() {
    for server in shared::on_every_engine() {
        let admin = server.admin_token();
        let id = server.merchant("idempotent").id;
        let post = |target: &str, body: &str, key: &str| {
            let request = Request::post(target).bearer(&admin).json(body);
            server.send(&request.header("Idempotency-Key", key))
        };
        let client = json!({ "merchant": id, "name": "till" }).to_string();
        let merchant = json!({ "merchant": format!("{id}-2"), "name": "Two" }).to_string();
        let signing = format!("/admin/merchants/{id}/rotate_signing_secret");
        for (target, body, status) in [
            ("/admin/clients", client.as_str(), 201),
            ("/admin/merchants", merchant.as_str(), 201),
            (signing.as_str(), "{}", 200),
        ] {
            let key = format!("{id}{target}");
            let first = post(target, body, &key);
            assert_eq!(first.status, status, "{}", first.said());
            assert_eq!(post(target, body, &key).said(), first.said());
        }
        let reply = post("/admin/clients", &client, &format!("{id}/admin/merchants"));
        assert_eq!(reply.said(), USED);
    }
}

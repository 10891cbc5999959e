//! Secrets are rotated, clients and merchants disabled: what goes on working, and what ends.

use serde_json::{Value, json};

use super::{credentials, json_request, read_order};
use crate::harness::{
    console::form_request,
    home::{Merchant, text},
    http::{Reply, Request},
    server::Server,
    shared,
};

/// The status of a request for a token with this secret.
fn token_status(server: &Server, merchant: &Merchant, secret: &str) -> u16 {
    let mut body = credentials(merchant);
    body["client_secret"] = json!(secret);
    server.send(&json_request(&body)).status
}

fn token_works(server: &Server, token: &str) -> bool {
    match read_order(server, &format!("Bearer {token}")).status {
        404 => true,
        401 => false,
        other => panic!("{other}"),
    }
}

/// Gives the merchant's client a new secret.
fn rotate(server: &Server, merchant: &Merchant, flags: &[&str]) -> String {
    let arguments = [&["merchant", "rotate-secret", &merchant.id], flags].concat();
    let rotated = server.home.json(&arguments);
    assert_eq!(rotated["client_id"], merchant.client_id);
    text(&rotated["client_secret"])
}

#[test]
fn two_secrets_are_live_after_a_rotation_and_the_oldest_of_three_is_not() {
    for server in shared::on_every_engine() {
        let merchant = server.merchant("rotated");
        let token = server.token(&merchant);
        let first = merchant.client_secret.clone();

        let second = rotate(server, &merchant, &[]);

        assert_eq!(token_status(server, &merchant, &first), 200);
        assert_eq!(token_status(server, &merchant, &second), 200);

        let third = rotate(server, &merchant, &[]);

        assert_eq!(token_status(server, &merchant, &first), 401);
        assert_eq!(token_status(server, &merchant, &second), 200);
        assert_eq!(token_status(server, &merchant, &third), 200);
        assert!(token_works(server, &token), "a token outlives the secret it was bought with");
    }
}

#[test]
fn revoking_the_old_secrets_ends_every_token_at_once() {
    for server in shared::on_every_engine() {
        let (merchant, other) = (server.merchant("revoked"), server.merchant("untouched"));
        let (token, others) = (server.token(&merchant), server.token(&other));
        assert!(token_works(server, &token) && token_works(server, &others));

        let secret = rotate(server, &merchant, &["--revoke-old"]);

        assert!(!token_works(server, &token));
        assert!(token_works(server, &others), "nobody else is concerned");
        assert_eq!(token_status(server, &merchant, &merchant.client_secret), 401);
        assert_eq!(token_status(server, &merchant, &secret), 200);
    }
}

#[test]
fn a_disabled_merchant_gets_no_token_and_its_tokens_are_refused_until_it_is_enabled() {
    for server in shared::on_every_engine() {
        let merchant = server.merchant("disabled");
        let token = server.token(&merchant);
        assert!(token_works(server, &token));

        server.home.json(&["merchant", "disable", &merchant.id]);

        assert!(!token_works(server, &token));
        assert_eq!(token_status(server, &merchant, &merchant.client_secret), 401);

        server.home.json(&["merchant", "enable", &merchant.id]);

        assert!(token_works(server, &token));
        assert_eq!(token_status(server, &merchant, &merchant.client_secret), 200);
    }
}

#[test]
fn a_disabled_client_is_refused_and_its_tokens_do_not_come_back() {
    for server in shared::on_every_engine() {
        let merchant = server.merchant("disabled");
        let token = server.token(&merchant);
        assert!(token_works(server, &token));

        server.home.json(&["client", "disable", &merchant.client_id]);

        assert!(!token_works(server, &token));
        assert_eq!(token_status(server, &merchant, &merchant.client_secret), 401);

        server.home.json(&["client", "enable", &merchant.client_id]);

        assert_eq!(token_status(server, &merchant, &merchant.client_secret), 200);
        assert!(!token_works(server, &token), "disabling ended it for good");
    }
}

/// Asks to revoke a token, as this client.
fn revoke(server: &Server, merchant: &Merchant, secret: &str, token: &str) -> Reply {
    let fields =
        [("token", token), ("token_type_hint", "access_token"), ("client_id", &merchant.client_id)];
    let fields = [&fields[..], &[("client_secret", secret)]].concat();
    send_unstored(server, &form_request("/oauth/revoke", &fields))
}

/// Sends a request whose response no cache may store, whatever it is.
fn send_unstored(server: &Server, request: &Request) -> Reply {
    let reply = server.send(request);
    assert_eq!(reply.header("Cache-Control"), Some("no-store"), "{}", reply.said());
    reply
}

#[test]
fn a_client_revokes_its_own_token_and_no_other() {
    for server in shared::on_every_engine() {
        let (merchant, other) = (server.merchant("revoking"), server.merchant("other"));
        let (token, kept) = (server.token(&merchant), server.token(&merchant));
        assert!(token_works(server, &token));

        assert_eq!(revoke(server, &merchant, "wrong", &token).status, 401);
        assert_eq!(revoke(server, &other, &other.client_secret, &token).status, 200);
        assert!(token_works(server, &token), "it is not the token of this client");

        let reply = revoke(server, &merchant, &merchant.client_secret, &token);
        assert_eq!((reply.status, reply.text()), (200, ""));
        assert!(!token_works(server, &token));
        assert!(token_works(server, &kept));
        for invalid in [token.as_str(), "hwt.nobody.x", "anything"] {
            let reply = revoke(server, &merchant, &merchant.client_secret, invalid);
            assert_eq!(reply.status, 200, "{invalid}: {}", reply.said());
        }

        let mut body = credentials(&merchant);
        let request = |body: &Value| Request::post("/oauth/revoke").json(body.to_string());
        let reply = send_unstored(server, &request(&body));
        assert_eq!(reply.status, 400, "{}", reply.said());
        assert_eq!(reply.json()["error"], "invalid_request");
        body["token"] = json!(kept);
        assert_eq!(server.send(&request(&body)).status, 200, "JSON is accepted, too");
        assert!(!token_works(server, &kept));
    }
}

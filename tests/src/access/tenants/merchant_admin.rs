//! The scope `merchant:admin`: a merchant's system changes the settings of its own merchant.

use serde_json::{Value, json};

use super::{neighbours, operations};
use crate::harness::{
    home::{Merchant, text},
    http::Request,
    server::Server,
    shared,
};

#[test]
fn a_merchants_settings_are_its_own() {
    for neighbours in neighbours() {
        let server = neighbours.server;
        let token = merchant_admin_token(server, &neighbours.other);
        let before = neighbours.state();
        let mut opened = 0;
        for operation in operations(server) {
            let reply = neighbours.attempt(&operation, &token);
            neighbours.assert_tells_nothing(&operation, &reply);
            let is_open = operation.scopes.iter().any(|scope| scope == "merchant:admin");
            let expected = match operation.scope {
                _ if is_open => 404,
                Some(_) => 403,
                None if operation.is_signed() => 401,
                None => 400,
            };
            assert_eq!(reply.status, expected, "{operation:?}: {}", reply.said());
            neighbours.assert_unchanged(&before, &format!("{operation:?}"));
            opened += usize::from(is_open);
        }
        assert!(opened >= 20, "{opened}");
    }
}

/// A token that changes the settings of a merchant and does nothing else.
fn merchant_admin_token(server: &Server, merchant: &Merchant) -> String {
    let add = ["client", "add", "--merchant", &merchant.id, "--name", "setup"];
    let added = server.home.json(&[&add[..], &["--scope", "merchant:admin"]].concat());
    server.token(&Merchant {
        id: merchant.id.clone(),
        client_id: text(&added["client_id"]),
        client_secret: text(&added["client_secret"]),
    })
}

#[test]
fn a_merchant_changes_its_own_settings_with_a_scope_of_its_own() {
    for server in shared::on_every_engine() {
        let merchant = server.merchant("self-service");
        let token = merchant_admin_token(server, &merchant);
        let place = format!("/admin/merchants/{}", merchant.id);
        let call = |method: &str, path: &str, body: Value| {
            let request = Request::new(method, path).bearer(&token).json(body.to_string());
            let reply = server.send(&request);
            assert!((200..300).contains(&reply.status), "{method} {path}: {}", reply.said());
            reply.json()
        };
        let base = json!({ "base_url": "https://hooks.example.com", "auth": { "type": "none" } });
        call("PUT", &format!("{place}/endpoints"), base);
        call("POST", &format!("{place}/endpoints/rma/pause"), json!({}));
        call("PUT", &format!("{place}/portal"), json!({ "accent": "#0b5cad" }));
        let signing = call("POST", &format!("{place}/rotate_signing_secret"), json!({}));
        assert!(text(&signing["signing_secret"]).starts_with("whsec_"), "{signing}");
        let client = json!({ "merchant": merchant.id, "name": "till", "scope": "read" });
        let client = text(&call("POST", "/admin/clients", client)["client_id"]);
        let rotate = format!("/admin/clients/{client}/rotate_secret");
        call("POST", &rotate, json!({ "revoke_old": true }));
        let shown = server.send(&Request::get(&place).bearer(&token)).json();
        assert_eq!(shown["merchant"], merchant.id.as_str(), "{shown}");
        let platforms = server.send(&Request::get("/admin/clients").bearer(&token));
        assert_eq!(platforms.status, 404, "{}", platforms.said());
        let disable = Request::new("PATCH", &place).bearer(&token).json(r#"{"disabled":true}"#);
        assert_eq!(server.send(&disable).status, 403, "that is up to the operators");
    }
}

//! No merchant sees or changes anything of another: every address of the API, with every method, is
//! tried with the wrong token, with none, and with one that lacks the scope.
//!
//! The addresses come from `/openapi.json`, so a new one is tried as soon as it is described. What
//! is not described there, or needs no token, is listed here: a new public address must be added.

mod console_routes;
mod merchant_admin;
mod page_routes;
mod people;

use serde_json::{Value, json};

pub(crate) use console_routes::CONSOLE;
pub(crate) use page_routes::{DEMO, PORTAL, PUBLIC_BY_NAME, PUBLIC_UNDESCRIBED};

use crate::harness::{
    home::{Merchant, text},
    http::{Reply, Request},
    samples::{message, sample_order},
    server::Server,
    shared,
};

/// What needs no token.
const PUBLIC: [(&str, &str); 2] = [("POST", "/oauth/token"), ("POST", "/oauth/revoke")];

/// What needs a signature in place of a token.
const SIGNED: [(&str, &str); 1] = [("POST", "/carriers/easypost/{merchant}/webhooks")];

/// What systems of the platform may do for every merchant, because that is what they are for.
const PLATFORM: [&str; 2] = ["carrier:write", "warehouse:write"];

/// An operation of the API with the scope it asks for.
#[derive(Debug)]
struct Operation {
    method: String,
    path: String,
    scope: Option<String>,
    /// All scopes of which one is enough.
    scopes: Vec<String>,
    /// The names of its parameters.
    parameters: Vec<String>,
}

impl Operation {
    fn is_signed(&self) -> bool {
        SIGNED.contains(&(self.method.as_str(), self.path.as_str()))
    }
}

fn operations(server: &Server) -> Vec<Operation> {
    let document = server.send(&Request::get("/openapi.json")).json();
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let choices = operation["security"].as_array().into_iter().flatten();
            let scopes = choices.filter_map(|it| it["token"][0].as_str().map(str::to_owned));
            let scopes: Vec<String> = scopes.collect();
            let scope = scopes.first().cloned();
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let parameters = parameters.map(|parameter| text(&parameter["name"])).collect();
            let (method, path) = (method.to_uppercase(), path.clone());
            all.push(Operation { method, path, scope, scopes, parameters });
        }
    }
    assert!(all.len() >= 14, "{all:?}");
    all
}

/// A merchant that has something to lose, and its neighbour.
struct Neighbours {
    server: &'static Server,
    victim: Merchant,
    victims_token: String,
    /// A message of the victim's that waits to be sent.
    message_id: String,
    /// A return of the victim's that waits for its label.
    rma: String,
    other: Merchant,
}

impl Neighbours {
    /// The path with the values of the victim in it. A parameter that is not known here is a
    /// failure, so that a new one gets a real value.
    fn aimed(&self, path: &str) -> String {
        let job = if path.contains("/failures/retry/") { "6p1cy4mmxq" } else { &self.message_id };
        let aimed = path
            .replace("{identifier}", "secret-order")
            .replace("{asn_number}", "secret-asn")
            .replace("{client_identifier}", "secret-drop-ship")
            .replace("{unit_identifier}", "secret-unit")
            .replace("{unit}", "secret-unit")
            .replace("{line}", "secret-line")
            .replace("{merchant}", &self.victim.id)
            .replace("{client_id}", &self.victim.client_id)
            .replace("{kind}", "rma")
            .replace("{operator}", "nobody")
            .replace("{rma}", &self.rma)
            .replace("{refund}", "RF-1")
            .replace("{sha256}", &"0".repeat(64))
            .replace("{id}", job);
        assert!(!aimed.contains('{'), "which value is the parameter in {path}?");
        aimed
    }

    /// Tries to do something that is not allowed. Fields that the operation does not know are left
    /// out, so that it is not refused for them.
    fn attempt(&self, operation: &Operation, token: &str) -> Reply {
        let mut body = self.everything();
        let reply = self.server.send(&self.attack_with(operation, &body).bearer(token));
        if reply.status != 422 || !reply.said().contains("is not a known field") {
            return reply;
        }
        for error in reply.json()["errors"].as_array().unwrap() {
            let field = text(&error["field"]);
            body.as_object_mut().unwrap().remove(field.trim_start_matches("$."));
        }
        self.server.send(&self.attack_with(operation, &body).bearer(token))
    }

    /// A request that would do something if it were allowed to.
    fn attack(&self, operation: &Operation) -> Request {
        self.attack_with(operation, &self.everything())
    }

    /// The same, with `otherwise` as the body where no other is known.
    fn attack_with(&self, operation: &Operation, otherwise: &Value) -> Request {
        let mut target = self.aimed(&operation.path);
        if operation.parameters.iter().any(|name| name == "merchant")
            && !target.contains(&self.victim.id)
        {
            target = format!("{target}?merchant={}", self.victim.id);
        }
        let mut theirs = sample_order("secret-order");
        theirs["note"] = json!("changed by somebody else");
        theirs["updated_at"] = json!("2027-01-01T00:00:00Z");
        let (kind, body) = match operation.path.as_str() {
            "/admin/merchants/{merchant}/orders/import" => {
                ("application/x-ndjson", theirs.to_string())
            }
            "/returns_portal_orders" => ("application/json", message(&[theirs])),
            "/returns" | "/returns/quote" => ("application/json", wanted().to_string()),
            "/returns/{rma}/labels" => ("application/json", r#"{"reason":"lost"}"#.to_owned()),
            "/carrier_events" => {
                let event = json!({ "type": "in_transit", "rma_identifier": self.rma });
                ("application/json", json!({ "events": [event] }).to_string())
            }
            "/receipts" => {
                let receipt =
                    json!({ "rma_identifier": self.rma, "line_identifier": "1", "condition": "X" });
                ("application/json", json!({ "receipts": [receipt] }).to_string())
            }
            _ => ("application/json", otherwise.to_string()),
        };
        Request::new(&operation.method, &target)
            .header("Content-Type", kind)
            .header("Api-Version", "3")
            .body(body)
    }

    /// A body that every operator's address would understand.
    fn everything(&self) -> Value {
        json!({
            "merchant": self.victim.id, "name": "changed", "strict": true, "disabled": true,
            "revoke_old": true, "scope": "read", "base_url": "https://else.example.com",
            "url": "https://else.example.com", "auth": { "type": "none" }, "reason": "malice",
            "operator": "mallory", "role": "operator", "password": "let me in, please",
        })
    }

    /// Everything that can be seen of the victim, byte for byte.
    fn state(&self) -> Vec<String> {
        let admin = self.server.admin_token();
        let seen = |target: &str, token: &str| {
            let reply = self.server.send(&Request::get(target).bearer(token));
            assert_eq!(reply.status, 200, "{target}: {}", reply.said());
            reply.said()
        };
        let id = &self.victim.id;
        let endpoints = format!("/admin/merchants/{id}/endpoints");
        let endpoints = self.server.send(&Request::get(&endpoints).bearer(&admin)).json();
        let mut endpoints = endpoints["endpoints"].as_array().unwrap().clone();
        for endpoint in &mut endpoints {
            // How a sender fares at this moment is nobody's doing.
            endpoint.as_object_mut().unwrap().shift_remove("state");
        }
        let mut returnability: Value = serde_json::from_str(
            &seen("/orders/secret-order/returnability", &self.victims_token)["200 ".len()..],
        )
        .unwrap();
        returnability.as_object_mut().unwrap().shift_remove("at");
        vec![
            returnability.to_string(),
            seen(&format!("/returns/{}", self.rma), &self.victims_token),
            seen(&format!("/admin/merchants/{id}/policy"), &admin),
            seen("/orders/secret-order", &self.victims_token),
            seen("/messages", &self.victims_token),
            seen(&format!("/messages/{}", self.message_id), &self.victims_token),
            seen(&format!("/admin/merchants/{id}"), &admin),
            seen(&format!("/admin/clients?merchant={id}"), &admin),
            seen(&format!("/admin/audit?merchant={id}"), &admin),
            json!(endpoints).to_string(),
        ]
    }

    fn assert_unchanged(&self, before: &[String], by: &str) {
        for (after, before) in self.state().iter().zip(before) {
            assert_eq!(after, before, "changed by {by}");
        }
    }

    fn assert_tells_nothing(&self, operation: &Operation, reply: &Reply) {
        let said = reply.said();
        for secret in [&self.victim.id, &self.victim.client_id, &self.rma, "kept to ourselves"] {
            assert!(!said.contains(secret), "{operation:?}: {said}");
        }
    }
}

fn neighbours() -> impl Iterator<Item = Neighbours> {
    shared::on_every_engine().map(|server| {
        let (victim, other) = (server.merchant("victim"), server.merchant("other"));
        let victims_token = server.token(&victim);
        let mut order = sample_order("secret-order");
        order["note"] = json!("kept to ourselves");
        order["items"][0]["quantity"] = json!(2);
        order["items"][0]["quantity_shipped"] = json!(2);
        order["items"][0]["return_policy_end_date"] = json!("2126-04-30");
        assert_eq!(server.publish(&victims_token, &message(&[order])).status, 200);
        let message_id = waiting_message(server, &victim);
        // A label that nobody makes: the return changes only when somebody reaches it.
        server.home.json(&["merchant", "set", &victim.id, "--carrier", "external"]);
        let start = Request::post("/returns").bearer(&victims_token).json(wanted().to_string());
        let started = server.send(&start);
        assert_eq!(started.status, 201, "{}", started.said());
        let rma = text(&started.json()["rma_identifier"]);
        Neighbours { server, victim, victims_token, message_id, rma, other }
    })
}

/// A return of a unit of the victim's order.
fn wanted() -> Value {
    json!({
        "email": "lena.brandt@example.com", "return_method": "mail-back",
        "items": [{
            "order_identifier": "secret-order", "order_line_item_identifier": "1",
            "quantity": 1, "return_reason": "too_small", "resolution": "refund",
        }],
    })
}

/// A message that waits at an endpoint which is paused.
fn waiting_message(server: &Server, merchant: &Merchant) -> String {
    let admin = server.admin_token();
    let endpoints = format!("/admin/merchants/{}/endpoints", merchant.id);
    let ask = |method: &str, target: &str, body: &str| {
        let reply = server.send(&Request::new(method, target).bearer(&admin).json(body));
        assert!((200..300).contains(&reply.status), "{target}: {}", reply.said());
        reply.json()
    };
    let base = json!({ "base_url": "https://hooks.example.com", "auth": { "type": "none" } });
    ask("PUT", &endpoints, &base.to_string());
    ask("POST", &format!("{endpoints}/rma/pause"), "");
    text(&ask("POST", &format!("{endpoints}/rma/test"), "")["id"])
}

#[test]
fn a_merchants_token_reaches_nothing_of_another() {
    for neighbours in neighbours() {
        let server = neighbours.server;
        let token = server.token(&neighbours.other);
        let before = neighbours.state();
        for operation in operations(server) {
            let reply = neighbours.attempt(&operation, &token);
            neighbours.assert_tells_nothing(&operation, &reply);
            match operation.scope.as_deref() {
                None => {
                    let expected = if operation.is_signed() { 401 } else { 400 };
                    assert_eq!(reply.status, expected, "{operation:?}: {}", reply.said());
                }
                Some("admin" | "carrier:write" | "warehouse:write") => {
                    assert_eq!(reply.status, 403, "{operation:?}: {}", reply.said());
                }
                // Its own orders and lists, or nothing.
                Some(_) => {
                    let own = operation.path == "/returns_portal_orders"
                        || operation.path.starts_with("/orders/{identifier}")
                        || !operation.path.contains('{');
                    let expected: &[u16] = match operation.path.as_str() {
                        // Its query must name a day.
                        "/reconciliation/digest" => &[400],
                        _ if operation.method == "GET" && own => &[200, 404],
                        _ if operation.method == "GET" => &[404],
                        // Orders that it does not have or did not ship; or the body is another.
                        "/returns" | "/returns/quote" | "/asns" | "/asns/{asn_number}"
                        | "/drop_ship_orders" | "/messages/replay" | "/reconciliation" => &[422],
                        _ if own => &[200, 404],
                        _ => &[404],
                    };
                    assert!(expected.contains(&reply.status), "{operation:?}: {}", reply.said());
                }
            }
            neighbours.assert_unchanged(&before, &format!("{operation:?}"));
        }
    }
}

#[test]
fn an_order_of_another_merchant_is_not_found_rather_than_forbidden() {
    for Neighbours { server, victim, other, .. } in neighbours() {
        let reply = server.order(&server.token(&other), "secret-order");
        assert_eq!(reply.said(), r#"404 {"message":"order not found"}"#);
        let forged = server.token(&other).replace(&other.id, &victim.id);
        assert_eq!(server.order(&forged, "secret-order").status, 401);
    }
}

#[test]
fn without_a_token_nothing_is_answered_but_what_is_public() {
    for neighbours in neighbours() {
        let server = neighbours.server;
        let before = neighbours.state();
        for operation in operations(server) {
            let public = PUBLIC.contains(&(operation.method.as_str(), operation.path.as_str()));
            let needs_none = public || operation.is_signed();
            assert_eq!(operation.scope.is_none(), needs_none, "{operation:?}");
            let expected = if public { 400 } else { 401 };
            let attack = neighbours.attack(&operation);
            let reply = server.send(&attack);
            assert_eq!(reply.status, expected, "{operation:?}: {}", reply.said());
            let invented = server.send(&attack.bearer("hwt.platform.invented"));
            assert!([expected, 401].contains(&invented.status), "{operation:?}");
        }
        neighbours.assert_unchanged(&before, "one of them");
    }
}

#[test]
fn a_token_without_the_scope_is_forbidden_everything_that_asks_for_it() {
    for neighbours in neighbours() {
        let server = neighbours.server;
        let before = neighbours.state();
        for operation in operations(server) {
            let Some(scope) = &operation.scope else { continue };
            let lesser = if scope == "read" { "orders:write" } else { "read" };
            let token = server.narrow_token(&neighbours.victim, lesser);
            let reply = server.send(&neighbours.attack(&operation).bearer(&token));
            let expected = json!({ "message": format!("the token lacks the scope {scope}") });
            assert_eq!(reply.said(), format!("403 {expected}"), "{operation:?}");
        }
        neighbours.assert_unchanged(&before, "one of them");
    }
}

#[test]
fn systems_of_the_platform_act_for_no_merchant() {
    for neighbours in neighbours() {
        let server = neighbours.server;
        let before = neighbours.state();
        let admin = server.admin_token();
        let add = ["client", "add", "--name", "gateway", "--scope", "carrier:write"];
        let added = server.home.json(&add);
        let carrier = server.token(&Merchant {
            id: "platform".to_owned(),
            client_id: text(&added["client_id"]),
            client_secret: text(&added["client_secret"]),
        });
        for operation in operations(server) {
            let Some(scope) = &operation.scope else { continue };
            let attack = neighbours.attack(&operation);
            if !operation.scopes.iter().any(|scope| scope == "carrier:write") {
                let reply = server.send(&attack.clone().bearer(&carrier));
                assert_eq!(reply.status, 403, "{operation:?}: {}", reply.said());
            }
            let of_platform = |scope: &String| PLATFORM.contains(&scope.as_str());
            if scope != "admin" && !operation.scopes.iter().any(of_platform) {
                let reply = server.send(&attack.bearer(&admin));
                assert_eq!(reply.status, 403, "{operation:?}: {}", reply.said());
            }
        }
        neighbours.assert_unchanged(&before, "one of them");
    }
}

#[test]
fn what_is_public_and_not_described_is_known() {
    let server = shared::server();
    for target in PUBLIC_UNDESCRIBED {
        assert_eq!(server.send(&Request::get(target)).status, 200, "{target}");
    }
}

//! Requests that no client should send. Each is refused with a status and a body that say why, on
//! both engines, and the server goes on.

mod transport;

use serde_json::{Value, json};

use crate::harness::{
    http::{Reply, Request},
    samples::{message, sample_order},
    server::{Server, publication},
    shared,
    stage::Stage,
};

/// A server, and the token of a merchant of its own.
fn merchants() -> impl Iterator<Item = (&'static Server, String)> {
    shared::on_every_engine().map(|server| (server, server.token(&server.merchant("bad"))))
}

fn said(status: u16, why: &str) -> String {
    format!("{status} {}", json!({ "message": why }))
}

/// The answer to bytes that are no JSON, in which this stands at the only line.
fn not_json(column: usize, why: &str) -> String {
    said(400, &format!("the body is not JSON: line 1, column {column}: {why}"))
}

/// Publishes one order in which `from` stands as `to`.
fn with_text(server: &Server, token: &str, from: &str, to: &str) -> Reply {
    let good = message(&[sample_order("A")]);
    assert!(good.contains(from), "{from}");
    server.publish(token, &good.replacen(from, to, 1))
}

#[test]
fn bytes_that_are_no_json_are_refused_with_the_place() {
    for (server, token) in merchants() {
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        let cases: [(&[u8], String); 8] = [
            (b"", not_json(1, "the document ends where a value is expected")),
            (b"   ", not_json(4, "the document ends where a value is expected")),
            (b"no", not_json(1, "expected a value")),
            (b"{\"a\":1}}", not_json(8, "unexpected data after the end of the document")),
            (b"{\"a\":1,\"a\":2}", not_json(8, "duplicate key \"a\" in one object")),
            (b"{\"a\":\"\\ud83d\"}", not_json(7, "unpaired surrogate")),
            (b"{\"a\":\"\xff\"}", not_json(7, "the bytes are not UTF-8")),
            (deep.as_bytes(), not_json(65, "nested deeper than 64 levels")),
        ];
        for (body, expected) in cases {
            assert_eq!(server.send(&publication(&token, body)).said(), expected);
        }
    }
}

#[test]
fn a_document_of_too_many_values_is_refused() {
    for (server, token) in merchants() {
        let many = format!("[{}0]", "0,".repeat(1_000_000));

        let reply = server.publish(&token, &many);

        let why = "the document has more than 1000000 values";
        assert_eq!(reply.said(), not_json(2_000_000, why));
    }
}

#[test]
fn other_content_types_are_refused() {
    for (server, token) in merchants() {
        let request = publication(&token, message(&[sample_order("A")]));
        let expected = said(415, "the Content-Type must be application/json");
        for kind in ["text/json", "application/x-ndjson", "application/json;charset=utf-16", ""] {
            let reply = server.send(&request.clone().with("Content-Type", kind));
            assert_eq!(reply.said(), expected, "{kind}");
        }
        assert_eq!(server.send(&request.without("Content-Type")).said(), expected);
        assert_eq!(server.order(&token, "A").status, 404);
    }
}

#[test]
fn documents_of_another_shape_are_refused_whole() {
    for (server, token) in merchants() {
        let cases = [
            ("null", "$", "missing_field", "is missing"),
            ("[]", "$", "invalid_type", "must be an object"),
            ("{}", "$.returns_portal_order", "missing_field", "is missing"),
            (
                r#"{"returns_portal_order":{"orders":{}}}"#,
                "$.returns_portal_order.orders",
                "invalid_type",
                "must be a list",
            ),
            (
                r#"{"returns_portal_order":{"orders":[null]}}"#,
                "$.returns_portal_order.orders[0]",
                "missing_field",
                "is missing",
            ),
        ];
        for (body, field, code, reason) in cases {
            let expected = json!({
                "message": format!("1 field is invalid: {field} {reason}"),
                "errors": [{ "field": field, "code": code }],
            });
            assert_eq!(server.publish(&token, body).said(), format!("422 {expected}"), "{body}");
        }
    }
}

#[test]
fn a_thousand_orders_are_accepted_and_one_more_is_refused() {
    for (server, token) in merchants() {
        let mut orders: Vec<Value> =
            (0..1_000).map(|it| sample_order(&format!("many-{it}"))).collect();
        let reply = server.publish(&token, &message(&orders));
        assert_eq!(reply.status, 200, "{}", reply.said());
        assert_eq!(reply.json()["orders"].as_array().unwrap().len(), 1_000);

        orders.push(sample_order("one-too-many"));
        let reply = server.publish(&token, &message(&orders));

        let field = "$.returns_portal_order.orders";
        let expected = json!({
            "message": format!("1 field is invalid: {field} must have at most 1000 elements"),
            "errors": [{ "field": field, "code": "invalid" }],
        });
        assert_eq!(reply.said(), format!("422 {expected}"));
        assert_eq!(server.order(&token, "one-too-many").status, 404);
    }
}

#[test]
fn values_that_no_store_can_keep_are_refused() {
    for (server, token) in merchants() {
        let (amount, identifier) = (r#""total_amount_cents":0"#, r#""identifier":"A""#);
        let at = "$.returns_portal_order.orders[0]";
        let total = format!("{at}.total_amount_cents");
        let cents = "must be between 0 and 10000000000000";
        let cases = [
            (amount, r#""total_amount_cents":9223372036854775808"#, total.clone(), cents),
            (amount, r#""total_amount_cents":1e999"#, total.clone(), cents),
            (amount, r#""total_amount_cents":-1"#, total, cents),
        ];
        for (from, to, field, reason) in cases {
            let expected = json!({
                "message": format!("1 field is invalid: {field} {reason}"),
                "errors": [{ "field": field, "code": "invalid" }],
            });
            let reply = with_text(server, &token, from, to);
            assert_eq!(reply.said(), format!("422 {expected}"), "{to}");
        }
        let reply = with_text(server, &token, identifier, r#""identifier":"A\u0000""#);
        let field = format!("{at}.identifier");
        assert_eq!(reply.status, 422);
        assert_eq!(reply.json()["errors"], json!([{ "field": field, "code": "invalid" }]));
    }
}

#[test]
fn a_null_character_in_a_field_nobody_knows_is_kept() {
    for (server, token) in merchants() {
        let known = r#""identifier":"A","#;
        let reply = with_text(server, &token, known, &format!(r#"{known}"x":"a\u0000b","#));

        assert_eq!(reply.status, 200, "{}", reply.said());
        assert_eq!(server.order(&token, "A").json()["x"], "a\0b");
    }
}

#[test]
fn of_a_hundred_thousand_errors_the_first_thousand_are_listed() {
    for (server, token) in merchants() {
        // Each order lacks twenty fields.
        let orders = vec![json!({}); 1_000];
        let one = server.publish(&token, &message(&[json!({})]));
        let each = one.json()["errors"].as_array().unwrap().len();
        let tags = vec![json!(1); 100_000 - 999 * each - (each - 1)];
        let mut message: Value = serde_json::from_str(&message(&orders)).unwrap();
        message["returns_portal_order"]["orders"][999]["tags"] = json!(tags);

        let reply = server.publish(&token, &message.to_string());

        assert_eq!(reply.status, 422);
        let body = reply.json();
        assert_eq!(body["errors"].as_array().unwrap().len(), 1_000);
        let first = &body["errors"][0];
        let field = "$.returns_portal_order.orders[0].identifier";
        assert_eq!(*first, json!({ "field": field, "code": "missing_field" }));
        let said = body["message"].as_str().unwrap();
        let begins = "100000 fields are invalid (the first 1000 are listed): ";
        assert!(said.starts_with(begins), "{said}");
        assert!(said.ends_with("; and 99995 more"), "{said}");
        assert!(reply.body.len() < 200_000, "{}", reply.body.len());
    }
}

#[test]
fn queries_that_cannot_be_read_are_refused() {
    for (server, token) in merchants() {
        let admin = server.admin_token();
        let good = publication(&token, message(&[sample_order("A")]));
        let choice = "dry_run must be true or false";
        for (query, why) in [
            ("dry_run=maybe", choice),
            ("dry_run=1", choice),
            ("dry_run=", choice),
            ("dry_run=true&dry_run=false", "dry_run appears twice"),
            ("dry_run=%ff", "the query of the address is not UTF-8"),
        ] {
            let reply =
                server.send(&good.clone().target(&format!("/returns_portal_orders?{query}")));
            assert_eq!(reply.said(), said(400, why), "{query}");
        }
        let (count, time) =
            ("a whole number that is not negative", "a time such as 2026-02-23T07:41:12Z");
        for (target, why) in [
            ("/admin/merchants?limit=many", format!("limit must be {count}")),
            ("/admin/audit?limit=-1", format!("limit must be {count}")),
            ("/admin/messages", "merchant is missing".to_owned()),
            ("/admin/reports/deliveries?from=yesterday", format!("from must be {time}")),
            ("/admin/refunds?state=lost", "state must be one of unmatched, ".to_owned()),
        ] {
            let reply = server.send(&Request::get(target).bearer(&admin));
            assert_eq!(reply.status, 400, "{target}: {}", reply.said());
            assert_message_only(&reply);
            assert!(reply.said().contains(&why), "{target}: {}", reply.said());
        }
        assert_eq!(server.order(&token, "A").status, 404);
    }
}

/// The body of every refusal that is not about fields.
fn assert_message_only(reply: &Reply) {
    assert_eq!(reply.header("Content-Type"), Some("application/json"), "{}", reply.said());
    let body = reply.json();
    let keys: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["message"], "{}", reply.said());
    assert!(!body["message"].as_str().unwrap().is_empty());
}

#[test]
fn addresses_that_name_nothing_are_refused_and_never_fail() {
    for (server, token) in merchants() {
        let targets =
            ["/orders/%00", "/orders/a%00b", "/orders/%EF%BF%BD", "/orders/%7F", "/orders/%20"];
        for target in targets {
            let reply = server.send(&Request::get(target).bearer(&token));
            assert_eq!(reply.said(), said(404, "order not found"), "{target}");
        }
        let long = format!("/orders/{}", "x".repeat(8_000));
        let reply = server.send(&Request::get(&long).bearer(&token));
        assert_eq!(reply.said(), said(404, "order not found"));
        let admin = server.admin_token();
        for target in ["/admin/merchants?after=%00", "/admin/audit?before=1__%00"] {
            let reply = server.send(&Request::get(target).bearer(&admin));
            assert!(reply.status < 500, "{target}: {}", reply.said());
        }
    }
}

#[test]
fn an_address_that_is_no_text_is_refused_in_json() {
    for (server, token) in merchants() {
        let reply = server.send(&Request::get("/orders/%FF").bearer(&token));
        assert_eq!(reply.said(), said(400, "identifier in the address is not UTF-8"));
        assert_eq!(server.send(&Request::get("/assets/%FF")).status, 404);
    }
}

/// A client that continued from a wrong position would read the list from its start again and
/// again.
#[test]
fn positions_that_cannot_be_read_are_refused_by_every_list() {
    for (server, token) in merchants() {
        let admin = server.admin_token();
        let lists = [
            (&token, "/refund_problems", "after"),
            (&token, "/money/entries", "after"),
            (&token, "/orders", "after"),
            (&token, "/returns", "after"),
            (&token, "/exchange_orders", "before"),
            (&token, "/withdrawals", "before"),
            (&admin, "/admin/exceptions", "after"),
            (&admin, "/admin/refunds?state=unmatched", "after"),
            (&admin, "/admin/failures", "after"),
            (&admin, "/admin/audit", "before"),
        ];
        for (token, list, name) in lists {
            let get = |value: &str| {
                let mark = if list.contains('?') { '&' } else { '?' };
                server.send(&Request::get(&format!("{list}{mark}{name}={value}")).bearer(token))
            };
            let why =
                format!("{name} is not a position in this list: send `next` of the page before");
            assert_eq!(get("nonsense").said(), said(400, &why), "{list}");
            assert_eq!(get("").status, 200, "{list} starts at the beginning");
        }
        let body = json!({ "email": "dana@example.com", "after": "nonsense" });
        let export = Request::post("/admin/shoppers/export").bearer(&admin);
        let why = "after is not a position in this list: send `next` of the page before";
        assert_eq!(server.send(&export.json(body.to_string())).said(), said(400, why));
    }
}

/// A misspelled `auth` would remove the credential, and a misspelled setting would stay as it is.
#[test]
fn a_misspelled_setting_is_refused_and_named() {
    for server in shared::on_every_engine() {
        let (stage, admin) = (Stage::set(server), server.admin_token());
        let put = |method: &str, rest: &str, body: &Value| {
            let target = format!("/admin/merchants/{}{rest}", stage.merchant.id);
            let request = Request::new(method, &target).bearer(&admin).json(body.to_string());
            let reply = server.send(&request);
            (reply.status, reply.json()["errors"][0]["field"].clone())
        };
        let url = "https://merchant.example";
        let auth = json!({ "type": "bearer", "token": "t" });
        let base = json!({ "base_url": url, "authentication": auth });
        assert_eq!(put("PUT", "/endpoints", &base), (422, json!("$.authentication")));
        let one = json!({ "url": url, "authentication": auth });
        assert_eq!(put("PUT", "/endpoints/rma", &one), (422, json!("$.authentication")));
        let scoped = json!({ "type": "bearer", "token": "t", "scope": "a" });
        let base = json!({ "base_url": url, "auth": scoped });
        assert_eq!(put("PUT", "/endpoints", &base), (422, json!("$.auth.scope")));
        let base = json!({ "base_url": url, "auth": auth });
        assert_eq!(put("PUT", "/endpoints", &base).0, 200);
        assert_eq!(put("PATCH", "", &json!({ "strickt": true })), (422, json!("$.strickt")));
        assert_eq!(put("PATCH", "", &json!({ "strict": true })).0, 200);
        let added = json!({ "merchant": "x", "name": "X", "strickt": true });
        let added = Request::post("/admin/merchants").bearer(&admin).json(added.to_string());
        assert_eq!(server.send(&added).status, 422);
    }
}

#[test]
fn an_operators_body_is_told_everything_wrong_with_it() {
    for server in shared::on_every_engine() {
        let admin = server.admin_token();
        let post = |method: &str, target: &str, body: &str| {
            server.send(&Request::new(method, target).bearer(&admin).json(body)).said()
        };
        let expected = json!({
            "message": "2 fields are invalid: $.merchant a merchant's name must consist \
                        of the letters a to z, digits, and hyphens; $.name is missing",
            "errors": [
                { "field": "$.merchant", "code": "invalid" },
                { "field": "$.name", "code": "missing_field" },
            ],
        });
        let refused = post("POST", "/admin/merchants", r#"{"merchant":"Acme"}"#);
        assert_eq!(refused, format!("422 {expected}"));
        let absent = said(404, "merchant not found");
        assert_eq!(post("PATCH", "/admin/merchants/nobody", "{}"), absent);
        assert_eq!(post("PATCH", "/admin/merchants/No%20body", "{}"), absent);
        let absent = said(404, "client not found");
        let client = "/admin/clients/nobody.x/rotate_secret";
        assert_eq!(post("POST", client, r#"{"revoke_old":false}"#), absent);
        assert_eq!(post("PATCH", "/admin/clients/%00", r#"{"disabled":true}"#), absent);
        let missing = json!({
            "message": "1 field is invalid: $.disabled is missing",
            "errors": [{ "field": "$.disabled", "code": "missing_field" }],
        });
        let client = "/admin/clients/nobody.x";
        assert_eq!(post("PATCH", client, "{}"), format!("422 {missing}"));
    }
}

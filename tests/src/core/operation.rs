//! What operators' tools see over HTTP: pages, the status, the description, and nothing secret.

use serde_json::{Value, json};

use crate::harness::{
    home::{Home, text},
    http::{Reply, Request},
    samples::{message, sample_order},
    server::Server,
    shared,
};

fn admin_get(server: &Server, target: &str) -> Reply {
    let reply = server.send(&Request::get(target).bearer(&server.admin_token()));
    assert_eq!(reply.status, 200, "{target}: {}", reply.said());
    reply
}

/// All elements of a list that is read page by page.
fn paged(server: &Server, list: &str, key: &str) -> Vec<Value> {
    let parameter = if key == "merchants" { "after" } else { "before" };
    let mut all = Vec::new();
    let mut target = format!("{list}?limit=2");
    loop {
        let page = admin_get(server, &target).json();
        let elements = page[key].as_array().unwrap();
        assert!(elements.len() <= 2);
        all.extend(elements.clone());
        let Some(next) = page.get("next") else { return all };
        target = format!("{list}?limit=2&{parameter}={}", text(next));
    }
}

#[test]
fn long_lists_are_read_page_by_page() {
    let server = Home::new().serve(&[]);
    for number in 0..5 {
        server.home.add_merchant(&format!("m{number}"));
    }
    let merchants = paged(&server, "/admin/merchants", "merchants");
    let ids: Vec<_> = merchants.iter().map(|it| text(&it["merchant"])).collect();
    assert_eq!(ids, ["m0", "m1", "m2", "m3", "m4"]);
    let changes = paged(&server, "/admin/audit", "changes");
    let whole = admin_get(&server, "/admin/audit").json();
    assert_eq!(json!(changes), whole["changes"]);
    assert_eq!(changes.len(), 6, "five merchants and the admin");
}

#[test]
fn the_status_says_what_runs() {
    for server in shared::on_every_engine() {
        let status = admin_get(server, "/admin/status").json();
        assert_eq!(status["store"], server.home.engine());
        assert_eq!(status["environment"], "sandbox");
        assert_eq!(status["rate_limit_per_minute"], 1_000_000);
    }
}

/// What state-changing addresses take: `Idempotency-Key`, as every one of them must.
#[test]
fn every_address_that_changes_something_takes_an_idempotency_key() {
    let document = shared::server().send(&Request::get("/openapi.json")).json();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let takes = operation["parameters"]
                .as_array()
                .is_some_and(|all| all.iter().any(|it| it["name"] == "Idempotency-Key"));
            // Each request for a token gets one of its own, and a token can be revoked twice.
            // Carriers send webhooks in a form of their own, and repeated ones change nothing.
            let other = path.starts_with("/oauth/") || path.ends_with("/webhooks");
            let asks = [
                "/reconciliation",
                "/shoppers/export",
                "/withdrawals/check",
                "/links",
                "/signature",
            ];
            let only_asks = asks.iter().any(|end| path.ends_with(end));
            let changes = method != "get" && !other && !only_asks;
            assert_eq!(takes, changes, "{method} {path}");
        }
    }
}

#[test]
fn a_chunk_of_history_that_comes_again_under_its_key_gets_the_first_answer() {
    for server in shared::on_every_engine() {
        let (admin, merchant) = (server.admin_token(), server.merchant("history"));
        let target = format!("/admin/merchants/{}/orders/import", merchant.id);
        let import = |lines: &str| {
            let request = Request::post(&target).bearer(&admin).body(lines);
            let request = request.header("Content-Type", "application/x-ndjson");
            server.send(&request.header("Idempotency-Key", &merchant.id))
        };
        let first = import(&sample_order("A").to_string());
        assert_eq!(first.json()["created"], 1, "{}", first.said());
        assert_eq!(import(&sample_order("A").to_string()).said(), first.said());
        assert_eq!(import(&sample_order("B").to_string()).status, 409);
    }
}

#[test]
fn no_secret_lies_readable_in_the_data_directory() {
    let mut server = Home::sqlite().serve(&[]);
    let added = server.home.json(&["merchant", "add", "acme", "--name", "Acme"]);
    let merchant = crate::harness::home::Merchant {
        id: "acme".to_owned(),
        client_id: text(&added["client_id"]),
        client_secret: text(&added["client_secret"]),
    };
    let token = server.token(&merchant);
    let request = Request::post("/admin/clients").bearer(&server.admin_token());
    let request = request.json(r#"{"merchant":"acme","name":"kept answer"}"#);
    let client = server.send(&request.header("Idempotency-Key", "k")).json();
    let secrets = [
        merchant.client_secret.clone(),
        text(&added["signing_secret"]),
        text(&client["client_secret"]),
        token.clone(),
    ];
    assert_eq!(server.publish(&token, &message(&[sample_order("in-the-clear")])).status, 200);
    let found = |needle: &str| {
        let files = std::fs::read_dir(server.home.data_dir()).unwrap();
        let names = files.map(|entry| entry.unwrap().path());
        let holds = |path: &std::path::PathBuf| {
            let bytes = std::fs::read(path).unwrap();
            bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
        };
        names.filter(holds).map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!found("in-the-clear").is_empty(), "orders can be found this way");
    for secret in &secrets {
        assert_eq!(found(secret), Vec::<std::ffi::OsString>::new());
    }
    let log = server.log();
    assert!(secrets.iter().all(|secret| !log.contains(secret)), "{log}");
    server.stop();
}

#[test]
fn the_log_tells_nothing_of_shoppers() {
    let server = Home::new().serve(&["--log-level", "trace"]);
    let token = server.token(&server.merchant("quiet"));
    server.publish(&token, &message(&[sample_order("A")]));
    server.publish(&token, "{\"email\":\"lena.brandt@example.com\"}");

    let log = server.log();

    for personal in ["lena.brandt", "Lindenweg", "hws_"] {
        assert!(!log.contains(personal), "{personal}: {log}");
    }
}

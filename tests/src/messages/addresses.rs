//! Where messages may go: a merchant's address is input.

use serde_json::{Value, json};

use crate::harness::stage::{Stage, list_calls, receiver, servers, statuses};
use crate::harness::{home::Home, server::Server};

fn set(stage: &Stage<'_>, url: &str) -> (u16, Value) {
    let reply = stage.try_to_point_to(url, &json!({ "type": "none" }));
    (reply.status, reply.json())
}

fn is_refused(server: &Server, url: &str) {
    let (status, reply) = set(&Stage::set(server), url);
    assert_eq!(status, 422, "{url}: {reply}");
    assert_eq!(reply["errors"], json!([{ "field": "$.base_url", "code": "invalid" }]));
}

#[test]
fn addresses_that_are_not_public_are_refused_when_they_are_set() {
    let server = Home::new().serve(&[]);
    for url in [
        "http://169.254.169.254",
        "https://169.254.169.254",
        "https://127.0.0.1:8443",
        "https://10.1.2.3",
        "https://192.168.0.1",
        "https://[::1]",
        "https://[::ffff:127.0.0.1]",
        "https://[fd00::1]",
        "https://0.0.0.0",
        "http://merchant.example",
        "ftp://merchant.example",
        "https://user:password@merchant.example",
        "merchant.example",
        // The path of each kind is appended.
        "https://merchant.example/hooks?key=1",
        "https://merchant.example/hooks#here",
    ] {
        is_refused(&server, url);
    }
    let (status, reply) = set(&Stage::set(&server), "https://merchant.example/hooks");
    assert_eq!(status, 200, "{reply}");
}

#[test]
fn an_allowed_network_allows_nothing_else() {
    for server in servers() {
        for url in ["http://169.254.169.254", "http://10.0.0.1", "http://1.1.1.1"] {
            is_refused(server, url);
        }
        let (stage, running) = Stage::with_receiver(server);
        let token_url = "http://169.254.169.254/token";
        let auth = json!({ "type": "oauth2", "token_url": token_url, "client_id": "a",
            "client_secret": "b" });
        assert_eq!(stage.try_to_point_to(&running.url(), &auth).status, 422);
    }
}

/// A name tells nothing until it is looked up.
#[test]
fn a_name_that_leads_to_a_forbidden_address_fails_the_attempt_and_says_why() {
    let server = Home::new().serve(&["--retry-base-ms", "20", "--retry-factor", "1"]);
    let stage = Stage::set(&server);
    let running = receiver(stage.settings());
    let url = format!("https://localhost:{}", running.address().port());
    assert_eq!(set(&stage, &url).0, 200);

    let id = stage.test("lane", 1);

    let message = stage.until(&id, "failed");
    assert_eq!(statuses(&message), [0; 6]);
    let error = message["attempts"][0]["error"].as_str().unwrap();
    assert!(error.contains("is not public"), "{error}");
    assert_eq!(list_calls(&running).len(), 0);
}

//! The order of the checks: rate limit, token, scope, version and content type, size, JSON, rules.
//!
//! Each request is wrong in two ways, and the answer is about the one that is checked first.

use serde_json::json;

use crate::harness::{
    http::Request,
    samples::{message, sample_order},
    server::{Server, publication},
    shared,
};

const TEN_MIB: usize = 10 << 20;

fn said(status: u16, why: &str) -> String {
    format!("{status} {}", json!({ "message": why }))
}

fn unknown_token() -> String {
    said(401, "the token is unknown, expired or revoked")
}

fn no_scope() -> String {
    said(403, "the token lacks the scope orders:write")
}

fn other_version() -> String {
    said(400, "the header Api-Version names another version; 3 is supported")
}

fn wrong_type() -> String {
    said(415, "the Content-Type must be application/json")
}

fn too_large() -> String {
    said(413, "the body is larger than 10485760 bytes")
}

/// Announces a body that is larger than allowed, without sending it.
fn announce_too_much(server: &Server, request: &Request) -> String {
    let mut connection = server.connect();
    connection.write(request.announcing(TEN_MIB + 1).as_bytes()).unwrap();
    connection.reply().unwrap().said()
}

#[test]
fn the_version_must_be_three() {
    let server = shared::server();
    let token = server.token(&server.merchant("checks"));
    let good = publication(&token, message(&[sample_order("A")]));
    for version in ["2", "4", "3.0", "03", "v3", ""] {
        let reply = server.send(&good.clone().with("Api-Version", version));
        assert_eq!(reply.said(), other_version(), "{version}");
    }
    let missing = server.send(&good.clone().without("Api-Version"));
    assert_eq!(missing.said(), said(400, "the header Api-Version is missing; 3 is supported"));
    assert_eq!(server.order(&token, "A").status, 404);
    assert_eq!(server.send(&good).status, 200);
}

#[test]
fn a_bad_token_is_told_before_everything_that_follows() {
    let server = shared::server();
    let good = publication("hwt.nobody.x", message(&[sample_order("A")]));
    let version = good.clone().with("Api-Version", "2");

    assert_eq!(server.send(&good).said(), unknown_token());
    assert_eq!(server.send(&version).said(), unknown_token());
    let kind = version.with("Content-Type", "text/plain").body("{");
    assert_eq!(server.send(&kind).said(), unknown_token());
    assert_eq!(announce_too_much(server, &kind), unknown_token());
}

#[test]
fn a_missing_scope_is_told_before_version_type_size_and_content() {
    let server = shared::server();
    let token = server.narrow_token(&server.merchant("checks"), "read");
    let good = publication(&token, message(&[sample_order("A")]));
    let version = good.clone().with("Api-Version", "2");

    assert_eq!(server.send(&good).said(), no_scope());
    assert_eq!(server.send(&version).said(), no_scope());
    let kind = version.with("Content-Type", "text/plain").body("{");
    assert_eq!(server.send(&kind).said(), no_scope());
    assert_eq!(announce_too_much(server, &kind), no_scope());
}

#[test]
fn the_version_is_told_before_the_content_type_and_both_before_the_size() {
    let server = shared::server();
    let token = server.token(&server.merchant("checks"));
    let good = publication(&token, "{");
    let kind = good.clone().with("Content-Type", "text/plain");
    let both = kind.clone().with("Api-Version", "2");

    assert_eq!(server.send(&both).said(), other_version());
    assert_eq!(announce_too_much(server, &both), other_version());
    assert_eq!(server.send(&kind).said(), wrong_type());
    assert_eq!(announce_too_much(server, &kind), wrong_type());
    assert_eq!(announce_too_much(server, &good), too_large());
}

#[test]
fn the_size_is_told_before_the_json_and_the_json_before_the_rules() {
    let server = shared::server();
    let token = server.token(&server.merchant("checks"));
    let huge = vec![b'{'; TEN_MIB + 1];
    let reply = server.connect().send_large(&publication(&token, huge).bytes()).unwrap();
    assert_eq!(reply.said(), too_large());

    let broken = message(&[json!({ "status": "Lost" })]) + "}";
    let reply = server.publish(&token, &broken);
    assert_eq!(reply.status, 400, "{}", reply.said());
    let text = reply.json()["message"].as_str().unwrap().to_owned();
    assert!(text.ends_with("unexpected data after the end of the document"), "{text}");
}

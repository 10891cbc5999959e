//! Every way in which a token is refused, with the whole answer.

use serde_json::{Value, json};

use super::{basic, credentials, form_request, json_request};
use crate::harness::{
    home::Merchant,
    http::{Reply, Request},
    shared,
};

/// The body of RFC 6749, section 5.2.
fn refusal(status: u16, error: &str, description: &str) -> String {
    format!("{status} {}", json!({ "error": error, "error_description": description }))
}

fn invalid_client() -> String {
    let why = "the client is unknown or disabled, or its secret is wrong";
    refusal(401, "invalid_client", why)
}

/// Sends a request that must be refused and looks at what every refusal has.
fn refused(request: &Request) -> Reply {
    let reply = shared::server().send(request);
    assert!(reply.status >= 400, "{}", reply.said());
    assert_eq!(reply.header("Cache-Control"), Some("no-store"), "{}", reply.said());
    assert_eq!(reply.header("Content-Type"), Some("application/json"), "{}", reply.said());
    let challenge = (reply.status == 401).then_some("Basic realm=\"homeward\"");
    assert_eq!(reply.header("WWW-Authenticate"), challenge, "{}", reply.said());
    reply
}

fn changed(merchant: &Merchant, name: &str, value: Value) -> Request {
    let mut body = credentials(merchant);
    body[name] = value;
    json_request(&body)
}

#[test]
fn a_client_that_does_not_prove_itself_is_invalid() {
    let merchant = shared::server().merchant("refused");
    let other = shared::server().merchant("refused");
    let Merchant { client_id, client_secret, .. } = &merchant;
    let grant = "grant_type=client_credentials";
    for request in [
        changed(&merchant, "client_secret", json!("hws_wrong")),
        changed(&merchant, "client_secret", json!("")),
        changed(&merchant, "client_id", json!("nobody")),
        changed(&merchant, "client_id", json!("nobody.k7w2mq9d4x")),
        changed(&merchant, "client_id", json!("")),
        changed(&merchant, "client_id", json!(other.client_id)),
        form_request(&format!("{grant}&client_id={client_id}&client_secret=")),
        form_request(grant).header("Authorization", &basic(client_id, "wrong")),
        form_request(grant).header("Authorization", &basic("nobody", client_secret)),
    ] {
        assert_eq!(refused(&request).said(), invalid_client(), "{request:?}");
    }
}

#[test]
fn a_request_that_is_not_as_it_must_be_is_invalid() {
    let merchant = shared::server().merchant("refused");
    let id = merchant.client_id.as_str();
    let grant = "grant_type=client_credentials";
    let twice = format!("{grant}&{grant}&client_id={id}&client_secret=x");
    let json = |text: &str| Request::post("/oauth/token").json(text);
    let by_header = |body: &str, header: &str| form_request(body).header("Authorization", header);
    let two_ways = "the request contains client credentials twice";
    let as_basic = basic(id, "x");
    let cases = [
        (json("{}"), "grant_type is missing"),
        (form_request(""), "grant_type is missing"),
        (form_request("client_id=a.b&client_secret=c"), "grant_type is missing"),
        (form_request(&format!("{grant}&client_secret=x")), "client_id is missing"),
        (form_request(&format!("{grant}&client_id={id}")), "client_secret is missing"),
        (form_request(&twice), "grant_type appears twice"),
        (form_request("scope=read&scope=read"), "scope appears twice"),
        (form_request("client_id=a&client_id=b"), "client_id appears twice"),
        (form_request("client_secret=a&client_secret=a"), "client_secret appears twice"),
        (form_request("scope=%ff"), "the form is not UTF-8"),
        (changed(&merchant, "client_id", json!(7)), "client_id must be a string"),
        (json("[]"), "the body must be a JSON object"),
        (
            json(r#"{"scope":"read","scope":"read"}"#),
            "not JSON: line 1, column 17: duplicate key \"scope\" in one object",
        ),
        (json(""), "not JSON: line 1, column 1: the document ends where a value is expected"),
        (by_header(&format!("{grant}&client_secret=x"), &as_basic), two_ways),
        (by_header(&format!("{grant}&client_id=other.x"), &as_basic), two_ways),
    ];
    for (request, why) in cases {
        assert_eq!(refused(&request).said(), refusal(400, "invalid_request", why), "{request:?}");
    }
}

#[test]
fn only_client_credentials_are_granted() {
    let merchant = shared::server().merchant("refused");
    for grant in ["password", "authorization_code", "refresh_token", "CLIENT_CREDENTIALS", ""] {
        let reply = refused(&changed(&merchant, "grant_type", json!(grant)));
        let why = "grant_type must be client_credentials";
        assert_eq!(reply.said(), refusal(400, "unsupported_grant_type", why), "{grant}");
    }
}

#[test]
fn a_scope_that_the_client_does_not_have_is_refused() {
    let merchant = shared::server().merchant("refused");
    let only = format!("the client only has {}", super::MERCHANT_SCOPE);
    for (scope, why) in [
        ("admin", only.as_str()),
        ("read carrier:write", only.as_str()),
        ("warehouse:write", only.as_str()),
        ("orders:delete", "unknown scope orders:delete"),
        ("READ", "unknown scope READ"),
    ] {
        let reply = refused(&changed(&merchant, "scope", json!(scope)));
        assert_eq!(reply.said(), refusal(400, "invalid_scope", why), "{scope}");
    }
}

#[test]
fn other_content_types_are_not_read() {
    let merchant = shared::server().merchant("refused");
    let request = json_request(&credentials(&merchant));
    let why = "send application/json or application/x-www-form-urlencoded";
    let expected = refusal(415, "invalid_request", why);
    for kind in
        ["text/plain", "application/xml", "multipart/form-data", "application/json;charset=latin1"]
    {
        assert_eq!(refused(&request.clone().with("Content-Type", kind)).said(), expected, "{kind}");
    }
    assert_eq!(refused(&request.without("Content-Type")).said(), expected);
}

#[test]
fn a_request_larger_than_any_credential_is_refused() {
    let padding = "x".repeat(16 << 10);
    let request = form_request(&format!("padding={padding}"));

    let why = "the request body is larger than allowed";
    assert_eq!(refused(&request).said(), refusal(413, "invalid_request", why));
}

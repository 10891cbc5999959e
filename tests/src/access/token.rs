//! `POST /oauth/token`, and what the token is good for afterwards.

mod refusals;
mod revocation;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use oauth2::{
    AuthType, ClientId, ClientSecret, HttpRequest, HttpResponse, Scope, TokenResponse as _,
    TokenUrl, basic::BasicClient, basic::BasicTokenType,
};
use serde_json::{Value, json};

use crate::harness::{
    home::Merchant,
    http::{Reply, Request},
    server::Server,
    shared,
};

const MERCHANT_SCOPE: &str = "orders:write returns:write asns:write drop_ship:write read";

fn credentials(merchant: &Merchant) -> Value {
    json!({
        "grant_type": "client_credentials",
        "client_id": merchant.client_id,
        "client_secret": merchant.client_secret,
    })
}

fn json_request(body: &Value) -> Request {
    Request::post("/oauth/token").json(body.to_string())
}

fn form_request(body: &str) -> Request {
    Request::post("/oauth/token")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(body)
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// The request as JSON, as a form, and with HTTP Basic.
fn every_way(merchant: &Merchant) -> [Request; 4] {
    let Merchant { client_id, client_secret, .. } = merchant;
    let identified = form_request("grant_type=client_credentials")
        .header("Authorization", &basic(client_id, client_secret));
    let grant = json!({ "grant_type": "client_credentials" });
    [
        json_request(&credentials(merchant)),
        form_request(&format!(
            "grant_type=client_credentials&client_id={client_id}&client_secret={client_secret}"
        )),
        identified,
        json_request(&grant).header("Authorization", &basic(client_id, client_secret)),
    ]
}

fn read_order(server: &Server, authorization: &str) -> Reply {
    server.send(&Request::get("/orders/none").header("Authorization", authorization))
}

#[test]
fn a_token_is_given_for_json_for_a_form_and_for_http_basic() {
    for server in shared::on_every_engine() {
        let merchant = server.merchant("token");
        for request in every_way(&merchant) {
            let reply = server.send(&request);

            assert_eq!(reply.status, 200, "{}", reply.said());
            assert_eq!(reply.header("Cache-Control"), Some("no-store"));
            assert_eq!(reply.header("Pragma"), Some("no-cache"));
            let mut answer = reply.json();
            let token = answer["access_token"].take();
            let created = answer["created_at"].take();
            assert!(created.as_i64().unwrap() > 1_700_000_000, "{created}");
            let expected = json!({
                "access_token": null, "token_type": "Bearer", "expires_in": 90_000,
                "scope": MERCHANT_SCOPE, "created_at": null,
            });
            assert_eq!(answer, expected);
            let answer = read_order(server, &format!("bearer {}", token.as_str().unwrap()));
            assert_eq!(answer.said(), r#"404 {"message":"order not found"}"#);
        }
    }
}

#[test]
fn parameters_that_are_not_known_are_ignored_and_null_is_absent() {
    let server = shared::server();
    let mut body = credentials(&server.merchant("token"));
    body["audience"] = json!("somebody");
    body["scope"] = Value::Null;

    assert_eq!(server.send(&json_request(&body)).json()["scope"], MERCHANT_SCOPE);
}

#[test]
fn the_charset_of_a_request_may_be_named() {
    let server = shared::server();
    let request = json_request(&credentials(&server.merchant("token")));
    let named = request.with("Content-Type", "Application/JSON; charset=\"UTF-8\"");

    assert_eq!(server.send(&named).status, 200);
}

#[test]
fn a_narrower_scope_is_granted_when_it_is_asked_for() {
    let server = shared::server();
    let merchant = server.merchant("token");
    let mut body = credentials(&merchant);
    body["scope"] = json!("read orders:write");

    let answer = server.send(&json_request(&body)).json();

    assert_eq!(answer["scope"], "orders:write read");
    let narrow = server.narrow_token(&merchant, "orders:write");
    let reply = read_order(server, &format!("Bearer {narrow}"));
    assert_eq!(reply.said(), r#"403 {"message":"the token lacks the scope read"}"#);
}

#[test]
fn the_scheme_is_read_in_any_case() {
    let server = shared::server();
    let token = server.token(&server.merchant("token"));
    for scheme in ["bearer", "Bearer", "BEARER", "bEaReR"] {
        assert_eq!(read_order(server, &format!("{scheme} {token}")).status, 404, "{scheme}");
    }
}

#[test]
fn without_a_good_token_the_answer_is_401_with_a_challenge() {
    let server = shared::server();
    let merchant = server.merchant("token");
    let token = server.token(&merchant);
    let unknown = r#"401 {"message":"the token is unknown, expired or revoked"}"#;
    let missing = r#"401 {"message":"send a token: Authorization: bearer <ACCESS_TOKEN>"}"#;
    let of_a_stranger = format!("Bearer {}", token.replace(&merchant.id, "nobody"));
    let cut = format!("Bearer {}", &token[..token.len() - 1]);
    let as_basic = basic(&merchant.client_id, &merchant.client_secret);
    for (authorization, expected) in [
        ("", missing),
        ("Bearer", missing),
        (as_basic.as_str(), missing),
        ("Bearer x", unknown),
        ("Bearer hwt.acme.", unknown),
        (of_a_stranger.as_str(), unknown),
        (cut.as_str(), unknown),
    ] {
        let reply = read_order(server, authorization);
        assert_eq!(reply.said(), expected, "{authorization}");
        assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer realm=\"homeward\""));
    }
    assert_eq!(server.send(&Request::get("/orders/none")).said(), missing);
}

/// Hands a request of the library to our server as it is.
fn carry(server: &Server, request: &HttpRequest) -> Result<HttpResponse, std::io::Error> {
    let path = request.uri().path_and_query().unwrap().as_str();
    let mut ours = Request::new(request.method().as_str(), path);
    for (name, value) in request.headers() {
        ours = ours.header(name.as_str(), value.to_str().unwrap());
    }
    let reply = server.connect().send(&ours.body(request.body().clone()))?;
    let kind = reply.header("Content-Type").unwrap_or_default();
    let response = oauth2::http::Response::builder().status(reply.status);
    Ok(response.header("Content-Type", kind).body(reply.body).unwrap())
}

#[test]
fn a_published_oauth_client_gets_a_token_as_it_is() {
    let server = shared::server();
    let merchant = server.merchant("library");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for auth_type in [AuthType::BasicAuth, AuthType::RequestBody] {
        let client = BasicClient::new(ClientId::new(merchant.client_id.clone()))
            .set_client_secret(ClientSecret::new(merchant.client_secret.clone()))
            .set_auth_type(auth_type)
            .set_token_uri(
                TokenUrl::new(format!("http://{}/oauth/token", server.address)).unwrap(),
            );
        let exchange = |request: HttpRequest| async move { carry(server, &request) };

        let token = runtime.block_on(
            client
                .exchange_client_credentials()
                .add_scope(Scope::new("read".to_owned()))
                .request_async(&exchange),
        );

        let token = token.unwrap();
        assert_eq!(*token.token_type(), BasicTokenType::Bearer);
        assert_eq!(token.expires_in().unwrap().as_secs(), 90_000);
        assert_eq!(token.scopes().unwrap(), &[Scope::new("read".to_owned())]);
        let bearer = format!("Bearer {}", token.access_token().secret());
        assert_eq!(read_order(server, &bearer).status, 404);
    }
}

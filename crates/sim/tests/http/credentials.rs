//! Who may call, and the tokens.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use domain::messages::endpoint::Auth;
use serde_json::json;
use sim::{Clock, Running, Settings};

use crate::client::{TestResponse, call, send, start};

fn oauth2() -> Auth<String> {
    Auth::Oauth2 {
        token_url: "http://unused".to_owned(),
        client_id: "homeward".to_owned(),
        client_secret: "s3cret/%".to_owned(),
        scope: None,
    }
}

async fn with(auth: Auth<String>) -> Running {
    start(Settings { auth, ..Settings::default() }).await
}

async fn status(running: &Running, authorization: &str) -> u16 {
    let headers = [("authorization", authorization)];
    send(running, "POST /rmas", &headers, "{}").await.unwrap().status.as_u16()
}

async fn token_request(running: &Running, headers: &[(&str, &str)], body: &str) -> TestResponse {
    send(running, "POST /oauth/token", headers, body).await.unwrap()
}

async fn new_token(running: &Running) -> String {
    let body = json!({ "grant_type": "client_credentials", "client_id": "homeward",
                       "client_secret": "s3cret/%", "scope": "returns" });
    let headers = [("content-type", "application/json")];
    let response = token_request(running, &headers, &body.to_string()).await;
    assert_eq!((response.status.as_u16(), response.header("cache-control")), (200, "no-store"));
    let token = response.json();
    assert_eq!((&token["token_type"], &token["scope"]), (&json!("Bearer"), &json!("returns")));
    format!("Bearer {}", token["access_token"].as_str().unwrap())
}

#[tokio::test]
async fn a_call_without_the_right_credentials_is_turned_away() {
    let running = with(Auth::Basic { username: "u".to_owned(), password: "p".to_owned() }).await;
    let refused = call(&running, "POST /rmas", "{}").await;
    assert_eq!(refused.status, 401);
    assert!(refused.header("www-authenticate").starts_with("Basic"));
    assert_eq!(status(&running, "Basic dTp4").await, 401);
    assert_eq!(status(&running, "Basic dTpw").await, 200);
    assert_eq!(running.merchant().summary().unauthorized, 2);

    let shown = running.merchant().call(3).unwrap().content.unwrap();
    assert_eq!(shown.headers["authorization"], "***");
}

#[tokio::test]
async fn a_key_in_a_header_opens_the_door() {
    let running = with(Auth::Header { name: "X-Api-Key".to_owned(), value: "k".to_owned() }).await;
    let response = send(&running, "POST /rmas", &[("x-api-key", "k")], "{}").await.unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(call(&running, "POST /rmas", "{}").await.status, 401);
}

#[tokio::test]
async fn a_revoked_token_is_refused_until_a_new_one_is_fetched() {
    let running = with(oauth2()).await;
    assert_eq!(status(&running, "Bearer sim_token_000001").await, 401);
    let first = new_token(&running).await;
    assert_eq!(status(&running, &first).await, 200);

    let behavior =
        call(&running, "PUT /sim/behaviour", r#"{"unauthorized_until_new_token": true}"#);
    assert_eq!(behavior.await.json(), json!([]), "it is done at once and leaves nothing behind");
    assert_eq!(status(&running, &first).await, 401);
    let second = new_token(&running).await;
    assert_eq!(status(&running, &second).await, 200);
    assert_eq!(status(&running, &first).await, 401);

    assert_eq!(call(&running, "DELETE /sim/tokens", "").await.status, 204);
    assert_eq!(status(&running, &second).await, 401);
    let summary = running.merchant().summary();
    assert_eq!((summary.token_requests, summary.tokens_issued), (2, 2));
}

#[tokio::test]
async fn a_token_ends_when_its_time_is_over() {
    let micros = Arc::new(AtomicI64::new(1_700_000_000_000_000));
    let running = start(Settings {
        auth: oauth2(),
        token_lifetime_s: 60,
        clock: Clock::manual(Arc::clone(&micros)),
        ..Settings::default()
    })
    .await;
    let token = new_token(&running).await;
    micros.fetch_add(59_999_999, Ordering::Relaxed);
    assert_eq!(status(&running, &token).await, 200);
    micros.fetch_add(1, Ordering::Relaxed);
    assert_eq!(status(&running, &token).await, 401);
}

#[tokio::test]
async fn tokens_are_given_to_the_right_client_alone() {
    let running = with(oauth2()).await;
    let form = ("content-type", "application/x-www-form-urlencoded");
    // homeward:s3cret%2F%25, as the standard asks for it to be written.
    let basic = ("authorization", "Basic aG9tZXdhcmQ6czNjcmV0JTJGJTI1");
    let grant = "grant_type=client_credentials";

    let in_the_header = token_request(&running, &[form, basic], grant).await;
    assert_eq!(in_the_header.status, 200);
    let in_the_body = format!("{grant}&client_id=homeward&client_secret=s3cret%2F%25");
    assert_eq!(token_request(&running, &[form], &in_the_body).await.status, 200);

    let stranger = token_request(&running, &[form], &format!("{grant}&client_id=x")).await;
    assert_eq!(stranger.json(), json!({ "error": "invalid_client" }));
    assert_eq!(stranger.status, 401);
    let password = token_request(&running, &[form, basic], "grant_type=password").await;
    assert_eq!(password.json(), json!({ "error": "unsupported_grant_type" }));
    assert_eq!(token_request(&running, &[basic], grant).await.status, 400);
    assert_eq!(running.merchant().summary().token_requests, 5);
    assert_eq!(running.merchant().summary().tokens_issued, 2);
}

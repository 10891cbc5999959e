//! One credential and a token endpoint on the loopback interface, in a world with a clock that the
//! test moves.

use std::sync::atomic::{AtomicI64, AtomicU16, Ordering};

use super::*;
use crate::HttpClient;
use crate::sender::tests::{
    loopback,
    merchant::{Merchant, Seen, response},
    no_trust, secret, settings, standing,
};

struct Scene {
    merchant: Merchant,
    tokens: Tokens,
    clock: Arc<AtomicI64>,
    /// What the token endpoint answers with.
    status: Arc<AtomicU16>,
}

impl Scene {
    /// A token endpoint with tokens that are called t1, t2, .. and live for 100 seconds.
    async fn new() -> Self {
        let status = Arc::new(AtomicU16::new(200));
        let answers = Arc::clone(&status);
        let given = Arc::new(AtomicI64::new(0));
        let merchant = Merchant::start(move |_: Seen| {
            let status = answers.load(Ordering::SeqCst);
            let given = Arc::clone(&given);
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let number = given.fetch_add(1, Ordering::SeqCst) + 1;
                let body = format!(r#"{{"access_token":"t{number}","expires_in":100}}"#);
                response(status, &body)
            }
        })
        .await;
        let (world, clock) = standing();
        let client = HttpClient::new(loopback(), no_trust(), world, settings());
        let tokens = tokens_of(&merchant.url("/token"), &client);
        Self { merchant, tokens, clock, status }
    }

    fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    fn requests(&self) -> usize {
        self.merchant.count("/token")
    }

    async fn token(&self) -> String {
        text(&self.tokens.current().await.unwrap())
    }
}

fn tokens_of(token_url: &str, client: &HttpClient) -> Tokens {
    let credential = ClientCredential {
        token_url,
        client_id: "home ward",
        client_secret: &secret("a:b/c+d=ü"),
        scope: Some("orders returns"),
    };
    let merchant = MerchantId::parse("acme").unwrap();
    client.tokens().of(&merchant, &credential, client.context()).unwrap()
}

fn text(token: &Token) -> String {
    token.header.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_is_asked_for_as_the_standard_says() {
    let scene = Scene::new().await;
    assert_eq!(scene.token().await, "Bearer t1");

    let seen = &scene.merchant.seen()[0];
    assert_eq!(seen.method, Method::POST);
    assert_eq!(seen.body, "grant_type=client_credentials&scope=orders%20returns");
    assert_eq!(seen.header("content-type"), "application/x-www-form-urlencoded");
    assert_eq!(seen.header("accept"), "application/json");
    let expected = headers::basic("home%20ward", "a%3Ab%2Fc%2Bd%3D%C3%BC").unwrap();
    assert_eq!(seen.header("authorization"), expected.to_str().unwrap());
}

#[tokio::test]
async fn many_who_wait_share_one_request() {
    let scene = Scene::new().await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let tokens = scene.tokens.clone();
        calls.spawn(async move { text(&tokens.current().await.unwrap()) });
    }
    while let Some(token) = calls.join_next().await {
        assert_eq!(token.unwrap(), "Bearer t1");
    }
    assert_eq!(scene.requests(), 1);
}

#[tokio::test]
async fn a_token_is_kept_and_renewed_in_the_background_before_it_ends() {
    let scene = Scene::new().await;
    assert_eq!(scene.token().await, "Bearer t1");
    scene.pass(79);
    assert_eq!((scene.token().await.as_str(), scene.requests()), ("Bearer t1", 1));

    scene.pass(1);
    let renewed = scene.tokens.cache.changed.notified();
    assert_eq!(scene.token().await, "Bearer t1", "no call waits");
    renewed.await;

    assert_eq!((scene.token().await.as_str(), scene.requests()), ("Bearer t2", 2));
}

#[tokio::test]
async fn a_token_that_has_ended_is_not_used() {
    let scene = Scene::new().await;
    assert_eq!(scene.token().await, "Bearer t1");
    scene.pass(100);
    assert_eq!(scene.token().await, "Bearer t2");
}

#[tokio::test]
async fn only_who_used_the_newest_token_causes_a_request() {
    let scene = Scene::new().await;
    let first = scene.tokens.current().await.unwrap();
    assert_eq!(text(&scene.tokens.renew(first.generation).await.unwrap()), "Bearer t2");
    assert_eq!(text(&scene.tokens.renew(first.generation).await.unwrap()), "Bearer t2");
    assert_eq!(scene.requests(), 2);
}

#[tokio::test]
async fn after_a_failure_the_token_endpoint_is_left_alone_for_longer_each_time() {
    let scene = Scene::new().await;
    scene.status.store(503, Ordering::SeqCst);
    let failure = TokenFailure("503 from the token endpoint".to_owned());

    for (asked, pause_s) in [1, 2, 4, 8, 16, 32, 60, 60].into_iter().enumerate() {
        assert_eq!(scene.tokens.current().await.unwrap_err(), failure);
        scene.pass(pause_s - 1);
        assert_eq!(scene.tokens.current().await.unwrap_err(), failure);
        assert_eq!(scene.requests(), asked + 1, "it was asked before {pause_s} s had passed");
        scene.pass(1);
    }

    scene.status.store(200, Ordering::SeqCst);
    assert!(scene.tokens.current().await.is_ok());
    scene.status.store(503, Ordering::SeqCst);
    scene.pass(100);
    assert!(scene.tokens.current().await.is_err());
    scene.pass(1);
    scene.status.store(200, Ordering::SeqCst);
    assert!(scene.tokens.current().await.is_ok(), "a success starts the pauses anew");
}

#[tokio::test]
async fn a_renewal_that_fails_in_the_background_leaves_the_token_in_use() {
    let scene = Scene::new().await;
    assert_eq!(scene.token().await, "Bearer t1");
    scene.status.store(500, Ordering::SeqCst);
    scene.pass(80);
    let failed = scene.tokens.cache.changed.notified();
    assert_eq!(scene.token().await, "Bearer t1");
    failed.await;

    assert_eq!(scene.token().await, "Bearer t1");
    assert_eq!(scene.requests(), 2, "and waits before it asks again");
}

#[tokio::test]
async fn a_caller_who_gives_up_takes_nothing_from_the_others() {
    let scene = Scene::new().await;
    let impatient = timeout(Duration::from_millis(1), scene.tokens.current()).await;
    assert!(impatient.is_err());
    assert_eq!((scene.token().await.as_str(), scene.requests()), ("Bearer t1", 1));
}

#[tokio::test]
async fn a_token_endpoint_that_hangs_is_given_up_before_the_attempt_is() {
    let url = crate::sender::tests::merchant::raw(|stream| async move {
        tokio::time::sleep(Duration::from_secs(30)).await;
        drop(stream);
    })
    .await;
    let client = HttpClient::new(loopback(), no_trust(), standing().0, settings());
    let failure = tokens_of(&url, &client).current().await.unwrap_err();
    assert_eq!(failure.to_string(), "timeout");
}

#[test]
fn an_answer_is_read_leniently_but_must_hold_a_bearer_token() {
    let lifetime = |body: &str| read_token(body.as_bytes()).map(|(_, lifetime_s)| lifetime_s);
    assert_eq!(lifetime(r#"{"access_token":"t","token_type":"bearer","expires_in":60}"#), Ok(60));
    assert_eq!(lifetime(r#"{"access_token":"t","expires_in":"60"}"#), Ok(60));
    assert_eq!(lifetime(r#"{"access_token":"t"}"#), Ok(3600));
    assert_eq!(lifetime(r#"{"access_token":"t","expires_in":0}"#), Ok(1));
    for body in [
        "",
        "[]",
        "{}",
        r#"{"access_token":""}"#,
        r#"{"access_token":7}"#,
        r#"{"access_token":"a\nb"}"#,
        r#"{"access_token":"t","token_type":"mac"}"#,
        "<html>",
    ] {
        assert!(lifetime(body).is_err(), "{body} was accepted");
    }
}

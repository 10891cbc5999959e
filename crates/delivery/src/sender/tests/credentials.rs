//! How a call proves who it is from, and what a 401 leads to.

use std::sync::atomic::Ordering;

use tokio::sync::Barrier;

use super::{
    merchant::{Merchant, Seen, response},
    *,
};

fn oauth2(token_url: String) -> Auth<Secret> {
    Auth::Oauth2 {
        token_url,
        client_id: "homeward".to_owned(),
        client_secret: secret("s"),
        scope: None,
    }
}

/// A merchant that gives out tokens t1, t2, .. and takes those that `accepts` accepts.
async fn merchant_with_tokens(accepts: fn(&str) -> bool) -> Merchant {
    let given = Arc::new(AtomicI64::new(0));
    Merchant::start(move |seen: Seen| {
        std::future::ready(if seen.path == "/token" {
            let number = given.fetch_add(1, Ordering::SeqCst) + 1;
            response(200, &format!(r#"{{"access_token":"t{number}","token_type":"Bearer"}}"#))
        } else if accepts(seen.header("authorization")) {
            response(200, "")
        } else {
            response(401, "")
        })
    })
    .await
}

#[tokio::test]
async fn each_kind_of_credential_is_sent_in_its_header() {
    let merchant = Merchant::answering(200).await;
    for (auth, header, expected) in [
        (Auth::None, "authorization", ""),
        (
            Auth::Basic { username: "Aladdin".to_owned(), password: secret("open sesame") },
            "authorization",
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        ),
        (Auth::Header { name: "X-Key".to_owned(), value: secret("k1") }, "x-key", "k1"),
        (Auth::Bearer { token: secret("b1") }, "authorization", "Bearer b1"),
    ] {
        endpoint_at(&merchant.url("/"), auth).send_outgoing(&outgoing()).await;
        assert_eq!(merchant.seen().last().unwrap().header(header), expected);
    }
}

#[tokio::test]
async fn a_credential_that_would_change_the_message_is_refused() {
    let header =
        |name: &str, value: &str| Auth::Header { name: name.to_owned(), value: secret(value) };
    for auth in [
        header("Host", "other.example"),
        header("Content-Length", "0"),
        header("Transfer-Encoding", "chunked"),
        header("webhook-signature", "v1,x"),
        header("two words", "x"),
        header("", "x"),
        header("X-Key", "a\r\nb: c"),
        Auth::Bearer { token: secret("a\nb") },
        Auth::Basic { username: "a:b".to_owned(), password: secret("c") },
    ] {
        let target = target_at("http://127.0.0.1/", auth);
        let refused = Endpoint::new(&target, &http_client()).err().unwrap();
        assert!(matches!(refused, Refused::Credential(_)), "{refused}");
    }
}

#[tokio::test]
async fn a_401_is_repeated_with_a_new_token_inside_the_attempt() {
    let merchant = merchant_with_tokens(|header| header == "Bearer t2").await;
    let endpoint = endpoint_at(&merchant.url("/hook"), oauth2(merchant.url("/token")));

    let attempt = endpoint.send_outgoing(&outgoing()).await;

    assert!(attempt.is_success(), "{attempt:?}");
    assert_eq!((merchant.count("/hook"), merchant.count("/token")), (2, 2));
    assert!(endpoint.send_outgoing(&outgoing()).await.is_success());
    assert_eq!((merchant.count("/hook"), merchant.count("/token")), (3, 2), "the token is kept");
    let bodies: Vec<_> = merchant.seen().iter().map(|seen| seen.body.clone()).collect();
    assert_eq!(bodies.iter().filter(|body| **body == outgoing().body).count(), 3);
}

#[tokio::test]
async fn sixty_four_calls_that_meet_a_401_at_once_ask_for_one_new_token() {
    let together = Arc::new(Barrier::new(64));
    let given = Arc::new(AtomicI64::new(0));
    let merchant = Merchant::start(move |seen: Seen| {
        let (together, given) = (Arc::clone(&together), Arc::clone(&given));
        async move {
            match (seen.path.as_str(), seen.header("authorization")) {
                ("/token", _) => {
                    let number = given.fetch_add(1, Ordering::SeqCst) + 1;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    response(200, &format!(r#"{{"access_token":"t{number}","expires_in":60}}"#))
                }
                (_, "Bearer t1") => {
                    together.wait().await;
                    response(401, "")
                }
                (_, "Bearer t2") => response(200, ""),
                _ => response(403, ""),
            }
        }
    })
    .await;
    let settings = CallSettings { request_time_max: Duration::from_secs(10), ..settings() };
    let client = HttpClient::new(loopback(), no_trust(), standing().0, settings);
    let target = target_at(&merchant.url("/hook"), oauth2(merchant.url("/token")));
    let endpoint = Arc::new(Endpoint::new(&target, &client).unwrap());

    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let endpoint = Arc::clone(&endpoint);
        calls.spawn(async move { endpoint.send_outgoing(&outgoing()).await });
    }
    while let Some(attempt) = calls.join_next().await {
        let attempt = attempt.unwrap();
        assert!(attempt.is_success(), "{attempt:?}");
    }

    assert_eq!((merchant.count("/hook"), merchant.count("/token")), (128, 2));
}

#[tokio::test]
async fn a_401_forever_is_one_failed_attempt_of_two_requests() {
    let merchant = merchant_with_tokens(|_| false).await;
    let with_tokens = oauth2(merchant.url("/token"));
    let attempt = endpoint_at(&merchant.url("/hook"), with_tokens).send_outgoing(&outgoing()).await;
    assert_eq!((attempt.status, attempt.error.as_deref()), (Some(401), None));
    assert_eq!(merchant.count("/hook"), 2);

    let auth = Auth::Bearer { token: secret("b1") };
    let attempt = endpoint_at(&merchant.url("/other"), auth).send_outgoing(&outgoing()).await;
    assert_eq!((attempt.status, attempt.error.as_deref()), (Some(401), None));
    assert_eq!(merchant.count("/other"), 2);
}

#[tokio::test]
async fn without_a_token_nothing_is_sent_and_the_reason_is_given() {
    let merchant = Merchant::answering(401).await;
    let auth = oauth2(merchant.url("/token"));
    let attempt = endpoint_at(&merchant.url("/hook"), auth).send_outgoing(&outgoing()).await;
    let error = "token: 401 from the token endpoint";
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(error)));
    assert_eq!((merchant.count("/hook"), merchant.count("/token")), (0, 1));

    let nowhere = oauth2("http://127.0.0.1:1/token".to_owned());
    let attempt = endpoint_at(&merchant.url("/hook"), nowhere).send_outgoing(&outgoing()).await;
    assert_eq!(attempt.error.as_deref(), Some("token: connection refused"));
}

#[tokio::test]
async fn a_401_without_a_new_token_keeps_its_status_and_says_why() {
    let asked = Arc::new(AtomicI64::new(0));
    let merchant = Merchant::start(move |seen: Seen| {
        std::future::ready(match seen.path.as_str() {
            "/token" if asked.fetch_add(1, Ordering::SeqCst) > 0 => response(500, ""),
            "/token" => response(200, r#"{"access_token":"t1"}"#),
            _ => response(401, ""),
        })
    })
    .await;
    let endpoint = endpoint_at(&merchant.url("/hook"), oauth2(merchant.url("/token")));

    let attempt = endpoint.send_outgoing(&outgoing()).await;

    let error = "token: 500 from the token endpoint";
    assert_eq!((attempt.status, attempt.error.as_deref()), (Some(401), Some(error)));
    assert_eq!(merchant.count("/hook"), 1);
}

#[tokio::test]
async fn endpoints_with_the_same_credential_share_their_token_and_others_do_not() {
    let merchant = merchant_with_tokens(|_| true).await;
    let client = http_client();
    let mine = target_at(&merchant.url("/a"), oauth2(merchant.url("/token")));
    let also_mine = EndpointTarget { url: merchant.url("/b"), ..mine.clone() };
    let theirs = EndpointTarget { merchant: MerchantId::parse("other").unwrap(), ..mine.clone() };

    let endpoints = [&mine, &also_mine].map(|target| Endpoint::new(target, &client).unwrap());
    for endpoint in &endpoints {
        assert!(endpoint.send_outgoing(&outgoing()).await.is_success());
    }
    assert_eq!(merchant.count("/token"), 1);

    let theirs = Endpoint::new(&theirs, &client).unwrap();
    assert!(theirs.send_outgoing(&outgoing()).await.is_success());
    assert_eq!(merchant.count("/token"), 2);
}

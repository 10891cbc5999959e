//! What a merchant receives, and what is made of its answers.

use hyper::header::{LOCATION, RETRY_AFTER};

use super::{
    merchant::{Merchant, response},
    *,
};

#[tokio::test]
async fn every_header_is_there_and_exact_and_the_body_is_untouched() {
    let merchant = Merchant::answering(204).await;
    let attempt = send(&merchant.url("/hooks/rmas?shop=1")).await;

    assert_eq!((attempt.status, attempt.error.as_deref()), (Some(204), None));
    assert!(attempt.is_success());
    let [seen] = &merchant.seen()[..] else { panic!("one request was expected") };
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/hooks/rmas?shop=1"));
    assert_eq!(seen.body, outgoing().body);
    let mut headers: Vec<_> = seen
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    let signature = Signer::new(&[secret(SECRET)]).unwrap().sign("msg_1", NOW_S, &seen.body);
    assert_eq!(
        headers,
        [
            "accept: application/json",
            "content-length: 13",
            "content-type: application/json",
            &format!("host: {}", merchant.address),
            &format!("user-agent: homeward/{}", env!("CARGO_PKG_VERSION")),
            "webhook-id: msg_1",
            &format!("webhook-signature: {signature}"),
            "webhook-timestamp: 1700000000",
            "x-service-api-version: 3",
            "x-service-attempt: 2",
            "x-service-created: 1771085530",
            "x-service-event: rma",
            "x-service-sequence: 7",
        ]
    );
}

#[tokio::test]
async fn while_a_secret_is_rotated_out_both_sign() {
    let merchant = Merchant::answering(200).await;
    let new = secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    let secrets = vec![new, secret(SECRET)];
    let target = EndpointTarget {
        signing_secrets: secrets.clone(),
        ..target_at(&merchant.url("/"), Auth::None)
    };

    Endpoint::new(&target, &http_client()).unwrap().send_outgoing(&outgoing()).await;

    let expected = Signer::new(&secrets).unwrap().sign("msg_1", NOW_S, &outgoing().body);
    assert_eq!(expected.split(' ').count(), 2);
    assert_eq!(merchant.seen()[0].header("webhook-signature"), expected);
}

#[tokio::test]
async fn any_2xx_is_success_and_nothing_else_is() {
    for status in [200, 201, 202, 204, 299] {
        assert!(send(&Merchant::answering(status).await.url("/")).await.is_success());
    }
    for status in [300, 304, 400, 404, 410, 422, 500, 503, 599] {
        let attempt = send(&Merchant::answering(status).await.url("/")).await;
        assert_eq!((attempt.status, attempt.is_success()), (Some(status), false));
        assert_eq!(attempt.error, None, "the status says it all");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Merchant::answering(200).await;
    let location = elsewhere.url("/");
    let merchant = Merchant::start(move |_| {
        let mut answer = response(301, "");
        answer.headers_mut().insert(LOCATION, location.parse().unwrap());
        std::future::ready(answer)
    })
    .await;

    let attempt = send(&merchant.url("/")).await;

    assert_eq!((attempt.status, attempt.is_success()), (Some(301), false));
    assert_eq!((merchant.count("/"), elsewhere.count("/")), (1, 0));
}

#[tokio::test]
async fn a_merchant_may_ask_for_patience_in_seconds_or_by_date() {
    for (status, value, expected) in [
        (429, "17", Some(17_000)),
        (503, "Tue, 14 Nov 2023 22:14:20 GMT", Some(60_000)),
        (500, "17", None),
        (429, "whenever", None),
    ] {
        let merchant = Merchant::start(move |_| {
            let mut answer = response(status, "");
            answer.headers_mut().insert(RETRY_AFTER, value.parse().unwrap());
            std::future::ready(answer)
        })
        .await;
        let attempt = send(&merchant.url("/")).await;
        assert_eq!((attempt.status, attempt.retry_after_ms), (Some(status), expected), "{value}");
    }
}

#[tokio::test]
async fn a_question_is_signed_and_asked_at_the_same_machine_only() {
    let merchant =
        Merchant::start(|_| std::future::ready(response(200, &"v".repeat(100_000)))).await;
    let auth = Auth::Bearer { token: secret("t") };
    let endpoint = endpoint_at(&merchant.url("/sku/{variant_identifier}/variants"), auth);
    let time_max = Duration::from_secs(2);

    let attempt = endpoint.get(&merchant.url("/sku/A%2F1/variants?x=1"), time_max).await;

    assert!(attempt.is_success(), "{:?}", attempt.error);
    assert_eq!(attempt.answer.len(), 100_000);
    let seen = &merchant.seen()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("GET", "/sku/A%2F1/variants?x=1"));
    let signer = Signer::new(&[secret(SECRET)]).unwrap();
    let signature = signer.sign(seen.header("webhook-id"), NOW_S, b"");
    assert_eq!(seen.header("webhook-signature"), signature);
    assert_eq!(seen.header("authorization"), "Bearer t");
    assert_eq!(seen.header("x-service-attempt"), "");

    let other = Merchant::answering(200).await;
    let attempt = endpoint.get(&other.url("/sku/1/variants"), time_max).await;
    assert_eq!(attempt.error.unwrap(), "the address cannot be used: it is of another machine");
    assert_eq!(other.seen().len(), 0);
}

#[tokio::test]
async fn an_answer_to_a_question_that_is_too_long_is_an_error() {
    let merchant =
        Merchant::start(|_| std::future::ready(response(200, &"v".repeat(1_048_577)))).await;
    let endpoint = endpoint_at(&merchant.url("/"), Auth::None);

    let attempt = endpoint.get(&merchant.url("/v"), Duration::from_secs(2)).await;

    assert_eq!(attempt.error.as_deref(), Some("the answer is larger than 1048576 bytes"));
    assert!(!attempt.is_success());
}

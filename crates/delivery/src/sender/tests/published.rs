//! What is sent, verified by the library that the Standard Webhooks project publishes for
//! receivers.

use standardwebhooks::Webhook;

use super::{
    merchant::{Merchant, Seen},
    *,
};

const NEWER: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A message as it arrives. The library asks the machine for the time, so this world does too.
async fn arrived(secrets: &[&str]) -> Seen {
    let merchant = Merchant::answering(200).await;
    let signing_secrets = secrets.iter().map(|text| secret(text)).collect();
    let target = EndpointTarget { signing_secrets, ..target_at(&merchant.url("/"), Auth::None) };
    let client = HttpClient::new(loopback(), no_trust(), World::system(), settings());
    let attempt = Endpoint::new(&target, &client).unwrap().send_outgoing(&outgoing()).await;
    assert!(attempt.is_success(), "{attempt:?}");
    merchant.seen().remove(0)
}

fn verifies(secret: &str, seen: &Seen) -> bool {
    Webhook::new(secret).unwrap().verify(&seen.body, &seen.headers).is_ok()
}

#[tokio::test]
async fn the_published_library_verifies_what_is_sent() {
    let seen = arrived(&[SECRET]).await;
    assert!(verifies(SECRET, &seen));
    assert!(!verifies(NEWER, &seen), "another secret does not fit");
    let changed = Seen { body: Bytes::from_static(b"{}"), ..seen };
    assert!(!verifies(SECRET, &changed), "neither does another body");
}

#[tokio::test]
async fn while_two_secrets_are_live_it_verifies_with_either() {
    let seen = arrived(&[NEWER, SECRET]).await;
    assert!(verifies(NEWER, &seen));
    assert!(verifies(SECRET, &seen));
}

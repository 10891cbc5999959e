//! Real calls to real servers on the loopback interface.

mod credentials;
mod exchange;
mod hostile;
pub(crate) mod merchant;
mod messages;
mod published;
mod reuse;
mod secure;

use std::{
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use world::World;

use super::{
    client::HttpClient,
    context::{CallSettings, trust},
    permit::QueuePermit,
    *,
};
use crate::address::{AddressGuard, NetworkException};

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// When the tests take place, in seconds since the epoch.
pub(crate) const NOW_S: i64 = 1_700_000_000;

pub(crate) fn loopback() -> AddressGuard {
    AddressGuard::new(vec![NetworkException::parse("*@127.0.0.0/8:*").unwrap()])
}

/// AnswerLimits short enough for a test to wait for them.
pub(crate) fn settings() -> CallSettings {
    CallSettings {
        request_time_max: Duration::from_millis(1500),
        connect_time_max: Duration::from_secs(1),
        ..CallSettings::default()
    }
}

pub(crate) fn no_trust() -> rustls::ClientConfig {
    trust(rustls::RootCertStore::empty())
}

/// A world that stands still, and the clock that moves it, in microseconds.
pub(crate) fn standing() -> (World, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(NOW_S * 1_000_000));
    (World::manual(Arc::clone(&clock)), clock)
}

pub(crate) fn http_client() -> HttpClient {
    HttpClient::new(loopback(), no_trust(), standing().0, settings())
}

pub(crate) fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

pub(crate) fn target_at(url: &str, auth: Auth<Secret>) -> EndpointTarget {
    EndpointTarget {
        refusal_is_final: false,
        merchant: MerchantId::parse("acme").unwrap(),
        kind: MessageKind::Rma,
        url: url.to_owned(),
        auth,
        signing_secrets: vec![secret(SECRET)],
    }
}

pub(crate) fn endpoint_at(url: &str, auth: Auth<Secret>) -> Endpoint {
    Endpoint::new(&target_at(url, auth), &http_client()).unwrap()
}

/// The arguments of [`Endpoint::send`].
pub(crate) struct Outgoing<'a> {
    pub(crate) id: &'a str,
    pub(crate) sequence: i64,
    pub(crate) created_us: i64,
    pub(crate) replay: bool,
    pub(crate) attempt: u32,
    pub(crate) body: Bytes,
    pub(crate) permit: Permit,
}

impl Endpoint {
    pub(crate) async fn send_outgoing(&self, outgoing: &Outgoing<'_>) -> CallResult {
        self.send(&OutgoingMessage {
            id: outgoing.id,
            sequence: outgoing.sequence,
            created_us: outgoing.created_us,
            replay: outgoing.replay,
            attempt: outgoing.attempt,
            body: &outgoing.body,
            permit: &outgoing.permit,
        })
        .await
    }
}

pub(crate) fn outgoing() -> Outgoing<'static> {
    let body = Bytes::from_static(br#"{"rma": "1" }"#);
    let permit = QueuePermit::default().until(None);
    let created_us = 1_771_085_530_000_000;
    Outgoing { id: "msg_1", sequence: 7, created_us, replay: false, attempt: 2, body, permit }
}

/// Sends one message to `url` without a credential.
pub(crate) async fn send(url: &str) -> CallResult {
    endpoint_at(url, Auth::None).send_outgoing(&outgoing()).await
}

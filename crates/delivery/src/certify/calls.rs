//! The calls of a check, and what is read from the responses.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use domain::{
    exchanges::answer::read_answer,
    json,
    messages::{certificate::CertifyExchange, endpoint::Auth, kind::MessageKind},
};
use serde_json::Value;
use world::{Secret, World};

use super::{
    CertifyTarget,
    bodies::{compact, sample},
};
use crate::{
    address::Refused,
    sender::{CallResult, Endpoint, EndpointTarget, client::HttpClient, probe::Probe},
    signature::Signer,
};

/// How much of a body is shown.
const SHOWN_BYTES: usize = 2_000;
/// A product of the samples.
const VARIANT: &str = "TEE-NAVY";
/// The secret of someone who is not us.
const OTHER_SECRET: &str = "whsec_c29tZW9uZSBlbHNlIGFsdG9nZXRoZXI=";

pub(super) struct Caller<'a> {
    pub(super) target: &'a CertifyTarget,
    world: &'a World,
    client: &'a HttpClient,
    endpoints: BTreeMap<MessageKind, CalledEndpoint>,
    signer: Signer,
    /// Signs as someone who does not know the secret.
    stranger: Signer,
    /// Names the things of this check, and no others.
    run: String,
    count: AtomicU32,
}

struct CalledEndpoint {
    url: String,
    endpoint: Endpoint,
}

/// A response, and how it is shown.
pub(super) struct Answer {
    result: CallResult,
    pub(super) exchange: CertifyExchange,
    time_max: Duration,
}

impl<'a> Caller<'a> {
    pub(super) fn new(
        target: &'a CertifyTarget,
        client: &'a HttpClient,
        world: &'a World,
    ) -> Result<Self, Refused> {
        let mut prepared = BTreeMap::new();
        for kind in &target.kinds {
            if let Some((url, auth)) = target.endpoints.target(*kind) {
                let url = url.replace("{variant_identifier}", VARIANT);
                let target = endpoint_target(target, *kind, &url, auth);
                let endpoint = Endpoint::new(&target, client)?;
                prepared.insert(*kind, CalledEndpoint { url, endpoint });
            }
        }
        Ok(Self {
            target,
            world,
            client,
            endpoints: prepared,
            signer: Signer::new(std::slice::from_ref(&target.secret))?,
            stranger: Signer::new(&[Secret::new(OTHER_SECRET.to_owned())])?,
            run: world.readable::<8>().to_uppercase(),
            count: AtomicU32::new(0),
        })
    }

    fn next(&self) -> u32 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn now_s(&self) -> i64 {
        self.world.now().as_second()
    }

    /// What a message of this check is about.
    pub(super) fn new_reference(&self) -> String {
        format!("CERT-{}-{}", self.run, self.next())
    }

    /// The documented sample, about something new.
    pub(super) fn sample(&self, kind: MessageKind) -> Value {
        sample(kind, &self.new_reference())
    }

    /// A correct message: the sample, about something new.
    pub(super) fn sample_probe(&self, kind: MessageKind) -> Probe {
        self.probe(compact(&self.sample(kind)))
    }

    pub(super) fn probe(&self, body: Vec<u8>) -> Probe {
        self.probe_at(Some(body), self.now_s())
    }

    /// A call that was signed at this time.
    pub(super) fn probe_at(&self, body: Option<Vec<u8>>, timestamp_s: i64) -> Probe {
        let id = format!("msg_certify_{}_{}", self.run, self.next());
        let signature = sign(&self.signer, &id, timestamp_s, body.as_deref().unwrap_or_default());
        Probe {
            id,
            timestamp_s,
            signature: Some(signature),
            sequence: 1,
            attempt: 1,
            replay: false,
            body,
        }
    }

    /// The signature of someone who does not know the secret.
    pub(super) fn sign_with_stranger(&self, probe: &Probe) -> String {
        let body = probe.body.as_deref().unwrap_or_default();
        sign(&self.stranger, &probe.id, probe.timestamp_s, body)
    }

    pub(super) async fn send(&self, kind: MessageKind, probe: &Probe) -> Answer {
        match self.endpoints.get(&kind) {
            Some(called) => self.call(kind.name(), called, probe).await,
            None => self.answer("", probe, CallResult::not_sent(&"it has no address")),
        }
    }

    /// Calls with the credentials of someone else.
    pub(super) async fn send_as(
        &self,
        kind: MessageKind,
        auth: Auth<Secret>,
        probe: &Probe,
    ) -> Result<Answer, Refused> {
        let url = self.endpoints.get(&kind).map(|called| called.url.clone()).unwrap_or_default();
        let target = endpoint_target(self.target, kind, &url, &auth);
        let endpoint = Endpoint::new(&target, self.client)?;
        Ok(self.call(kind.name(), &CalledEndpoint { url, endpoint }, probe).await)
    }

    /// Asks the receiver what it holds.
    pub(super) async fn ask_held(&self, url: &str) -> Result<Answer, Refused> {
        let auth = &self.target.endpoints.auth;
        let target = endpoint_target(self.target, MessageKind::ExchangeVariants, url, auth);
        let endpoint = Endpoint::new(&target, self.client)?;
        let called = CalledEndpoint { url: url.to_owned(), endpoint };
        Ok(self.call("held", &called, &self.probe_at(None, self.now_s())).await)
    }

    async fn call(&self, event: &str, called: &CalledEndpoint, probe: &Probe) -> Answer {
        let result = called.endpoint.probe(probe, self.target.time_max).await;
        self.answer(&describe_head(event, &called.url, probe), probe, result)
    }

    fn answer(&self, head: &str, probe: &Probe, result: CallResult) -> Answer {
        let body = shorten(probe.body.as_deref().unwrap_or_default());
        let exchange = CertifyExchange {
            request: format!("{head}\n{body}"),
            response: describe_response(&result),
        };
        Answer { result, exchange, time_max: self.target.time_max }
    }
}

fn endpoint_target(
    target: &CertifyTarget,
    kind: MessageKind,
    url: &str,
    auth: &Auth<Secret>,
) -> EndpointTarget {
    EndpointTarget {
        merchant: target.merchant.clone(),
        kind,
        url: url.to_owned(),
        auth: auth.clone(),
        signing_secrets: vec![target.secret.clone()],
        refusal_is_final: false,
    }
}

fn sign(signer: &Signer, id: &str, timestamp_s: i64, body: &[u8]) -> String {
    let mut value = Vec::new();
    signer.write(&mut value, id, timestamp_s, body);
    String::from_utf8_lossy(&value).into_owned()
}

/// The request as a person reads it, without its body and credentials.
fn describe_head(event: &str, url: &str, probe: &Probe) -> String {
    let method = if probe.body.is_some() { "POST" } else { "GET" };
    let headers = probe.headers().into_iter().map(|(name, value)| format!("{name}: {value}\n"));
    format!("{method} {url}\nx-service-event: {event}\n{}", headers.collect::<String>())
}

fn describe_response(result: &CallResult) -> String {
    let status = result.status.map_or("no response".to_owned(), |status| status.to_string());
    let error = result.error.as_deref().map(|error| format!(" ({error})")).unwrap_or_default();
    let milliseconds = result.latency.as_millis();
    format!("{status}{error} after {milliseconds} ms\n\n{}", shorten(&result.answer))
}

fn shorten(body: &[u8]) -> String {
    let shown = body.get(..SHOWN_BYTES).unwrap_or(body);
    let rest = body.len() - shown.len();
    let text = String::from_utf8_lossy(shown).into_owned();
    if rest == 0 { text } else { format!("{text}\n... and {rest} bytes more") }
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        self.result.is_success() && !self.is_late()
    }

    /// Whether the receiver said no. Without a response it said nothing.
    pub(super) fn is_refused(&self) -> bool {
        self.result.status.is_some() && !self.result.is_success()
    }

    pub(super) fn has_status(&self, status: u16) -> bool {
        self.result.status == Some(status)
    }

    pub(super) fn is_late(&self) -> bool {
        self.result.latency >= self.time_max
    }

    pub(super) fn is_redirect(&self) -> bool {
        self.result.status.is_some_and(|status| (300..400).contains(&status))
    }

    /// A page for people instead of a response.
    pub(super) fn is_page(&self) -> bool {
        let start = self.result.answer.trim_ascii_start().iter().take(14);
        let start: Vec<u8> = start.map(u8::to_ascii_lowercase).collect();
        self.is_success() && (start.starts_with(b"<!doctype html") || start.starts_with(b"<html"))
    }

    pub(super) fn body(&self) -> &[u8] {
        &self.result.answer
    }

    /// The order that it names.
    pub(super) fn order_identifier(&self) -> Option<String> {
        let document = json::parse(&self.result.answer).ok()?;
        read_answer(&document).order_identifier
    }

    /// What happened, in a few words.
    pub(super) fn describe(&self) -> String {
        match (self.result.status, &self.result.error) {
            _ if self.is_late() => "the response did not come in time".to_owned(),
            (Some(status), _) => format!("the response was {status}"),
            (None, Some(error)) => format!("there was no response: {error}"),
            (None, None) => "there was no response".to_owned(),
        }
    }
}

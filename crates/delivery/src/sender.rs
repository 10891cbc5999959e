//! One call to one merchant's system: the only code that sends a message.
//!
//! An [`Endpoint`] is a target made ready: its address checked, its headers built, its signing keys
//! prepared, its connections kept warm. [`Endpoint::send`] makes exactly one [`CallResult`] of a
//! message, within one time limit that covers everything, and never fails in any other way.
//!
//! The status decides. Any 2xx is success, whatever becomes of the rest of the answer; redirects
//! are not followed. A 401 is repeated at once, once, with a new token where there are tokens: that
//! is part of the same attempt. When to try again after that is for others to decide.

mod answer;
mod connection;
pub(crate) mod headers;
pub(crate) mod origin;
pub(crate) mod request;
mod retry_after;
mod shared;
mod stream;
#[cfg(test)]
pub(crate) mod tests;
mod trouble;

use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{endpoint::Auth, kind::MessageKind},
};
use http::{
    Method, StatusCode,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::{Instant, timeout};
use world::Secret;

pub(crate) use answer::{Answer, Limits};
use headers::{ATTEMPT, SEQUENCE, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use origin::Origin;
pub use shared::{Settings, Shared, machine_trust};
pub(crate) use trouble::Trouble;

use crate::{
    address::Refused,
    signature::Signer,
    tokens::{Credential, Token, Tokens},
};

/// The longest answer to a question that is asked with [`Endpoint::get`].
const ANSWER_TO_GET_MAX_BYTES: usize = 1024 * 1024;

/// The longest answer to an exchange order, which says what was placed and may repeat all of it.
const ANSWER_TO_ORDER_MAX_BYTES: usize = 256 * 1024;

/// Where calls of one kind go for one merchant, and what proves that they are ours.
#[derive(Clone, Debug)]
pub struct Target {
    pub merchant: MerchantId,
    pub kind: MessageKind,
    pub url: String,
    pub auth: Auth<Secret>,
    /// Newest first.
    pub signing_secrets: Vec<Secret>,
}

/// A message on its way out.
#[derive(Clone, Debug)]
pub struct Outgoing<'a> {
    /// The same on every attempt.
    pub id: &'a str,
    /// The message's number among those about the same thing.
    pub sequence: i64,
    pub attempt: u32,
    /// Sent byte for byte.
    pub body: Bytes,
}

/// What came of one try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// What went wrong short of or besides the status, in a few words without secrets.
    pub error: Option<String>,
    pub latency: Duration,
    /// The beginning of the answer's body.
    pub answer: Bytes,
    /// The pause that a 429 or 503 asked for.
    pub retry_after_ms: Option<u64>,
}

impl CallResult {
    /// The one definition of success: a 2xx status, and no error. For a message the status alone
    /// decides, because [`Endpoint::send`] reports no error beside a 2xx; [`Endpoint::get`] does,
    /// because a part of an answer is not an answer.
    pub fn is_success(&self) -> bool {
        self.has_2xx_status() && self.error.is_none()
    }

    fn has_2xx_status(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// A target made ready.
pub struct Endpoint {
    shared: Shared,
    origin: Origin,
    headers: HeaderMap,
    /// The line that a message begins with.
    line: Vec<u8>,
    /// The headers that stay the same, as they are sent.
    lasting: Vec<u8>,
    signer: Signer,
    tokens: Option<Tokens>,
    /// How much of an answer to a message is read and kept.
    limits: Limits,
}

/// What differs from one request to the next.
struct Call<'a> {
    line: &'a [u8],
    id: &'a str,
    /// Sequence and attempt; None for a question, which is no message and has no body.
    numbers: Option<(i64, u32)>,
    body: &'a [u8],
    limits: Limits,
}

impl Endpoint {
    /// Makes `target` ready, or says why it can never be called.
    pub fn new(target: &Target, shared: &Shared) -> Result<Self, Refused> {
        let uri = shared.guard().check_url(&target.url)?;
        let origin = Origin::new(&uri, shared)?;
        let user_agent = &shared.settings().user_agent;
        let host = origin.host_header()?;
        let headers = headers::prepared(host, target.kind, user_agent, &target.auth)?;
        let tokens = match Credential::of(&target.auth) {
            Some(credential) => Some(shared.tokens().of(&target.merchant, &credential, shared)?),
            None => None,
        };
        Ok(Self {
            shared: shared.clone(),
            origin,
            line: request::line(&Method::POST, &uri),
            lasting: headers::lasting(&headers),
            headers,
            signer: Signer::new(&target.signing_secrets)?,
            tokens,
            limits: match target.kind {
                MessageKind::ExchangeOrder => Limits {
                    read_max_bytes: ANSWER_TO_ORDER_MAX_BYTES,
                    kept_max_bytes: ANSWER_TO_ORDER_MAX_BYTES,
                },
                MessageKind::Rma
                | MessageKind::ExchangeVariants
                | MessageKind::OutboundAsn
                | MessageKind::InventoryReceipt
                | MessageKind::DropShipmentConfirmation
                | MessageKind::DropShipmentCancellation
                | MessageKind::DropShipmentPartialCancellation => shared.settings().limits(),
            },
        })
    }

    /// Sends a message once.
    pub async fn send(&self, outgoing: &Outgoing<'_>) -> CallResult {
        let call = Call {
            line: &self.line,
            id: outgoing.id,
            numbers: Some((outgoing.sequence, outgoing.attempt)),
            body: &outgoing.body,
            limits: self.limits,
        };
        let time_max = self.shared.settings().request_time_max;
        let mut attempt = self.attempt(&call, time_max).await;
        if attempt.has_2xx_status() {
            attempt.error = None;
        }
        attempt
    }

    /// The headers that a message is sent with, for people to read. What proves who we are is not
    /// among what they read, nor what is another with each attempt.
    pub fn shown_headers(&self, id: &str, sequence: i64) -> Vec<(String, String)> {
        let shown = |(name, value): (&HeaderName, &HeaderValue)| {
            let text = if value.is_sensitive() || *name == AUTHORIZATION {
                "(secret)".to_owned()
            } else if *name == WEBHOOK_ID {
                id.to_owned()
            } else if *name == SEQUENCE {
                sequence.to_string()
            } else if [WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE, ATTEMPT].contains(name) {
                "(new with each attempt)".to_owned()
            } else {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            };
            (name.to_string(), text)
        };
        self.headers.iter().map(shown).collect()
    }

    /// Asks a question and waits for the whole answer, of at most one MiB. `url` must lead to the
    /// same scheme, host and port as the target, because it is sent the target's credential.
    pub async fn get(&self, url: &str, time_max: Duration) -> CallResult {
        let limits = Limits {
            read_max_bytes: ANSWER_TO_GET_MAX_BYTES,
            kept_max_bytes: ANSWER_TO_GET_MAX_BYTES,
        };
        let line = match self.shared.guard().check_url(url) {
            Ok(uri) if self.origin.leads_to(&uri) => request::line(&Method::GET, &uri),
            Ok(_) => return CallResult::refused(&Refused::Malformed("it is of another machine")),
            Err(refused) => return CallResult::refused(&refused),
        };
        let id = format!("get_{}", self.shared.world().readable::<20>());
        let call = Call { line: &line, id: &id, numbers: None, body: &[], limits };
        self.attempt(&call, time_max).await
    }

    async fn attempt(&self, call: &Call<'_>, time_max: Duration) -> CallResult {
        let started = Instant::now();
        let mut answer = Answer::default();
        let outcome = match timeout(time_max, self.call_twice(call, &mut answer)).await {
            Ok(Ok(())) if !answer.complete => Err(Trouble::TooLarge(call.limits.read_max_bytes)),
            Ok(outcome) => outcome,
            Err(_) => Err(Trouble::Timeout),
        };
        let pause_ms =
            |value| retry_after::retry_after_ms(answer.status, value, self.shared.world().now());
        CallResult {
            status: answer.status.map(|status| status.as_u16()),
            error: outcome.err().map(|trouble| trouble.to_string()),
            latency: started.elapsed(),
            retry_after_ms: answer.retry_after.as_ref().and_then(pause_ms),
            answer: Bytes::from(answer.kept),
        }
    }

    /// Makes the call, and after a 401 once more.
    async fn call_twice(&self, call: &Call<'_>, answer: &mut Answer) -> Result<(), Trouble> {
        let token = match &self.tokens {
            Some(tokens) => Some(tokens.current().await?),
            None => None,
        };
        self.call(call, token.as_ref(), answer).await?;
        if answer.status != Some(StatusCode::UNAUTHORIZED) {
            return Ok(());
        }
        let token = match (&self.tokens, token) {
            (Some(tokens), Some(used)) => Some(tokens.renew(used.generation).await?),
            (_, used) => used,
        };
        *answer = Answer::default();
        self.call(call, token.as_ref(), answer).await
    }

    async fn call(
        &self,
        call: &Call<'_>,
        token: Option<&Arc<Token>>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if !request::fits_header(call.id) {
            return Err(Trouble::Identifier);
        }
        let write_head = |head: &mut Vec<u8>| self.write_head(call, token, head);
        self.origin.exchange(write_head, call.body, call.limits, answer).await
    }

    /// Numbers, dates and signs a request.
    fn write_head(&self, call: &Call<'_>, token: Option<&Arc<Token>>, head: &mut Vec<u8>) {
        let timestamp_s = self.shared.world().now().as_second();
        head.extend_from_slice(call.line);
        head.extend_from_slice(&self.lasting);
        if let Some(token) = token {
            request::header(head, &AUTHORIZATION, &token.header);
        }
        request::line_of(head, &WEBHOOK_ID, |head| head.extend_from_slice(call.id.as_bytes()));
        request::number(head, &WEBHOOK_TIMESTAMP, timestamp_s);
        request::line_of(head, &WEBHOOK_SIGNATURE, |head| {
            self.signer.write(head, call.id, timestamp_s, call.body);
        });
        if let Some((sequence, attempt)) = call.numbers {
            request::number(head, &SEQUENCE, sequence);
            request::number(head, &ATTEMPT, attempt);
            request::end_before(head, call.body);
        } else {
            request::end(head);
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.origin.host();
        formatter.debug_struct("Endpoint").field("host", &host).finish_non_exhaustive()
    }
}

impl CallResult {
    /// Nothing was sent, because it must not be.
    fn refused(refused: &Refused) -> Self {
        Self {
            status: None,
            error: Some(refused.to_string()),
            latency: Duration::ZERO,
            answer: Bytes::new(),
            retry_after_ms: None,
        }
    }
}

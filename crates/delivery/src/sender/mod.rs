//! One call to one merchant's server: the only code that sends a message.
//!
//! An [`Endpoint`] is a target that is ready to be called: its address checked, its headers built,
//! its signing keys prepared, its connections kept warm. [`Endpoint::send`] makes exactly one
//! attempt at a message, within one time limit that covers everything, and never fails in any other
//! way.
//!
//! The status decides. Any 2xx is success, whatever becomes of the rest of the answer; redirects
//! are not followed. A 401 is repeated at once, once, with a new token where there are tokens: that
//! is part of the same attempt. The caller decides when the next attempt is due.

pub(crate) mod answer;
pub(crate) mod client;
mod connection;
pub(crate) mod context;
pub(crate) mod dial;
pub(crate) mod headers;
pub(crate) mod origin;
pub(crate) mod permit;
pub(crate) mod probe;
pub(crate) mod request;
pub(crate) mod retry_after;
pub(crate) mod send_error;
mod stream;
#[cfg(test)]
pub(crate) mod tests;

use std::{fmt, sync::Arc, time::Duration};

use boxed::boxed;
use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{
        endpoint::Auth,
        kind::{MessageKind, ResponseContent},
    },
};
use http::{
    Method, StatusCode,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::{Instant, timeout};
use world::Secret;

use self::{
    answer::{AnswerLimits, HttpAnswer},
    client::HttpClient,
    context::CallContext,
    headers::{
        ATTEMPT, CREATED, REPLAY, SEQUENCE, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP,
    },
    origin::Origin,
    permit::Permit,
    send_error::SendError,
};
use crate::{
    address::Refused,
    signature::Signer,
    tokens::{ClientCredential, Token, Tokens},
};

/// The longest answer to a question that is asked with [`Endpoint::get`].
const ANSWER_TO_GET_MAX_BYTES: usize = 1024 * 1024;

/// The longest answer to an exchange order, which says what was placed and may repeat all of it.
const ANSWER_TO_ORDER_MAX_BYTES: usize = 256 * 1024;

/// Where calls of one kind go for one merchant, and what proves that they are ours.
#[derive(Clone, Debug)]
pub struct EndpointTarget {
    pub merchant: MerchantId,
    pub kind: MessageKind,
    pub url: String,
    pub auth: Auth<Secret>,
    /// Newest first.
    pub signing_secrets: Vec<Secret>,
    /// Whether an answer with 409 or 422 ends a message, so that it is not retried.
    pub refusal_is_final: bool,
}

/// An attempt at a message.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingMessage<'a> {
    pub id: &'a str,
    /// Its number among the messages about the same thing.
    pub sequence: i64,
    /// When it was decided.
    pub created_us: i64,
    /// Whether the merchant may have got it before, and asked for it again.
    pub replay: bool,
    /// The number of the attempt.
    pub attempt: u32,
    pub body: &'a [u8],
    pub permit: &'a Permit,
}

/// A message that a person wants to send by hand.
#[derive(Clone, Copy, Debug)]
pub struct SignedMessage<'a> {
    pub id: &'a str,
    pub sequence: i64,
    /// When it was decided.
    pub created_s: i64,
    pub body: &'a [u8],
}

/// The result of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// What went wrong short of or besides the status, in a few words without secrets.
    pub error: Option<String>,
    /// The permit had ended before the request was written, so nothing was sent.
    pub was_forbidden: bool,
    /// Another attempt would fail in the same way, so there must be none.
    pub is_final: bool,
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

/// A target that is ready to be called.
pub struct Endpoint {
    context: CallContext,
    origin: Origin,
    headers: HeaderMap,
    /// The line that a message begins with.
    line: Vec<u8>,
    /// The headers that stay the same, as they are sent.
    lasting: Vec<u8>,
    signer: Signer,
    tokens: Option<Tokens>,
    /// How much of an answer to a message is read and kept.
    limits: AnswerLimits,
    refusal_is_final: bool,
}

impl Endpoint {
    /// Prepares `target`, or says why it can never be called.
    pub fn new(target: &EndpointTarget, client: &HttpClient) -> Result<Self, Refused> {
        let context = client.context().for_merchant(&target.merchant);
        let uri = context.guard().check_url(&target.url)?;
        let origin = Origin::new(&uri, &context)?;
        let user_agent = &context.settings().user_agent;
        let host = origin.host_header()?;
        let headers = headers::prepared(host, target.kind, user_agent, &target.auth)?;
        let tokens = match ClientCredential::of(&target.auth) {
            Some(credential) => {
                Some(client.tokens().of(&target.merchant, &credential, &context)?)
            }
            None => None,
        };
        let usual_limits = context.settings().limits();
        Ok(Self {
            context,
            origin,
            line: request::line(&Method::POST, &uri),
            lasting: headers::lasting(&headers),
            headers,
            signer: Signer::new(&target.signing_secrets)?,
            tokens,
            refusal_is_final: target.refusal_is_final,
            limits: match target.kind.response_content() {
                ResponseContent::OrderIdentifier => AnswerLimits {
                    read_max_bytes: ANSWER_TO_ORDER_MAX_BYTES,
                    kept_max_bytes: ANSWER_TO_ORDER_MAX_BYTES,
                },
                ResponseContent::Variants | ResponseContent::Nothing => usual_limits,
            },
        })
    }

    /// Makes one attempt at a message. Its body is sent byte for byte.
    pub(crate) async fn send(&self, message: &OutgoingMessage<'_>) -> CallResult {
        let OutgoingMessage { id, sequence, created_us, replay, attempt, body, permit } = *message;
        if !request::fits_header(id) {
            return CallResult::not_sent(&SendError::Identifier);
        }
        let write_head = |head: &mut Vec<u8>, token: Option<&Token>| {
            self.begin_head(head, &self.line, token);
            self.sign(head, id, body);
            request::number(head, &CREATED, created_us.div_euclid(1_000_000));
            if replay {
                request::line_of(head, &REPLAY, |head| head.extend_from_slice(b"true"));
            }
            request::number(head, &SEQUENCE, sequence);
            request::number(head, &ATTEMPT, attempt);
            request::end_before(head, body);
            // Last, because nothing but the write may come between the check and the write.
            permit.check()
        };
        let time_max = self.context.settings().request_time_max;
        let mut result = self.call(write_head, body, self.limits, time_max).await;
        if result.has_2xx_status() {
            result.error = None;
        }
        result.is_final = self.refusal_is_final && matches!(result.status, Some(409 | 422));
        result
    }

    /// The headers that a message is sent with, for people to read: without secrets, and without
    /// the values that differ from attempt to attempt.
    pub fn shown_headers(&self, id: &str, sequence: i64, created_s: i64) -> Vec<(String, String)> {
        let shown = |(name, value): (&HeaderName, &HeaderValue)| {
            let text = if value.is_sensitive() || *name == AUTHORIZATION {
                "(secret)".to_owned()
            } else if *name == WEBHOOK_ID {
                id.to_owned()
            } else if *name == SEQUENCE {
                sequence.to_string()
            } else if *name == CREATED {
                created_s.to_string()
            } else if [WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE, ATTEMPT].contains(name) {
                "(new with each attempt)".to_owned()
            } else {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            };
            (name.to_string(), text)
        };
        self.headers.iter().map(shown).collect()
    }

    /// The same with a signature of now, so that a person can repeat the call.
    pub fn signed_headers(&self, message: &SignedMessage<'_>) -> Vec<(String, String)> {
        let SignedMessage { id, sequence, created_s, body } = *message;
        let timestamp_s = self.context.world().now().as_second();
        let mut signature = Vec::new();
        self.signer.write(&mut signature, id, timestamp_s, body);
        let mut headers = self.shown_headers(id, sequence, created_s);
        for (name, value) in &mut headers {
            if *name == WEBHOOK_TIMESTAMP.as_str() {
                *value = timestamp_s.to_string();
            } else if *name == WEBHOOK_SIGNATURE.as_str() {
                *value = String::from_utf8_lossy(&signature).into_owned();
            } else if *name == ATTEMPT.as_str() {
                "1".clone_into(value);
            }
        }
        headers
    }

    /// Asks a question and waits for the whole answer, of at most one MiB. `url` must lead to the
    /// same scheme, host and port as the target, because it is sent the target's credential.
    #[boxed]
    pub async fn get(&self, url: &str, time_max: Duration) -> CallResult {
        let limits = AnswerLimits {
            read_max_bytes: ANSWER_TO_GET_MAX_BYTES,
            kept_max_bytes: ANSWER_TO_GET_MAX_BYTES,
        };
        let line = match self.context.guard().check_url(url) {
            Ok(uri) if self.origin.leads_to(&uri) => request::line(&Method::GET, &uri),
            Ok(_) => return CallResult::not_sent(&Refused::Malformed("it is of another machine")),
            Err(refused) => return CallResult::not_sent(&refused),
        };
        let id = format!("get_{}", self.context.world().readable::<20>());
        let write_head = |head: &mut Vec<u8>, token: Option<&Token>| {
            self.begin_head(head, &line, token);
            self.sign(head, &id, &[]);
            request::end(head);
            Ok(())
        };
        self.call(write_head, &[], limits, time_max).await
    }

    /// Makes one call with the head that `write_head` writes, given the current token.
    async fn call(
        &self,
        write_head: impl Fn(&mut Vec<u8>, Option<&Token>) -> Result<(), SendError>,
        body: &[u8],
        limits: AnswerLimits,
        time_max: Duration,
    ) -> CallResult {
        let started = Instant::now();
        let mut answer = HttpAnswer::default();
        let exchange = self.exchange_twice(write_head, body, limits, &mut answer);
        let outcome = match timeout(time_max, exchange).await {
            Ok(Ok(())) if !answer.complete => Err(SendError::TooLarge(limits.read_max_bytes)),
            Ok(outcome) => outcome,
            Err(_) => Err(SendError::Timeout),
        };
        let pause_ms =
            |value| retry_after::retry_after_ms(answer.status, value, self.context.world().now());
        CallResult {
            status: answer.status.map(|status| status.as_u16()),
            was_forbidden: outcome == Err(SendError::Forbidden),
            is_final: false,
            error: outcome.err().map(|error| error.to_string()),
            latency: started.elapsed(),
            retry_after_ms: answer.retry_after.as_ref().and_then(pause_ms),
            answer: Bytes::from(answer.kept),
        }
    }

    /// Sends the request, and after a 401 once more.
    async fn exchange_twice(
        &self,
        write_head: impl Fn(&mut Vec<u8>, Option<&Token>) -> Result<(), SendError>,
        body: &[u8],
        limits: AnswerLimits,
        answer: &mut HttpAnswer,
    ) -> Result<(), SendError> {
        let token = match &self.tokens {
            Some(tokens) => Some(tokens.current().await?),
            None => None,
        };
        let with_token = |head: &mut Vec<u8>| write_head(head, token.as_deref());
        self.origin.exchange(with_token, body, limits, answer).await?;
        if answer.status != Some(StatusCode::UNAUTHORIZED) {
            return Ok(());
        }
        let token: Option<Arc<Token>> = match (&self.tokens, token) {
            (Some(tokens), Some(used)) => Some(tokens.renew(used.generation).await?),
            (_, used) => used,
        };
        *answer = HttpAnswer::default();
        let with_token = |head: &mut Vec<u8>| write_head(head, token.as_deref());
        self.origin.exchange(with_token, body, limits, answer).await
    }

    fn begin_head(&self, head: &mut Vec<u8>, line: &[u8], token: Option<&Token>) {
        head.extend_from_slice(line);
        head.extend_from_slice(&self.lasting);
        if let Some(token) = token {
            request::header(head, &AUTHORIZATION, &token.header);
        }
    }

    /// Names, dates and signs a request.
    fn sign(&self, head: &mut Vec<u8>, id: &str, body: &[u8]) {
        let timestamp_s = self.context.world().now().as_second();
        request::line_of(head, &WEBHOOK_ID, |head| head.extend_from_slice(id.as_bytes()));
        request::number(head, &WEBHOOK_TIMESTAMP, timestamp_s);
        request::line_of(head, &WEBHOOK_SIGNATURE, |head| {
            self.signer.write(head, id, timestamp_s, body);
        });
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.origin.host();
        formatter.debug_struct("Endpoint").field("host", &host).finish_non_exhaustive()
    }
}

impl CallResult {
    /// Nothing was sent.
    pub(crate) fn not_sent(cause: &impl ToString) -> Self {
        Self {
            status: None,
            error: Some(cause.to_string()),
            was_forbidden: false,
            is_final: false,
            latency: Duration::ZERO,
            answer: Bytes::new(),
            retry_after_ms: None,
        }
    }
}

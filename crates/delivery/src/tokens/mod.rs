//! Tokens that a merchant's own systems give us: OAuth 2.0 client credentials (RFC 6749, 4.4).
//!
//! There is one cache for each credential, shared by all endpoints that use it. However many calls
//! want a token, one request is made for it and all wait for that one. When four fifths of a
//! token's life are over, the next call that uses it has it renewed in the background, so that
//! calls do not wait under traffic. Every token has a generation: a call that got a 401 names the
//! generation it used, and gets the newer one if there is one already.
//!
//! A token endpoint that fails is not called for a second, then two, up to a minute; calls fail at
//! once meanwhile, with the same reason.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use domain::{identifier::MerchantId, messages::endpoint::Auth};
use http::{
    Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT},
};
use jiff::{SignedDuration, Timestamp};
use ring::digest;
use tokio::{sync::Notify, time::timeout};
use world::{Secret, World};

use crate::{
    address::Refused,
    sender::{
        answer::{AnswerLimits, HttpAnswer},
        context::CallContext,
        headers,
        origin::Origin,
        request,
        send_error::{SendError, TokenFailure},
    },
};

/// How long a token lives when the answer does not say.
const LIFETIME_DEFAULT_S: i64 = 3600;

/// However long a token says it lives, it is renewed after 30 days.
const LIFETIME_MAX_S: i64 = 30 * 24 * 60 * 60;

const BACK_OFF_MAX_S: i64 = 60;

const LIMITS: AnswerLimits = AnswerLimits { read_max_bytes: 64 * 1024, kept_max_bytes: 64 * 1024 };

/// What tokens are requested with, and where.
pub(crate) struct ClientCredential<'a> {
    token_url: &'a str,
    client_id: &'a str,
    client_secret: &'a Secret,
    scope: Option<&'a str>,
}

impl<'a> ClientCredential<'a> {
    pub(crate) fn of(auth: &'a Auth<Secret>) -> Option<Self> {
        match auth {
            Auth::Oauth2 { token_url, client_id, client_secret, scope } => {
                Some(Self { token_url, client_id, client_secret, scope: scope.as_deref() })
            }
            Auth::None | Auth::Basic { .. } | Auth::Header { .. } | Auth::Bearer { .. } => None,
        }
    }

    /// The same for the same credential of the same merchant, and for nothing else.
    fn fingerprint(&self, merchant: &MerchantId) -> [u8; 32] {
        let mut context = digest::Context::new(&digest::SHA256);
        let scope = self.scope.unwrap_or_default();
        let secret = self.client_secret.reveal();
        for part in [merchant.as_str(), self.token_url, self.client_id, secret, scope] {
            context.update(&part.len().to_be_bytes());
            context.update(part.as_bytes());
        }
        let mut fingerprint = [0; 32];
        fingerprint.copy_from_slice(context.finish().as_ref());
        fingerprint
    }

    /// Client identifier and secret as RFC 6749, 2.3.1 wants them: encoded, then joined.
    fn basic(&self) -> Result<HeaderValue, Refused> {
        headers::basic(&form_encoded(self.client_id), &form_encoded(self.client_secret.reveal()))
    }

    fn form(&self) -> String {
        match self.scope {
            Some(scope) => {
                format!("grant_type=client_credentials&scope={}", form_encoded(scope))
            }
            None => "grant_type=client_credentials".to_owned(),
        }
    }
}

/// Every cache that is in use, so that endpoints with the same credential find the same one.
#[derive(Default)]
pub(crate) struct TokenCaches {
    caches: Mutex<HashMap<[u8; 32], Weak<TokenCache>>>,
}

impl TokenCaches {
    pub(crate) fn of(
        &self,
        merchant: &MerchantId,
        credential: &ClientCredential<'_>,
        context: &CallContext,
    ) -> Result<Tokens, Refused> {
        let fingerprint = credential.fingerprint(merchant);
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = caches.get(&fingerprint).and_then(Weak::upgrade) {
            return Ok(Tokens { cache });
        }
        let cache = Arc::new(TokenCache::new(credential, context)?);
        caches.retain(|_, cache| cache.strong_count() > 0);
        caches.insert(fingerprint, Arc::downgrade(&cache));
        Ok(Tokens { cache })
    }
}

/// A token, ready to be sent.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) header: HeaderValue,
    pub(crate) generation: u64,
    renew_at: Timestamp,
    expires_at: Timestamp,
}

/// The tokens of one credential.
#[derive(Clone)]
pub(crate) struct Tokens {
    cache: Arc<TokenCache>,
}

struct TokenCache {
    world: World,
    origin: Origin,
    /// The request, which is the same every time.
    head: Vec<u8>,
    form: Vec<u8>,
    /// Less than for an attempt, so that calls that wait learn why there is no token.
    time_max: Duration,
    state: Mutex<TokenState>,
    /// Notified whenever a request for a token has ended.
    changed: Notify,
}

#[derive(Default)]
struct TokenState {
    token: Option<Arc<Token>>,
    is_refreshing: bool,
    failures: u32,
    /// The last failure, and until when no new request is made.
    failed: Option<(TokenFailure, Timestamp)>,
}

impl TokenState {
    fn failure(&self, now: Timestamp) -> Option<TokenFailure> {
        self.failed.as_ref().filter(|(_, until)| now < *until).map(|(failure, _)| failure.clone())
    }

    fn generation(&self) -> u64 {
        self.token.as_ref().map_or(0, |token| token.generation)
    }
}

impl Tokens {
    /// A token that has not ended. Waits only when there is none.
    pub(crate) async fn current(&self) -> Result<Arc<Token>, TokenFailure> {
        let generation = {
            let now = self.cache.world.now();
            let mut state = self.cache.lock();
            if let Some(token) = state.token.clone().filter(|token| now < token.expires_at) {
                if now >= token.renew_at && state.failure(now).is_none() {
                    self.refresh(&mut state);
                }
                return Ok(token);
            }
            state.generation()
        };
        self.renew(generation).await
    }

    /// A token newer than `generation`: the one there is, or a new one.
    pub(crate) async fn renew(&self, generation: u64) -> Result<Arc<Token>, TokenFailure> {
        loop {
            let changed = self.cache.changed.notified();
            {
                let now = self.cache.world.now();
                let mut state = self.cache.lock();
                let newer =
                    |token: &Arc<Token>| token.generation > generation && now < token.expires_at;
                if let Some(token) = state.token.clone().filter(newer) {
                    return Ok(token);
                }
                if let Some(failure) = state.failure(now) {
                    return Err(failure);
                }
                self.refresh(&mut state);
            }
            changed.await;
        }
    }

    /// Starts a request for a token unless one is running. It runs by itself, so that a caller
    /// that gives up does not affect the others.
    fn refresh(&self, state: &mut TokenState) {
        if state.is_refreshing {
            return;
        }
        state.is_refreshing = true;
        let cache = Arc::clone(&self.cache);
        tokio::spawn(async move {
            let outcome = cache.fetch().await;
            cache.finish_refresh(outcome);
        });
    }
}

impl TokenCache {
    fn new(credential: &ClientCredential<'_>, context: &CallContext) -> Result<Self, Refused> {
        let uri = context.guard().check_url(credential.token_url)?;
        let origin = Origin::new(&uri, context)?;
        let settings = context.settings();
        let form = credential.form().into_bytes();
        let mut head = request::line(&Method::POST, &uri);
        request::header(&mut head, &HOST, &origin.host_header()?);
        if let Ok(user_agent) = HeaderValue::from_str(&settings.user_agent) {
            request::header(&mut head, &USER_AGENT, &user_agent);
        }
        request::header(&mut head, &ACCEPT, &HeaderValue::from_static("application/json"));
        let encoded = HeaderValue::from_static("application/x-www-form-urlencoded");
        request::header(&mut head, &CONTENT_TYPE, &encoded);
        request::header(&mut head, &AUTHORIZATION, &credential.basic()?);
        request::end_before(&mut head, &form);
        Ok(Self {
            world: context.world().clone(),
            origin,
            head,
            form,
            time_max: settings.request_time_max / 2,
            state: Mutex::default(),
            changed: Notify::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, TokenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the token endpoint once: the header to send, and how long it will be good for.
    async fn fetch(&self) -> Result<(HeaderValue, i64), TokenFailure> {
        let mut answer = HttpAnswer::default();
        let write_head = |head: &mut Vec<u8>| {
            head.extend_from_slice(&self.head);
            Ok(())
        };
        let exchange = self.origin.exchange(write_head, &self.form, LIMITS, &mut answer);
        match timeout(self.time_max, exchange).await {
            Ok(Ok(())) => (),
            Ok(Err(error)) => return Err(TokenFailure(error.to_string())),
            Err(_) => return Err(TokenFailure(SendError::Timeout.to_string())),
        }
        let status = answer.status.unwrap_or_default();
        if status != StatusCode::OK {
            return Err(TokenFailure(format!("{} from the token endpoint", status.as_u16())));
        }
        if !answer.complete {
            return Err(TokenFailure(SendError::TooLarge(LIMITS.read_max_bytes).to_string()));
        }
        read_token(&answer.kept).map_err(|why| TokenFailure(why.to_owned()))
    }

    fn finish_refresh(&self, outcome: Result<(HeaderValue, i64), TokenFailure>) {
        let now = self.world.now();
        let after = |seconds| now.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
        let mut state = self.lock();
        state.is_refreshing = false;
        match outcome {
            Ok((header, lifetime_s)) => {
                let token = Token {
                    header,
                    generation: state.generation() + 1,
                    renew_at: after(lifetime_s * 4 / 5),
                    expires_at: after(lifetime_s),
                };
                state.token = Some(Arc::new(token));
                state.failures = 0;
                state.failed = None;
            }
            Err(failure) => {
                let pause_s = 2_i64.saturating_pow(state.failures).min(BACK_OFF_MAX_S);
                tracing::warn!(
                    "requesting a token from {} failed, its calls fail for {pause_s} s: {failure}",
                    self.origin.host()
                );
                state.failures += 1;
                state.failed = Some((failure, after(pause_s)));
            }
        }
        drop(state);
        self.changed.notify_waiters();
    }
}

/// Reads an answer with a token in it (RFC 6749, 5.1), or says what is wrong with it.
fn read_token(body: &[u8]) -> Result<(HeaderValue, i64), &'static str> {
    let answer: serde_json::Value =
        serde_json::from_slice(body).map_err(|_| "the token endpoint's answer is not JSON")?;
    let field = |name| answer.get(name);
    let kind = field("token_type").and_then(serde_json::Value::as_str).unwrap_or("bearer");
    if !kind.eq_ignore_ascii_case("bearer") {
        return Err("the token endpoint's token is not a bearer token");
    }
    let token = field("access_token").and_then(serde_json::Value::as_str).unwrap_or_default();
    if token.is_empty() {
        return Err("the token endpoint's answer has no access_token");
    }
    let header = headers::bearer(token).map_err(|_| "the token does not fit a header")?;
    let lifetime_s = match field("expires_in") {
        Some(serde_json::Value::String(digits)) => digits.parse().ok(),
        Some(number) => number.as_i64(),
        None => None,
    };
    Ok((header, lifetime_s.unwrap_or(LIFETIME_DEFAULT_S).clamp(1, LIFETIME_MAX_S)))
}

/// `text` as a value in `application/x-www-form-urlencoded`.
/// A space is `%20`, which servers that do not read `+` as one understand too.
fn form_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.extend(['%', hexadecimal(byte >> 4), hexadecimal(byte & 15)]),
        }
    }
    encoded
}

fn hexadecimal(digit: u8) -> char {
    char::from_digit(digit.into(), 16).unwrap_or_default().to_ascii_uppercase()
}

//! Requests to a carrier's API: JSON over the connections of the sender, through the address guard,
//! with limits on size and time.

use std::time::Duration;

use bytes::Bytes;
use domain::identifier::MerchantId;
use http::{
    Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT},
};
use tokio::time::timeout;
use world::Secret;

use super::failure::CarrierFailure;
use crate::{
    address::Refused,
    fetch::{FetchLimits, fetch_with},
    sender::{
        answer::{AnswerLimits, HttpAnswer},
        client::HttpClient,
        context::CallContext,
        headers::basic,
        origin::Origin,
        request,
        retry_after::retry_after_ms,
        send_error::SendError,
    },
};

/// A carrier asks its own carriers for rates and labels, which takes time.
const CALL_TIME_MAX: Duration = Duration::from_secs(30);
const ANSWER_MAX_BYTES: usize = 1024 * 1024;
const DOCUMENT_MAX_BYTES: usize = 2 * 1024 * 1024;
const DOCUMENT_TYPES: &str = "application/pdf, image/png, application/zpl, text/plain, */*";

/// An account at an API.
pub(super) struct ApiClient {
    context: CallContext,
    origin: Origin,
    base_url: String,
    host: HeaderValue,
    user_agent: HeaderValue,
    credential: HeaderValue,
}

/// A request.
#[derive(Clone, Copy)]
pub(super) struct ApiRequest<'a> {
    pub(super) method: &'a Method,
    /// Under the base address.
    pub(super) path: &'a str,
    pub(super) body: &'a [u8],
}

/// An answer of the API, whatever its status.
pub(super) struct ApiAnswer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    pub(super) retry_after_ms: Option<u64>,
}

impl ApiClient {
    /// Prepares calls with the key as the user name of HTTP Basic, or says why the address can
    /// never be called.
    pub(super) fn new(
        merchant: &MerchantId,
        base_url: &str,
        key: &Secret,
        client: &HttpClient,
    ) -> Result<Self, Refused> {
        let context = client.context().for_merchant(merchant);
        let uri = context.guard().check_url(base_url)?;
        let origin = Origin::new(&uri, &context)?;
        let user_agent = HeaderValue::from_str(&context.settings().user_agent).map_err(|_| {
            Refused::Credential("the user agent has characters that headers do not")
        })?;
        Ok(Self {
            host: origin.host_header()?,
            origin,
            base_url: base_url.trim_end_matches('/').to_owned(),
            user_agent,
            credential: basic(key.reveal(), "")?,
            context,
        })
    }

    pub(super) async fn call(&self, call: ApiRequest<'_>) -> Result<ApiAnswer, CarrierFailure> {
        let url = format!("{}{}", self.base_url, call.path);
        let uri = self.context.guard().check_url(&url)?;
        let line = request::line(call.method, &uri);
        let json = HeaderValue::from_static("application/json");
        let write_head = |head: &mut Vec<u8>| {
            head.extend_from_slice(&line);
            request::header(head, &HOST, &self.host);
            request::header(head, &USER_AGENT, &self.user_agent);
            request::header(head, &ACCEPT, &json);
            request::header(head, &AUTHORIZATION, &self.credential);
            if call.body.is_empty() && *call.method == Method::GET {
                request::end(head);
            } else {
                request::header(head, &CONTENT_TYPE, &json);
                request::end_before(head, call.body);
            }
            Ok(())
        };
        let limits =
            AnswerLimits { read_max_bytes: ANSWER_MAX_BYTES, kept_max_bytes: ANSWER_MAX_BYTES };
        let mut answer = HttpAnswer::default();
        let exchange = self.origin.exchange(write_head, call.body, limits, &mut answer);
        match timeout(CALL_TIME_MAX, exchange).await {
            Ok(outcome) => outcome?,
            Err(_) => return Err(SendError::Timeout.into()),
        }
        if !answer.complete {
            return Err(SendError::TooLarge(ANSWER_MAX_BYTES).into());
        }
        let now = self.context.world().now();
        let pause = answer.retry_after.as_ref();
        Ok(ApiAnswer {
            status: answer.status.ok_or(SendError::Closed)?,
            retry_after_ms: pause.and_then(|value| retry_after_ms(answer.status, value, now)),
            body: answer.kept,
        })
    }

    /// Fetches what the API refers to, without the credential. Exceptions of the guard apply only
    /// to the address of the API itself, which an operator set.
    pub(super) async fn fetch(&self, url: &str) -> Result<Bytes, CarrierFailure> {
        let limits = FetchLimits { bytes_max: DOCUMENT_MAX_BYTES, time_max: CALL_TIME_MAX };
        let is_own =
            self.context.guard().check_url(url).is_ok_and(|uri| self.origin.leads_to(&uri));
        let context = if is_own { self.context.clone() } else { self.context.public_only() };
        let fetched = fetch_with(&context, url, DOCUMENT_TYPES, limits).await;
        fetched.map_err(|why| CarrierFailure::passing(format!("fetching the label failed: {why}")))
    }
}

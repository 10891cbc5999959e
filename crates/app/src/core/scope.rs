//! What a use case needs to know about a request: who sent it, and which merchant it is about.

use std::{fmt, net::IpAddr};

use bytes::Bytes;
use domain::identifier::{ClientId, MerchantId};

use crate::{App, AppError};

/// The scope of one request. A handler builds it once and passes it to the use case.
#[derive(Clone, Copy)]
pub struct RequestScope<'a> {
    pub app: &'a App,
    /// The client, or the operator at the console. The audit trail names it.
    pub client: &'a ClientId,
    /// The address that the request came from, for the audit trail. None for what the process does
    /// by itself.
    pub address: Option<IpAddr>,
    /// The merchant that the request is about: the client's own, or the one that a client of the
    /// platform names. None if the request does not say.
    pub merchant: Option<&'a MerchantId>,
    /// The key under which the request may be repeated, if it has one.
    pub idempotency: Option<&'a IdempotencyKey>,
    /// What the journal names as the cause of a change. None for what the process does by itself.
    pub request: Option<RequestId>,
}

/// Identifies a request, in the answer and in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(u64);

impl RequestId {
    pub fn new(app: &App) -> Self {
        Self(u64::from_be_bytes(app.world.random()))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "req-{:016x}", self.0)
    }
}

/// The `Idempotency-Key` of a request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    pub key: String,
    /// Covers everything that identifies the request: method, address and body.
    pub request_hash: Bytes,
}

impl<'a> RequestScope<'a> {
    /// The same request, about `merchant`.
    #[must_use]
    pub fn for_merchant(self, merchant: &'a MerchantId) -> Self {
        Self { merchant: Some(merchant), ..self }
    }

    /// The merchant that the request is about, where it must be about one.
    pub(crate) fn merchant(self) -> Result<&'a MerchantId, AppError> {
        self.merchant.ok_or(AppError::NotFound("merchant"))
    }
}

//! Finds the caller of a bearer token.
//!
//! Callers are cached for a few seconds, because every request needs one. A change that this
//! process makes clears the cache at once; a change by another node takes effect when the entry
//! expires.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{PoisonError, RwLock},
};

use bytes::Bytes;
use domain::{
    access::scope::Scopes,
    identifier::{ClientId, MerchantId},
    merchants::merchant::MerchantSettings,
};
use store::TokenOwner;

use crate::{
    App, AppError,
    access::secrets,
    core::scope::{IdempotencyKey, RequestId, RequestScope},
};

const REMEMBERED_US: i64 = 5_000_000;
const REMEMBERED_MAX: usize = 10_000;

/// The caller and what it may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub client: ClientId,
    /// None for a system of the platform.
    pub merchant: Option<MerchantId>,
    pub settings: MerchantSettings,
    pub scopes: Scopes,
    /// The address of this request, which the handler knows.
    pub address: Option<IpAddr>,
    /// The identifier of this request, which the handler knows.
    pub request: Option<RequestId>,
}

impl Caller {
    /// A request of this caller, about its own merchant if it has one.
    pub fn scope<'a>(
        &'a self,
        app: &'a App,
        idempotency: Option<&'a IdempotencyKey>,
    ) -> RequestScope<'a> {
        RequestScope {
            app,
            client: &self.client,
            address: self.address,
            merchant: self.merchant.as_ref(),
            idempotency,
            request: self.request,
        }
    }
}

/// Recent callers, by the hash of their token.
#[derive(Default)]
pub(crate) struct CallerCache(RwLock<HashMap<Bytes, CachedCaller>>);

#[derive(Clone)]
struct CachedCaller {
    caller: Caller,
    until_us: i64,
}

impl CallerCache {
    pub(crate) fn forget_all(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn seen(&self, hash: &Bytes, now_us: i64) -> Option<Caller> {
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()?;
        (seen.until_us > now_us).then_some(seen.caller)
    }

    fn remember(&self, hash: Bytes, seen: CachedCaller) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED_MAX {
            all.clear();
        }
        all.insert(hash, seen);
    }
}

/// The caller of `token`, or None if the token is unknown, expired or revoked.
pub async fn authenticate(app: &App, token: &str) -> Result<Option<Caller>, AppError> {
    let Some(merchant) = secrets::merchant_of_token(token) else { return Ok(None) };
    let hash = secrets::hash(token.as_bytes());
    let now_us = app.world.wall_clock_us();
    if let Some(caller) = app.callers.seen(&hash, now_us) {
        return Ok(Some(caller));
    }
    let owner = app.store.token_owner(&merchant, hash.clone()).await?;
    let Some(owner) = owner.filter(|owner| is_good(owner, now_us)) else { return Ok(None) };
    let until_us = owner.expires_us.min(now_us + REMEMBERED_US);
    let caller = Caller {
        client: owner.client.id,
        settings: owner.merchant.as_ref().map(|merchant| merchant.settings).unwrap_or_default(),
        merchant: owner.merchant.map(|merchant| merchant.id),
        scopes: owner.scopes,
        address: None,
        request: None,
    };
    app.callers.remember(hash, CachedCaller { caller: caller.clone(), until_us });
    Ok(Some(caller))
}

fn is_good(owner: &TokenOwner, now_us: i64) -> bool {
    let merchant_lives =
        owner.merchant.as_ref().is_none_or(domain::merchants::merchant::Merchant::is_live);
    owner.expires_us > now_us && owner.client.is_live() && merchant_lives
}

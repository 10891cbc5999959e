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

use boxed::boxed;
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
pub(crate) struct CallerCache(RwLock<CachedCallers>);

#[derive(Default)]
struct CachedCallers {
    by_hash: HashMap<Bytes, CachedCaller>,
    /// How often all callers were forgotten.
    generation: u64,
}

#[derive(Clone)]
struct CachedCaller {
    caller: Caller,
    until_us: i64,
}

impl CallerCache {
    pub(crate) fn forget_all(&self) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.by_hash.clear();
        all.generation += 1;
    }

    fn seen(&self, hash: &Bytes, now_us: i64) -> Option<Caller> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let seen = all.by_hash.get(hash).filter(|seen| seen.until_us > now_us)?;
        Some(seen.caller.clone())
    }

    /// To be read before a caller is loaded that shall be remembered.
    fn generation(&self) -> u64 {
        self.0.read().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// Remembers a caller, unless all were forgotten since `generation`: it may have been loaded
    /// before its token was revoked.
    fn remember(&self, hash: Bytes, seen: CachedCaller, generation: u64) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.generation != generation {
            return;
        }
        if all.by_hash.len() >= REMEMBERED_MAX {
            all.by_hash.clear();
        }
        all.by_hash.insert(hash, seen);
    }
}

/// The caller of `token`, or None if the token is unknown, expired or revoked.
#[boxed]
pub async fn authenticate(app: &App, token: &str) -> Result<Option<Caller>, AppError> {
    let Some(merchant) = secrets::merchant_of_token(token) else { return Ok(None) };
    let hash = secrets::hash(token.as_bytes());
    let now_us = app.world.wall_clock_us();
    if let Some(caller) = app.callers.seen(&hash, now_us) {
        return Ok(Some(caller));
    }
    let generation = app.callers.generation();
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
    app.callers.remember(hash, CachedCaller { caller: caller.clone(), until_us }, generation);
    Ok(Some(caller))
}

fn is_good(owner: &TokenOwner, now_us: i64) -> bool {
    let merchant_lives =
        owner.merchant.as_ref().is_none_or(domain::merchants::merchant::Merchant::is_live);
    owner.expires_us > now_us && owner.client.is_live() && merchant_lives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_that_was_loaded_before_its_token_was_revoked_is_not_remembered() {
        let (cache, hash) = (CallerCache::default(), Bytes::from_static(b"hash"));
        let merchant = MerchantId::parse("acme").unwrap();
        let caller = Caller {
            client: ClientId::new(&merchant, "test"),
            merchant: Some(merchant),
            settings: MerchantSettings::default(),
            scopes: Scopes::default(),
            address: None,
            request: None,
        };
        let remember = |generation| {
            let seen = CachedCaller { caller: caller.clone(), until_us: 10 };
            cache.remember(hash.clone(), seen, generation);
        };

        let before = cache.generation();
        cache.forget_all();
        remember(before);
        assert_eq!(cache.seen(&hash, 1), None);

        remember(cache.generation());
        assert_eq!(cache.seen(&hash, 1), Some(caller));
    }
}

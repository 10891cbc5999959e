//! Images of goods, which are on merchants' servers and are served by us.
//!
//! A page of the portal loads nothing from other hosts, so no other host learns about the shopper.
//! The browser asks us instead, with a token that contains the merchant and the address, sealed:
//! only addresses from an order or a list of variants are ever fetched. Images are cached for some
//! time, and so are failures. The type of an image is detected from its first bytes.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use boxed::boxed;
use bytes::Bytes;
use delivery::{FetchLimits, fetch};
use domain::{identifier::MerchantId, merchants::picture::PictureKind};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use world::{Purpose, SealContext};

use crate::{App, AppError};

const URL_MAX: usize = 2_000;
const ACCEPT: &str = "image/webp,image/png,image/jpeg,image/gif,image/svg+xml";
const LIMITS: FetchLimits = FetchLimits { bytes_max: 1 << 20, time_max: Duration::from_secs(5) };
/// The most images that are fetched at the same time. Further requests get no image for now.
const FETCHES_MAX: usize = 32;
const CACHED_US: i64 = 10 * 60 * 1_000_000;
const FAILURE_CACHED_US: i64 = 30 * 1_000_000;
const CACHED_MAX: usize = 2_000;
const CACHED_BYTES_MAX: usize = 32 << 20;

/// An image and its type.
#[derive(Clone, Debug)]
pub struct Picture {
    pub kind: PictureKind,
    pub bytes: Bytes,
}

/// The images that were fetched recently, and the limit for fetching.
pub(crate) struct PictureCache {
    state: Mutex<PictureCacheState>,
    fetches: Semaphore,
}

#[derive(Default)]
struct PictureCacheState {
    /// Images that this process draws itself.
    own: HashMap<PictureAddress, Picture>,
    bytes: usize,
    pictures: HashMap<PictureAddress, CachedPicture>,
    /// Sealing gives another token each time, but browsers cache only if the address stays the
    /// same.
    tokens: HashMap<PictureAddress, String>,
}

struct CachedPicture {
    fetched: FetchedPicture,
    until_us: i64,
}

/// The result of fetching an image.
#[derive(Clone)]
enum FetchedPicture {
    Picture(Picture),
    Failed,
}

impl FetchedPicture {
    fn picture(self) -> Option<Picture> {
        match self {
            Self::Picture(picture) => Some(picture),
            Self::Failed => None,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Picture(picture) => picture.bytes.len(),
            Self::Failed => 0,
        }
    }

    const fn cached_us(&self) -> i64 {
        match self {
            Self::Picture(_) => CACHED_US,
            Self::Failed => FAILURE_CACHED_US,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct PictureAddress {
    merchant: MerchantId,
    url: String,
}

impl Default for PictureCache {
    fn default() -> Self {
        Self { state: Mutex::default(), fetches: Semaphore::new(FETCHES_MAX) }
    }
}

impl PictureCache {
    fn lock(&self) -> MutexGuard<'_, PictureCacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, address: &PictureAddress, now_us: i64) -> Option<FetchedPicture> {
        let state = self.lock();
        if let Some(own) = state.own.get(address) {
            return Some(FetchedPicture::Picture(own.clone()));
        }
        let cached = state.pictures.get(address)?;
        (cached.until_us > now_us).then(|| cached.fetched.clone())
    }

    fn add(&self, address: PictureAddress, fetched: FetchedPicture, now_us: i64) {
        let mut state = self.lock();
        let size = fetched.size();
        if state.pictures.len() >= CACHED_MAX || state.bytes + size > CACHED_BYTES_MAX {
            (state.bytes, state.pictures) = (0, HashMap::new());
        }
        state.bytes += size;
        let until_us = now_us + fetched.cached_us();
        let replaced = state.pictures.insert(address, CachedPicture { fetched, until_us });
        let freed = replaced.map_or(0, |cached| cached.fetched.size());
        state.bytes = state.bytes.saturating_sub(freed);
    }
}

/// Keeps an image that this process draws itself, as the demo does for its simulated merchant. It
/// is never fetched.
pub fn keep_picture(app: &App, merchant: &MerchantId, url: String, picture: Picture) {
    let address = PictureAddress { merchant: merchant.clone(), url };
    app.pictures.lock().own.insert(address, picture);
}

/// The token for the image at an address. None if the address is empty or too long.
pub fn create_picture_token(app: &App, merchant: &MerchantId, url: &str) -> Option<String> {
    if url.is_empty() || url.len() > URL_MAX {
        return None;
    }
    let address = PictureAddress { merchant: merchant.clone(), url: url.to_owned() };
    let mut state = app.pictures.lock();
    if let Some(token) = state.tokens.get(&address) {
        return Some(token.clone());
    }
    let text = serde_json::to_vec(&address).expect("an address has string keys");
    let token = URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, token_context(merchant), &text));
    if state.tokens.len() >= CACHED_MAX {
        state.tokens.clear();
    }
    state.tokens.insert(address, token.clone());
    Some(token)
}

fn token_context(merchant: &MerchantId) -> SealContext<'_> {
    SealContext { purpose: Purpose::PictureToken, merchant: merchant.as_str(), row: "" }
}

/// The image of a token. None if it cannot be fetched now.
#[boxed]
pub async fn load_picture(
    app: &App,
    merchant: &MerchantId,
    token: &str,
) -> Result<Option<Picture>, AppError> {
    let missing = || AppError::NotFound("picture");
    let sealed = URL_SAFE_NO_PAD.decode(token).map_err(|_| missing())?;
    let text = app.vault.open(token_context(merchant), &sealed).map_err(|_| missing())?;
    let address: PictureAddress = serde_json::from_slice(&text).map_err(|_| missing())?;
    if address.merchant != *merchant {
        return Err(missing());
    }
    let now_us = app.world.now_us();
    if let Some(fetched) = app.pictures.find(&address, now_us) {
        return Ok(fetched.picture());
    }
    let Ok(_permit) = app.pictures.fetches.try_acquire() else { return Ok(None) };
    let fetched = match fetch(&app.http, &address.url, ACCEPT, LIMITS).await {
        Ok(bytes) => PictureKind::of(&bytes).map_or(FetchedPicture::Failed, |kind| {
            FetchedPicture::Picture(Picture { kind, bytes })
        }),
        Err(why) => {
            tracing::debug!(merchant = merchant.as_str(), "fetching an image failed: {why}");
            FetchedPicture::Failed
        }
    };
    app.pictures.add(address, fetched.clone(), now_us);
    Ok(fetched.picture())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: usize) -> PictureAddress {
        let merchant = MerchantId::parse("acme").unwrap();
        PictureAddress { merchant, url: format!("https://shop.example/{number}.png") }
    }

    fn picture(bytes: usize) -> FetchedPicture {
        FetchedPicture::Picture(Picture {
            kind: PictureKind::Png,
            bytes: Bytes::from(vec![0; bytes]),
        })
    }

    #[test]
    fn an_image_is_cached_longer_than_a_failure() {
        let pictures = PictureCache::default();
        pictures.add(address(1), picture(10), 0);
        pictures.add(address(2), FetchedPicture::Failed, 0);

        assert!(pictures.find(&address(1), CACHED_US - 1).unwrap().picture().is_some());
        assert!(pictures.find(&address(1), CACHED_US).is_none());
        assert!(pictures.find(&address(2), FAILURE_CACHED_US - 1).unwrap().picture().is_none());
        assert!(pictures.find(&address(2), FAILURE_CACHED_US).is_none());
        assert!(pictures.find(&address(3), 0).is_none());
    }

    #[test]
    fn the_cache_does_not_exceed_its_limits() {
        let pictures = PictureCache::default();
        for number in 0..100 {
            pictures.add(address(number), picture(1 << 20), 0);
            pictures.add(address(number), picture(1 << 19), 0);
            let state = pictures.lock();
            let bytes: usize = state.pictures.values().map(|it| it.fetched.size()).sum();
            assert_eq!(bytes, state.bytes);
            assert!(bytes <= CACHED_BYTES_MAX, "{bytes}");
        }
        for number in 0..2 * CACHED_MAX {
            pictures.add(address(number), FetchedPicture::Failed, 0);
            assert!(pictures.lock().pictures.len() <= CACHED_MAX);
        }
    }
}

//! Pictures of goods, which lie on merchants' servers and are shown by us.
//!
//! A page of the portal asks no other host for anything, so a shopper's browser is known to nobody but us.
//! It asks us instead, with a token into which merchant and address are sealed: only what an order or
//! a list of variants named is ever fetched. What was fetched is kept for a while, and so is
//! that it could not be had. What it is, its first bytes tell.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use delivery::{FetchLimits, fetch};
use domain::{identifier::MerchantId, merchants::picture::PictureKind};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::{App, AppError};

const TOKEN: &str = "picture";
const URL_MAX: usize = 2_000;
const ACCEPT: &str = "image/webp,image/png,image/jpeg,image/gif,image/svg+xml";
const LIMITS: FetchLimits = FetchLimits { bytes_max: 1 << 20, time_max: Duration::from_secs(5) };
/// How many are fetched at once; who comes when so many are under way gets none for now.
const AT_ONCE: usize = 32;
const KEPT_US: i64 = 10 * 60 * 1_000_000;
const FAILURE_KEPT_US: i64 = 30 * 1_000_000;
const KEPT_MAX: usize = 2_000;
const KEPT_BYTES_MAX: usize = 32 << 20;

/// A picture and what it is.
#[derive(Clone, Debug)]
pub struct Picture {
    pub kind: PictureKind,
    pub bytes: Bytes,
}

/// What was fetched lately, and how much more may be at once.
pub(crate) struct PictureCache {
    memory: Mutex<PictureCacheState>,
    room: Semaphore,
}

#[derive(Default)]
struct PictureCacheState {
    bytes: usize,
    kept: HashMap<PictureAddress, (i64, FetchedPicture)>,
    /// Every sealing is another, and a browser keeps only what has the same address again.
    tokens: HashMap<PictureAddress, String>,
}

/// What came of fetching a picture.
#[derive(Clone)]
enum FetchedPicture {
    Picture(Picture),
    Nothing,
}

impl FetchedPicture {
    fn picture(self) -> Option<Picture> {
        match self {
            Self::Picture(picture) => Some(picture),
            Self::Nothing => None,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Picture(picture) => picture.bytes.len(),
            Self::Nothing => 0,
        }
    }

    const fn kept_us(&self) -> i64 {
        match self {
            Self::Picture(_) => KEPT_US,
            Self::Nothing => FAILURE_KEPT_US,
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
        Self { memory: Mutex::default(), room: Semaphore::new(AT_ONCE) }
    }
}

impl PictureCache {
    fn lock(&self) -> MutexGuard<'_, PictureCacheState> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, address: &PictureAddress, now_us: i64) -> Option<FetchedPicture> {
        let memory = self.lock();
        let (until_us, picture) = memory.kept.get(address)?;
        (*until_us > now_us).then(|| picture.clone())
    }

    fn keep(&self, address: PictureAddress, had: FetchedPicture, now_us: i64) {
        let mut memory = self.lock();
        if memory.kept.len() >= KEPT_MAX || memory.bytes + had.size() > KEPT_BYTES_MAX {
            (memory.bytes, memory.kept) = (0, HashMap::new());
        }
        memory.bytes += had.size();
        let before = memory.kept.insert(address, (now_us + had.kept_us(), had));
        let freed = before.map_or(0, |(_, had)| had.size());
        memory.bytes = memory.bytes.saturating_sub(freed);
    }
}

/// What a page names the picture at an address by. None for an address that is too long to be one.
pub fn picture_token(app: &App, merchant: &MerchantId, url: &str) -> Option<String> {
    if url.is_empty() || url.len() > URL_MAX {
        return None;
    }
    let address = PictureAddress { merchant: merchant.clone(), url: url.to_owned() };
    let mut memory = app.pictures.lock();
    if let Some(token) = memory.tokens.get(&address) {
        return Some(token.clone());
    }
    let text = serde_json::to_vec(&address).expect("an address has string keys");
    let token = URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, TOKEN, &text));
    if memory.tokens.len() >= KEPT_MAX {
        memory.tokens.clear();
    }
    memory.tokens.insert(address, token.clone());
    Some(token)
}

/// The picture of a token; nothing when it cannot be had now.
pub async fn load_picture(
    app: &App,
    merchant: &MerchantId,
    token: &str,
) -> Result<Option<Picture>, AppError> {
    let missing = || AppError::NotFound("picture");
    let sealed = URL_SAFE_NO_PAD.decode(token).map_err(|_| missing())?;
    let text = app.vault.open(TOKEN, &sealed).map_err(|_| missing())?;
    let address: PictureAddress = serde_json::from_slice(&text).map_err(|_| missing())?;
    if address.merchant != *merchant {
        return Err(missing());
    }
    let now_us = app.world.now_us();
    if let Some(kept) = app.pictures.kept(&address, now_us) {
        return Ok(kept.picture());
    }
    let Ok(_room) = app.pictures.room.try_acquire() else { return Ok(None) };
    let had = match fetch(&app.http, &address.url, ACCEPT, LIMITS).await {
        Ok(bytes) => PictureKind::of(&bytes).map_or(FetchedPicture::Nothing, |kind| {
            FetchedPicture::Picture(Picture { kind, bytes })
        }),
        Err(why) => {
            tracing::debug!(merchant = merchant.as_str(), why, "a picture cannot be had: {why}");
            FetchedPicture::Nothing
        }
    };
    app.pictures.keep(address, had.clone(), now_us);
    Ok(had.picture())
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
    fn a_picture_is_kept_for_a_while_and_a_failure_for_a_shorter_one() {
        let pictures = PictureCache::default();
        pictures.keep(address(1), picture(10), 0);
        pictures.keep(address(2), FetchedPicture::Nothing, 0);

        assert!(pictures.kept(&address(1), KEPT_US - 1).unwrap().picture().is_some());
        assert!(pictures.kept(&address(1), KEPT_US).is_none());
        assert!(pictures.kept(&address(2), FAILURE_KEPT_US - 1).unwrap().picture().is_none());
        assert!(pictures.kept(&address(2), FAILURE_KEPT_US).is_none());
        assert!(pictures.kept(&address(3), 0).is_none());
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let pictures = PictureCache::default();
        for number in 0..100 {
            pictures.keep(address(number), picture(1 << 20), 0);
            pictures.keep(address(number), picture(1 << 19), 0);
            let memory = pictures.lock();
            let held: usize = memory.kept.values().map(|(_, had)| had.size()).sum();
            assert_eq!(held, memory.bytes);
            assert!(held <= KEPT_BYTES_MAX, "{held}");
        }
        for number in 0..2 * KEPT_MAX {
            pictures.keep(address(number), FetchedPicture::Nothing, 0);
            assert!(pictures.lock().kept.len() <= KEPT_MAX);
        }
    }
}

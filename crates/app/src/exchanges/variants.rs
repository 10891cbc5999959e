//! The variants that a shopper can exchange a unit for: the merchant's server is asked, and what it said is
//! remembered for a little while. When it cannot be asked, the variants on the order line count.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use delivery::{CallResult, Endpoint};
use domain::{
    exchanges::variants::{Listed, VariantOffer, offers, read_listed},
    identifier::MerchantId,
    json,
    messages::kind::MessageKind,
    orders::order::Variant,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{App, AppError, messages::set_endpoints::find_target, orders::load_order::find_order};

/// How long a shopper waits for the merchant's server.
const TIME_MAX: Duration = Duration::from_secs(3);
const REMEMBERED_US: i64 = 30_000_000;
const REMEMBERED_MAX: usize = 10_000;
/// After so many failures in a row the merchant is not asked for a while.
const FAILURES_MAX: u32 = 3;
const REST_US: i64 = 10_000_000;
const PLACEHOLDER: &str = "{variant_identifier}";

/// What a shopper can have in the place of a unit.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LineVariants {
    /// Who listed them: `merchant` was asked just now or lately, `order` is what stood on the order line.
    #[schema(example = "merchant")]
    pub source: String,
    /// The returned one is left out.
    pub variants: Vec<VariantOffer>,
    /// How many the merchant listed that could not be read.
    #[schema(example = 0)]
    pub skipped: usize,
}

/// Why the merchant's server told nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VariantsError {
    /// There is no address, or it is paused.
    NoAddress,
    /// It could not be reached, or what it answered is of no use.
    Unreachable(String),
    TooSlow,
}

/// What merchants said lately, and whose servers rest.
#[derive(Default)]
pub(crate) struct VariantCache(Mutex<VariantCacheState>);

#[derive(Default)]
struct VariantCacheState {
    listed: HashMap<(MerchantId, String), (i64, Listed)>,
    failing: HashMap<MerchantId, (u32, i64)>,
}

impl VariantCache {
    fn lock(&self) -> MutexGuard<'_, VariantCacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listed(&self, key: &(MerchantId, String), now_us: i64) -> Option<Listed> {
        let memory = self.lock();
        let (until_us, listed) = memory.listed.get(key)?;
        (*until_us > now_us).then(|| listed.clone())
    }

    fn is_resting(&self, merchant: &MerchantId, now_us: i64) -> bool {
        let memory = self.lock();
        let failing = memory.failing.get(merchant);
        failing.is_some_and(|(times, until_us)| *times >= FAILURES_MAX && *until_us > now_us)
    }

    fn note(&self, key: &(MerchantId, String), said: Option<&Listed>, now_us: i64) {
        let mut memory = self.lock();
        if memory.listed.len() >= REMEMBERED_MAX {
            memory.listed.clear();
        }
        if let Some(listed) = said {
            memory.failing.remove(&key.0);
            memory.listed.insert(key.clone(), (now_us + REMEMBERED_US, listed.clone()));
        } else {
            let failing = memory.failing.entry(key.0.clone()).or_default();
            *failing = (failing.0.saturating_add(1), now_us + REST_US);
        }
    }
}

/// The variants that units of a line can be exchanged for.
pub async fn list_line_variants(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
    line_id: &str,
) -> Result<LineVariants, AppError> {
    let order = find_order(app, merchant, order_id).await?.ok_or(AppError::NotFound("order"))?;
    let line = order.items.iter().find(|line| line.identifier == line_id);
    let line = line.ok_or(AppError::NotFound("order line"))?;
    let said = match line.variant_identifier.as_str() {
        "" => Ok(Listed::default()),
        identifier => ask(app, merchant, identifier, Freshness::Lately).await,
    };
    let view = |source: &str, variants: &[Variant], skipped| LineVariants {
        source: source.to_owned(),
        variants: offers(line, variants),
        skipped,
    };
    match said {
        Ok(listed) => Ok(view("merchant", &listed.variants, listed.skipped)),
        Err(_) if !line.variants.is_empty() => Ok(view("order", &line.variants, 0)),
        Err(VariantsError::NoAddress) => Ok(view("order", &[], 0)),
        Err(VariantsError::Unreachable(why)) => Err(AppError::Unreachable(why)),
        Err(VariantsError::TooSlow) => Err(AppError::TooSlow),
    }
}

/// What the merchant says of these variants now. One that cannot be asked about is left out.
pub(crate) async fn fetch_current_variants(
    app: &App,
    merchant: &MerchantId,
    identifiers: impl Iterator<Item = &str>,
) -> BTreeMap<String, Vec<Variant>> {
    let mut said = BTreeMap::new();
    for identifier in identifiers.filter(|identifier| !identifier.is_empty()) {
        if let Ok(listed) = ask(app, merchant, identifier, Freshness::Now).await {
            said.insert(identifier.to_owned(), listed.variants);
        }
    }
    said
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Freshness {
    /// What was said lately will do.
    Lately,
    Now,
}

async fn ask(
    app: &App,
    merchant: &MerchantId,
    identifier: &str,
    freshness: Freshness,
) -> Result<Listed, VariantsError> {
    let key = (merchant.clone(), identifier.to_owned());
    let now_us = app.world.now_us();
    if freshness == Freshness::Lately
        && let Some(listed) = app.variants.listed(&key, now_us)
    {
        return Ok(listed);
    }
    if app.variants.is_resting(merchant, now_us) {
        return Err(VariantsError::Unreachable("it did not respond a moment ago".to_owned()));
    }
    let said = fetch(app, merchant, identifier).await;
    if said != Err(VariantsError::NoAddress) {
        app.variants.note(&key, said.as_ref().ok(), now_us);
    }
    said
}

async fn fetch(
    app: &App,
    merchant: &MerchantId,
    identifier: &str,
) -> Result<Listed, VariantsError> {
    let unusable = |why: String| VariantsError::Unreachable(why);
    let found = find_target(app, merchant, MessageKind::ExchangeVariants).await;
    let found = found.map_err(|error| {
        // The text of the error may name the database, which callers must not see.
        tracing::error!(merchant = merchant.as_str(), "reading an endpoint failed: {error}");
        unusable("its endpoint could not be read; the reason has been logged".to_owned())
    })?;
    let mut found = found.ok_or(VariantsError::NoAddress)?;
    let encoded = utf8_percent_encode(identifier, NON_ALPHANUMERIC).to_string();
    found.url = found.url.replace(PLACEHOLDER, &encoded);
    let endpoint =
        Endpoint::new(&found, &app.http).map_err(|refused| unusable(refused.to_string()))?;
    let result = endpoint.get(&found.url, TIME_MAX).await;
    if result.latency >= TIME_MAX {
        return Err(VariantsError::TooSlow);
    }
    if !result.is_success() {
        return Err(unusable(words(&result)));
    }
    let document = json::parse(&result.answer).map_err(|error| unusable(error.to_string()))?;
    read_listed(&document)
        .ok_or_else(|| unusable("its response is not a list of variants".to_owned()))
}

fn words(result: &CallResult) -> String {
    match (&result.error, result.status) {
        (Some(error), _) => error.clone(),
        (None, Some(status)) => format!("it responded with {status}"),
        (None, None) => "it did not respond".to_owned(),
    }
}

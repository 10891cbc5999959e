//! The variants that a unit can be exchanged for. The merchant's server is asked, and its response
//! is cached for a short time. If the server cannot be asked, the variants on the order line are
//! used.
//!
//! A page or a return can need many lists: each is requested once, a few at the same time, and the
//! whole within a time limit.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use boxed::boxed;
use delivery::{CallResult, Endpoint};
use domain::{
    exchanges::variants::{Listed, VariantLists, VariantOffer, list_offers, read_listed},
    identifier::MerchantId,
    json,
    messages::kind::MessageKind,
    orders::order::{OrderLine, Variant},
};
use futures_util::{StreamExt, stream};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use store::with_causes;
use utoipa::ToSchema;

use crate::{
    App, AppError, messages::endpoint_target::find_target, orders::load_order::find_order,
};

/// How long a shopper waits for the merchant's server.
const TIME_MAX: Duration = Duration::from_secs(3);
/// How long a shopper waits for all lists of a page.
const LISTS_TIME_MAX: Duration = Duration::from_secs(6);
/// How many lists of a page are requested at the same time.
const REQUESTS_MAX: usize = 8;
/// What is not sent as it is: all but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const CACHED_US: i64 = 30_000_000;
const CACHED_MAX: usize = 10_000;
/// After this many failures in a row, the server is not asked for [`PAUSE_US`].
const FAILURES_MAX: u32 = 3;
const PAUSE_US: i64 = 10_000_000;
const PLACEHOLDER: &str = "{variant_identifier}";

/// The variants that a unit of an order line can be exchanged for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LineVariants {
    /// Where they come from: `merchant` is the merchant's server, `order` is the order line.
    #[schema(example = "merchant")]
    pub source: String,
    /// Without the variant that is returned.
    pub variants: Vec<VariantOffer>,
    /// How many variants of the merchant's list were unreadable.
    #[schema(example = 0)]
    pub skipped: usize,
}

/// Why the merchant's server could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantsError {
    /// No address is set, or the endpoint is paused.
    NoAddress,
    /// The server cannot be reached, or its response is unusable.
    Unreachable(String),
    /// The server responded that it has no list for this variant.
    Refused(String),
    TooSlow,
}

impl From<VariantsError> for AppError {
    fn from(error: VariantsError) -> Self {
        match error {
            VariantsError::NoAddress => Self::Unreachable("no address is set".to_owned()),
            VariantsError::Unreachable(why) | VariantsError::Refused(why) => Self::Unreachable(why),
            VariantsError::TooSlow => Self::TooSlow,
        }
    }
}

/// Recent responses of merchants' servers, and the servers that are paused because they fail.
#[derive(Default)]
pub(crate) struct VariantCache(Mutex<VariantCacheState>);

#[derive(Default)]
struct VariantCacheState {
    answers: HashMap<VariantKey, CachedAnswer>,
    failing: HashMap<MerchantId, FailingServer>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct VariantKey {
    merchant: MerchantId,
    identifier: String,
}

/// A list, or that there is none.
struct CachedAnswer {
    answer: Result<Listed, VariantsError>,
    until_us: i64,
}

#[derive(Default)]
struct FailingServer {
    failures: u32,
    paused_until_us: i64,
}

impl VariantCache {
    fn lock(&self) -> MutexGuard<'_, VariantCacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &VariantKey, now_us: i64) -> Option<Result<Listed, VariantsError>> {
        let state = self.lock();
        let cached = state.answers.get(key)?;
        (cached.until_us > now_us).then(|| cached.answer.clone())
    }

    fn is_paused(&self, merchant: &MerchantId, now_us: i64) -> bool {
        let state = self.lock();
        let server = state.failing.get(merchant);
        server.is_some_and(|it| it.failures >= FAILURES_MAX && it.paused_until_us > now_us)
    }

    fn add(&self, key: VariantKey, answer: Result<Listed, VariantsError>, now_us: i64) {
        let mut state = self.lock();
        if state.answers.len() >= CACHED_MAX {
            state.answers.clear();
        }
        state.failing.remove(&key.merchant);
        state.answers.insert(key, CachedAnswer { answer, until_us: now_us + CACHED_US });
    }

    fn count_failure(&self, merchant: &MerchantId, now_us: i64) {
        let mut state = self.lock();
        let server = state.failing.entry(merchant.clone()).or_default();
        server.failures = server.failures.saturating_add(1);
        server.paused_until_us = now_us + PAUSE_US;
    }
}

/// The variants that units of a line can be exchanged for.
#[boxed]
pub async fn list_line_variants(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
    line_id: &str,
) -> Result<LineVariants, AppError> {
    let order = find_order(app, merchant, order_id).await?.ok_or(AppError::NotFound("order"))?;
    let line = order.items.iter().find(|line| line.identifier == line_id);
    let line = line.ok_or(AppError::NotFound("order line"))?;
    let mut variants = list_variants(app, merchant, &[line]).await;
    variants.pop().unwrap_or(Err(VariantsError::NoAddress)).map_err(AppError::from)
}

/// The variants that units of each of these lines can be exchanged for.
#[boxed]
pub async fn list_variants(
    app: &App,
    merchant: &MerchantId,
    lines: &[&OrderLine],
) -> Vec<Result<LineVariants, VariantsError>> {
    let identifiers = lines.iter().map(|line| line.variant_identifier.as_str());
    let lists = load_lists(app, merchant, identifiers, Freshness::Cached).await;
    let too_slow = Err(VariantsError::TooSlow);
    let of_line = |line: &&OrderLine| match line.variant_identifier.as_str() {
        "" => Ok(offer_variants(line, "order", &line.variants, 0)),
        identifier => choose_list(line, lists.get(identifier).unwrap_or(&too_slow)),
    };
    lines.iter().map(of_line).collect()
}

/// The merchant's list or, if there is none, the variants on the order line.
fn choose_list(
    line: &OrderLine,
    listed: &Result<Listed, VariantsError>,
) -> Result<LineVariants, VariantsError> {
    match listed {
        Ok(listed) => Ok(offer_variants(line, "merchant", &listed.variants, listed.skipped)),
        Err(_) if !line.variants.is_empty() => Ok(offer_variants(line, "order", &line.variants, 0)),
        Err(VariantsError::NoAddress) => Ok(offer_variants(line, "order", &[], 0)),
        Err(error) => Err(error.clone()),
    }
}

fn offer_variants(
    line: &OrderLine,
    source: &str,
    variants: &[Variant],
    skipped: usize,
) -> LineVariants {
    LineVariants { source: source.to_owned(), variants: list_offers(line, variants), skipped }
}

/// The current lists of variants of these lines, as far as the merchant answers.
pub(crate) async fn fetch_current_variants(
    app: &App,
    merchant: &MerchantId,
    lines: &[&OrderLine],
) -> VariantLists {
    let identifiers = lines.iter().map(|line| line.variant_identifier.as_str());
    let lists = load_lists(app, merchant, identifiers, Freshness::Current).await;
    let fetched = lists.into_iter().filter_map(|(identifier, listed)| match listed {
        Ok(listed) => Some((identifier, Some(listed.variants))),
        Err(VariantsError::Refused(_)) => Some((identifier, None)),
        Err(VariantsError::NoAddress | VariantsError::Unreachable(_) | VariantsError::TooSlow) => {
            None
        }
    });
    fetched.collect()
}

/// Loads each of these lists once. A list that is not loaded in time is absent.
async fn load_lists(
    app: &App,
    merchant: &MerchantId,
    identifiers: impl Iterator<Item = &str>,
    freshness: Freshness,
) -> HashMap<String, Result<Listed, VariantsError>> {
    let identifiers: BTreeSet<String> =
        identifiers.filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let mut lists = HashMap::with_capacity(identifiers.len());
    let requests = stream::iter(identifiers).map(|identifier| async move {
        let listed = load_list(app, merchant, &identifier, freshness).await;
        (identifier, listed)
    });
    let mut requests = requests.buffer_unordered(REQUESTS_MAX);
    let load = async {
        while let Some((identifier, listed)) = requests.next().await {
            lists.insert(identifier, listed);
        }
    };
    // What was loaded until then is used.
    let _ = tokio::time::timeout(LISTS_TIME_MAX, load).await;
    lists
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Freshness {
    /// A cached list is good enough.
    Cached,
    Current,
}

async fn load_list(
    app: &App,
    merchant: &MerchantId,
    identifier: &str,
    freshness: Freshness,
) -> Result<Listed, VariantsError> {
    let key = VariantKey { merchant: merchant.clone(), identifier: identifier.to_owned() };
    let now_us = app.world.now_us();
    if freshness == Freshness::Cached
        && let Some(answer) = app.variants.find(&key, now_us)
    {
        return answer;
    }
    // What a shopper confirms is checked in any case.
    if freshness == Freshness::Cached && app.variants.is_paused(merchant, now_us) {
        return Err(VariantsError::Unreachable("it did not respond a moment ago".to_owned()));
    }
    let fetched = fetch_list(app, merchant, identifier).await;
    match &fetched {
        // A server that has no list for the variant responds all the same.
        Ok(_) | Err(VariantsError::Refused(_)) => app.variants.add(key, fetched.clone(), now_us),
        Err(VariantsError::NoAddress) => (),
        Err(VariantsError::Unreachable(_) | VariantsError::TooSlow) => {
            app.variants.count_failure(merchant, now_us);
        }
    }
    fetched
}

async fn fetch_list(
    app: &App,
    merchant: &MerchantId,
    identifier: &str,
) -> Result<Listed, VariantsError> {
    let unusable = |why: String| VariantsError::Unreachable(why);
    let target = find_target(app, merchant, MessageKind::ExchangeVariants).await;
    let target = target.map_err(|error| {
        // The error may contain details of the database, which callers must not see.
        let cause = with_causes(&error);
        tracing::error!("loading the endpoint for variants of {merchant} failed: {cause}");
        unusable("its endpoint could not be loaded; the reason has been logged".to_owned())
    })?;
    let mut target = target.ok_or(VariantsError::NoAddress)?;
    // As a whole segment of a path, dots have a meaning.
    let reserved = if identifier.contains(|it| it != '.') { RESERVED } else { NON_ALPHANUMERIC };
    let encoded = utf8_percent_encode(identifier, reserved).to_string();
    target.url = target.url.replace(PLACEHOLDER, &encoded);
    let endpoint =
        Endpoint::new(&target, &app.http).map_err(|refused| unusable(refused.to_string()))?;
    let result = endpoint.get(&target.url, TIME_MAX).await;
    if result.latency >= TIME_MAX {
        return Err(VariantsError::TooSlow);
    }
    if let Some(status @ (404 | 410 | 422)) = result.status {
        return Err(VariantsError::Refused(format!("it responded with {status}")));
    }
    if !result.is_success() {
        return Err(unusable(describe_failure(&result)));
    }
    let document = json::parse(&result.answer).map_err(|error| unusable(error.to_string()))?;
    read_listed(&document)
        .ok_or_else(|| unusable("its response is not a list of variants".to_owned()))
}

fn describe_failure(result: &CallResult) -> String {
    match (&result.error, result.status) {
        (Some(error), _) => error.clone(),
        (None, Some(status)) => format!("it responded with {status}"),
        (None, None) => "it did not respond".to_owned(),
    }
}

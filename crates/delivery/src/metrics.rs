//! What the delivery engine counts, for `/metrics`.

use std::{
    collections::HashSet,
    sync::{Arc, PoisonError, RwLock},
};

use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::{counter::Counter, family::Family, gauge::Gauge};
use prometheus_client::{encoding::EncodeLabelSet, registry::Registry};
use store::{Attempt, AttemptOutcome};

#[derive(Clone, Debug)]
pub struct DeliveryMetrics {
    merchants: MerchantLabels,
    attempts: Family<AttemptLabels, Counter>,
    outcomes: Family<OutcomeLabels, Counter>,
    waited: Family<KindLabels, Histogram>,
    endpoints: Family<StateLabels, Gauge>,
    in_flight: Gauge,
    shards: Gauge,
}

/// The merchants that have labels of their own, so that many merchants do not make many time
/// series: the first ones that something is counted for. All others are `other`.
#[derive(Clone, Debug, Default)]
pub struct MerchantLabels(Arc<RwLock<HashSet<String>>>);

/// So many merchants have labels of their own.
const MERCHANTS_MAX: usize = 100;
const OTHER: &str = "other";

impl MerchantLabels {
    /// The label of a merchant.
    pub fn label(&self, merchant: &str) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if known.contains(merchant) {
            return merchant.to_owned();
        }
        if known.len() >= MERCHANTS_MAX {
            return OTHER.to_owned();
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let has_room = known.len() < MERCHANTS_MAX || known.contains(merchant);
        if !has_room {
            return OTHER.to_owned();
        }
        known.insert(merchant.to_owned());
        merchant.to_owned()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    kind: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

/// How many endpoints are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EndpointCounts {
    pub(crate) closed: i64,
    pub(crate) throttled: i64,
    pub(crate) suspended: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    merchant: String,
    kind: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

impl DeliveryMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let waited: Family<_, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.001, 2.0, 20)));
        let metrics = Self {
            merchants: MerchantLabels::default(),
            attempts: Family::default(),
            outcomes: Family::default(),
            waited,
            endpoints: Family::default(),
            in_flight: Gauge::default(),
            shards: Gauge::default(),
        };
        registry.register(
            "delivery_attempts",
            "Attempts to deliver a message, by merchant, kind and status (0: no answer)",
            metrics.attempts.clone(),
        );
        registry.register(
            "delivery_waited_seconds",
            "Time from the commit of a message to its acceptance",
            metrics.waited.clone(),
        );
        registry.register(
            "delivery_outcomes",
            "Attempts to deliver a message, by kind and outcome",
            metrics.outcomes.clone(),
        );
        registry.register(
            "endpoints",
            "Endpoints with messages that this node sends, by the state of their breaker",
            metrics.endpoints.clone(),
        );
        registry.register("delivery_in_flight", "Attempts under way", metrics.in_flight.clone());
        registry.register(
            "shards_held",
            "Shards of queues that this node sends, of 1024",
            metrics.shards.clone(),
        );
        metrics
    }

    pub(crate) fn set_endpoints(&self, counts: EndpointCounts) {
        let EndpointCounts { closed, throttled, suspended } = counts;
        for (state, count) in
            [("closed", closed), ("throttled", throttled), ("suspended", suspended)]
        {
            self.endpoints.get_or_create(&StateLabels { state }).set(count);
        }
    }

    pub(crate) fn set_work(&self, in_flight: usize, shards: usize) {
        self.in_flight.set(i64::try_from(in_flight).unwrap_or(i64::MAX));
        self.shards.set(i64::try_from(shards).unwrap_or(i64::MAX));
    }

    pub(crate) fn count(&self, attempt: &Attempt) {
        let kind = attempt.message.kind.name();
        self.attempts
            .get_or_create(&AttemptLabels {
                merchant: self.merchants.label(attempt.message.merchant.as_str()),
                kind,
                status: attempt.status.unwrap_or(0),
            })
            .inc();
        let outcome = match attempt.outcome {
            AttemptOutcome::Delivered => "delivered",
            AttemptOutcome::Retry { .. } => "retried",
            AttemptOutcome::Failed { .. } => "failed",
        };
        self.outcomes.get_or_create(&OutcomeLabels { kind, outcome }).inc();
        if attempt.outcome == AttemptOutcome::Delivered {
            let waited = self.waited.get_or_create(&KindLabels { kind });
            waited.observe(seconds(attempt.waited_us));
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "seconds for a histogram")]
fn seconds(us: i64) -> f64 {
    us as f64 / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hundred_merchants_have_labels_of_their_own() {
        let labels = MerchantLabels::default();
        for number in 0..MERCHANTS_MAX {
            assert_eq!(labels.label(&format!("m{number}")), format!("m{number}"));
        }
        assert_eq!(labels.label("late"), OTHER);
        assert_eq!(labels.label("m7"), "m7");
    }
}

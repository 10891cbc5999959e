//! What the delivery engine counts, for `/metrics`.

use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::{counter::Counter, family::Family};
use prometheus_client::{encoding::EncodeLabelSet, registry::Registry};
use store::{Attempt, AttemptOutcome};

#[derive(Clone, Debug)]
pub struct DeliveryMetrics {
    attempts: Family<AttemptLabels, Counter>,
    waited: Family<KindLabels, Histogram>,
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
        let metrics = Self { attempts: Family::default(), waited };
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
        metrics
    }

    pub(crate) fn count(&self, attempt: &Attempt) {
        let kind = attempt.message.kind.name();
        self.attempts
            .get_or_create(&AttemptLabels {
                merchant: attempt.message.merchant.to_string(),
                kind,
                status: attempt.status.unwrap_or(0),
            })
            .inc();
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

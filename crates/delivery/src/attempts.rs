//! From the end of an attempt to what follows from it, and what is counted of it.

use domain::messages::{kind::MessageKind, retry::RetrySchedule};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use store::{Attempted, Conclusion, Verdict as Stored};
use world::World;

use crate::{
    scheduler::{Cause, Verdict},
    sender::Attempt,
};

/// What the delivery engine counts, for `/metrics`.
#[derive(Clone, Debug)]
pub struct Meters {
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

impl Meters {
    pub fn register(registry: &mut Registry) -> Self {
        let waited: Family<_, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.001, 2.0, 20)));
        let meters = Self { attempts: Family::default(), waited };
        registry.register(
            "delivery_attempts",
            "Attempts to deliver a message, by merchant, kind and status (0: no answer)",
            meters.attempts.clone(),
        );
        registry.register(
            "delivery_waited_seconds",
            "Time from the commit of a message to its acceptance",
            meters.waited.clone(),
        );
        meters
    }

    pub(crate) fn count(&self, ended: &Ended) {
        let attempt = &ended.attempt;
        self.attempts
            .get_or_create(&AttemptLabels {
                merchant: ended.of.merchant.to_string(),
                kind: ended.of.kind.name(),
                status: attempt.status.unwrap_or(0),
            })
            .inc();
        if ended.is_success() {
            let waited = self.waited.get_or_create(&KindLabels { kind: ended.of.kind.name() });
            waited.observe(seconds(ended.waited_us()));
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "seconds for a histogram")]
fn seconds(us: i64) -> f64 {
    us as f64 / 1_000_000.0
}

/// Which message was tried.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) merchant: domain::identifier::MerchantId,
    pub(crate) kind: MessageKind,
    pub(crate) message: i64,
    pub(crate) lane: i64,
    pub(crate) cycle: i64,
    /// The number of this attempt in the cycle, from 1.
    pub(crate) attempt: u32,
    pub(crate) created_us: i64,
}

/// An attempt that is over.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) of: Tried,
    pub(crate) at_us: i64,
    pub(crate) attempt: Attempt,
}

impl Ended {
    fn is_success(&self) -> bool {
        self.attempt.status.is_some_and(|status| (200..300).contains(&status))
    }

    fn latency_us(&self) -> i64 {
        i64::try_from(self.attempt.latency.as_micros()).unwrap_or(i64::MAX)
    }

    /// From the message's commit to the end of the attempt.
    fn waited_us(&self) -> i64 {
        (self.at_us - self.of.created_us).max(0).saturating_add(self.latency_us())
    }

    /// What the scheduler and the store are told.
    pub(crate) fn concluded(
        &self,
        cadence: &RetrySchedule,
        world: &World,
    ) -> (Verdict, Conclusion) {
        let verdict = self.verdict(cadence, world);
        let stored = match verdict {
            Verdict::Delivered => Stored::Delivered,
            Verdict::Again { due_us, .. } => Stored::Again { due_us },
            Verdict::Dead { .. } => Stored::Dead,
        };
        // What a merchant answers to an exchange order says what was placed.
        let telling = !self.is_success() || self.of.kind == MessageKind::ExchangeOrder;
        let telling = telling && !self.attempt.answer.is_empty();
        let conclusion = Conclusion {
            merchant: self.of.merchant.clone(),
            kind: self.of.kind,
            message_id: self.of.message,
            lane: self.of.lane,
            cycle: self.of.cycle,
            attempt: i64::from(self.of.attempt),
            verdict: stored,
            attempted: Attempted {
                at_us: self.at_us,
                latency_us: self.latency_us(),
                waited_us: self.waited_us(),
                status: self.attempt.status.map(i64::from),
                error: self.attempt.error.clone(),
                answer: telling.then(|| self.attempt.answer.clone()),
            },
        };
        (verdict, conclusion)
    }

    fn verdict(&self, cadence: &RetrySchedule, world: &World) -> Verdict {
        if self.is_success() {
            return Verdict::Delivered;
        }
        // The goods are not to be had, or the order is not acceptable: trying again would change nothing, and
        // the shopper waits.
        if self.of.kind == MessageKind::ExchangeOrder
            && matches!(self.attempt.status, Some(409 | 422))
        {
            return Verdict::Dead { cause: Cause::Refused };
        }
        let cause = match self.attempt.status {
            Some(429 | 503) => Cause::Overloaded,
            Some(_) => Cause::Refused,
            None => Cause::Unreachable,
        };
        let chance = u64::from_be_bytes(world.random::<8>());
        match cadence.pause_ms(self.of.attempt, self.attempt.retry_after_ms, chance) {
            Some(pause_ms) => {
                let wait_us = i64::try_from(pause_ms.saturating_mul(1000)).unwrap_or(i64::MAX);
                Verdict::Again { due_us: world.now_us().saturating_add(wait_us), cause }
            }
            None => Verdict::Dead { cause },
        }
    }
}

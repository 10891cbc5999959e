//! The overview of the whole service in figures: what came in, what went out, what has failed.
//!
//! Everything is read from counts, so the cost does not depend on how much is stored.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::messages::kind::MessageKind;
use jiff::Timestamp;
pub use store::FailingEndpoint;
use store::{CountedEvent, DayCount, ResponseCount, bucket_end_us};

use crate::{App, AppError, core::time::time_from_us};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// How far back the charts go, today included.
pub const DAYS: i64 = 30;
/// Failures of one endpoint are counted up to here.
pub const FAILURES_MAX: i64 = 1_000;
const ENDPOINTS_MAX: i64 = 20;

#[derive(Clone, Debug)]
pub struct Overview {
    pub at: Timestamp,
    /// The last [`DAYS`], oldest first.
    pub days: Vec<DayFigures>,
    /// Attempts in the last 24 hours by the status of the response.
    pub responses: Vec<StatusCount>,
    /// The time from the commit of a message to the response, of those attempts.
    pub p50_us: i64,
    pub p99_us: i64,
    /// Endpoints with messages in the failure queue, at most [`FAILURES_MAX`] counted of each.
    pub failing: Vec<FailingEndpoint>,
    /// Endpoints that this node sends less to because they fail.
    pub degraded: Vec<DegradedEndpoint>,
}

/// What happened on one day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayFigures {
    pub begins: Timestamp,
    pub orders: i64,
    pub started: i64,
    pub closed: i64,
}

/// How many attempts got a response with this status, or none if it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusCount {
    pub status: i64,
    pub attempts: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DegradedEndpoint {
    pub merchant: String,
    pub kind: MessageKind,
    /// `throttled` or `suspended`.
    pub breaker: &'static str,
    pub waiting: u64,
}

#[boxed]
pub async fn load_overview(app: &App) -> Result<Overview, AppError> {
    let now_us = app.world.now_us();
    let first_us = now_us.div_euclid(DAY_US) * DAY_US - (DAYS - 1) * DAY_US;
    let day_counts = app.store.day_counts(first_us).await?;
    let counts = app.store.response_counts(now_us - DAY_US).await?;
    let failing = app.store.failing_endpoints(FAILURES_MAX, ENDPOINTS_MAX).await?;
    let degraded = app.dispatcher.degraded_endpoints().await;
    Ok(Overview {
        at: time_from_us(now_us),
        days: (0..DAYS).map(|day| count_day(first_us + day * DAY_US, &day_counts)).collect(),
        p50_us: percentile_us(&counts, 50),
        p99_us: percentile_us(&counts, 99),
        responses: count_statuses(&counts),
        failing,
        degraded: degraded
            .into_iter()
            .map(|status| DegradedEndpoint {
                merchant: status.merchant.to_string(),
                kind: status.kind,
                breaker: status.breaker,
                waiting: status.waiting,
            })
            .collect(),
    })
}

fn count_day(begins_us: i64, counts: &[DayCount]) -> DayFigures {
    let number = |event: CountedEvent| {
        let of_day =
            counts.iter().filter(|count| count.day_us == begins_us && count.event == event);
        of_day.map(|count| count.number).sum()
    };
    DayFigures {
        begins: time_from_us(begins_us),
        orders: number(CountedEvent::OrdersTakenIn),
        started: number(CountedEvent::ReturnsStarted),
        closed: number(CountedEvent::ReturnsClosed),
    }
}

fn count_statuses(counts: &[ResponseCount]) -> Vec<StatusCount> {
    let mut all: BTreeMap<i64, i64> = BTreeMap::new();
    for count in counts {
        *all.entry(count.status).or_default() += count.attempts;
    }
    all.into_iter().map(|(status, attempts)| StatusCount { status, attempts }).collect()
}

/// The time that `percent` of the attempts did not exceed, or 0 if there were none.
fn percentile_us(counts: &[ResponseCount], percent: i64) -> i64 {
    let mut buckets: BTreeMap<i64, i64> = BTreeMap::new();
    for count in counts {
        *buckets.entry(count.bucket).or_default() += count.attempts;
    }
    let wanted = (buckets.values().sum::<i64>() * percent + 99) / 100;
    let mut seen = 0;
    let reached = buckets.into_iter().find(|(_, attempts)| {
        seen += attempts;
        seen >= wanted
    });
    reached.map_or(0, |(bucket, _)| bucket_end_us(bucket))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_cover_all_statuses_together() {
        let count = |status, bucket, attempts| ResponseCount { status, bucket, attempts };
        let counts = [count(200, 0, 90), count(200, 4, 5), count(503, 0, 4), count(503, 10, 1)];

        let statuses = [(200, 95), (503, 5)];
        let statuses = statuses.map(|(status, attempts)| StatusCount { status, attempts });
        assert_eq!(count_statuses(&counts), statuses);
        let expected = (bucket_end_us(0), bucket_end_us(4));
        assert_eq!((percentile_us(&counts, 50), percentile_us(&counts, 99)), expected);
        assert_eq!(percentile_us(&[], 99), 0);
    }

    #[test]
    fn a_day_without_events_is_included() {
        let count = DayCount { day_us: DAY_US, event: CountedEvent::ReturnsStarted, number: 3 };
        assert_eq!(count_day(DAY_US, &[count]).started, 3);
        assert_eq!(count_day(0, &[count]).started, 0);
    }
}

//! How deliveries went: by merchant, kind, status code and hour.

use std::collections::BTreeMap;

use domain::{identifier::MerchantId, messages::kind::MessageKind};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{AttemptCount, bucket_end_us};

use crate::{App, AppError, core::time::time_from_us};

/// How deliveries went.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeliveryReport {
    /// By hour, merchant, kind and status.
    pub rows: Vec<DeliveryCount>,
}

/// The attempts of one hour at one merchant's endpoint that were answered with one status.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeliveryCount {
    /// When the hour began.
    #[schema(value_type = String, format = DateTime)]
    pub hour: Timestamp,
    #[schema(example = "acme")]
    pub merchant: String,
    pub kind: MessageKind,
    /// Of the answers; 0 when none came.
    #[schema(example = 200)]
    pub status: i64,
    /// How many there were.
    pub attempts: i64,
    /// From the message's commit to the answer, on average.
    pub mean_ms: f64,
    /// From commit to answer: half of the attempts took at most about this long.
    pub p50_ms: f64,
    /// From commit to answer: all but one in a hundred took at most about this long.
    pub p99_ms: f64,
    /// The requests alone, on average.
    pub mean_request_ms: f64,
}

pub async fn load_delivery_report(
    app: &App,
    merchant: Option<&MerchantId>,
    from: Timestamp,
    to: Timestamp,
) -> Result<DeliveryReport, AppError> {
    let (from_us, to_us) = (from.as_microsecond(), to.as_microsecond());
    let counts = app.store.attempt_counts(merchant, from_us, to_us).await?;
    let mut groups: BTreeMap<_, Vec<&AttemptCount>> = BTreeMap::new();
    for count in &counts {
        let key = (count.hour_us, &count.merchant, &count.kind, count.status);
        groups.entry(key).or_default().push(count);
    }
    Ok(DeliveryReport { rows: groups.into_values().filter_map(|group| row(&group)).collect() })
}

fn row(group: &[&AttemptCount]) -> Option<DeliveryCount> {
    let first = group.first()?;
    let attempts = group.iter().map(|count| count.attempts).sum::<i64>().max(1);
    let waited_us: i64 = group.iter().map(|count| count.waited_us).sum();
    let latency_us: i64 = group.iter().map(|count| count.latency_us).sum();
    Some(DeliveryCount {
        hour: time_from_us(first.hour_us),
        merchant: first.merchant.clone(),
        kind: first.kind,
        status: first.status,
        attempts,
        mean_ms: milliseconds(waited_us / attempts),
        p50_ms: milliseconds(percentile_us(group, attempts, 50)),
        p99_ms: milliseconds(percentile_us(group, attempts, 99)),
        mean_request_ms: milliseconds(latency_us / attempts),
    })
}

/// The end of the bucket in which the attempt lies that `percent` of all do not exceed.
fn percentile_us(group: &[&AttemptCount], attempts: i64, percent: i64) -> i64 {
    let wanted = (attempts * percent + 99) / 100;
    let mut seen = 0;
    let reached = group.iter().find(|count| {
        seen += count.attempts;
        seen >= wanted
    });
    reached.map_or(0, |count| bucket_end_us(count.bucket))
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "milliseconds for people")]
fn milliseconds(us: i64) -> f64 {
    us as f64 / 1000.0
}

impl DeliveryReport {
    /// The report as comma-separated values with a heading.
    pub fn to_csv(&self) -> String {
        let heading =
            "hour,merchant,kind,status,attempts,mean_ms,p50_ms,p99_ms,mean_request_ms".to_owned();
        let line = |row: &DeliveryCount| {
            format!(
                "{},{},{},{},{},{},{},{},{}",
                row.hour,
                row.merchant,
                row.kind,
                row.status,
                row.attempts,
                row.mean_ms,
                row.p50_ms,
                row.p99_ms,
                row.mean_request_ms
            )
        };
        let lines = std::iter::once(heading).chain(self.rows.iter().map(line));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_read_off_the_buckets() {
        let count = |bucket, attempts| AttemptCount {
            merchant: "acme".to_owned(),
            hour_us: 0,
            kind: MessageKind::Rma,
            status: 200,
            bucket,
            attempts,
            waited_us: attempts * 1_000,
            latency_us: attempts * 500,
        };
        let counts = [count(0, 98), count(4, 1), count(10, 1)];
        let group: Vec<&AttemptCount> = counts.iter().collect();

        let row = row(&group).unwrap();

        assert_eq!((row.attempts, row.mean_ms, row.mean_request_ms), (100, 1.0, 0.5));
        assert_eq!((row.p50_ms, row.p99_ms), (1.0, 4.0));
    }
}

//! The delivery report: attempts by merchant, kind, status and hour.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{AttemptCount, bucket_end_us};

use crate::{App, AppError, core::time::time_from_us};

/// Attempts by hour, merchant, kind and status.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeliveryReport {
    /// By hour, merchant, kind and status.
    pub rows: Vec<DeliveryCount>,
}

/// The attempts of one hour at one endpoint that got the same status.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeliveryCount {
    /// The start of the hour.
    pub hour: Timestamp,
    #[schema(example = "acme")]
    pub merchant: String,
    pub kind: MessageKind,
    /// The status of the responses, or 0 if there was none.
    #[schema(example = 200)]
    pub status: i64,
    /// The number of attempts.
    pub attempts: i64,
    /// The average time from the commit of the message to the response.
    pub mean_ms: f64,
    /// The median time from commit to response.
    pub p50_ms: f64,
    /// The 99th percentile of the time from commit to response.
    pub p99_ms: f64,
    /// The average time of the requests alone.
    pub mean_request_ms: f64,
}

#[boxed]
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
    Ok(DeliveryReport {
        rows: groups.into_values().filter_map(|group| build_row(&group)).collect(),
    })
}

fn build_row(group: &[&AttemptCount]) -> Option<DeliveryCount> {
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
        mean_ms: to_milliseconds(waited_us / attempts),
        p50_ms: to_milliseconds(percentile_us(group, attempts, 50)),
        p99_ms: to_milliseconds(percentile_us(group, attempts, 99)),
        mean_request_ms: to_milliseconds(latency_us / attempts),
    })
}

/// The end of the bucket that contains the given percentile.
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
fn to_milliseconds(us: i64) -> f64 {
    us as f64 / 1000.0
}

impl DeliveryReport {
    /// The report as comma-separated values with a header.
    pub fn to_csv(&self) -> String {
        let header =
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
        let lines = std::iter::once(header).chain(self.rows.iter().map(line));
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

        let row = build_row(&group).unwrap();

        assert_eq!((row.attempts, row.mean_ms, row.mean_request_ms), (100, 1.0, 0.5));
        assert_eq!((row.p50_ms, row.p99_ms), (1.0, 4.0));
    }
}

//! Attempts counted by hour, for the reports.

use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{
    EngineError, Store, StoreError,
    core::{
        error::During,
        value::{Row, params},
    },
};

/// The last bucket takes everything that took longer.
const BUCKET_MAX: i64 = 60;
const HOUR_US: i64 = 60 * 60 * 1_000_000;

/// Attempts of one merchant and kind that were answered alike, and about as fast, in one hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptCount {
    pub merchant: String,
    pub hour_us: i64,
    pub kind: MessageKind,
    /// 0 when no answer came.
    pub status: i64,
    pub bucket: i64,
    pub attempts: i64,
    /// Sum of the times from commit to answer.
    pub waited_us: i64,
    /// Sum of the times of the requests themselves.
    pub latency_us: i64,
}

/// Attempts of all merchants that were answered alike, and about as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerCount {
    /// 0 when no answer came.
    pub status: i64,
    pub bucket: i64,
    pub attempts: i64,
}

/// Which bucket a time falls into. Two buckets are a factor of two, beginning at a millisecond.
pub(crate) fn bucket(time_us: i64) -> i64 {
    (0..BUCKET_MAX).find(|bucket| time_us < bucket_end_us(*bucket)).unwrap_or(BUCKET_MAX)
}

/// What everything in a bucket is shorter than.
pub fn bucket_end_us(bucket: i64) -> i64 {
    let doublings = u32::try_from(bucket / 2).unwrap_or(0).min(40);
    let whole = 1_000_i64 << doublings;
    if bucket % 2 == 0 { whole } else { whole * 1_414 / 1_000 }
}

impl Store {
    /// Counts of the hours from `from_us` to before `to_us`, of one merchant or of all.
    pub async fn attempt_counts(
        &self,
        merchant: Option<&MerchantId>,
        from_us: i64,
        to_us: i64,
    ) -> Result<Vec<AttemptCount>, StoreError> {
        let operation = "counting attempts";
        let rows = self
            .query(
                operation,
                "SELECT merchant_id, hour_us, kind, status, bucket, attempts, waited_us, latency_us
                 FROM attempt_counts
                 WHERE hour_us >= $1 AND hour_us < $2 AND ($3 = '' OR merchant_id = $3)
                 ORDER BY hour_us, merchant_id, kind, status, bucket",
                params![from_us, to_us, merchant.map_or("", MerchantId::as_str)],
            )
            .await?;
        rows.iter().map(count).collect::<Result<_, _>>().during(operation)
    }
}

impl Store {
    /// Attempts of the hours that ended after `from_us`, over all merchants.
    pub async fn answer_counts(&self, from_us: i64) -> Result<Vec<AnswerCount>, StoreError> {
        let operation = "counting answers";
        let rows = self
            .query(
                operation,
                "SELECT status, bucket, CAST(sum(attempts) AS BIGINT) FROM attempt_counts
                 WHERE hour_us > $1 GROUP BY status, bucket ORDER BY status, bucket",
                params![from_us - HOUR_US],
            )
            .await?;
        let read = |row: &Row| {
            Ok(AnswerCount { status: row.int(0)?, bucket: row.int(1)?, attempts: row.int(2)? })
        };
        rows.iter().map(read).collect::<Result<_, _>>().during(operation)
    }
}

fn count(row: &Row) -> Result<AttemptCount, EngineError> {
    Ok(AttemptCount {
        merchant: row.text(0)?.to_owned(),
        hour_us: row.int(1)?,
        kind: row.message_kind(2)?,
        status: row.int(3)?,
        bucket: row.int(4)?,
        attempts: row.int(5)?,
        waited_us: row.int(6)?,
        latency_us: row.int(7)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_buckets_are_a_factor_of_two() {
        let of_ms = |milliseconds: i64| bucket(milliseconds * 1_000);
        assert_eq!([0, 1, 2, 4, 8, 1024].map(of_ms), [0, 1, 3, 5, 7, 21]);
        assert_eq!((bucket(999), bucket(1_413), bucket(1_414)), (0, 1, 2));
        assert_eq!(bucket(i64::MAX), BUCKET_MAX);
    }
}

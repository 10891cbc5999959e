//! Attempts counted by hour, for the reports.

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{
    EngineError, Store, StoreError,
    core::value::{Row, params},
};

/// The last bucket holds everything that took longer.
const BUCKET_MAX: i64 = 60;
const HOUR_US: i64 = 60 * 60 * 1_000_000;

/// Attempts of one merchant and kind in one hour, with the same status and about the same latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptCount {
    pub merchant: String,
    pub hour_us: i64,
    pub kind: MessageKind,
    /// 0 when there was no response.
    pub status: i64,
    pub bucket: i64,
    pub attempts: i64,
    /// Sum of the times from commit to response.
    pub waited_us: i64,
    /// Sum of the times of the requests themselves.
    pub latency_us: i64,
}

/// Attempts of all merchants with the same status and about the same latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseCount {
    /// 0 when there was no response.
    pub status: i64,
    pub bucket: i64,
    pub attempts: i64,
}

/// The bucket of a duration. There are two buckets for each factor of two, from one millisecond up.
pub(crate) fn bucket_of(time_us: i64) -> i64 {
    (0..BUCKET_MAX).find(|bucket| time_us < bucket_end_us(*bucket)).unwrap_or(BUCKET_MAX)
}

/// The upper limit of a bucket.
pub fn bucket_end_us(bucket: i64) -> i64 {
    let doublings = u32::try_from(bucket / 2).unwrap_or(0).min(40);
    let whole = 1_000_i64 << doublings;
    if bucket % 2 == 0 { whole } else { whole * 1_414 / 1_000 }
}

impl Store {
    /// Counts of the hours from `from_us` to before `to_us`, of one merchant or of all.
    #[boxed]
    pub async fn attempt_counts(
        &self,
        merchant: Option<&MerchantId>,
        from_us: i64,
        to_us: i64,
    ) -> Result<Vec<AttemptCount>, StoreError> {
        self.read_all(
            "counting attempts",
            "SELECT merchant_id, hour_us, kind, status, bucket, attempts, waited_us, latency_us
             FROM attempt_counts
             WHERE hour_us >= $1 AND hour_us < $2 AND ($3 = '' OR merchant_id = $3)
             ORDER BY hour_us, merchant_id, kind, status, bucket",
            params![from_us, to_us, merchant.map_or("", MerchantId::as_str)],
            read_count,
        )
        .await
    }

    /// Attempts of the hours that ended after `from_us`, over all merchants.
    #[boxed]
    pub async fn response_counts(&self, from_us: i64) -> Result<Vec<ResponseCount>, StoreError> {
        self.read_all(
            "counting responses",
            "SELECT status, bucket, CAST(sum(attempts) AS BIGINT) FROM attempt_counts
             WHERE hour_us > $1 GROUP BY status, bucket ORDER BY status, bucket",
            params![from_us - HOUR_US],
            |row| {
                Ok(ResponseCount {
                    status: row.int(0)?,
                    bucket: row.int(1)?,
                    attempts: row.int(2)?,
                })
            },
        )
        .await
    }
}

fn read_count(row: &Row) -> Result<AttemptCount, EngineError> {
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
    fn there_are_two_buckets_for_a_factor_of_two() {
        let of_ms = |milliseconds: i64| bucket_of(milliseconds * 1_000);
        assert_eq!([0, 1, 2, 4, 8, 1024].map(of_ms), [0, 1, 3, 5, 7, 21]);
        assert_eq!((bucket_of(999), bucket_of(1_413), bucket_of(1_414)), (0, 1, 2));
        assert_eq!(bucket_of(i64::MAX), BUCKET_MAX);
    }
}

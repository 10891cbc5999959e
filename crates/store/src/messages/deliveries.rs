//! Deliveries: the messages that are not finished, and the attempts at them.
//!
//! Only unfinished work is here, so what was delivered long ago costs nothing. Pages of it are read
//! in `pending`.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{
    Store, StoreError, Transaction,
    core::{
        body::parse_merchant,
        value::{Value, params},
    },
    messages::{
        attempt::{Attempt, AttemptOutcome},
        packed_attempts::is_packed,
        reports,
    },
};

const READING: &str = "loading pending deliveries";
const HOUR_US: i64 = 3_600_000_000;

/// The last pending message of a merchant and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastDelivery {
    pub merchant: MerchantId,
    pub kind: MessageKind,
    pub message_id: i64,
}

impl Transaction {
    /// Records attempts and what follows from them. A message that another node has finished
    /// is left as it is: every change requires the number of attempts that it knows.
    pub fn record_attempts<'a>(&mut self, attempts: impl Iterator<Item = &'a Attempt>) {
        let mut sorted: Vec<&Attempt> = attempts.collect();
        sorted.sort_by_key(|it| {
            let message = &it.message;
            (message.merchant.as_str(), message.kind, message.message_id)
        });
        let with_outcome = |wanted: fn(&AttemptOutcome) -> bool| {
            sorted.iter().copied().filter(move |it| wanted(&it.outcome)).collect::<Vec<_>>()
        };
        let retried = with_outcome(|outcome| matches!(outcome, AttemptOutcome::Retry { .. }));
        let failed = with_outcome(|outcome| matches!(outcome, AttemptOutcome::Failed { .. }));
        let delivered = with_outcome(|outcome| matches!(outcome, AttemptOutcome::Delivered));

        // One by one, and so by their keys, whatever the statistics say of a table that fills and
        // empties all day.
        self.any_rows_each(
            "UPDATE deliveries SET attempt = $4, due_us = $5
             WHERE merchant_id = $1 AND kind = $2 AND message_id = $3
                 AND attempt = CAST($4 AS BIGINT) - 1",
            retried.iter().map(|it| retry_values(it)).collect(),
        );
        self.any_rows_each(
            "INSERT INTO failures
                 (merchant_id, kind, message_id, lane, cycle, failed_us, status, error, replay)
             SELECT merchant_id, kind, message_id, lane, cycle, CAST($5 AS BIGINT),
                 CAST($6 AS BIGINT), CAST($7 AS TEXT), replay
             FROM deliveries
             WHERE merchant_id = $1 AND kind = $2 AND message_id = $3
                 AND attempt = CAST($4 AS BIGINT) - 1
             ON CONFLICT DO NOTHING",
            failed.iter().map(|it| failure_values(it)).collect(),
        );
        self.any_rows_each(
            "DELETE FROM deliveries
             WHERE merchant_id = $1 AND kind = $2 AND message_id = $3
                 AND attempt = CAST($4 AS BIGINT) - 1",
            failed.iter().map(|it| finished_values(it)).collect(),
        );
        // Whichever attempt it was, the message is delivered.
        self.any_rows_each(
            "DELETE FROM deliveries USING ROWS(merchant_id, kind, message_id)
             WHERE deliveries.merchant_id = r.merchant_id AND deliveries.kind = r.kind
                 AND deliveries.message_id = r.message_id",
            delivered.iter().map(|it| key_values(it)).collect(),
        );
        let (packed, remarkable): (Vec<&Attempt>, Vec<&Attempt>) =
            sorted.iter().copied().partition(|it| is_packed(it));
        self.any_rows_each(
            "INSERT INTO attempts (merchant_id, message_id, cycle, attempt, at_us, latency_us,
                 status, error, answer)
             SELECT r.merchant_id, r.message_id, r.cycle, r.attempt, r.at_us, r.latency_us,
                 r.status, r.error, r.answer
             FROM ROWS(merchant_id, message_id, cycle, attempt, at_us, latency_us, status, error,
                 answer)
             WHERE true ON CONFLICT DO NOTHING",
            remarkable.iter().map(|it| attempt_values(it)).collect(),
        );
        self.record_packed_attempts(&packed);
        self.count_attempts(&sorted);
    }

    fn count_attempts(&mut self, attempts: &[&Attempt]) {
        self.any_rows_each(
            "INSERT INTO attempt_counts
                 (merchant_id, hour_us, kind, status, bucket, attempts, waited_us, latency_us)
             SELECT r.merchant_id, r.hour_us, r.kind, r.status, r.bucket, r.attempts,
                 r.waited_us, r.latency_us
             FROM ROWS(merchant_id, hour_us, kind, status, bucket, attempts, waited_us, latency_us)
             WHERE true
             ON CONFLICT (merchant_id, hour_us, kind, status, bucket) DO UPDATE
                 SET attempts = attempt_counts.attempts + excluded.attempts,
                     waited_us = attempt_counts.waited_us + excluded.waited_us,
                     latency_us = attempt_counts.latency_us + excluded.latency_us",
            count_values(attempts),
        );
    }
}

fn key_values(attempt: &Attempt) -> Vec<Value> {
    let message = &attempt.message;
    params![&message.merchant, message.kind, message.message_id]
}

fn finished_values(attempt: &Attempt) -> Vec<Value> {
    let message = &attempt.message;
    params![&message.merchant, message.kind, message.message_id, i64::from(attempt.number)]
}

fn retry_values(attempt: &Attempt) -> Vec<Value> {
    let message = &attempt.message;
    let due_us =
        if let AttemptOutcome::Retry { due_us, .. } = attempt.outcome { due_us } else { 0 };
    params![&message.merchant, message.kind, message.message_id, i64::from(attempt.number), due_us]
}

fn failure_values(attempt: &Attempt) -> Vec<Value> {
    let message = &attempt.message;
    params![
        &message.merchant,
        message.kind,
        message.message_id,
        i64::from(attempt.number),
        attempt.at_us + attempt.latency_us,
        attempt.status.map(i64::from),
        attempt.error.clone()
    ]
}

fn attempt_values(attempt: &Attempt) -> Vec<Value> {
    let message = &attempt.message;
    params![
        &message.merchant,
        message.message_id,
        message.cycle,
        i64::from(attempt.number),
        attempt.at_us,
        attempt.latency_us,
        attempt.status.map(i64::from),
        attempt.error.clone(),
        attempt.answer.clone()
    ]
}

/// The attempts of a batch, counted as the reports count them.
fn count_values(attempts: &[&Attempt]) -> Vec<Vec<Value>> {
    let mut counts: BTreeMap<_, (i64, i64, i64)> = BTreeMap::new();
    for attempt in attempts {
        let Attempt { message, at_us, latency_us, waited_us, status, .. } = attempt;
        let key = (
            message.merchant.as_str(),
            at_us - at_us.rem_euclid(HOUR_US),
            message.kind.name(),
            status.map_or(0, i64::from),
            reports::bucket_of(*waited_us),
        );
        let count = counts.entry(key).or_default();
        count.0 += 1;
        count.1 += waited_us;
        count.2 += latency_us;
    }
    counts
        .into_iter()
        .map(|((merchant, hour_us, kind, status, bucket), (attempts, waited_us, latency_us))| {
            params![merchant, hour_us, kind, status, bucket, attempts, waited_us, latency_us]
        })
        .collect()
}

impl Store {
    /// The last pending delivery of every merchant and kind that has one. It goes from merchant to
    /// merchant by the key; `min()` might read all rows of a table that PostgreSQL takes for empty.
    #[boxed]
    pub async fn last_deliveries(&self) -> Result<Vec<LastDelivery>, StoreError> {
        self.read_all(
            READING,
            "WITH RECURSIVE found(merchant_id) AS (
                     SELECT (SELECT d.merchant_id FROM deliveries d WHERE d.merchant_id > ''
                             ORDER BY d.merchant_id LIMIT 1)
                     UNION ALL
                     SELECT (SELECT d.merchant_id FROM deliveries d
                             WHERE d.merchant_id > found.merchant_id
                             ORDER BY d.merchant_id LIMIT 1)
                     FROM found WHERE found.merchant_id IS NOT NULL)
                 SELECT last.merchant_id, last.kind, last.message_id FROM (
                     SELECT found.merchant_id, kinds.kind, (
                         SELECT d.message_id FROM deliveries d
                         WHERE d.merchant_id = found.merchant_id AND d.kind = kinds.kind
                         ORDER BY d.message_id DESC LIMIT 1) AS message_id
                     FROM found CROSS JOIN (
                         SELECT 'rma' AS kind
                         UNION ALL SELECT 'exchange_order'
                         UNION ALL SELECT 'exchange_variants'
                         UNION ALL SELECT 'outbound_asn'
                         UNION ALL SELECT 'inventory_receipt'
                         UNION ALL SELECT 'drop_shipment_confirmation'
                         UNION ALL SELECT 'drop_shipment_cancellation'
                         UNION ALL SELECT 'drop_shipment_partial_cancellation'
                         UNION ALL SELECT 'withdrawal'
                         UNION ALL SELECT 'carrier_request'
                         UNION ALL SELECT 'mail') kinds
                     WHERE found.merchant_id IS NOT NULL) last
                 WHERE last.message_id IS NOT NULL ORDER BY last.merchant_id, last.kind
             DISTRIBUTED: SELECT merchant_id, kind, max(message_id) FROM deliveries
                 GROUP BY merchant_id, kind ORDER BY merchant_id, kind",
            Vec::new(),
            |row| {
                let merchant = parse_merchant("deliveries", row.text(0)?)?;
                let kind = row.message_kind(1)?;
                Ok(LastDelivery { merchant, kind, message_id: row.int(2)? })
            },
        )
        .await
    }
}

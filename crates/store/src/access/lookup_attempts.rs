//! Failed look-ups at the portal, counted so that orders cannot be guessed.
//!
//! A merchant has a bounded number of subjects, and counts that are too old to matter are removed.

use std::collections::HashMap;

use boxed::boxed;
use bytes::Bytes;
use domain::identifier::MerchantId;

use crate::{
    Store, StoreError, Transaction, core::value::params, orders::compressed::decompress_order,
};

/// The period in which failures are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptWindow {
    /// The start of the slot in which a failure is counted now.
    pub slot_us: i64,
    /// The start of the oldest slot that still counts.
    pub from_us: i64,
}

/// What is known when a look-up begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupState {
    /// The newest snapshot of the order, if it exists.
    pub order: Option<Bytes>,
    /// How many failures are counted for each subject that has any.
    pub failures: HashMap<String, i64>,
}

impl Transaction {
    /// Counts a failure for `subject`. A conflict if `limit` failures are counted already.
    pub fn count_lookup(
        &mut self,
        merchant: &MerchantId,
        subject: &str,
        window: AttemptWindow,
        limit: i64,
    ) {
        self.any_rows(
            "INSERT INTO lookup_attempts (merchant_id, subject, slot_us, number)
             VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING",
            params![merchant, subject, window.slot_us],
        );
        // Earlier slots do not grow any more, and the row of this slot is locked by the update.
        self.one_row(
            "UPDATE lookup_attempts SET number = number + 1
             WHERE merchant_id = $1 AND subject = $2 AND slot_us = $3
                 AND number + (
                     SELECT CAST(coalesce(sum(earlier.number), 0) AS BIGINT)
                     FROM lookup_attempts earlier
                     WHERE earlier.merchant_id = $1 AND earlier.subject = $2
                         AND earlier.slot_us >= $4 AND earlier.slot_us < $3
                 ) < $5",
            params![merchant, subject, window.slot_us, window.from_us, limit],
        );
    }

    /// Removes up to `limit` counts of slots that began before `before_us`.
    pub fn delete_old_lookups(&mut self, before_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM lookup_attempts WHERE (merchant_id, subject, slot_us) IN (
             SELECT merchant_id, subject, slot_us FROM lookup_attempts WHERE slot_us < $1
             ORDER BY slot_us, merchant_id, subject LIMIT $2)",
            params![before_us, limit],
        );
    }
}

impl Store {
    /// Reads what a look-up needs, in one query. `subjects` are two, and not any number, because
    /// then one statement finds them on every engine.
    #[boxed]
    pub async fn look_up(
        &self,
        merchant: &MerchantId,
        order_id: &str,
        subjects: [&str; 2],
        window: AttemptWindow,
    ) -> Result<LookupState, StoreError> {
        let [first, second] = subjects;
        let rows = self.read_all(
            "looking up an order",
            "SELECT body, '', 0 FROM orders WHERE merchant_id = $1 AND order_id = $2
             UNION ALL SELECT NULL, subject, number FROM lookup_attempts
             WHERE merchant_id = $1 AND subject IN ($3, $4) AND slot_us >= $5",
            params![merchant, order_id, first, second, window.from_us],
            |row| {
                let body = row.optional_bytes(0)?;
                let body = body.map(|it| decompress_order(order_id, it)).transpose()?;
                Ok((body, row.text(1)?.to_owned(), row.int(2)?))
            },
        );
        let mut state = LookupState::default();
        for (body, subject, number) in rows.await? {
            match body {
                Some(body) => state.order = Some(body),
                None => *state.failures.entry(subject).or_default() += number,
            }
        }
        Ok(state)
    }

    /// Whether there are counts of slots that began before `before_us`.
    #[boxed]
    pub async fn has_old_lookups(&self, before_us: i64) -> Result<bool, StoreError> {
        let found = self.read_first(
            "looking for old counts of look-ups",
            "SELECT slot_us FROM lookup_attempts WHERE slot_us < $1 LIMIT 1",
            params![before_us],
            |_| Ok(()),
        );
        Ok(found.await?.is_some())
    }
}

//! Events counted by day, so that charts do not have to read what is counted.
//!
//! A count is written by the transaction that makes it true. Each day of a merchant has several
//! rows for the same event, one for each committer, so that committers seldom wait for each other.

use std::collections::BTreeMap;

use domain::{
    identifier::MerchantId,
    returns::rma::{Rma, RmaStatus},
    time::micros,
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::corrupt,
        counted_events::{CountedEvent, EventCount, day_start_us},
        transaction::{Guard, Step},
        value::{Row, params},
    },
};

/// How often an event happened on one day, over all merchants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayCount {
    pub day_us: i64,
    pub event: CountedEvent,
    pub number: i64,
}

impl Transaction {
    pub(crate) fn count(
        &mut self,
        merchant: &MerchantId,
        event: CountedEvent,
        at_us: i64,
        number: i64,
    ) {
        let (merchant, day_us) = (merchant.clone(), day_start_us(at_us));
        self.counts.push(EventCount { merchant, day_us, event, number });
    }

    /// Counts a return that is closed now and was not before.
    pub(crate) fn count_closed(&mut self, merchant: &MerchantId, rma: &Rma, before: RmaStatus) {
        if is_closed(rma.status) && !is_closed(before) {
            self.count(merchant, CountedEvent::ReturnsClosed, micros(rma.updated_at), 1);
        }
    }
}

fn is_closed(status: RmaStatus) -> bool {
    match status {
        RmaStatus::Refunded | RmaStatus::Canceled => true,
        RmaStatus::Created | RmaStatus::PendingExchange | RmaStatus::PartialRefund => false,
    }
}

/// Writes the sums of what several transactions count. Each slot has a row of its own, so that
/// groups with different slots never wait for each other.
pub(crate) fn day_count_step<'a>(counts: impl Iterator<Item = &'a EventCount>, slot: i64) -> Step {
    let mut sums: BTreeMap<_, i64> = BTreeMap::new();
    for count in counts {
        let key = (count.merchant.as_str(), count.day_us, count.event.name());
        *sums.entry(key).or_default() += count.number;
    }
    let rows = sums
        .into_iter()
        .map(|((merchant, day_us, event), number)| params![merchant, day_us, event, slot, number]);
    Step {
        sql: "INSERT INTO day_counts (merchant_id, day_us, what, slot, number)
              SELECT r.merchant_id, r.day_us, r.what, r.slot, r.number
              FROM ROWS(merchant_id, day_us, what, slot, number) WHERE true
              ON CONFLICT (merchant_id, day_us, what, slot) DO UPDATE
                  SET number = day_counts.number + excluded.number",
        rows: rows.collect(),
        guard: Guard::OneEach,
        returns: false,
    }
}

impl Store {
    /// Counts of the day of `from_us` and all later days, over all merchants.
    pub async fn day_counts(&self, from_us: i64) -> Result<Vec<DayCount>, StoreError> {
        self.read_all(
            "counting by day",
            "SELECT day_us, what, CAST(sum(number) AS BIGINT) FROM day_counts
             WHERE day_us >= $1 GROUP BY day_us, what ORDER BY day_us, what",
            params![day_start_us(from_us)],
            read_day_count,
        )
        .await
    }
}

fn read_day_count(row: &Row) -> Result<DayCount, EngineError> {
    let name = row.text(1)?;
    let event = CountedEvent::ALL.into_iter().find(|event| event.name() == name);
    let event = event.ok_or_else(|| corrupt("day_counts", name, &"not a counted event"))?;
    Ok(DayCount { day_us: row.int(0)?, event, number: row.int(2)? })
}

//! Events counted by day, so that charts do not have to read what is counted.
//!
//! A count is written by the transaction that makes it true. Each day of a merchant has several
//! rows for the same event, one for each committer, so that committers seldom wait for each other.

use boxed::boxed;
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

impl Store {
    /// Counts of the day of `from_us` and all later days, over all merchants.
    #[boxed]
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

//! What happened, counted by day, so that charts need not look at what is counted.
//!
//! A count is part of the transaction that makes it true. Each day of a merchant has a few rows for the same
//! thing, one for each who commits: rivals seldom wait for each other.

use std::collections::BTreeMap;

use domain::{
    identifier::MerchantId,
    returns::rma::{Rma, Status},
    time::micros,
};

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::Doing,
        transaction::{Guard, Step},
        value::{Row, params},
    },
    corrupt,
};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    OrdersTakenIn,
    ReturnsStarted,
    ReturnsClosed,
}

impl Counted {
    const ALL: [Self; 3] = [Self::OrdersTakenIn, Self::ReturnsStarted, Self::ReturnsClosed];

    const fn name(self) -> &'static str {
        match self {
            Self::OrdersTakenIn => "orders_taken_in",
            Self::ReturnsStarted => "returns_started",
            Self::ReturnsClosed => "returns_closed",
        }
    }
}

/// How often it happened on a day, over all merchants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayCount {
    pub day_us: i64,
    pub what: Counted,
    pub number: i64,
}

/// When the day of a moment began.
fn day_us(at_us: i64) -> i64 {
    at_us.div_euclid(DAY_US) * DAY_US
}

/// That something happened on a day, a number of times.
#[derive(Debug)]
pub(crate) struct Count {
    merchant: MerchantId,
    day_us: i64,
    what: Counted,
    number: i64,
}

impl Transaction {
    pub(crate) fn count(
        &mut self,
        merchant: &MerchantId,
        what: Counted,
        (at_us, number): (i64, i64),
    ) {
        self.counts.push(Count { merchant: merchant.clone(), day_us: day_us(at_us), what, number });
    }

    /// Counts a return that is closed now and was not before.
    pub(crate) fn count_closed(&mut self, merchant: &MerchantId, rma: &Rma, was: Status) {
        if is_closed(rma.status) && !is_closed(was) {
            self.count(merchant, Counted::ReturnsClosed, (micros(rma.updated_at), 1));
        }
    }
}

fn is_closed(status: Status) -> bool {
    match status {
        Status::Refunded | Status::Canceled => true,
        Status::Created | Status::PendingExchange | Status::PartialRefund => false,
    }
}

/// Adds up what many transactions count. Each slot is a row of its own, so that groups which differ in it never wait
/// for each other.
pub(crate) fn step<'a>(counts: impl Iterator<Item = &'a Count>, slot: i64) -> Step {
    let mut sums: BTreeMap<(&str, i64, &str), i64> = BTreeMap::new();
    for count in counts {
        let key = (count.merchant.as_str(), count.day_us, count.what.name());
        *sums.entry(key).or_default() += count.number;
    }
    let row = |((merchant, day_us, what), number): (&(&str, i64, &str), &i64)| {
        params![*merchant, *day_us, *what, slot, *number]
    };
    Step {
        sql: "INSERT INTO day_counts (merchant_id, day_us, what, slot, number)
              SELECT r.merchant_id, r.day_us, r.what, r.slot, r.number
              FROM ROWS(merchant_id, day_us, what, slot, number) WHERE true
              ON CONFLICT (merchant_id, day_us, what, slot) DO UPDATE
                  SET number = day_counts.number + excluded.number",
        rows: sums.iter().map(row).collect(),
        guard: Guard::OneEach,
        returns: false,
    }
}

impl Store {
    /// Counts of the days from the one of `from_us` on, over all merchants.
    pub async fn day_counts(&self, from_us: i64) -> Result<Vec<DayCount>, StoreError> {
        let rows = self
            .rows(
                DOING,
                "SELECT day_us, what, CAST(sum(number) AS BIGINT) FROM day_counts
                 WHERE day_us >= $1 GROUP BY day_us, what ORDER BY day_us, what",
                params![day_us(from_us)],
            )
            .await?;
        rows.iter().map(day_count).collect()
    }
}

const DOING: &str = "counting by day";

fn day_count(row: &Row) -> Result<DayCount, StoreError> {
    let read = || Ok((row.int(0)?, row.text(1)?, row.int(2)?));
    let (day_us, what, number) = read().doing(DOING)?;
    let known = Counted::ALL.into_iter().find(|known| known.name() == what);
    let what = known.ok_or_else(|| corrupt("day_counts", what, &"nothing that is counted"))?;
    Ok(DayCount { day_us, what, number })
}

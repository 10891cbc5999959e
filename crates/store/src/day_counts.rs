//! What happened, counted by day, so that charts need not look at what is counted.
//!
//! A count is part of the transaction that makes it true. Each day of a merchant has a few rows for the same
//! thing, of which a transaction takes one by its time: rivals seldom wait for each other.

use domain::{
    identifier::MerchantId,
    returns::rma::{Rma, Status},
    time::micros,
};

use crate::{
    Store, StoreError, Transaction, corrupt,
    error::Doing,
    value::{Row, params},
};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
const SLOTS: i64 = 4;

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

impl Transaction {
    pub(crate) fn count(
        &mut self,
        merchant: &MerchantId,
        what: Counted,
        (at_us, number): (i64, i64),
    ) {
        self.any_rows(
            "INSERT INTO day_counts (merchant_id, day_us, what, slot, number)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (merchant_id, day_us, what, slot) DO UPDATE
                 SET number = day_counts.number + excluded.number",
            params![merchant.as_str(), day_us(at_us), what.name(), at_us.rem_euclid(SLOTS), number],
        );
    }

    /// Counts a return that is closed by the change that follows. One that was closed before is not counted again.
    pub(crate) fn count_closed(&mut self, merchant: &MerchantId, rma: &Rma) {
        match rma.status {
            Status::Refunded | Status::Canceled => (),
            Status::Created | Status::PendingExchange | Status::PartialRefund => return,
        }
        let at_us = micros(rma.updated_at);
        self.any_rows(
            "INSERT INTO day_counts (merchant_id, day_us, what, slot, number)
             SELECT merchant_id, CAST($3 AS BIGINT), 'returns_closed', CAST($4 AS BIGINT), 1
             FROM returns
             WHERE merchant_id = $1 AND rma_id = $2 AND status NOT IN ('REFUNDED', 'CANCELED')
             ON CONFLICT (merchant_id, day_us, what, slot) DO UPDATE
                 SET number = day_counts.number + excluded.number",
            params![
                merchant.as_str(),
                rma.rma_identifier.as_str(),
                day_us(at_us),
                at_us.rem_euclid(SLOTS)
            ],
        );
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

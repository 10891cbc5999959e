//! The rules that propose channels, and the counts of what became of returned units.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    returns::rma::{Rma, RmaUnit},
    time::micros,
    warehouse::disposition::DispositionTable,
};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, read_versioned},
        counted_events::{DispositionCount, day_start_us},
        value::params,
    },
};

/// A merchant has at most this many tables.
const TABLES_MAX: usize = 1_000;
/// More rows than a report of any merchant has.
const ROWS_MAX: usize = 10_000;

/// The table of rules for one warehouse, or for all if its identifier is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDisposition {
    pub warehouse: String,
    pub table: DispositionTable,
}

/// Returned units with the same fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisposedGoods {
    pub channel: String,
    pub condition: String,
    /// `received` or `rejected`.
    pub outcome: String,
    pub units: i64,
    /// How many of them have a known weight.
    pub weighed: i64,
    /// The sum of the known weights, in thousandths of the merchant's unit.
    pub weight_thousandths: i64,
}

impl Transaction {
    /// Replaces the table of a warehouse that was read at `version`; 0 when there was none.
    pub fn put_disposition(
        &mut self,
        merchant: &MerchantId,
        warehouse: &str,
        table: &DispositionTable,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO dispositions (merchant_id, warehouse_id, version, body)
             VALUES ($1, $2, 1, $4)
             ON CONFLICT (merchant_id, warehouse_id) DO UPDATE
             SET version = dispositions.version + 1, body = excluded.body
             WHERE dispositions.version = $3",
            params![merchant, warehouse, version, table.to_json()],
        );
    }

    /// Removes the table of a warehouse that was read at `version`.
    pub fn delete_disposition(&mut self, merchant: &MerchantId, warehouse: &str, version: i64) {
        self.one_row(
            "DELETE FROM dispositions
             WHERE merchant_id = $1 AND warehouse_id = $2 AND version = $3",
            params![merchant, warehouse, version],
        );
    }

    /// Counts what became of the units of a return, as far as that changed.
    pub fn count_dispositions(&mut self, merchant: &MerchantId, before: &Rma, after: &Rma) {
        for (old, new) in before.units.iter().zip(&after.units) {
            if old.receipt == new.receipt {
                continue;
            }
            self.dispositions.extend(count_of(merchant, old, -1));
            self.dispositions.extend(count_of(merchant, new, 1));
        }
    }
}

fn count_of(merchant: &MerchantId, unit: &RmaUnit, units: i64) -> Option<DispositionCount> {
    let receipt = unit.receipt.as_ref()?;
    let weight = unit.goods.weight_thousandths;
    Some(DispositionCount {
        merchant: merchant.clone(),
        day_us: day_start_us(micros(receipt.received_at)),
        channel: receipt.channel.clone().unwrap_or_default(),
        condition: receipt.condition,
        outcome: if receipt.reject_reason.is_some() { "rejected" } else { "received" },
        units,
        weighed: units * i64::from(weight.is_some()),
        weight: units.saturating_mul(weight.unwrap_or_default()),
    })
}

impl Store {
    /// The tables of a merchant, the one for all warehouses first.
    #[boxed]
    pub async fn dispositions(
        &self,
        merchant: &MerchantId,
    ) -> Result<Vec<StoredDisposition>, StoreError> {
        self.read_all(
            "reading disposition rules",
            "SELECT warehouse_id, body FROM dispositions WHERE merchant_id = $1
             ORDER BY warehouse_id LIMIT $2",
            params![merchant, TABLES_MAX],
            |row| {
                let warehouse = row.text(0)?.to_owned();
                let table = parse_body("dispositions", &warehouse, row.text(1)?)?;
                Ok(StoredDisposition { warehouse, table })
            },
        )
        .await
    }

    /// The table for one warehouse, or for all if `warehouse` is empty.
    #[boxed]
    pub async fn disposition(
        &self,
        merchant: &MerchantId,
        warehouse: &str,
    ) -> Result<Option<Versioned<DispositionTable>>, StoreError> {
        self.read_first(
            "reading disposition rules",
            "SELECT version, body FROM dispositions
             WHERE merchant_id = $1 AND warehouse_id = $2",
            params![merchant, warehouse],
            |row| read_versioned("dispositions", warehouse, row),
        )
        .await
    }

    /// What became of the units that were received on the days from `from_us` until `until_us`.
    #[boxed]
    pub async fn disposed_goods(
        &self,
        merchant: &MerchantId,
        from_us: i64,
        until_us: i64,
    ) -> Result<Vec<DisposedGoods>, StoreError> {
        self.read_all(
            "counting what became of returned goods",
            "SELECT channel, unit_condition, outcome, CAST(sum(units) AS BIGINT),
                 CAST(sum(weighed) AS BIGINT), CAST(sum(weight) AS BIGINT)
             FROM disposition_counts
             WHERE merchant_id = $1 AND day_us >= $2 AND day_us < $3
             GROUP BY channel, unit_condition, outcome HAVING sum(units) <> 0
             ORDER BY channel, unit_condition, outcome LIMIT $4",
            params![merchant, day_start_us(from_us), until_us, ROWS_MAX],
            |row| {
                Ok(DisposedGoods {
                    channel: row.text(0)?.to_owned(),
                    condition: row.text(1)?.to_owned(),
                    outcome: row.text(2)?.to_owned(),
                    units: row.int(3)?,
                    weighed: row.int(4)?,
                    weight_thousandths: row.int(5)?,
                })
            },
        )
        .await
    }
}

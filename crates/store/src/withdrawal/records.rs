//! The records of withdrawals. They are added and read, but never changed or removed.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    withdrawal::{identifier::WithdrawalId, record::WithdrawalOutcome},
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        cursor::Cursor,
        pages::{ListFilter, ListSql},
        value::{Row, params},
    },
};

/// A withdrawal as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawalRow {
    pub merchant: String,
    pub withdrawal_id: String,
    pub order_id: String,
    /// Empty if it started no return.
    pub rma_id: String,
    pub recorded_us: i64,
    pub outcome: String,
    /// The record, byte for byte as it was written.
    pub record: String,
    /// The hash of the record, in hexadecimal.
    pub sha256: String,
    pub seal: String,
    pub access_key: String,
}

impl WithdrawalRow {
    /// Its position in lists.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.clone(), self.withdrawal_id.clone());
        Cursor { at_us: self.recorded_us, merchant, id }
    }
}

/// Which withdrawals to list.
pub type WithdrawalFilter = ListFilter<WithdrawalOutcome>;

const WITHDRAWALS: ListSql = ListSql {
    of_all: "SELECT merchant_id, withdrawal_id, order_id, rma_id, recorded_us, outcome, record,
                 sha256, seal, access_key FROM withdrawals
             WHERE (recorded_us, merchant_id, withdrawal_id) < ($1, $2, $3)
             ORDER BY recorded_us DESC, merchant_id DESC, withdrawal_id DESC LIMIT $4",
    of_one: "SELECT merchant_id, withdrawal_id, order_id, rma_id, recorded_us, outcome, record,
                 sha256, seal, access_key FROM withdrawals
             WHERE merchant_id = $1 AND (recorded_us, withdrawal_id) < ($2, $3)
             ORDER BY recorded_us DESC, withdrawal_id DESC LIMIT $4",
};

impl Transaction {
    /// Adds a withdrawal. A conflict if its identifier is taken.
    pub fn insert_withdrawal(&mut self, merchant: &MerchantId, row: &WithdrawalRow) {
        self.one_row(
            "INSERT INTO withdrawals (merchant_id, withdrawal_id, order_id, rma_id, recorded_us,
                 outcome, record, sha256, seal, access_key)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
            params![
                merchant,
                row.withdrawal_id.as_str(),
                row.order_id.as_str(),
                row.rma_id.as_str(),
                row.recorded_us,
                row.outcome.as_str(),
                row.record.as_str(),
                row.sha256.as_str(),
                row.seal.as_str(),
                row.access_key.as_str()
            ],
        );
    }

    /// Replaces the seal of a withdrawal, which was `old`, by one of a new key.
    pub fn reseal_withdrawal(&mut self, row: &WithdrawalRow, new: &str) {
        self.any_rows(
            "UPDATE withdrawals SET seal = $4
             WHERE merchant_id = $1 AND withdrawal_id = $2 AND seal = $3",
            params![row.merchant.as_str(), row.withdrawal_id.as_str(), row.seal.as_str(), new],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn withdrawal(
        &self,
        merchant: &MerchantId,
        id: &WithdrawalId,
    ) -> Result<Option<WithdrawalRow>, StoreError> {
        self.read_first(
            "reading a withdrawal",
            "SELECT merchant_id, withdrawal_id, order_id, rma_id, recorded_us, outcome, record,
                 sha256, seal, access_key FROM withdrawals
             WHERE merchant_id = $1 AND withdrawal_id = $2",
            params![merchant, id.as_str()],
            read_row,
        )
        .await
    }

    /// The merchant of a withdrawal.
    #[boxed]
    pub async fn merchant_of_withdrawal(
        &self,
        id: &WithdrawalId,
    ) -> Result<Option<MerchantId>, StoreError> {
        let merchants = self
            .read_merchants(
                "withdrawals",
                "SELECT merchant_id FROM withdrawals WHERE withdrawal_id = $1
                 ORDER BY merchant_id LIMIT 1",
                id.as_str(),
            )
            .await?;
        Ok(merchants.into_iter().next())
    }

    /// The withdrawals from an order, in any order, at most `limit`.
    #[boxed]
    pub async fn withdrawals_of_order(
        &self,
        merchant: &MerchantId,
        order_id: &str,
        limit: usize,
    ) -> Result<Vec<WithdrawalRow>, StoreError> {
        self.read_all(
            "listing the withdrawals of an order",
            "SELECT merchant_id, withdrawal_id, order_id, rma_id, recorded_us, outcome, record,
                 sha256, seal, access_key FROM withdrawals
             WHERE merchant_id = $1 AND order_id = $2 ORDER BY withdrawal_id LIMIT $3",
            params![merchant, order_id, limit],
            read_row,
        )
        .await
    }

    /// Withdrawals, newest first, and the last one examined when there may be more.
    #[boxed]
    pub async fn withdrawals(
        &self,
        filter: &WithdrawalFilter,
    ) -> Result<(Vec<WithdrawalRow>, Option<WithdrawalRow>), StoreError> {
        let (sql, values) = filter.statement(&WITHDRAWALS);
        let rows = self.read_all("listing withdrawals", sql, values, read_row).await?;
        let outcome = filter.status.map(WithdrawalOutcome::name);
        Ok(filter.page_size().cut(rows, |it| outcome.is_none_or(|name| it.outcome == name)))
    }
}

fn read_row(row: &Row) -> Result<WithdrawalRow, EngineError> {
    Ok(WithdrawalRow {
        merchant: row.text(0)?.to_owned(),
        withdrawal_id: row.text(1)?.to_owned(),
        order_id: row.text(2)?.to_owned(),
        rma_id: row.text(3)?.to_owned(),
        recorded_us: row.int(4)?,
        outcome: row.text(5)?.to_owned(),
        record: row.text(6)?.to_owned(),
        sha256: row.text(7)?.to_owned(),
        seal: row.text(8)?.to_owned(),
        access_key: row.text(9)?.to_owned(),
    })
}

//! Refunds that an operator should look into, and what was done about them.

use domain::identifier::MerchantId;

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        cursor::Cursor,
        value::{Row, params},
    },
};

/// A refund that matches no return, pays for units that were spent before, or does not fit the
/// newest snapshot of its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundProblem {
    pub merchant: String,
    pub refund_id: String,
    pub order_id: String,
    /// `unmatched`, `conflict`, or `settled` after an operator handled it.
    pub state: String,
    pub noticed_us: i64,
    /// What is wrong with it, or what was done about it.
    pub detail: String,
}

impl RefundProblem {
    /// Its position among the problems.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.clone(), self.refund_id.clone());
        Cursor { at_us: self.noticed_us, merchant, id }
    }
}

impl Transaction {
    /// Records a problem of a refund, replacing an earlier one of the same refund.
    pub fn put_refund_problem(&mut self, merchant: &MerchantId, problem: &RefundProblem) {
        self.one_row(
            "INSERT INTO refund_problems
                 (merchant_id, refund_id, order_id, state, noticed_us, detail)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (merchant_id, refund_id) DO UPDATE
                 SET state = excluded.state, detail = excluded.detail",
            params![
                merchant,
                problem.refund_id.as_str(),
                problem.order_id.as_str(),
                problem.state.as_str(),
                problem.noticed_us,
                problem.detail.as_str()
            ],
        );
    }

    /// Records that a refund no longer fits its order, unless it is listed already. It is listed
    /// once: later snapshots of the order contradict it in the same way.
    pub fn insert_refund_problem(&mut self, merchant: &MerchantId, problem: &RefundProblem) {
        self.any_rows(
            "INSERT INTO refund_problems
                 (merchant_id, refund_id, order_id, state, noticed_us, detail)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            params![
                merchant,
                problem.refund_id.as_str(),
                problem.order_id.as_str(),
                problem.state.as_str(),
                problem.noticed_us,
                problem.detail.as_str()
            ],
        );
    }
}

impl Store {
    pub async fn refund_problem(
        &self,
        merchant: &MerchantId,
        refund_id: &str,
    ) -> Result<Option<RefundProblem>, StoreError> {
        self.read_first(
            "reading the problem of a refund",
            "SELECT merchant_id, refund_id, order_id, state, noticed_us, detail
             FROM refund_problems WHERE merchant_id = $1 AND refund_id = $2",
            params![merchant, refund_id],
            read_problem,
        )
        .await
    }

    /// The problems of these refunds of a merchant, in any order.
    pub async fn problems_of_refunds(
        &self,
        merchant: &MerchantId,
        refund_ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<RefundProblem>, StoreError> {
        self.read_each(
            "reading the problems of refunds",
            "SELECT p.merchant_id, p.refund_id, p.order_id, p.state, p.noticed_us, p.detail
             FROM ROWS(merchant_id, refund_id)
             JOIN refund_problems p
                 ON p.merchant_id = r.merchant_id AND p.refund_id = r.refund_id",
            refund_ids.map(|id| params![merchant, id]).collect(),
            read_problem,
        )
        .await
    }

    /// Problems in one state, oldest first.
    pub async fn refund_problems(
        &self,
        state: &str,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<RefundProblem>, StoreError> {
        self.read_all(
            "listing problems of refunds",
            "SELECT merchant_id, refund_id, order_id, state, noticed_us, detail
             FROM refund_problems
             WHERE state = $1 AND (noticed_us, merchant_id, refund_id) > ($2, $3, $4)
             ORDER BY noticed_us, merchant_id, refund_id LIMIT $5",
            params![state, after.at_us, after.merchant.as_str(), after.id.as_str(), limit],
            read_problem,
        )
        .await
    }
}

fn read_problem(row: &Row) -> Result<RefundProblem, EngineError> {
    Ok(RefundProblem {
        merchant: row.text(0)?.to_owned(),
        refund_id: row.text(1)?.to_owned(),
        order_id: row.text(2)?.to_owned(),
        state: row.text(3)?.to_owned(),
        noticed_us: row.int(4)?,
        detail: row.text(5)?.to_owned(),
    })
}

//! Refunds that an operator should look into, and what was done about them.

use boxed::boxed;
use domain::{identifier::MerchantId, returns::identifier::RmaId};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        cursor::Cursor,
        value::{Row, Value, params},
    },
};

/// A refund that matches no return, pays for units that were spent before, does not fit the newest
/// snapshot of its order, or differs from what was promised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefundProblem {
    pub merchant: String,
    pub refund_id: String,
    pub order_id: String,
    /// What is wrong: `unmatched`, `conflict`, or the name of a difference.
    pub kind: String,
    /// Its kind, `asked` or `awaited` after an operator looked into it, or `settled`.
    pub state: String,
    pub noticed_us: i64,
    /// What is wrong with it, or what was done about it.
    pub detail: String,
    /// The return that it was compared with. Empty if there is no difference, like the rest.
    pub rma_id: String,
    pub currency: String,
    pub promised_cents: i64,
    pub paid_cents: i64,
}

impl RefundProblem {
    /// Its position among the problems.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.clone(), self.refund_id.clone());
        Cursor { at_us: self.noticed_us, merchant, id }
    }

    /// Whether an operator should match the refund to a return, or leave it.
    pub fn waits_for_match(&self) -> bool {
        matches!(self.state.as_str(), "unmatched" | "conflict")
    }
}

/// The columns of a problem, in the order of [`RefundProblem::values`] and [`read_problem`].
macro_rules! problem_columns {
    () => {
        "merchant_id, refund_id, order_id, kind, state, noticed_us, detail, rma_id, currency,
             promised_cents, paid_cents"
    };
}

/// Inserts a problem. One of the same refund gets the return and the amounts of the new one, and
/// `$changes`.
macro_rules! put_problem {
    ($changes:literal) => {
        concat!(
            "INSERT INTO refund_problems (",
            problem_columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
             ON CONFLICT (merchant_id, refund_id) DO UPDATE
                 SET rma_id = excluded.rma_id, currency = excluded.currency,
                     promised_cents = excluded.promised_cents, paid_cents = excluded.paid_cents, ",
            $changes
        )
    };
}

impl RefundProblem {
    fn values(&self, merchant: &MerchantId) -> Vec<Value> {
        params![
            merchant,
            self.refund_id.as_str(),
            self.order_id.as_str(),
            self.kind.as_str(),
            self.state.as_str(),
            self.noticed_us,
            self.detail.as_str(),
            self.rma_id.as_str(),
            self.currency.as_str(),
            self.promised_cents,
            self.paid_cents
        ]
    }
}

impl Transaction {
    /// Records a problem of a refund, replacing an earlier one of the same refund.
    pub fn put_refund_problem(&mut self, merchant: &MerchantId, problem: &RefundProblem) {
        self.one_row(
            put_problem!("kind = excluded.kind, state = excluded.state, detail = excluded.detail"),
            problem.values(merchant),
        );
    }

    /// Makes the transaction a conflict unless the problem still has the state and the difference
    /// that it was read with.
    pub fn guard_refund_problem(&mut self, merchant: &MerchantId, problem: &RefundProblem) {
        self.one_row(
            "UPDATE refund_problems SET state = state
             WHERE merchant_id = $1 AND refund_id = $2 AND state = $3 AND rma_id = $4
                 AND promised_cents = $5 AND paid_cents = $6",
            params![
                merchant,
                problem.refund_id.as_str(),
                problem.state.as_str(),
                problem.rma_id.as_str(),
                problem.promised_cents,
                problem.paid_cents
            ],
        );
    }

    /// Records a difference of a refund. While the refund waits to be matched, that stays its
    /// problem, and the difference is added to it.
    pub fn put_difference(&mut self, merchant: &MerchantId, problem: &RefundProblem) {
        self.one_row(
            put_problem!(
                "kind = CASE WHEN refund_problems.state IN ('unmatched', 'conflict')
                     THEN refund_problems.kind ELSE excluded.kind END,
                 state = CASE WHEN refund_problems.state IN ('unmatched', 'conflict')
                     THEN refund_problems.state ELSE excluded.state END,
                 detail = CASE WHEN refund_problems.state IN ('unmatched', 'conflict')
                     THEN refund_problems.detail ELSE excluded.detail END"
            ),
            problem.values(merchant),
        );
    }

    /// Records that a refund no longer fits its order, unless it is listed already. It is listed
    /// once: later snapshots of the order contradict it in the same way.
    pub fn insert_refund_problem(&mut self, merchant: &MerchantId, problem: &RefundProblem) {
        self.any_rows(
            concat!(
                "INSERT INTO refund_problems (",
                problem_columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING"
            ),
            problem.values(merchant),
        );
    }

    /// Ends the difference between a refund and this return, which no longer exists, if an operator
    /// has not ended it. A refund that waits to be matched still waits.
    pub fn settle_difference(
        &mut self,
        merchant: &MerchantId,
        refund_id: &str,
        rma: &RmaId,
        detail: &str,
    ) {
        self.any_rows(
            "UPDATE refund_problems SET rma_id = ''
             WHERE merchant_id = $1 AND refund_id = $2 AND rma_id = $3
                 AND state IN ('unmatched', 'conflict')",
            params![merchant, refund_id, rma.as_str()],
        );
        self.any_rows(
            "UPDATE refund_problems SET state = 'settled', detail = $4
             WHERE merchant_id = $1 AND refund_id = $2 AND rma_id = $3 AND state <> 'settled'",
            params![merchant, refund_id, rma.as_str(), detail],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn refund_problem(
        &self,
        merchant: &MerchantId,
        refund_id: &str,
    ) -> Result<Option<RefundProblem>, StoreError> {
        self.read_first(
            "reading the problem of a refund",
            concat!(
                "SELECT ",
                problem_columns!(),
                " FROM refund_problems WHERE merchant_id = $1 AND refund_id = $2"
            ),
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
            "SELECT p.merchant_id, p.refund_id, p.order_id, p.kind, p.state, p.noticed_us, p.detail,
                 p.rma_id, p.currency, p.promised_cents, p.paid_cents
             FROM ROWS(merchant_id, refund_id)
             JOIN refund_problems p
                 ON p.merchant_id = r.merchant_id AND p.refund_id = r.refund_id",
            refund_ids.map(|id| params![merchant, id]).collect(),
            read_problem,
        )
        .await
    }

    /// Problems in one state, oldest first.
    #[boxed]
    pub async fn refund_problems(
        &self,
        state: &str,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<RefundProblem>, StoreError> {
        self.read_all(
            "listing problems of refunds",
            concat!(
                "SELECT ",
                problem_columns!(),
                " FROM refund_problems
                 WHERE state = $1 AND (noticed_us, merchant_id, refund_id) > ($2, $3, $4)
                 ORDER BY noticed_us, merchant_id, refund_id LIMIT $5"
            ),
            params![state, after.at_us, after.merchant.as_str(), after.id.as_str(), limit],
            read_problem,
        )
        .await
    }

    /// Problems of all merchants that are not settled, oldest first.
    #[boxed]
    pub async fn open_refund_problems(
        &self,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<RefundProblem>, StoreError> {
        self.read_all(
            "listing open problems of refunds",
            concat!(
                "SELECT ",
                problem_columns!(),
                " FROM refund_problems
                 WHERE state <> 'settled' AND (noticed_us, merchant_id, refund_id) > ($1, $2, $3)
                 ORDER BY noticed_us, merchant_id, refund_id LIMIT $4"
            ),
            params![after.at_us, after.merchant.as_str(), after.id.as_str(), limit],
            read_problem,
        )
        .await
    }

    /// All problems of one merchant, settled ones too, oldest first.
    #[boxed]
    pub async fn refund_problems_of(
        &self,
        merchant: &MerchantId,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<RefundProblem>, StoreError> {
        self.read_all(
            "listing a merchant's problems of refunds",
            concat!(
                "SELECT ",
                problem_columns!(),
                " FROM refund_problems
                 WHERE merchant_id = $1 AND (noticed_us, refund_id) > ($2, $3)
                 ORDER BY noticed_us, refund_id LIMIT $4"
            ),
            params![merchant, after.at_us, after.id.as_str(), limit],
            read_problem,
        )
        .await
    }

    /// Problems of one merchant in one state, or all that are not settled, oldest first.
    #[boxed]
    pub async fn merchant_refund_problems(
        &self,
        merchant: &MerchantId,
        state: Option<&str>,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<RefundProblem>, StoreError> {
        self.read_all(
            "listing a merchant's problems of refunds by state",
            concat!(
                "SELECT ",
                problem_columns!(),
                " FROM refund_problems
                 WHERE merchant_id = $1 AND (noticed_us, refund_id) > ($2, $3)
                     AND (state = $4 OR ($4 = '' AND state <> 'settled'))
                 ORDER BY noticed_us, refund_id LIMIT $5"
            ),
            params![merchant, after.at_us, after.id.as_str(), state.unwrap_or_default(), limit],
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
        kind: row.text(3)?.to_owned(),
        state: row.text(4)?.to_owned(),
        noticed_us: row.int(5)?,
        detail: row.text(6)?.to_owned(),
        rma_id: row.text(7)?.to_owned(),
        currency: row.text(8)?.to_owned(),
        promised_cents: row.int(9)?,
        paid_cents: row.int(10)?,
    })
}

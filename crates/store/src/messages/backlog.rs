//! What waits, counted for metrics. The cost is bounded: each query counts a limited number of
//! rows by key, and a caller that wants more continues where it ended.

use boxed::boxed;
use domain::messages::kind::MessageKind;

use crate::{
    EngineError, Store, StoreError,
    core::value::{Row, params},
};

/// Waiting or failed messages of one merchant and kind, as far as one step counted them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BacklogCount {
    pub merchant: String,
    pub kind: MessageKind,
    pub messages: i64,
    /// The numbers of the first and the last of them.
    pub first: i64,
    pub last: i64,
}

/// Which messages are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backlog {
    /// Those that are not finished.
    Waiting,
    /// Those in the failure queue.
    Failed,
}

const OPERATION: &str = "counting what waits";

impl Store {
    /// Counts up to `limit` messages after those of an earlier step, by merchant and kind.
    #[boxed]
    pub async fn count_backlog(
        &self,
        backlog: Backlog,
        after: Option<&BacklogCount>,
        limit: usize,
    ) -> Result<Vec<BacklogCount>, StoreError> {
        let sql = match backlog {
            Backlog::Waiting => {
                "SELECT merchant_id, kind, count(*), min(message_id), max(message_id)
                 FROM (SELECT merchant_id, kind, message_id FROM deliveries
                     WHERE (merchant_id, kind, message_id) > ($1, $2, $3)
                     ORDER BY merchant_id, kind, message_id LIMIT $4) AS step
                 GROUP BY merchant_id, kind ORDER BY merchant_id, kind"
            }
            Backlog::Failed => {
                "SELECT merchant_id, kind, count(*), min(message_id), max(message_id)
                 FROM (SELECT merchant_id, kind, message_id FROM failures
                     WHERE (merchant_id, kind, message_id) > ($1, $2, $3)
                     ORDER BY merchant_id, kind, message_id LIMIT $4) AS step
                 GROUP BY merchant_id, kind ORDER BY merchant_id, kind"
            }
        };
        let (merchant, kind, last) =
            after.map_or(("", "", 0), |it| (it.merchant.as_str(), it.kind.name(), it.last));
        self.read_all(OPERATION, sql, params![merchant, kind, last, limit], read_count).await
    }

    /// When these messages were enqueued, each by its merchant and number: the earliest time.
    pub async fn earliest_message_us(
        &self,
        messages: impl Iterator<Item = (&str, i64)>,
    ) -> Result<Option<i64>, StoreError> {
        let times = self
            .read_each(
                OPERATION,
                "SELECT m.created_us FROM ROWS(merchant_id, message_id)
                 JOIN messages m
                     ON m.merchant_id = r.merchant_id AND m.message_id = r.message_id",
                messages.map(|(merchant, id)| params![merchant, id]).collect(),
                |row| row.int(0),
            )
            .await?;
        Ok(times.into_iter().min())
    }

    /// How many returns wait for a label of a carrier: no more than `limit` are counted.
    #[boxed]
    pub async fn count_label_requests(
        &self,
        carrier: &str,
        limit: usize,
    ) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM (
                 SELECT rma_id FROM label_requests WHERE carrier = $1 LIMIT $2) AS waiting";
        let count = self.read_first(OPERATION, sql, params![carrier, limit], |row| row.int(0));
        Ok(count.await?.unwrap_or(0))
    }

    /// For how many returns something is still due: no more than `limit` are counted.
    #[boxed]
    pub async fn count_owed_returns(&self, limit: usize) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM (
                 SELECT merchant_id FROM returns
                 WHERE owed_cents <> 0 AND merchant_id > '' LIMIT $1) AS owed";
        let count = self.read_first(OPERATION, sql, params![limit], |row| row.int(0));
        Ok(count.await?.unwrap_or(0))
    }
}

fn read_count(row: &Row) -> Result<BacklogCount, EngineError> {
    Ok(BacklogCount {
        merchant: row.text(0)?.to_owned(),
        kind: row.message_kind(1)?,
        messages: row.int(2)?,
        first: row.int(3)?,
        last: row.int(4)?,
    })
}

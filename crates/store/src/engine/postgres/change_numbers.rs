//! The numbers of changes, by which work lists are read.
//!
//! The number of a change is the number of its transaction. A snapshot knows the oldest transaction
//! that still runs, so every change with a smaller number is committed. Transactions that only read
//! have no number, so a backup holds nothing back.
//!
//! On Citus each server has transactions of its own. There the number of a change is its time
//! ([`with_time_as_change_number`]), and lists stay [`VISIBLE_LATE_US`] behind: longer than it
//! takes from the decision to the end of the transaction, and than the clocks of the nodes differ.
//! It is later than every number before: that was a time plus a number of transactions.
//!
//! [`with_time_as_change_number`]: crate::engine::dialect::distributed::with_time_as_change_number
//!
//! When a dump is loaded into another server, the numbers of transactions start over. So a base is
//! added to them, which is chosen anew then: such that the sum is the time in microseconds. Servers
//! never have a million transactions a second, so each base leads to larger numbers than the one
//! before. That a dump was loaded shows in the row of the base: it was written by another
//! transaction than it says.

use std::sync::Arc;

use tokio::sync::OnceCell;
use tokio_postgres::Client;

use super::statements::Text;
use crate::core::error::EngineError;

/// Longer than it takes until all servers have committed what one has committed: if a connection
/// breaks in between, Citus tries again every minute.
pub(super) const VISIBLE_LATE_US: i64 = 150_000_000;

/// Chooses a base unless the database has one that was chosen here.
pub(super) async fn prepare(client: &Client) -> Result<(), EngineError> {
    let sql = "UPDATE change_counter
         SET written_by = CAST(CAST(pg_current_xact_id() AS text) AS bigint),
             last = CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)
                 - CAST(CAST(pg_current_xact_id() AS text) AS bigint)
         WHERE id = 1 AND written_by % 4294967296 <> CAST(CAST(xmin AS text) AS bigint)";
    client.execute(sql, &[]).await?;
    Ok(())
}

/// Every change with a smaller number is committed.
pub(super) async fn settled(client: &Client) -> Result<i64, EngineError> {
    let sql = "SELECT last
             + CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)
         FROM change_counter WHERE id = 1";
    Ok(client.query_one(sql, &[]).await?.try_get(0)?)
}

/// The base, read once.
#[derive(Default)]
pub(super) struct ChangeNumbers(OnceCell<i64>);

impl ChangeNumbers {
    /// A statement with the number of the transaction that runs it.
    pub(super) async fn write(
        &self,
        client: &Client,
        text: &Arc<Text>,
    ) -> Result<Arc<Text>, EngineError> {
        if !text.has_change_number() {
            return Ok(Arc::clone(text));
        }
        let base = self.0.get_or_try_init(|| read_base(client)).await?;
        let number = format!("({base} + CAST(CAST(pg_current_xact_id() AS text) AS bigint))");
        Ok(text.numbered(&number))
    }
}

async fn read_base(client: &Client) -> Result<i64, EngineError> {
    let sql = "SELECT last FROM change_counter WHERE id = 1";
    Ok(client.query_one(sql, &[]).await?.try_get(0)?)
}

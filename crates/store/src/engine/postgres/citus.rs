//! Citus: PostgreSQL on several servers.
//!
//! A table with a merchant is distributed by merchant. All of them are co-located: everything of a
//! merchant is on one server, and a transaction of one merchant commits there and nowhere else. The
//! few tables without a merchant (nodes, leases, operators, sessions, settings) stay on the
//! coordinator.

use tokio_postgres::Client;

use super::{statements::Layout, take_migration_lock};
use crate::core::error::EngineError;

/// The table that the others are co-located with.
const FIRST_TABLE: &str = "merchants";

pub(super) async fn layout(client: &Client) -> Result<Layout, EngineError> {
    let sql = "SELECT count(*) FROM pg_extension WHERE extname = 'citus'";
    let extensions: i64 = client.query_one(sql, &[]).await?.try_get(0)?;
    Ok(if extensions == 0 { Layout::OneServer } else { Layout::Distributed })
}

/// Distributes every table with a merchant that is not distributed yet, with its rows; returns how
/// many.
pub(super) async fn distribute(client: &mut Client) -> Result<usize, EngineError> {
    let transaction = client.transaction().await?;
    take_migration_lock(&transaction).await?;
    // Other sessions may have to wait for this one, but this one for nothing: it moves all rows.
    transaction.batch_execute("SET LOCAL lock_timeout = 0").await?;
    let tables = transaction
        .query(
            "SELECT CAST(c.relname AS text) FROM pg_class c
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
             WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
                 AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
             ORDER BY c.relname <> $1, c.relname",
            &[&FIRST_TABLE],
        )
        .await?;
    for table in &tables {
        let table: String = table.try_get(0)?;
        let beside = if table == FIRST_TABLE { "none" } else { FIRST_TABLE };
        transaction
            .execute(
                "SELECT create_distributed_table(CAST(CAST($1 AS text) AS regclass),
                     'merchant_id', colocate_with => CAST($2 AS text))",
                &[&table, &beside],
            )
            .await?;
    }
    transaction.commit().await?;
    Ok(tables.len())
}

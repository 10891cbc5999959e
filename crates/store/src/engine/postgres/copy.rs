//! A copy of everything, for a backup.

use futures_util::{TryStreamExt, pin_mut};
use tokio_postgres::IsolationLevel;

use super::{
    citus, create_pool, executions::Layout, get_client, read_row, tls::connection_settings,
};
use crate::{core::error::EngineError, engine::CopiedMoment};

/// Copies every table into `file`, which holds the same schema. On a distributed database each
/// server is read through one connection, and so as of one moment.
pub(in crate::engine) async fn copy_into(
    url: &str,
    file: rusqlite::Connection,
) -> Result<CopiedMoment, EngineError> {
    let pool = create_pool(connection_settings(url)?, 1)?;
    let mut client = get_client(&pool).await?;
    let layout = citus::layout(&client).await?;
    let snapshot = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    // The transaction is idle while the file is written, for as long as a slow disk takes.
    snapshot.batch_execute("SET LOCAL idle_in_transaction_session_timeout = 0").await?;
    if layout == Layout::Distributed {
        snapshot.batch_execute("SET LOCAL citus.max_adaptive_executor_pool_size = 1").await?;
    }
    for table in table_names(&file)? {
        // The rows that a migration inserted come with the copy.
        file.execute_batch(&format!("BEGIN; DELETE FROM {table}"))?;
        let no_values: [&str; 0] = [];
        let rows = snapshot.query_raw(&format!("SELECT * FROM {table}"), no_values).await?;
        pin_mut!(rows);
        while let Some(row) = rows.try_next().await? {
            insert_row(&file, &table, &row)?;
        }
        file.execute_batch("COMMIT")?;
    }
    Ok(match layout {
        Layout::OneServer => CopiedMoment::One,
        Layout::Distributed => CopiedMoment::OneForEachMerchant,
    })
}

fn table_names(file: &rusqlite::Connection) -> Result<Vec<String>, EngineError> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut statement = file.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn insert_row(
    file: &rusqlite::Connection,
    table: &str,
    row: &tokio_postgres::Row,
) -> Result<(), EngineError> {
    let names: Vec<&str> = row.columns().iter().map(tokio_postgres::Column::name).collect();
    let places: Vec<String> = (1..=names.len()).map(|position| format!("?{position}")).collect();
    let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), places.join(", "));
    let cells = read_row(row)?;
    file.prepare_cached(&sql)?.execute(rusqlite::params_from_iter(cells.0))?;
    Ok(())
}

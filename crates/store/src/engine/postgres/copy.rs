//! A copy of everything, for a backup. The file is written on a thread that may block, because the
//! server handles requests meanwhile.

use futures_util::{TryStreamExt, pin_mut};
use rusqlite::Connection;
use tokio_postgres::IsolationLevel;

use super::{
    citus, create_pool, get_client, read_row, statements::Layout, tls::connection_settings,
};
use crate::{core::error::EngineError, engine::CopiedMoment};

/// Rows that are in memory before they are written. A row can have some megabytes.
const ROWS: usize = 64;

/// Copies every table into `file`, which holds the same schema. On a distributed database each
/// server is read through one connection, and so as of one moment.
pub(in crate::engine) async fn copy_into(
    url: &str,
    mut file: Connection,
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
        let begin = format!("BEGIN; DELETE FROM {table}");
        file = write(file, move |file| Ok(file.execute_batch(&begin)?)).await?;
        let no_values: [&str; 0] = [];
        let rows = snapshot.query_raw(&format!("SELECT * FROM {table}"), no_values).await?;
        let batches = rows.try_chunks(ROWS);
        pin_mut!(batches);
        while let Some(rows) = batches.try_next().await.map_err(|failed| failed.1)? {
            let table = table.clone();
            let insert = move |file: &Connection| {
                rows.iter().try_for_each(|row| insert_row(file, &table, row))
            };
            file = write(file, insert).await?;
        }
        file = write(file, |file| Ok(file.execute_batch("COMMIT")?)).await?;
    }
    Ok(match layout {
        Layout::OneServer => CopiedMoment::One,
        Layout::Distributed => CopiedMoment::OneForEachMerchant,
    })
}

/// Writes to the file, and hands it back.
async fn write(
    file: Connection,
    write: impl FnOnce(&Connection) -> Result<(), EngineError> + Send + 'static,
) -> Result<Connection, EngineError> {
    let written = tokio::task::spawn_blocking(move || write(&file).map(|()| file));
    written.await.map_err(|_| EngineError::Closed)?
}

fn table_names(file: &Connection) -> Result<Vec<String>, EngineError> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut statement = file.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn insert_row(
    file: &Connection,
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

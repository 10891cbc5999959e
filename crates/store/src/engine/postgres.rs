//! PostgreSQL: a pool of connections, prepared statements, and transactions that are committed in
//! groups ([`committers`]).

use std::{sync::Arc, time::Duration};

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use tokio::sync::mpsc;
use tokio_postgres::{NoTls, types::Type};

use super::{dialect, group::CommitResult};
use crate::{
    StoreMetrics,
    core::{
        error::{EngineError, postgres_message, with_causes},
        transaction::Transaction,
        value::{Kind, Row, Value},
    },
};

mod bulk;
mod bursts;
mod change_numbers;
mod citus;
mod committers;
mod conflicts;
mod copy;
mod executions;
mod listen;
mod lost_servers;
#[cfg(test)]
mod plans;
mod reads;
mod shared_reads;
mod statements;
mod statistics;
mod tls;
mod waiting;
mod workers;

use committers::Committers;
pub(super) use copy::copy_into;
use reads::Reads;
use shared_reads::SharedReads;
use statements::{Layout, Statements};
use statistics::{WrittenRows, keep_statistics};
use tls::{Settings, connection_settings};
use waiting::Grouping;
use workers::Workers;

/// Connections for queries.
const READERS_MAX: usize = 8;
/// Connections for leases, announcements and the clock.
const KEEPERS_MAX: usize = 2;
const WAIT_FOR_CONNECTION: Duration = Duration::from_secs(10);
/// Only one node migrates at a time. The number has no meaning beyond "Homeward's schema".
const MIGRATION_LOCK: i64 = 0x484f_4d45;

/// A node that hangs in the middle of a transaction must not keep its locks: the server ends the
/// session, and the node gets an error when it resumes. Waiting for a lock ends in an error, too.
///
/// Every statement finds its rows by a key, however many there are. The planner cannot know that
/// for tables that fill and empty all day: it would scan them from time to time, and plan at every
/// call.
///
/// Citus finds the shards of most statements only by the values, so it must see them. Besides, a
/// worker that plans a statement for all values makes a plan for its shard each time, and keeps all
/// of them in memory (Citus 13.2).
///
/// Bodies of 2 KB and more are compressed. With PostgreSQL's own method, that is more than half of
/// what it takes to insert an order; with LZ4, which most builds have, it is hardly anything.
const SESSION: &str = "SET idle_in_transaction_session_timeout = '5s';
    SET lock_timeout = '10s'; SET jit = off;
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
    SELECT set_config('plan_cache_mode',
        CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
            THEN 'force_custom_plan' ELSE 'force_generic_plan' END, false);
    SELECT set_config(name, 'lz4', false) FROM pg_settings
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

#[derive(Clone)]
pub(crate) struct Postgres {
    url: Arc<str>,
    readers: Reads,
    shared_reads: SharedReads,
    /// For committers and leases: however many slow queries there are, commits and the right to
    /// send do not wait for them.
    keepers: Reads,
    layout: Layout,
    committers: Committers,
    /// If the database is distributed.
    workers: Option<Workers>,
}

impl Postgres {
    pub(crate) async fn open(url: &str, metrics: &StoreMetrics) -> Result<Self, EngineError> {
        let readers = create_pool(connection_settings(url)?, READERS_MAX)?;
        // Connect once now, so that a wrong address is reported at the start.
        let mut client = get_client(&readers).await?;
        let layout = citus::layout(&client).await?;
        let grouping = match layout {
            Layout::OneServer => Grouping::Together,
            Layout::Distributed => Grouping::ByMerchant,
        };
        let connections = KEEPERS_MAX + grouping.committers();
        let keepers = create_pool(connection_settings(url)?, connections)?;
        // Even "if not exists" fails when two nodes run it at the same time, so they take turns.
        let transaction = client.transaction().await?;
        take_migration_lock(&transaction).await?;
        let table = "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY)";
        transaction.batch_execute(table).await?;
        transaction.commit().await?;
        let written = WrittenRows::default();
        let statements = Statements::new(layout);
        let committers = Committers::start(&keepers, &statements, grouping, metrics, &written);
        let url: Arc<str> = url.into();
        let workers =
            (layout == Layout::Distributed).then(|| Workers::new(&url, &keepers, metrics));
        if layout == Layout::OneServer {
            tokio::spawn(keep_statistics(keepers.clone(), written));
        }
        let [readers, keepers] = [readers, keepers].map(|pool| Reads {
            pool,
            statements: Arc::clone(&statements),
            metrics: metrics.clone(),
        });
        let shared_reads = SharedReads::start(&readers);
        Ok(Self { url, readers, shared_reads, keepers, layout, committers, workers })
    }

    pub(crate) async fn commit(&self, transaction: Transaction) -> CommitResult {
        match &self.workers {
            Some(workers) => workers.commit(&self.committers, transaction).await,
            None => self.committers.commit(transaction).await,
        }
    }

    pub(crate) async fn query(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, EngineError> {
        self.query_each(sql, vec![values]).await
    }

    /// A query that does not wait for others.
    pub(crate) async fn query_apart(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, EngineError> {
        self.keepers.query_each(sql, vec![&values]).await
    }

    pub(crate) async fn query_each(
        &self,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        let rows = as_slices(&rows);
        match &self.workers {
            Some(workers) => workers.query_each(&self.readers, sql, rows).await,
            None => self.readers.query_each(sql, rows).await,
        }
    }

    /// A query that is sent together with those of other callers. Where a distributed database is
    /// asked, it is about one merchant at a time, so there is nothing to share.
    pub(crate) async fn query_shared(
        &self,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        match self.layout {
            Layout::OneServer => self.shared_reads.query(sql, rows).await,
            Layout::Distributed => self.query_each(sql, rows).await,
        }
    }

    pub(crate) async fn migrate(&self, text: &str, to_version: i64) -> Result<(), EngineError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        take_migration_lock(&transaction).await?;
        let inserted = transaction
            .execute(
                "INSERT INTO schema_versions (version) VALUES ($1) ON CONFLICT DO NOTHING",
                &[&to_version],
            )
            .await?;
        // Another node may have migrated first.
        if inserted == 1 {
            transaction.batch_execute(&dialect::schema_for_postgres(text)).await?;
        }
        Ok(transaction.commit().await?)
    }

    pub(crate) fn name(&self) -> &'static str {
        match self.layout {
            Layout::OneServer => "postgres",
            Layout::Distributed => "citus",
        }
    }

    /// Distributes the tables if the database is distributed; returns how many.
    pub(crate) async fn place_tables(&self) -> Result<usize, EngineError> {
        match self.layout {
            Layout::OneServer => Ok(0),
            Layout::Distributed => citus::distribute(&mut *self.client().await?).await,
        }
    }

    pub(crate) async fn prepare_change_numbers(&self) -> Result<(), EngineError> {
        change_numbers::prepare(&*self.client().await?).await
    }

    pub(crate) async fn settled_change(&self) -> Result<i64, EngineError> {
        match self.layout {
            Layout::OneServer => change_numbers::settled(&*self.client().await?).await,
            // Lists leave out what is too new.
            Layout::Distributed => Ok(i64::MAX),
        }
    }

    pub(crate) fn is_distributed(&self) -> bool {
        self.layout == Layout::Distributed
    }

    pub(crate) fn visible_late_us(&self) -> Option<i64> {
        self.is_distributed().then_some(change_numbers::VISIBLE_LATE_US)
    }

    pub(crate) async fn schema_version(&self) -> Result<i64, EngineError> {
        let sql = "SELECT coalesce(max(version), 0) FROM schema_versions";
        Ok(self.client().await?.query_one(sql, &[]).await?.try_get(0)?)
    }

    pub(crate) async fn clock_us(&self) -> Result<i64, EngineError> {
        let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";
        Ok(get_client(&self.keepers.pool).await?.query_one(sql, &[]).await?.try_get(0)?)
    }

    pub(crate) async fn notify(&self, text: &str) -> Result<(), EngineError> {
        let client = get_client(&self.keepers.pool).await?;
        let sql = format!("SELECT pg_notify({}, $1)", listen::CHANNEL);
        let statement = client.prepare_cached(&sql).await?;
        client.query(&statement, &[&text]).await?;
        Ok(())
    }

    pub(crate) async fn listen(&self) -> Result<mpsc::Receiver<String>, EngineError> {
        listen::listen(&self.url).await
    }

    pub(crate) fn close(&self) {
        self.readers.pool.close();
        self.keepers.pool.close();
        if let Some(workers) = &self.workers {
            workers.close();
        }
    }

    async fn client(&self) -> Result<Object, EngineError> {
        get_client(&self.readers.pool).await
    }
}

async fn get_client(pool: &Pool) -> Result<Object, EngineError> {
    pool.get().await.map_err(|error| pool_error(&error))
}

/// The text of a pool's error contains neither the address nor the reason; its causes do.
fn pool_error(error: &PoolError) -> EngineError {
    EngineError::Pool(match error {
        PoolError::Backend(cause) => postgres_message(cause),
        PoolError::Timeout(_)
        | PoolError::Closed
        | PoolError::NoRuntimeSpecified
        | PoolError::PostCreateHook(_) => with_causes(error),
    })
}

/// Waits until no other node migrates, however long that takes: with many rows, longer than any
/// other lock may take.
async fn take_migration_lock(
    transaction: &tokio_postgres::Transaction<'_>,
) -> Result<(), EngineError> {
    let free = "SELECT pg_try_advisory_xact_lock($1)";
    if transaction.query_one(free, &[&MIGRATION_LOCK]).await?.try_get(0)? {
        return Ok(());
    }
    tracing::info!("another node is changing the schema; this one continues when it is done");
    transaction.batch_execute("SET LOCAL lock_timeout = 0").await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await?;
    // As in SESSION: a statement that waits for a table holds up everything that comes after it.
    Ok(transaction.batch_execute("SET LOCAL lock_timeout = '10s'").await?)
}

fn as_slices(rows: &[Vec<Value>]) -> Vec<&[Value]> {
    rows.iter().map(Vec::as_slice).collect()
}

/// No stored text contains U+0000, and PostgreSQL rejects a query with it.
fn contains_nul(value: &Value) -> bool {
    value.as_text().is_some_and(|text| text.contains('\0'))
}

fn create_pool(settings: Settings, connections_max: usize) -> Result<Pool, EngineError> {
    let Settings { config, tls } = settings;
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match tls {
        Some(tls) => Manager::from_config(config, tls, recycling),
        None => Manager::from_config(config, NoTls, recycling),
    };
    Pool::builder(manager)
        .max_size(connections_max)
        .wait_timeout(Some(WAIT_FOR_CONNECTION))
        .create_timeout(Some(WAIT_FOR_CONNECTION))
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
        }))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| EngineError::Pool(error.to_string()))
}

fn read_row(row: &tokio_postgres::Row) -> Result<Row, EngineError> {
    let cells = row.columns().iter().enumerate().map(|(position, column)| {
        Ok(match *column.type_() {
            Type::INT8 => {
                row.try_get::<_, Option<i64>>(position)?.map_or(Value::Null(Kind::Int), Value::Int)
            }
            Type::BYTEA => row
                .try_get::<_, Option<&[u8]>>(position)?
                .map_or(Value::Null(Kind::Bytes), Value::from),
            _ => row
                .try_get::<_, Option<&str>>(position)?
                .map_or(Value::Null(Kind::Text), Value::from),
        })
    });
    cells.collect::<Result<_, EngineError>>().map(Row)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::MIGRATION_LOCK;
    use crate::{
        Location, Store,
        conformance::{connect, metrics, postgres_server},
    };

    /// In a database of its own, because the lock is of a whole database.
    #[tokio::test]
    async fn a_node_waits_for_a_migration_that_takes_longer_than_any_other_lock() {
        let Some(server) = postgres_server() else { return };
        let (admin, database) = (connect(&server).await, "homeward_waiting_node");
        let drop = format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)");
        admin.batch_execute(&drop).await.unwrap();
        admin.batch_execute(&format!("CREATE DATABASE {database}")).await.unwrap();
        let join = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{join}dbname={database}");
        let other_node = connect(&url).await;
        other_node.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await.unwrap();

        let start = tokio::spawn(async move {
            let store = Store::open(&Location::Postgres(url), &metrics()).await.unwrap();
            store.migrate().await.unwrap();
            store.close().await;
        });
        // `lock_timeout` is ten seconds.
        tokio::time::sleep(Duration::from_secs(11)).await;
        assert!(!start.is_finished());
        other_node.execute("SELECT pg_advisory_unlock($1)", &[&MIGRATION_LOCK]).await.unwrap();
        start.await.unwrap();

        admin.batch_execute(&drop).await.unwrap();
    }
}

//! The workers of a distributed database, and which of them has a merchant.
//!
//! Every worker of Citus knows the whole cluster and can run any statement. The one that has the
//! shard of a merchant runs the merchant's statements like a server of its own: without asking
//! another, and with one commit for transactions of several of its merchants. The coordinator would
//! pass each of them on, with a commit of its own, and all of them would wait for the coordinator.
//!
//! So statements of one merchant go to its worker, and all others to the coordinator. A placement
//! that is out of date costs time and nothing else: the worker then passes the statement on. A
//! worker that this node cannot connect to is reached through the coordinator.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use deadpool_postgres::Pool;
use tokio::time::timeout;
use tracing::{info, warn};

use super::{
    READERS_MAX,
    committers::Committers,
    create_pool,
    executions::by_merchant,
    get_client,
    reads::Reads,
    statements::{Layout, Statements},
    statistics::WrittenRows,
    tls::worker_settings,
    waiting::Grouping,
};
use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        transaction::Transaction,
        value::{Row, Value},
    },
    engine::{
        dialect::distributed::{Binding, binding},
        group::CommitResult,
    },
};

/// The tables without a merchant. They are on the coordinator alone.
const COORDINATOR_TABLES: [&str; 10] = [
    "change_counter",
    "nodes",
    "operators",
    "retention",
    "return_routes",
    "schema_versions",
    "sealing_keys",
    "sessions",
    "shard_leases",
    "warehouses",
];
/// How long a placement is believed, and how long a worker that cannot be reached is not tried.
const BELIEVED: Duration = Duration::from_secs(60);
/// Merchants whose placements are remembered.
const PLACEMENTS_MAX: usize = 100_000;
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(super) struct Workers(Arc<Inner>);

struct Inner {
    url: Arc<str>,
    coordinator: Pool,
    metrics: StoreMetrics,
    placements: Mutex<HashMap<String, Placement>>,
    /// By their addresses.
    workers: Mutex<HashMap<Address, Found>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Address {
    host: String,
    port: u16,
}

#[derive(Clone)]
struct Placement {
    worker: Option<Worker>,
    until: Instant,
}

#[derive(Clone)]
enum Found {
    Reached(Worker),
    OutOfReach { until: Instant },
}

/// A connection pool and committers, as those of a database on one server.
#[derive(Clone)]
pub(super) struct Worker {
    readers: Reads,
    /// The connections of the committers.
    commits: Pool,
    committers: Committers,
    address: Address,
}

impl Workers {
    pub(super) fn new(url: &Arc<str>, coordinator: &Pool, metrics: &StoreMetrics) -> Self {
        Self(Arc::new(Inner {
            url: Arc::clone(url),
            coordinator: coordinator.clone(),
            metrics: metrics.clone(),
            placements: Mutex::default(),
            workers: Mutex::default(),
        }))
    }

    /// Commits a transaction on the worker of its merchant, or with `coordinator`.
    pub(super) async fn commit(
        &self,
        coordinator: &Committers,
        transaction: Transaction,
    ) -> CommitResult {
        let is_of_merchant = transaction.steps.iter().all(|step| names_merchant(step.sql));
        let worker = match transaction.merchant().filter(|_| is_of_merchant) {
            Some(merchant) => self.find(merchant).await,
            None => None,
        };
        let Some(worker) = worker else { return coordinator.commit(transaction).await };
        let committed = worker.committers.commit(transaction).await;
        if let Err(EngineError::Pool(cause)) = &committed {
            self.give_up(&worker, cause);
        }
        committed
    }

    /// Runs a query on the worker of each merchant, or with `coordinator`.
    pub(super) async fn query_each(
        &self,
        coordinator: &Reads,
        sql: &'static str,
        rows: Vec<&[Value]>,
    ) -> Result<Vec<Row>, EngineError> {
        if !names_merchant(sql) {
            return coordinator.query_each(sql, rows).await;
        }
        let mut found = Vec::new();
        for (merchant, rows) in by_merchant(rows) {
            let read = match self.find(merchant).await {
                Some(worker) => self.query_worker(&worker, sql, rows.clone()).await,
                None => None,
            };
            match read {
                Some(read) => found.extend(read?),
                None => found.extend(coordinator.query_each(sql, rows).await?),
            }
        }
        Ok(found)
    }

    /// None if the worker cannot be reached.
    async fn query_worker(
        &self,
        worker: &Worker,
        sql: &'static str,
        rows: Vec<&[Value]>,
    ) -> Option<Result<Vec<Row>, EngineError>> {
        let read = worker.readers.query_each(sql, rows).await;
        if let Err(EngineError::Pool(cause)) = &read {
            self.give_up(worker, cause);
            return None;
        }
        Some(read)
    }

    pub(super) fn close(&self) {
        for found in self.workers().values() {
            if let Found::Reached(worker) = found {
                worker.readers.pool.close();
                worker.commits.close();
            }
        }
    }

    /// The worker that has a merchant; None if it is reached only through the coordinator.
    async fn find(&self, merchant: &str) -> Option<Worker> {
        let known = self.placements().get(merchant).cloned();
        if let Some(known) = &known
            && Instant::now() < known.until
        {
            return known.worker.clone();
        }
        let worker = match self.look_up(merchant).await {
            Ok(Some(address)) => self.connect(address).await,
            Ok(None) => None,
            // Without the coordinator, what was known last is the best guess.
            Err(_) => return known?.worker,
        };
        let mut placements = self.placements();
        if placements.len() >= PLACEMENTS_MAX {
            placements.clear();
        }
        let placement = Placement { worker: worker.clone(), until: Instant::now() + BELIEVED };
        placements.insert(merchant.to_owned(), placement);
        worker
    }

    async fn look_up(&self, merchant: &str) -> Result<Option<Address>, EngineError> {
        let client = get_client(&self.0.coordinator).await?;
        let sql = "SELECT n.nodename, n.nodeport FROM pg_dist_placement p
             JOIN pg_dist_node n ON n.groupid = p.groupid
             WHERE p.shardid = get_shard_id_for_distribution_column('merchants', $1::text)
                 AND n.isactive AND n.hasmetadata AND n.metadatasynced AND n.noderole = 'primary'";
        let statement = client.prepare_cached(sql).await?;
        let Some(row) = client.query_opt(&statement, &[&merchant]).await? else { return Ok(None) };
        let (host, port): (String, i32) = (row.try_get(0)?, row.try_get(1)?);
        Ok(u16::try_from(port).ok().map(|port| Address { host, port }))
    }

    /// The worker at an address, connected to at least once.
    async fn connect(&self, address: Address) -> Option<Worker> {
        match self.workers().get(&address) {
            Some(Found::Reached(worker)) => return Some(worker.clone()),
            Some(Found::OutOfReach { until }) if Instant::now() < *until => return None,
            Some(Found::OutOfReach { .. }) | None => {}
        }
        let reached = match timeout(CONNECT_WITHIN, self.open(&address)).await {
            Ok(Ok(worker)) => Ok(worker),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer within {CONNECT_WITHIN:?}")),
        };
        let mut workers = self.workers();
        match reached {
            // Another caller may have been first.
            Ok(worker) => match workers.get(&address) {
                Some(Found::Reached(first)) => Some(first.clone()),
                Some(Found::OutOfReach { .. }) | None => {
                    let Address { host, port } = &address;
                    info!(host, port, "connected to a worker of the database");
                    workers.insert(address, Found::Reached(worker.clone()));
                    Some(worker)
                }
            },
            Err(cause) => {
                warn_of(&address, &cause);
                let until = Instant::now() + BELIEVED;
                workers.insert(address, Found::OutOfReach { until });
                None
            }
        }
    }

    async fn open(&self, address: &Address) -> Result<Worker, EngineError> {
        let settings = || worker_settings(&self.0.url, &address.host, address.port, CONNECT_WITHIN);
        let pool = create_pool(settings()?, READERS_MAX)?;
        // Its tables may be in another schema there, or its copy of the metadata be missing.
        let sql = "SELECT count(*) FROM pg_dist_partition
             WHERE logicalrelid = to_regclass('merchants')";
        let distributed: i64 = get_client(&pool).await?.query_one(sql, &[]).await?.try_get(0)?;
        if distributed == 0 {
            let cause = "the tables of Homeward are not visible there";
            return Err(EngineError::Pool(cause.to_owned()));
        }
        let grouping = Grouping::Together;
        let commits = create_pool(settings()?, grouping.committers())?;
        let (metrics, written) = (&self.0.metrics, WrittenRows::default());
        let statements = Statements::new(Layout::Distributed);
        let committers = Committers::start(&commits, &statements, grouping, metrics, &written);
        let readers = Reads { pool, statements, metrics: metrics.clone() };
        Ok(Worker { readers, commits, committers, address: address.clone() })
    }

    /// For a while, the worker is reached through the coordinator.
    fn give_up(&self, worker: &Worker, cause: &str) {
        if self.0.coordinator.is_closed() {
            return;
        }
        let until = Instant::now() + BELIEVED;
        let before = self.workers().insert(worker.address.clone(), Found::OutOfReach { until });
        if matches!(before, Some(Found::Reached(_))) {
            warn_of(&worker.address, cause);
            self.placements().clear();
        }
    }

    fn placements(&self) -> std::sync::MutexGuard<'_, HashMap<String, Placement>> {
        self.0.placements.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn workers(&self) -> std::sync::MutexGuard<'_, HashMap<Address, Found>> {
        self.0.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn warn_of(Address { host, port }: &Address, cause: &str) {
    warn!(
        host,
        port,
        cause,
        "cannot reach a worker of the database; the coordinator passes on what is for it, and in a \
         minute it is tried again"
    );
}

/// Whether the rows of a statement are of the merchant that its first value names.
fn names_merchant(sql: &str) -> bool {
    let is_insert = sql.contains("(merchant_id,") && sql.contains("VALUES ($1,");
    let is_named = is_insert || sql.contains("merchant_id = $1") || binding(sql) != Binding::Arrays;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut words = sql.split(|letter| !is_name(letter));
    is_named && !words.any(|word| COORDINATOR_TABLES.contains(&word))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::{identifier::MerchantId, returns::ledger::Ledger};

    use super::*;
    use crate::{
        Location,
        conformance::{Subject, citus, metrics},
        core::{schema::MIGRATIONS, value::params},
        engine::postgres::Postgres,
    };

    #[tokio::test]
    async fn a_worker_out_of_reach_is_reached_through_the_coordinator() {
        let Some(Subject { location, .. }) = citus("a_worker_out_of_reach").await else { return };
        let Location::Postgres(url) = &location else { panic!("{location:?}") };
        let engine = Postgres::open(url, &metrics()).await.unwrap();
        let workers = engine.workers.clone().unwrap();
        let merchant = MerchantId::parse("acme").unwrap();
        let spend = |order| {
            let mut transaction = Transaction::new("spending a unit");
            transaction.put_ledger(&merchant, order, &Ledger::default(), 0);
            engine.commit(transaction)
        };
        spend("one").await.unwrap();
        let worker = workers.find("acme").await.expect("a worker within reach");

        workers.give_up(&worker, "the cable was cut");

        assert!(workers.find("acme").await.is_none());
        spend("two").await.unwrap();
        let sql = "SELECT order_id FROM ledgers WHERE merchant_id = $1 ORDER BY order_id";
        let rows = engine.query(sql, params![&merchant]).await.unwrap();
        let orders: Vec<&str> = rows.iter().map(|row| row.text(0).unwrap()).collect();
        assert_eq!(orders, ["one", "two"]);
    }

    #[test]
    fn a_statement_of_a_merchant_is_known_by_its_first_value() {
        for sql in [
            "SELECT body FROM orders WHERE merchant_id = $1 AND order_id = $2",
            "UPDATE t SET a = r.a FROM ROWS(merchant_id, a) WHERE t.merchant_id = r.merchant_id",
            "INSERT INTO t (merchant_id, a) VALUES ($1, $2)",
        ] {
            assert!(names_merchant(sql), "{sql}");
        }
        for sql in [
            "SELECT body FROM orders WHERE order_id = $1",
            "SELECT 1 FROM sessions s, t WHERE t.merchant_id = $1",
            "INSERT INTO nodes (node, seen_us) VALUES ($1, $2)",
        ] {
            assert!(!names_merchant(sql), "{sql}");
        }
    }

    #[test]
    fn every_table_without_a_merchant_is_one_of_the_coordinator() {
        let tables = MIGRATIONS.iter().flat_map(|text| text.split("CREATE TABLE ").skip(1));
        let without: BTreeSet<&str> = tables
            .filter(|text| !text.split(';').next().unwrap().contains("merchant_id"))
            .map(|text| text.split([' ', '(']).next().unwrap())
            .chain(["schema_versions"])
            .collect();
        assert_eq!(without, COORDINATOR_TABLES.into_iter().collect());
    }
}

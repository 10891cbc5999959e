//! Statistics about tables that grow quickly.
//!
//! A statement is planned when it is first prepared, which may be when its table is empty. Then all
//! indexes seem equally good, and the one that is chosen may read every row of a merchant to find
//! one. Statistics make the server plan anew. Its own daemon gathers them once a minute, but an
//! import fills a table in seconds. So tables that have become ten times as large as the server
//! believes are analyzed here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deadpool_postgres::Pool;

use crate::core::error::EngineError;

/// Smaller tables are found quickly with any index.
const ROWS_MIN: usize = 1_000;
const INTERVAL: Duration = Duration::from_secs(1);
/// The server counts the rows that a session wrote up to ten seconds later.
const COUNTED_AFTER: Duration = Duration::from_secs(12);

/// Rows that were written since the statistics were last examined.
#[derive(Clone, Default)]
pub(super) struct WrittenRows(Arc<AtomicUsize>);

impl WrittenRows {
    pub(super) fn add(&self, rows: usize) {
        self.0.fetch_add(rows, Ordering::Relaxed);
    }

    fn take_if_many(&self) -> bool {
        let many = self.0.load(Ordering::Relaxed) >= ROWS_MIN;
        if many {
            self.0.store(0, Ordering::Relaxed);
        }
        many
    }
}

/// Examines the statistics after much was written. An idle node asks nothing.
pub(super) async fn keep_statistics(pool: Pool, written: WrittenRows) {
    let mut ticks = tokio::time::interval(INTERVAL);
    let mut examined_until = Instant::now();
    while !pool.is_closed() {
        ticks.tick().await;
        if written.take_if_many() {
            examined_until = Instant::now() + COUNTED_AFTER;
        }
        if Instant::now() < examined_until
            && let Err(error) = analyze_grown(&pool).await
            && !pool.is_closed()
        {
            tracing::warn!(
                "the statistics of grown tables could not be renewed, queries may be slow until \
                 the database does it: {error}"
            );
        }
    }
}

async fn analyze_grown(pool: &Pool) -> Result<(), EngineError> {
    let client = super::get_client(pool).await?;
    // Tables that were never analyzed have -1.
    let sql = "SELECT CAST(CAST(c.oid AS regclass) AS text)
         FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
         WHERE s.schemaname = current_schema() AND s.n_live_tup >= $1
             AND c.reltuples * 10 < s.n_live_tup";
    let statement = client.prepare_cached(sql).await?;
    let rows_min = i64::try_from(ROWS_MIN).unwrap_or(i64::MAX);
    for row in client.query(&statement, &[&rows_min]).await? {
        let table: String = row.try_get(0)?;
        client.batch_execute(&format!("ANALYZE {table}")).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use domain::{identifier::MerchantId, orders::order::OrderStatus};

    use crate::{Location, OrderRow, Transaction, conformance::postgres};

    /// Whether the server knows that the table of orders has many rows.
    async fn is_known(url: &str) -> bool {
        let (client, connection) =
            tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let sql = "SELECT reltuples >= 1000 FROM pg_class WHERE oid = 'orders'::regclass";
        client.query_one(sql, &[]).await.unwrap().get(0)
    }

    #[tokio::test]
    async fn a_table_that_is_filled_at_once_has_statistics_soon() {
        let Some(subject) = postgres("a_table_that_is_filled_at_once").await else { return };
        let Location::Postgres(url) = &subject.location else { panic!("{:?}", subject.location) };
        assert!(!is_known(url).await);
        let order = |number: usize| OrderRow {
            order_id: number.to_string(),
            replaces: 0,
            updated_us: 1,
            status: OrderStatus::Shipped,
            shopper_hash: 1,
            secondary_id: String::new(),
            hash: Bytes::new(),
            body: Bytes::from_static(b"{}"),
        };
        let mut transaction = Transaction::new("testing");
        let merchant = MerchantId::parse("acme").unwrap();
        transaction.put_orders(&merchant, (0..5_000).map(order).collect(), 1);
        subject.store.commit(transaction).await.unwrap();

        for _ in 0..100 {
            if is_known(url).await {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        panic!("the table was not analyzed within 20 seconds");
    }
}

//! Statistics about tables that grow quickly.
//!
//! A statement is planned when it is first prepared, which may be when its table is empty. Then all
//! indexes seem equally good, and the one that is chosen may read every row of a merchant to find
//! one. Statistics make the server plan anew. Its own daemon gathers them once a minute, but an
//! import fills a table in seconds. So tables whose files have become ten times as large as the
//! server believes are analyzed here. (The number of rows would be known seconds later.)

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::Pool;

use crate::core::error::EngineError;

/// Rows of a smaller table are found quickly with any index.
const BYTES_MIN: i64 = 256 * 1024;
/// Written rows after which the tables are examined.
const ROWS_MIN: usize = 1_000;
const INTERVAL: Duration = Duration::from_secs(1);

/// Rows that were written since the tables were last examined.
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

/// Examines the tables after much was written. An idle node asks nothing.
pub(super) async fn keep_statistics(pool: Pool, written: WrittenRows) {
    let mut ticks = tokio::time::interval(INTERVAL);
    while !pool.is_closed() {
        ticks.tick().await;
        if written.take_if_many()
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
    // Tables that were never analyzed have no pages.
    let sql = "SELECT CAST(CAST(sized.oid AS regclass) AS text)
         FROM (
             SELECT c.oid, pg_relation_size(c.oid) AS bytes,
                 c.relpages * CAST(current_setting('block_size') AS bigint) AS known_bytes
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = current_schema() AND c.relkind = 'r'
         ) sized
         WHERE sized.bytes >= $1 AND sized.known_bytes * 10 < sized.bytes";
    let statement = client.prepare_cached(sql).await?;
    for row in client.query(&statement, &[&BYTES_MIN]).await? {
        let table: String = row.try_get(0)?;
        client.batch_execute(&format!("ANALYZE {table}")).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use domain::{identifier::MerchantId, orders::order::OrderStatus};

    use crate::{
        Location, OrderRow, Transaction,
        conformance::{connect, postgres},
    };

    /// Whether the server knows that the table of orders has many rows.
    async fn is_known(url: &str) -> bool {
        let client = connect(url).await;
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

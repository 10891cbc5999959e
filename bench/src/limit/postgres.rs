//! The bare limit of PostgreSQL: a batch is one statement with an array for each column, and also
//! one transaction. Several connections do this in parallel.

use futures_util::future::{join4, try_join_all};
use tokio_postgres::{Client, Statement, types::ToSql};

use super::{Rows, Write, Written};
use crate::{
    orders::{LEDGER_BODY, Row},
    storage::connect,
};

/// The planner's settings and the compression of the store.
pub(crate) const SESSION: &str = "SET jit = off;
    SELECT set_config('plan_cache_mode',
        CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
            THEN 'force_custom_plan' ELSE 'force_generic_plan' END, false);
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
    SELECT set_config(name, 'lz4', false) FROM pg_settings
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

const INSERT: &str = "INSERT INTO orders (merchant_id, order_id, version, created_us, updated_us,
         received_us, status, shopper_hash, secondary_id, hash, body)
     SELECT r.merchant_id, r.order_id, 1, r.updated_us, r.updated_us, r.updated_us, 'Shipped',
         r.shopper_hash, '', r.hash, r.body
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[])
         AS r(merchant_id, order_id, updated_us, hash, body, shopper_hash)";
const UPDATE: &str = "UPDATE orders SET version = orders.version + 1, updated_us = r.updated_us,
         received_us = r.updated_us, hash = r.hash, body = r.body
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[])
         AS r(merchant_id, order_id, updated_us, hash, body)
     WHERE orders.merchant_id = r.merchant_id AND orders.order_id = r.order_id";
const REFUND: &str = "INSERT INTO refunds
         (merchant_id, refund_id, order_id, received_us, hash, body)
     SELECT r.merchant_id, r.order_id, r.order_id, r.updated_us, r.hash, r.body
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[])
         AS r(merchant_id, order_id, updated_us, hash, body)";
const LEDGER: &str = "INSERT INTO ledgers (merchant_id, order_id, version, body)
     SELECT r.merchant_id, r.order_id, 1, r.body
     FROM unnest($1::text[], $2::text[], $3::text[]) AS r(merchant_id, order_id, body)";

/// Writes over a connection for each of `rows` to the database at `url`.
pub(super) async fn write(url: &str, rows: Vec<Rows>) -> anyhow::Result<Written> {
    let written = try_join_all(rows.into_iter().map(|rows| write_alone(url, rows))).await?;
    Ok(written.into_iter().fold(Written::default(), Written::plus))
}

async fn write_alone(url: &str, mut rows: Rows) -> anyhow::Result<Written> {
    let client = connect(url).await?;
    client.batch_execute(SESSION).await?;
    let insert = client.prepare(INSERT).await?;
    let updates = try_join_all([UPDATE, REFUND, LEDGER].map(|sql| client.prepare(sql))).await?;
    while let Some(write) = rows.next() {
        match write {
            Write::Insert(batch) => {
                let columns = Columns::new(batch);
                let shoppers = column(batch, Row::shopper_hash);
                let mut values = columns.of_orders();
                values.push(&shoppers);
                client.execute(&insert, &values).await?;
            }
            Write::Update(batch) => update(&client, &updates, batch).await?,
        }
        rows.count_committed();
    }
    Ok(rows.written())
}

/// Everything in one burst.
async fn update(client: &Client, statements: &[Statement], batch: &[Row]) -> anyhow::Result<()> {
    let [order, refund, ledger] = statements else { anyhow::bail!("three statements") };
    let columns = Columns::new(batch);
    let (refunds, ledgers) = (column(batch, Row::refund_body), column(batch, |_| LEDGER_BODY));
    let mut of_refunds = columns.of_orders();
    of_refunds.pop();
    of_refunds.push(&refunds);
    let of_ledgers: [&(dyn ToSql + Sync); 3] = [&columns.merchants, &columns.order_ids, &ledgers];
    let of_orders = columns.of_orders();
    client.batch_execute("BEGIN").await?;
    let (order, refund, ledger, committed) = join4(
        client.execute(order, &of_orders),
        client.execute(refund, &of_refunds),
        client.execute(ledger, &of_ledgers),
        client.batch_execute("COMMIT"),
    )
    .await;
    for done in [order, refund, ledger] {
        done?;
    }
    Ok(committed?)
}

/// The columns that all statements about orders begin with.
struct Columns<'a> {
    merchants: Vec<&'a str>,
    order_ids: Vec<&'a str>,
    updated_us: Vec<i64>,
    hashes: Vec<&'a [u8]>,
    bodies: Vec<&'a [u8]>,
}

impl<'a> Columns<'a> {
    fn new(batch: &'a [Row]) -> Self {
        Self {
            merchants: column(batch, |row| row.merchant.as_str()),
            order_ids: column(batch, |row| row.order_id.as_str()),
            updated_us: column(batch, |row| row.updated_us),
            hashes: column(batch, |row| row.hash.as_slice()),
            bodies: column(batch, Row::body),
        }
    }

    fn of_orders(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![&self.merchants, &self.order_ids, &self.updated_us, &self.hashes, &self.bodies]
    }
}

fn column<'a, T>(rows: &'a [Row], cell: impl Fn(&'a Row) -> T) -> Vec<T> {
    rows.iter().map(cell).collect()
}

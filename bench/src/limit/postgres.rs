//! The bare limit of PostgreSQL: a batch is one statement with an array for each column, and also
//! one transaction. Several connections do this in parallel.

use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;

use super::Rows;
use crate::{orders::Row, server::MERCHANT, storage::connect};

const INSERT: &str =
    "INSERT INTO orders (merchant_id, order_id, version, created_us, updated_us, received_us, status,
         shopper_hash, secondary_id, hash, body)
     SELECT $1, r.order_id, 1, r.updated_us, r.updated_us, r.updated_us, 'Shipped',
         r.shopper_hash, '', r.hash, r.body
     FROM unnest($2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[])
         AS r(order_id, updated_us, hash, body, shopper_hash)";

/// Writes over a connection for each of `rows` to the database at `url`.
pub(super) async fn write(url: &str, rows: Vec<Rows>) -> anyhow::Result<usize> {
    let counted = try_join_all(rows.into_iter().map(|rows| write_alone(url, rows))).await?;
    Ok(counted.into_iter().sum())
}

async fn write_alone(url: &str, mut rows: Rows) -> anyhow::Result<usize> {
    let client = connect(url).await?;
    let insert = client.prepare(INSERT).await?;
    while let Some(batch) = rows.next() {
        let order_ids = column(batch, |row| row.order_id.as_str());
        let updated_us = column(batch, |row| row.updated_us);
        let hashes = column(batch, |row| row.hash.as_slice());
        let bodies = column(batch, Row::body);
        let shoppers = column(batch, Row::shopper_hash);
        let values: [&(dyn ToSql + Sync); 6] =
            [&MERCHANT, &order_ids, &updated_us, &hashes, &bodies, &shoppers];
        client.execute(&insert, &values).await?;
        rows.count_committed();
    }
    Ok(rows.counted())
}

fn column<'a, T>(rows: &'a [Row], cell: impl Fn(&'a Row) -> T) -> Vec<T> {
    rows.iter().map(cell).collect()
}

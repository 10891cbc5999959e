//! Leases: which node sends what when several nodes share a database.
//!
//! Times are the database's own, so that the clocks of the nodes need not agree. The epoch of a
//! shard rises each time a node takes it: a node that held it before knows by the epoch whether
//! another one had it meanwhile.
//!
//! A shard belongs to its owner for as long as the owner is in the table of nodes. A node that
//! takes shards first removes the nodes that have expired, in the same transaction: while it holds
//! the locks on their rows, none of them can renew, and one that renewed before is not removed.

use boxed::boxed;

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
};

const RENEWING: &str = "renewing leases";
const RELEASING: &str = "releasing shards";
const COUNTING: &str = "counting nodes";

/// A shard that a node holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardLease {
    pub shard: i64,
    pub epoch: i64,
}

impl Store {
    /// The time of a database that several nodes may use; None when only this process uses it.
    #[boxed]
    pub async fn shared_clock_us(&self) -> Result<Option<i64>, StoreError> {
        self.engine.shared_clock_us().await.during("reading the database's time")
    }

    /// Records that `node` is alive until `expires_us`, which renews its leases, and counts the
    /// nodes alive at `now_us`.
    #[boxed]
    pub async fn heartbeat(
        &self,
        node: &str,
        now_us: i64,
        expires_us: i64,
    ) -> Result<i64, StoreError> {
        let mut transaction = Transaction::new(RENEWING);
        transaction.one_row(
            "INSERT INTO nodes (node_id, expires_us) VALUES ($1, $2)
             ON CONFLICT (node_id) DO UPDATE SET expires_us = excluded.expires_us",
            params![node, expires_us],
        );
        self.commit(transaction).await?;
        let sql = "SELECT count(*) FROM nodes WHERE expires_us >= $1";
        let nodes = self.engine.query_apart(sql, params![now_us]).await.during(RENEWING)?;
        nodes.first().map_or(Ok(1), |row| row.int(0)).during(RENEWING)
    }

    /// Removes nodes that have expired at `now_us`, takes up to `limit` shards that no node holds
    /// then, and returns all leases of `node`.
    #[boxed]
    pub async fn take_leases(
        &self,
        node: &str,
        now_us: i64,
        limit: i64,
    ) -> Result<Vec<ShardLease>, StoreError> {
        let mut transaction = Transaction::new("taking shards");
        transaction.any_rows("DELETE FROM nodes WHERE expires_us < $1", params![now_us]);
        transaction.any_rows(
            "UPDATE shard_leases SET owner = $1, epoch = epoch + 1
             WHERE owner NOT IN (SELECT node_id FROM nodes) AND shard IN (
                 SELECT shard FROM shard_leases
                 WHERE owner NOT IN (SELECT node_id FROM nodes) ORDER BY shard LIMIT $2)",
            params![node, limit],
        );
        self.commit(transaction).await?;
        self.leases(node).await
    }

    /// Releases `shards`, so that other nodes can take them at once.
    #[boxed]
    pub async fn release_leases(&self, node: &str, shards: &[i64]) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(RELEASING);
        transaction.any_rows_each(
            "UPDATE shard_leases SET owner = ''
             FROM ROWS(owner, shard)
             WHERE shard_leases.owner = r.owner AND shard_leases.shard = r.shard",
            shards.iter().map(|shard| params![node, *shard]).collect(),
        );
        self.commit(transaction).await.map(drop)
    }

    /// Releases all shards of `node`.
    #[boxed]
    pub async fn release_all_leases(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(RELEASING);
        transaction.any_rows("UPDATE shard_leases SET owner = '' WHERE owner = $1", params![node]);
        self.commit(transaction).await.map(drop)
    }

    /// How many nodes are alive at `now_us`.
    #[boxed]
    pub async fn count_live_nodes(&self, now_us: i64) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM nodes WHERE expires_us >= $1";
        let nodes = self.read_first(COUNTING, sql, params![now_us], |row| row.int(0)).await?;
        Ok(nodes.unwrap_or(0))
    }

    /// How many nodes send.
    #[boxed]
    pub async fn count_nodes(&self) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM nodes";
        let nodes = self.read_first(COUNTING, sql, params![], |row| row.int(0)).await?;
        Ok(nodes.unwrap_or(1))
    }

    /// Removes `node` from the list of nodes.
    #[boxed]
    pub async fn remove_node(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::new("removing a node");
        transaction.any_rows("DELETE FROM nodes WHERE node_id = $1", params![node]);
        self.commit(transaction).await.map(drop)
    }

    /// Sends a text to all nodes that listen.
    #[boxed]
    pub async fn notify(&self, text: &str) -> Result<(), StoreError> {
        self.engine.notify(text).await.during("notifying other nodes")
    }

    /// Receives what other nodes send from now on, until the receiver is dropped or the connection
    /// is lost.
    #[boxed]
    pub async fn listen(&self) -> Result<tokio::sync::mpsc::Receiver<String>, StoreError> {
        self.engine.listen().await.during("listening to other nodes")
    }

    /// The leases that `node` holds, if it has not expired.
    #[boxed]
    pub async fn leases(&self, node: &str) -> Result<Vec<ShardLease>, StoreError> {
        let sql = "SELECT shard, epoch FROM shard_leases
                   WHERE owner = $1 AND owner IN (SELECT node_id FROM nodes) ORDER BY shard";
        let operation = "reading leases";
        let rows = self.engine.query_apart(sql, params![node]).await.during(operation)?;
        let lease = |row: &Row| Ok(ShardLease { shard: row.int(0)?, epoch: row.int(1)? });
        rows.iter().map(lease).collect::<Result<_, _>>().during(operation)
    }
}

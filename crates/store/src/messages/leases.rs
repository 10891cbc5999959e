//! Leases: which node sends what when several nodes share a database.
//!
//! Times are the database's own, so that the clocks of the nodes need not agree. The epoch of a
//! shard rises each time a node takes it.

use crate::{
    Store, StoreError, Transaction,
    core::{error::During, value::params},
};

const OPERATION: &str = "leasing shards";

impl Store {
    /// The time of a database that several nodes may use; None when only this process uses it.
    pub async fn shared_clock_us(&self) -> Result<Option<i64>, StoreError> {
        self.engine.shared_clock_us().await.during("reading the database's time")
    }

    /// Records that `node` is alive until `expires_us`, and counts the nodes alive at `now_us`.
    pub async fn heartbeat(
        &self,
        node: &str,
        now_us: i64,
        expires_us: i64,
    ) -> Result<i64, StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows(
            "DELETE FROM nodes WHERE expires_us < $1 AND node_id <> $2",
            params![now_us, node],
        );
        transaction.one_row(
            "INSERT INTO nodes (node_id, expires_us) VALUES ($1, $2)
             ON CONFLICT (node_id) DO UPDATE SET expires_us = excluded.expires_us",
            params![node, expires_us],
        );
        self.commit(transaction).await?;
        let sql = "SELECT count(*) FROM nodes WHERE expires_us >= $1";
        let nodes = self.read_first(OPERATION, sql, params![now_us], |row| row.int(0)).await?;
        Ok(nodes.unwrap_or(1))
    }

    /// Extends every lease that `node` still holds at `now_us`, and returns their shards.
    pub async fn renew_leases(
        &self,
        node: &str,
        now_us: i64,
        expires_us: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows(
            "UPDATE shard_leases SET expires_us = $3 WHERE owner = $1 AND expires_us >= $2",
            params![node, now_us, expires_us],
        );
        self.commit(transaction).await?;
        self.leases(node, now_us).await
    }

    /// Takes up to `limit` shards that no node holds at `now_us`, and returns all shards of `node`.
    pub async fn take_leases(
        &self,
        node: &str,
        now_us: i64,
        expires_us: i64,
        limit: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows(
            "UPDATE shard_leases SET owner = $1, epoch = epoch + 1, expires_us = $3
             WHERE expires_us < $2 AND shard IN (
                 SELECT shard FROM shard_leases WHERE expires_us < $2 ORDER BY shard LIMIT $4)",
            params![node, now_us, expires_us, limit],
        );
        self.commit(transaction).await?;
        self.leases(node, now_us).await
    }

    /// Releases `shards`, so that other nodes can take them at once.
    pub async fn release_leases(&self, node: &str, shards: &[i64]) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows_each(
            "UPDATE shard_leases SET owner = '', expires_us = 0
             FROM ROWS(owner, shard)
             WHERE shard_leases.owner = r.owner AND shard_leases.shard = r.shard",
            shards.iter().map(|shard| params![node, *shard]).collect(),
        );
        self.commit(transaction).await.map(drop)
    }

    /// Releases all shards of `node`.
    pub async fn release_all_leases(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows(
            "UPDATE shard_leases SET owner = '', expires_us = 0 WHERE owner = $1",
            params![node],
        );
        self.commit(transaction).await.map(drop)
    }

    /// Removes `node` from the list of nodes.
    pub async fn remove_node(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows("DELETE FROM nodes WHERE node_id = $1", params![node]);
        self.commit(transaction).await.map(drop)
    }

    /// Sends a text to all nodes that listen.
    pub async fn notify(&self, text: &str) -> Result<(), StoreError> {
        self.engine.notify(text).await.during("notifying other nodes")
    }

    /// Receives what other nodes send from now on, until the receiver is dropped or the connection
    /// is lost.
    pub async fn listen(&self) -> Result<tokio::sync::mpsc::Receiver<String>, StoreError> {
        self.engine.listen().await.during("listening to other nodes")
    }

    /// The shards that `node` holds at `now_us`.
    async fn leases(&self, node: &str, now_us: i64) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT shard FROM shard_leases WHERE owner = $1 AND expires_us >= $2
                   ORDER BY shard";
        self.read_all(OPERATION, sql, params![node, now_us], |row| row.int(0)).await
    }
}

//! Which node sends what, where several share a database.
//!
//! Times are the database's own, so that the nodes' clocks need not agree. Every taking of a shard raises its
//! epoch.

use crate::{
    Store, StoreError, Transaction,
    core::{error::During, value::params},
};

const OPERATION: &str = "leasing shards";

impl Store {
    /// The time of the database, when others may use it too; None when it is ours alone.
    pub async fn shared_clock_us(&self) -> Result<Option<i64>, StoreError> {
        self.engine.shared_clock_us().await.during("asking for the time")
    }

    /// Says that `node` is alive until `expires_us`, and counts those that are alive at `now_us`.
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
        let rows = self
            .query(OPERATION, "SELECT count(*) FROM nodes WHERE expires_us >= $1", params![now_us])
            .await?;
        rows.first().map_or(Ok(1), |row| row.int(0)).during(OPERATION)
    }

    /// Extends every lease that `node` still holds at `now_us`, and tells which those are.
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

    /// Takes up to `most` shards that nobody holds at `now_us`, and tells which are `node`'s then.
    pub async fn take_leases(
        &self,
        node: &str,
        now_us: i64,
        expires_us: i64,
        most: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows(
            "UPDATE shard_leases SET owner = $1, epoch = epoch + 1, expires_us = $3
             WHERE expires_us < $2 AND shard IN (
                 SELECT shard FROM shard_leases WHERE expires_us < $2 ORDER BY shard LIMIT $4)",
            params![node, now_us, expires_us, most],
        );
        self.commit(transaction).await?;
        self.leases(node, now_us).await
    }

    /// Gives `shards` back, so that others can take them at once.
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

    /// Gives back everything that `node` holds.
    pub async fn release_all_leases(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows(
            "UPDATE shard_leases SET owner = '', expires_us = 0 WHERE owner = $1",
            params![node],
        );
        self.commit(transaction).await.map(drop)
    }

    /// Says that `node` is gone.
    pub async fn remove_node(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::new(OPERATION);
        transaction.any_rows("DELETE FROM nodes WHERE node_id = $1", params![node]);
        self.commit(transaction).await.map(drop)
    }

    /// Tells the other nodes something; nothing when there are none.
    pub async fn notify(&self, text: &str) -> Result<(), StoreError> {
        self.engine.notify(text).await.during("telling other nodes")
    }

    /// What other nodes tell from now on, until the receiver is dropped or the connection is lost.
    pub async fn listen(&self) -> Result<tokio::sync::mpsc::Receiver<String>, StoreError> {
        self.engine.listen().await.during("listening to other nodes")
    }

    /// The shards that `node` holds at `now_us`.
    async fn leases(&self, node: &str, now_us: i64) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT shard FROM shard_leases WHERE owner = $1 AND expires_us >= $2
                   ORDER BY shard";
        let rows = self.query(OPERATION, sql, params![node, now_us]).await?;
        rows.iter().map(|row| row.int(0)).collect::<Result<_, _>>().during(OPERATION)
    }
}

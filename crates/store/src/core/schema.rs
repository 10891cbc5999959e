//! The numbered migrations. A database that is newer than the binary is never changed.

use boxed::boxed;

use crate::{Store, StoreError, core::error::During};

/// Every migration; its position in the list, from 1, is its number.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_foundation.sql"),
    include_str!("../../migrations/0002_delivery.sql"),
    include_str!("../../migrations/0003_returns.sql"),
    include_str!("../../migrations/0004_exchanges.sql"),
    include_str!("../../migrations/0005_warehouse.sql"),
    include_str!("../../migrations/0006_console.sql"),
    include_str!("../../migrations/0007_portal.sql"),
    include_str!("../../migrations/0008_journal.sql"),
    include_str!("../../migrations/0009_labels.sql"),
    include_str!("../../migrations/0010_carriers.sql"),
    include_str!("../../migrations/0011_work_lists.sql"),
    include_str!("../../migrations/0012_bench.sql"),
    include_str!("../../migrations/0013_withdrawal.sql"),
    include_str!("../../migrations/0014_privacy.sql"),
    include_str!("../../migrations/0015_replay.sql"),
    include_str!("../../migrations/0016_mail.sql"),
    include_str!("../../migrations/0017_failed_replays.sql"),
    include_str!("../../migrations/0018_withdrawal_numbers.sql"),
    include_str!("../../migrations/0019_discarded_messages.sql"),
    include_str!("../../migrations/0020_compressed_orders.sql"),
];

/// No server was ever released with an older schema than this.
const FIRST_RELEASED: i64 = 12;

/// Whether nodes of an older version must be stopped before a migration: it says so in a line that
/// begins with `-- Alone:` and gives the reason.
fn needs_older_nodes_stopped(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("-- Alone:"))
}

/// The number of the newest migration of this binary.
pub(crate) fn newest_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// What [`Store::migrate`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The version of the schema before.
    pub from: i64,
    /// The version of the schema now.
    pub to: i64,
    /// How many tables were distributed by merchant, in a database on several servers.
    pub distributed_tables: usize,
}

impl Store {
    /// Brings the schema up to date.
    #[boxed]
    pub async fn migrate(&self) -> Result<Migration, StoreError> {
        let found = self.schema_version().await?;
        if found > newest_version() {
            return Err(StoreError::Unusable(format!(
                "the database has schema version {found}, this binary knows up to {}: \
                 start a newer homeward",
                newest_version()
            )));
        }
        self.refuse_beside_older_nodes(found).await?;
        for (number, text) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
            self.engine.migrate(text, number).await.during("changing the schema")?;
        }
        let distributed_tables =
            self.engine.place_tables().await.during("distributing the tables")?;
        self.engine.prepare_change_numbers().await.during("preparing the numbers of changes")?;
        Ok(Migration { from: found, to: newest_version(), distributed_tables })
    }

    /// Fails if nodes of an older version are running and would not do what a migration needs of
    /// them. Other migrations only add to the schema, so older nodes go on working beside it.
    async fn refuse_beside_older_nodes(&self, found: i64) -> Result<(), StoreError> {
        let pending = (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found);
        let alone = pending.into_iter().find(|(_, text)| needs_older_nodes_stopped(text));
        let (Some((number, _)), true) = (alone, found >= FIRST_RELEASED) else { return Ok(()) };
        let Some(now_us) = self.shared_clock_us().await? else { return Ok(()) };
        let nodes = self.count_live_nodes(now_us).await?;
        // Nodes that start together migrate together: one of them may have finished by now.
        if nodes == 0 || self.schema_version().await? >= number {
            return Ok(());
        }
        Err(StoreError::Unusable(format!(
            "{nodes} nodes of an older version use this database, and schema version {number} does \
             not work beside them: stop them all, wait a minute if one was killed, and start again"
        )))
    }

    /// Fails unless the schema is the one that this binary knows.
    #[boxed]
    pub async fn ensure_current_schema(&self) -> Result<(), StoreError> {
        let (found, newest) = (self.schema_version().await?, newest_version());
        if found == newest {
            return Ok(());
        }
        Err(StoreError::Unusable(format!(
            "the database has schema version {found}, this binary needs {newest}: start the \
             server once, or a newer homeward"
        )))
    }

    /// The number of the newest migration that was applied; 0 for an empty database.
    #[boxed]
    pub async fn schema_version(&self) -> Result<i64, StoreError> {
        self.engine.schema_version().await.during("reading the schema version")
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        bodies::WriteJson,
        identifier::MerchantId,
        money::books::Balances,
        returns::journal::{ReturnChange, state_after},
    };

    use super::*;
    use crate::{Location, PostingPosition, Transaction, conformance::metrics};

    #[tokio::test]
    async fn returns_from_before_the_journal_begin_with_their_state() {
        let directory = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(directory.path().join("homeward.db"));
        let store = Store::open(&location, &metrics()).await.unwrap();
        for (number, text) in (1..).zip(MIGRATIONS).take(7) {
            store.engine.migrate(text, number).await.unwrap();
        }
        let (merchant, rma) = (MerchantId::parse("acme").unwrap(), domain::samples::rma());
        let mut older = Transaction::new("testing");
        older.one_row(
            "INSERT INTO returns (merchant_id, rma_id, version, created_us, status, body)
             VALUES ($1, $2, 1, $3, $4, $5)",
            crate::core::value::params![
                &merchant,
                rma.rma_identifier.as_str(),
                domain::time::micros(rma.created_at),
                rma.status.name(),
                rma.to_json()
            ],
        );
        store.commit(older).await.unwrap();

        store.migrate().await.unwrap();

        let events = store.return_events(&merchant, &rma.rma_identifier, -1, 9).await.unwrap();
        assert_eq!(events[0].change, ReturnChange::State(Box::new(rma.clone())));
        assert_eq!((events.len(), events[0].number), (1, 0));
        assert_eq!(state_after(events).unwrap(), rma);
        let unposted = store.unposted_returns(9).await.unwrap();
        assert_eq!(unposted, [(merchant.clone(), rma.rma_identifier.clone())]);
        let mut posted = Transaction::new("testing");
        posted.end_unposted(&merchant, &rma);
        store.commit(posted).await.unwrap();
        assert_eq!(store.unposted_returns(9).await.unwrap(), []);
        let owed = store.owed_sums(&merchant, i64::MIN, i64::MAX).await.unwrap();
        let promised = Balances::of(&rma).get(domain::money::books::Account::Promised);
        assert_eq!(owed[0].owed_cents, -promised);
        let start = PostingPosition::before(i64::MIN);
        assert_eq!(store.postings(&merchant, &start, i64::MAX, 9).await.unwrap(), []);
    }
}

//! The numbered migrations. A database that is newer than the binary is never changed.

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
];

/// The number of the newest migration of this binary.
fn newest_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

impl Store {
    /// Brings the schema up to date, and returns the version before and after.
    pub async fn migrate(&self) -> Result<(i64, i64), StoreError> {
        let found = self.schema_version().await?;
        if found > newest_version() {
            return Err(StoreError::Unusable(format!(
                "the database has schema version {found}, this binary knows up to {}: \
                 start a newer homeward",
                newest_version()
            )));
        }
        for (number, text) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
            self.engine.migrate(text, number).await.during("changing the schema")?;
        }
        Ok((found, newest_version()))
    }

    /// The number of the newest migration that was applied; 0 for an empty database.
    pub async fn schema_version(&self) -> Result<i64, StoreError> {
        self.engine.schema_version().await.during("reading the schema version")
    }
}

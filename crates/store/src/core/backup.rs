//! A consistent copy of the database, taken while the server runs.
//!
//! Whatever the engine, a backup is one SQLite file, which can be used as the database of a data
//! directory.

use std::{fmt, path::Path};

use boxed::boxed;
use serde::Serialize;

use crate::{
    CopiedMoment, Location, StoreError,
    core::{
        error::During,
        schema::{MIGRATIONS, newest_version},
    },
    engine,
};

/// What a backup contains, as far as it is cheap to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BackupSummary {
    pub schema_version: i64,
    pub merchants: i64,
}

impl fmt::Display for BackupSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema_version, merchants } = self;
        let ending = if *merchants == 1 { "" } else { "s" };
        write!(formatter, "schema version {schema_version}, {merchants} merchant{ending}")
    }
}

/// Copies everything at `location`, as of one moment, into the new file `to`.
#[boxed]
pub async fn backup(location: &Location, to: &Path) -> Result<CopiedMoment, StoreError> {
    engine::copy(location, to, MIGRATIONS).await.during("taking a backup")
}

/// Reads the whole backup at `path`, and fails if it is damaged or newer than this binary.
#[boxed]
pub async fn verify_backup(path: &Path) -> Result<BackupSummary, StoreError> {
    let (schema_version, merchants) = engine::examine(path).await.during("reading a backup")?;
    if schema_version > newest_version() {
        return Err(StoreError::Unusable(format!(
            "the backup has schema version {schema_version}, this binary knows up to {}: use a \
             newer homeward",
            newest_version()
        )));
    }
    Ok(BackupSummary { schema_version, merchants })
}

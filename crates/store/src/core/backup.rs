//! A consistent copy of the database, taken while the server runs.
//!
//! Whatever the engine, a backup is one SQLite file, which can be used as the database of a data
//! directory.

use std::path::Path;

use crate::{
    CopiedMoment, Location, StoreError,
    core::{error::During, schema::MIGRATIONS},
    engine,
};

/// Copies everything at `location`, as of one moment, into the new file `to`.
pub async fn backup(location: &Location, to: &Path) -> Result<CopiedMoment, StoreError> {
    engine::copy(location, to, MIGRATIONS).await.during("taking a backup")
}

//! A consistent copy of everything, taken while the server runs.
//!
//! Whatever the engine, a backup is one SQLite file: it can be opened as a data
//! directory's database as it is.

use std::path::Path;

use crate::{
    Location, StoreError,
    core::{error::During, schema::MIGRATIONS},
    engine,
};

/// Copies everything at `location`, as of one moment, into the new file `to`.
pub async fn backup(location: &Location, to: &Path) -> Result<(), StoreError> {
    engine::copy(location, to, MIGRATIONS).await.during("taking a backup")
}

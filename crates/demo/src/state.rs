//! The files of a demo beside its database: `demo.txt` (marks the directory as a demo's),
//! `demo.json` (credentials, the merchant's port, the clock) and `schedule.json` (the scheduled
//! actions).

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use app::{
    access::{add_client::ClientCredentials, operators::OperatorLogin},
    merchants::add_merchant::AddedMerchant,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use world::private_file;

use crate::schedule::Schedule;

const MARKER: &str = "demo.txt";
const MARKER_TEXT: &str =
    "This directory belongs to `homeward demo`, which may delete its files.\n";

/// What a demo keeps between two starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    #[serde(flatten)]
    pub(crate) merchant: AddedMerchant,
    pub(crate) other_merchant: AddedMerchant,
    pub(crate) carrier: ClientCredentials,
    pub(crate) warehouse: ClientCredentials,
    /// The people who can log in to the console.
    pub(crate) logins: Vec<OperatorLogin>,
    /// Where the merchant's server listens.
    pub(crate) merchant_port: u16,
    /// When the demo was first started.
    pub(crate) first_start_us: i64,
    /// How far its clock is ahead of the machine's.
    pub(crate) ahead_us: i64,
    /// How many times it was started.
    pub(crate) starts: u64,
    /// Whether the history is complete. An incomplete one is created again.
    pub(crate) complete: bool,
}

fn state_file(data_dir: &Path) -> PathBuf {
    data_dir.join("demo.json")
}

fn schedule_file(data_dir: &Path) -> PathBuf {
    data_dir.join("schedule.json")
}

/// Refuses a directory that contains anything which no demo made.
pub fn require_demo(data_dir: &Path) -> anyhow::Result<()> {
    let is_demo = data_dir.join(MARKER).exists() || list_files(data_dir)?.is_empty();
    ensure!(
        is_demo,
        "{} is not the directory of a demo, and a demo must not change it; choose another one with \
         --data-dir",
        data_dir.display()
    );
    Ok(())
}

/// Marks an empty directory as a demo's, before anything else is written to it. The caller has
/// locked it.
pub fn claim(data_dir: &Path) -> anyhow::Result<()> {
    require_demo(data_dir)?;
    Ok(private_file::write(&data_dir.join(MARKER), MARKER_TEXT.as_bytes())?)
}

/// Removes the data of a demo, but not the directory, which the caller has locked.
pub fn remove(data_dir: &Path) -> anyhow::Result<()> {
    require_demo(data_dir)?;
    for path in list_files(data_dir)?.iter().filter(|path| !path.ends_with(MARKER)) {
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            .with_context(|| format!("{} cannot be removed", path.display()))?;
    }
    Ok(())
}

/// Everything in a directory, which need not exist, except its lock.
fn list_files(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    let entries = entries.with_context(|| format!("{} cannot be read", directory.display()))?;
    let paths = entries.into_iter().map(|entry| entry.path());
    Ok(paths.filter(|path| !path.ends_with("lock")).collect())
}

impl State {
    pub(crate) fn read(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        read_json(&state_file(data_dir)).context(
            "the demo was created by another version; start over with homeward demo --reset",
        )
    }

    pub(crate) fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        Ok(private_file::write(
            &state_file(data_dir),
            serde_json::to_string_pretty(self)?.as_bytes(),
        )?)
    }
}

impl Schedule {
    pub(crate) fn read(data_dir: &Path) -> anyhow::Result<Self> {
        Ok(read_json(&schedule_file(data_dir))?.unwrap_or_default())
    }

    pub(crate) fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        Ok(private_file::write(&schedule_file(data_dir), &serde_json::to_vec(self)?)?)
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let Some(bytes) = private_file::read(path)? else { return Ok(None) };
    Ok(Some(serde_json::from_slice(&bytes)?))
}

//! The files of a demo beside its database: `demo.json` (credentials, the merchant's port, the
//! clock) and `schedule.json` (the scheduled actions).

use std::path::{Path, PathBuf};

use anyhow::Context;
use app::{
    access::{add_client::ClientCredentials, operators::OperatorLogin},
    merchants::add_merchant::AddedMerchant,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use world::private_file;

use crate::schedule::Schedule;

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

/// Whether this is the directory of a demo.
pub(crate) fn is_demo(data_dir: &Path) -> bool {
    state_file(data_dir).exists()
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

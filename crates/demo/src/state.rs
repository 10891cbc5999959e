//! What a demo keeps beside its database: `demo.json` (credentials, the merchant's port, the clock) and `life.json`
//! (what everybody is going to do).

use std::path::{Path, PathBuf};

use anyhow::Context;
use app::{
    access::{add_client::ClientCredentials, operators::OperatorLogin},
    merchants::add_merchant::AddedMerchant,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use world::private_file;

use crate::schedule::Memory;

/// What is the same at every start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    #[serde(flatten)]
    pub(crate) merchant: AddedMerchant,
    pub(crate) neighbour: AddedMerchant,
    pub(crate) carrier: ClientCredentials,
    pub(crate) warehouse: ClientCredentials,
    /// The people who can log in to the console.
    pub(crate) logins: Vec<OperatorLogin>,
    /// Where the merchant's server listens.
    pub(crate) merchant_port: u16,
    /// When the demo was started first.
    pub(crate) born_us: i64,
    /// How far its clock is ahead of the machine's.
    pub(crate) ahead_us: i64,
    /// How often it was started.
    pub(crate) starts: u64,
    /// Whether the history is made. One that was broken off is made anew.
    pub(crate) complete: bool,
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("demo.json")
}

fn memory_file(data_dir: &Path) -> PathBuf {
    data_dir.join("life.json")
}

/// Whether a demo made this directory.
pub(crate) fn is_demo(data_dir: &Path) -> bool {
    file(data_dir).exists()
}

impl State {
    pub(crate) fn read(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        read_json(&file(data_dir))
            .context("the demo is of another version; begin anew with homeward demo --reset")
    }

    pub(crate) fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        Ok(private_file::write(&file(data_dir), serde_json::to_string_pretty(self)?.as_bytes())?)
    }
}

impl Memory {
    pub(crate) fn read(data_dir: &Path) -> anyhow::Result<Self> {
        Ok(read_json(&memory_file(data_dir))?.unwrap_or_default())
    }

    pub(crate) fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        Ok(private_file::write(&memory_file(data_dir), &serde_json::to_vec(self)?)?)
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let Some(bytes) = private_file::read(path)? else { return Ok(None) };
    Ok(Some(serde_json::from_slice(&bytes)?))
}

//! The data directory: what lies in it and who may read it.
//!
//! | file          | what it holds                                              |
//! | ------------- | ---------------------------------------------------------- |
//! | `lock`        | held by the process that uses the directory                |
//! | `homeward.db` | the database, when the store is SQLite                     |
//! | `secret.key`  | the key that seals secrets in the database                 |
//! | `admin.json`  | the credential of this installation's operator tools       |
//! | `server.json` | where the running server can be reached from this machine  |
//! | `node.id`     | the name under which the server leases shards              |
//! | `demo.json`   | the credentials and the clock of a demo                    |
//! | `life.json`   | what everybody in a demo is about to do                    |
//!
//! Files with secrets are readable by their owner only.

use std::{
    fs,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use world::{KEY_BYTES, World, private_file};

/// The credential of the operator's tools.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AdminCredential {
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
}

/// Where a running server is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ServerAddress {
    /// As clients reach it.
    pub(crate) address: String,
    /// As this machine's commands reach it: always plain HTTP on loopback.
    pub(crate) local_address: String,
    pub(crate) pid: u32,
}

pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Makes the directory when it is not there yet.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .with_context(|| format!("{} cannot be made", path.display()))?;
        Ok(Self { path: path.to_owned() })
    }

    pub(crate) fn admin_file(&self) -> PathBuf {
        self.path.join("admin.json")
    }

    pub(crate) fn admin(&self) -> anyhow::Result<Option<AdminCredential>> {
        read_json(&self.admin_file())
    }

    pub(crate) fn write_admin(&self, admin: &AdminCredential) -> anyhow::Result<()> {
        write_secretly(&self.admin_file(), serde_json::to_string_pretty(admin)?.as_bytes())
    }

    /// The name of the node that uses this directory on this machine: the same after a restart, another for
    /// a copy of the directory elsewhere.
    pub(crate) fn node_name(&self, world: &World) -> anyhow::Result<String> {
        let path = self.path.join("node.id");
        if !path.exists() {
            write_secretly(&path, world.readable::<10>().as_bytes())?;
        }
        let id = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Ok(format!("{}@{}", id.trim(), machine.trim()))
    }

    pub(crate) fn server(&self) -> anyhow::Result<Option<ServerAddress>> {
        read_json(&self.path.join("server.json"))
    }

    pub(crate) fn write_server(&self, server: &ServerAddress) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(server)?;
        write_secretly(&self.path.join("server.json"), text.as_bytes())
    }

    pub(crate) fn forget_server(&self) {
        // It may be gone already; a stale one is noticed by whoever reads it.
        let _ = fs::remove_file(self.path.join("server.json"));
    }
}

/// The key in `path`, made when it is not there yet.
pub(crate) fn secret_key(path: &Path, world: &World) -> anyhow::Result<[u8; KEY_BYTES]> {
    if !path.exists() {
        write_secretly(path, &world.random::<KEY_BYTES>())?;
    }
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    match bytes.try_into() {
        Ok(key) => Ok(key),
        Err(_) => bail!("{} must have exactly {KEY_BYTES} bytes", path.display()),
    }
}

/// Whether others than the owner may read `path`.
pub(crate) fn is_open_to_others(path: &Path) -> std::io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// Replaces `path` whole or not at all, readable by the owner only.
pub(crate) fn write_secretly(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    private_file::write(path, bytes)
        .with_context(|| format!("{} cannot be written", path.display()))
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let bytes =
        private_file::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let Some(bytes) = bytes else { return Ok(None) };
    serde_json::from_slice(&bytes)
        .map(Some)
        .with_context(|| format!("{} is not as it was written", path.display()))
}

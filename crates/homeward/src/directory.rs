//! The data directory: its files and who may read them.
//!
//! | file            | content                                             |
//! | --------------- | --------------------------------------------------- |
//! | `lock`          | locked by the process that uses the directory       |
//! | `homeward.db`   | the database, when the store is SQLite              |
//! | `secret.key`    | the keys that encrypt secrets in the database       |
//! | `admin.json`    | the credential of this installation's commands      |
//! | `server.json`   | the address of the running server, for this machine |
//! | `node.id`       | the name under which the server leases shards       |
//! | `demo.txt`      | says that the directory belongs to a demo           |
//! | `demo.json`     | the credentials and the clock of a demo             |
//! | `schedule.json` | the scheduled actions of a demo                     |
//!
//! Only their owner may read files with secrets.

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use store::Location;
use world::{World, private_file};

use crate::config::Config;

/// The credential that commands use.
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
    /// As commands on this machine reach it: always plain HTTP on loopback.
    pub(crate) local_address: String,
    pub(crate) pid: u32,
}

pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Creates the directory if it does not exist.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .with_context(|| format!("{} cannot be created", path.display()))?;
        Ok(Self { path: path.to_owned() })
    }

    pub(crate) fn admin_file(&self) -> PathBuf {
        self.path.join("admin.json")
    }

    pub(crate) fn read_admin(&self) -> anyhow::Result<Option<AdminCredential>> {
        read_json(&self.admin_file())
    }

    pub(crate) fn write_admin(&self, admin: &AdminCredential) -> anyhow::Result<()> {
        write_private_file(&self.admin_file(), serde_json::to_string_pretty(admin)?.as_bytes())
    }

    /// The name of the node that uses this directory on this machine: the same after a restart,
    /// another for a copy of the directory elsewhere.
    pub(crate) fn node_name(&self, world: &World) -> anyhow::Result<String> {
        let path = self.path.join("node.id");
        if !path.exists() {
            write_private_file(&path, world.readable::<10>().as_bytes())?;
        }
        let id = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Ok(format!("{}@{}", id.trim(), machine.trim()))
    }

    pub(crate) fn read_server(&self) -> anyhow::Result<Option<ServerAddress>> {
        read_json(&self.path.join("server.json"))
    }

    pub(crate) fn write_server(&self, server: &ServerAddress) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(server)?;
        write_private_file(&self.path.join("server.json"), text.as_bytes())
    }

    pub(crate) fn remove_server_file(&self) {
        // It may not exist. Readers notice a stale one.
        let _ = fs::remove_file(self.path.join("server.json"));
    }
}

/// Fails if no installation was created in the data directory. On PostgreSQL the database is the
/// installation, and a directory only what a machine needs to use it.
pub(crate) fn require_installation(config: &Config) -> anyhow::Result<()> {
    let Location::Sqlite(database) = &config.location else { return Ok(()) };
    let path = config.data_dir.display();
    let exists = database.try_exists().with_context(|| {
        format!("{path} cannot be read by this user: run the command as the user of the server")
    })?;
    ensure!(
        exists,
        "no installation in {path}: name its directory with --data-dir, or create one with \
         homeward serve"
    );
    Ok(())
}

/// Whether users other than the owner may read `path`.
pub(crate) fn is_readable_by_others(path: &Path) -> std::io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// Replaces the whole of `path` or nothing of it. Only the owner may read it.
pub(crate) fn write_private_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    private_file::write(path, bytes)
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Creates `path` with its whole content, unless it exists. Of several processes that create it at
/// the same time, one succeeds. Only the owner may read it.
pub(crate) fn create_private_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let new = path.with_extension(format!("new-{}", std::process::id()));
    write_private_file(&new, bytes)?;
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new).with_context(|| format!("{} cannot be removed", new.display()))?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("{} cannot be created", path.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let bytes =
        private_file::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let Some(bytes) = bytes else { return Ok(None) };
    serde_json::from_slice(&bytes)
        .map(Some)
        .with_context(|| format!("{} is damaged", path.display()))
}

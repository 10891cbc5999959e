//! The progress of an import, in a file beside the one that it reads.
//!
//! The journal is written after each chunk that the server acknowledged. It contains the file's
//! size and time, so that a changed file starts over, and the length of the file of rejected
//! orders, so that continuing does not write them twice.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{Seek, SeekFrom, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use anyhow::Context;
use app::orders::import_orders::{ImportResult, RejectedLine};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::source::OrderText;
use crate::directory::read_json;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ImportTotals {
    pub(super) read: u64,
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
    pub(super) stale: u64,
    pub(super) rejected: u64,
    pub(super) warnings: u64,
}

/// The content of the journal file.
#[derive(Debug, Serialize, Deserialize)]
struct JournalEntry {
    merchant: String,
    file: FileIdentity,
    totals: ImportTotals,
    rejected_bytes: u64,
}

/// Shows whether a file is still the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileIdentity {
    bytes: u64,
    modified_us: u128,
}

pub(super) struct Journal {
    pub(super) totals: ImportTotals,
    pub(super) rejected_file: PathBuf,
    merchant: String,
    /// None for standard input and other pipes, which cannot be read again.
    identity: Option<FileIdentity>,
    path: PathBuf,
    rejected_bytes: u64,
}

impl Journal {
    /// Opens the journal of an import of `file`: where an earlier one stopped, or at the beginning.
    pub(super) fn open(
        file: &Path,
        merchant: &str,
        rejected_file: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        let name = if file == Path::new("-") { Path::new("import") } else { file };
        let path = beside(name, ".import.json");
        let mut journal = Self {
            totals: ImportTotals::default(),
            rejected_file: rejected_file.unwrap_or_else(|| beside(name, ".rejected.ndjson")),
            merchant: merchant.to_owned(),
            identity: identity(file),
            path,
            rejected_bytes: 0,
        };
        let earlier = read_json::<JournalEntry>(&journal.path)?;
        let same = |entry: &JournalEntry| {
            entry.merchant == merchant && Some(entry.file) == journal.identity
        };
        if let Some(entry) = earlier.filter(same) {
            journal.totals = entry.totals;
            journal.rejected_bytes = entry.rejected_bytes;
        }
        Ok(journal)
    }

    /// Whether another import of the same file continues after this one.
    pub(super) fn can_continue(&self) -> bool {
        self.identity.is_some()
    }

    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.totals = ImportTotals::default();
        self.rejected_bytes = 0;
        self.finish()
    }

    /// Records the result of a chunk.
    pub(super) fn record(
        &mut self,
        orders: &[OrderText],
        imported: &ImportResult,
    ) -> anyhow::Result<()> {
        self.append_rejected(orders, &imported.rejected)?;
        self.totals.read += count(orders.len());
        self.totals.created += imported.created;
        self.totals.updated += imported.updated;
        self.totals.unchanged += imported.unchanged;
        self.totals.stale += imported.stale;
        self.totals.warnings += imported.warnings;
        self.totals.rejected += count(imported.rejected.len());
        let Some(file) = self.identity else { return Ok(()) };
        let entry = JournalEntry {
            merchant: self.merchant.clone(),
            file,
            totals: self.totals,
            rejected_bytes: self.rejected_bytes,
        };
        let partial = self.path.with_extension("partial");
        let write = || -> std::io::Result<()> {
            std::fs::write(&partial, serde_json::to_vec(&entry)?)?;
            std::fs::rename(&partial, &self.path)
        };
        write().with_context(|| format!("{} cannot be written", self.path.display()))
    }

    /// Ends the journal. The next import starts over.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{} cannot be removed", self.path.display()))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn append_rejected(
        &mut self,
        orders: &[OrderText],
        lines: &[RejectedLine],
    ) -> anyhow::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        for line in lines {
            let order =
                orders.get(line.line).context("the server names a line that was not sent")?;
            // JSON stays JSON, so that it can be fixed and imported again.
            let sent = serde_json::from_slice(&order.bytes).unwrap_or_else(|_| {
                Value::String(String::from_utf8_lossy(&order.bytes).into_owned())
            });
            let entry = json!({
                "line": order.number,
                "message": line.message,
                "errors": line.errors,
                "order": sent,
            });
            text.extend_from_slice(entry.to_string().as_bytes());
            text.push(b'\n');
        }
        self.write_rejected(&text)
            .with_context(|| format!("{} cannot be written", self.rejected_file.display()))
    }

    fn write_rejected(&mut self, text: &[u8]) -> std::io::Result<()> {
        let mut file: File = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            // It contains orders with the names and addresses of shoppers.
            .mode(0o600)
            .open(&self.rejected_file)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.set_len(self.rejected_bytes)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(text)?;
        self.rejected_bytes += count(text.len());
        Ok(())
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn identity(file: &Path) -> Option<FileIdentity> {
    // What a pipe had is gone.
    let metadata = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(FileIdentity { bytes: metadata.len(), modified_us: modified.as_micros() })
}

//! Backups: made, verified, encrypted, restored, and made regularly while the server runs.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufReader, BufWriter, ErrorKind, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use anyhow::{Context, anyhow, bail, ensure};
use boxed::boxed;
use prometheus_client::{metrics::gauge::Gauge, registry::Registry};
use store::{BackupSummary, CopiedMoment, Location};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use world::{Vault, World, sealed_file};

use crate::{config::BackupSchedule, directory::write_private_file, keys::KeyFile};

/// The names of regular backups begin and end with this; the time is in between.
const PREFIX: &str = "homeward-";
const SUFFIX: &str = ".sealed";
/// After a failure.
const RETRY: Duration = Duration::from_secs(10 * 60);

/// Whether a backup is encrypted with the newest key of a key file.
pub(crate) enum Encryption {
    None,
    With(KeyFile),
}

/// What was backed up.
pub(crate) struct MadeBackup {
    pub(crate) bytes: u64,
    pub(crate) moment: CopiedMoment,
    pub(crate) summary: BackupSummary,
}

/// Copies the database into the new file `to`, and verifies the copy. What is not complete is
/// removed.
pub(crate) async fn make(
    location: &Location,
    to: &Path,
    encryption: &Encryption,
) -> anyhow::Result<MadeBackup> {
    ensure!(!to.exists(), "{} exists already", to.display());
    let (plain, partial) = (with_ending(to, ".plain"), with_ending(to, ".partial"));
    write_private_file(&partial, b"")?;
    let made = copy_and_verify(location, to, &plain, encryption).await;
    for file in [&plain, &partial] {
        let _ = fs::remove_file(file);
        let _ = fs::remove_file(with_ending(file, "-journal"));
    }
    made
}

async fn copy_and_verify(
    location: &Location,
    to: &Path,
    plain: &Path,
    encryption: &Encryption,
) -> anyhow::Result<MadeBackup> {
    let partial = with_ending(to, ".partial");
    let target = match encryption {
        Encryption::None => &partial,
        Encryption::With(_) => plain,
    };
    write_private_file(target, b"")?;
    let moment = store::backup(location, target).await?;
    let summary = store::verify_backup(target).await.context("verifying the copy")?;
    let vault = match encryption {
        Encryption::None => None,
        Encryption::With(key_file) => Some(open_vault(key_file)?),
    };
    let (plain, to) = (plain.to_owned(), to.to_owned());
    // The server handles requests meanwhile, and a large database takes minutes.
    let finished = spawn_blocking(move || finish(vault.as_ref(), &plain, &partial, &to));
    let bytes = finished.await.context("the backup was interrupted")??;
    Ok(MadeBackup { bytes, moment, summary })
}

/// Encrypts the copy if there is a key, and gives it its name. Returns its size.
fn finish(vault: Option<&Vault>, plain: &Path, partial: &Path, to: &Path) -> anyhow::Result<u64> {
    if let Some(vault) = vault {
        seal_file(vault, plain, partial)?;
        // What was written must be readable, before the plain copy is gone.
        let mut sealed = BufReader::new(File::open(partial)?);
        let compared = sealed_file::open(vault, &mut sealed, &mut Comparison::with(plain)?);
        compared.context("verifying the encrypted copy")?;
    }
    File::open(partial)?.sync_all()?;
    fs::rename(partial, to).with_context(|| format!("{} cannot be written", to.display()))?;
    Ok(fs::metadata(to)?.len())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(ending);
    PathBuf::from(name)
}

fn open_vault(key_file: &KeyFile) -> anyhow::Result<Vault> {
    let ring = key_file.read()?.with_context(|| {
        format!("{key_file} is missing: put the key file of the backup in its place")
    })?;
    Ok(Vault::new(&ring))
}

fn create_private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)
}

fn seal_file(vault: &Vault, plain: &Path, sealed: &Path) -> anyhow::Result<()> {
    let mut from = BufReader::new(File::open(plain)?);
    let mut to = BufWriter::new(create_private(sealed)?);
    sealed_file::seal(vault, &World::system(), &mut from, &mut to)?;
    to.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

/// Compares what is written to it with a file.
struct Comparison(BufReader<File>);

impl Comparison {
    fn with(path: &Path) -> std::io::Result<Self> {
        Ok(Self(BufReader::new(File::open(path)?)))
    }
}

impl Write for Comparison {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut expected = vec![0; bytes.len()];
        self.0.read_exact(&mut expected)?;
        if expected == bytes {
            Ok(bytes.len())
        } else {
            Err(std::io::Error::other("it differs from the database"))
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Makes the backup `from` the database at `to`. The database there is kept beside it, and its
/// file is returned.
pub(crate) async fn restore(
    from: &Path,
    to: &Path,
    key_file: &KeyFile,
) -> anyhow::Result<(BackupSummary, Option<PathBuf>)> {
    let before = to.exists().then(|| with_ending(to, ".before-restore"));
    if let Some(before) = before.as_ref().filter(|it| it.exists()) {
        bail!("{} exists already: move it away first", before.display());
    }
    let restoring = with_ending(to, ".restoring");
    let prepared = prepare(from, &restoring, key_file).await;
    let summary = match prepared {
        Ok(summary) => summary,
        Err(error) => {
            let _ = fs::remove_file(&restoring);
            return Err(error);
        }
    };
    if let Some(before) = &before {
        fs::rename(to, before)?;
        // Without its log, the old database lacks what was not yet merged into it.
        for ending in ["-wal", "-shm"] {
            let log = with_ending(to, ending);
            if log.exists() {
                fs::rename(&log, with_ending(before, ending))?;
            }
        }
    }
    fs::rename(&restoring, to)?;
    Ok((summary, before))
}

/// A plain, verified copy of the backup at `restoring`.
async fn prepare(
    from: &Path,
    restoring: &Path,
    key_file: &KeyFile,
) -> anyhow::Result<BackupSummary> {
    let name = from.display();
    let mut backup = BufReader::new(File::open(from).with_context(|| format!("no file {name}"))?);
    let mut start = [0; 16];
    let is_sealed = backup.read_exact(&mut start).is_ok() && sealed_file::is_sealed(&start);
    let mut backup = BufReader::new(File::open(from)?);
    let mut plain = BufWriter::new(create_private(restoring)?);
    if is_sealed {
        let opened = sealed_file::open(&open_vault(key_file)?, &mut backup, &mut plain);
        opened.map_err(|error| {
            if error.kind() == ErrorKind::UnexpectedEof {
                return anyhow!("{name} is incomplete: its end is missing");
            }
            anyhow!(error).context(format!("{name} cannot be decrypted with this key file"))
        })?;
    } else {
        std::io::copy(&mut backup, &mut plain)?;
    }
    plain.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    store::verify_backup(restoring).await.with_context(|| format!("{name} is not a sound backup"))
}

/// What `/metrics` says about regular backups.
#[derive(Clone, Debug, Default)]
pub(crate) struct BackupMetrics {
    last_success: Gauge,
}

impl BackupMetrics {
    pub(crate) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "backup_last_success_timestamp_seconds",
            "When the last regular backup was complete; 0 if there is none",
            metrics.last_success.clone(),
        );
        metrics
    }
}

/// Regular backups of a server.
pub(crate) struct Backups {
    pub(crate) schedule: BackupSchedule,
    pub(crate) location: Location,
    pub(crate) key_file: KeyFile,
    pub(crate) world: World,
    pub(crate) metrics: BackupMetrics,
}

impl Backups {
    /// Makes a backup whenever the newest one is old enough, and removes the oldest ones.
    #[boxed]
    pub(crate) async fn run(self, stop: CancellationToken) {
        if let Err(error) = remove_leftovers(&self.schedule.folder) {
            let folder = self.schedule.folder.display();
            tracing::warn!(
                "a backup that was interrupted may be left in {folder}, without encryption: remove \
                 files that end with .plain: {error:#}"
            );
        }
        loop {
            let wait = match self.make_if_due().await {
                Ok(wait) => wait,
                Err(error) => {
                    let minutes = RETRY.as_secs() / 60;
                    tracing::error!("the backup failed, will retry in {minutes} min: {error:#}");
                    RETRY
                }
            };
            if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                return;
            }
        }
    }

    /// Says how long no backup is due.
    async fn make_if_due(&self) -> anyhow::Result<Duration> {
        let BackupSchedule { folder, every, keep } = &self.schedule;
        fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be created", folder.display()))?;
        let existing = list(folder)?;
        let newest_at = existing.last().and_then(|newest| modified_second(newest));
        self.metrics.last_success.set(newest_at.unwrap_or_default());
        if let Some(wait) = existing.last().and_then(|newest| rest(newest, *every)) {
            return Ok(wait);
        }
        let now = self.world.now();
        let file = folder.join(format!("{PREFIX}{}{SUFFIX}", now.strftime("%Y%m%dT%H%M%SZ")));
        let encryption = Encryption::With(self.key_file.clone());
        let made = make(&self.location, &file, &encryption).await?;
        self.metrics.last_success.set(now.as_second());
        tracing::info!("wrote a backup of {} bytes to {}", made.bytes, file.display());
        let all = list(folder)?;
        for old in all.iter().take(all.len().saturating_sub(*keep)) {
            fs::remove_file(old).with_context(|| format!("{} cannot be removed", old.display()))?;
        }
        Ok(*every)
    }
}

/// Removes what a backup leaves in the folder if the process ends while it is made. It can be a
/// copy of the database that is not encrypted.
fn remove_leftovers(folder: &Path) -> std::io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = name.strip_prefix(PREFIX).and_then(|name| name.split_once(SUFFIX));
        if is_ours
            .is_some_and(|(_, rest)| rest.starts_with(".plain") || rest.starts_with(".partial"))
        {
            fs::remove_file(&path)?;
            tracing::info!("removed {}, which an interrupted backup left", path.display());
        }
    }
    Ok(())
}

fn modified_second(path: &Path) -> Option<i64> {
    let modified = fs::metadata(path).and_then(|it| it.modified()).ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// How long a backup is young enough. None if it is not.
fn rest(newest: &Path, every: Duration) -> Option<Duration> {
    let age = fs::metadata(newest).and_then(|it| it.modified()).ok()?.elapsed().ok()?;
    every.checked_sub(age).filter(|rest| !rest.is_zero())
}

/// The regular backups in a folder, oldest first.
fn list(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

//! The secret key file: reading it at the start, and again when it changes.

use std::{fmt, path::PathBuf, time::Duration};

use anyhow::{Context, anyhow, bail};
use app::{
    App,
    access::sealing::{KeyError, check_keys, finish_rotation, has_keys, remember_key, use_keys},
};
use boxed::boxed;
use store::{LastingFailure, Store, with_causes};
use tokio_util::sync::CancellationToken;
use world::{KeyRing, World, private_file};

use crate::{
    directory::{create_private_file, write_private_file},
    output::format_count,
};

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The database is asked at every fifth check of the file whether it knows the key of this node.
const REMEMBER_EVERY: u32 = 5;

/// A secret key file.
#[derive(Clone, Debug)]
pub(crate) struct KeyFile {
    path: PathBuf,
}

impl fmt::Display for KeyFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(formatter)
    }
}

impl KeyFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The keys in the file. None if there is no file.
    pub(crate) fn read(&self) -> anyhow::Result<Option<KeyRing>> {
        let path = self.path.display();
        let bytes = private_file::read(&self.path);
        let Some(bytes) = bytes.with_context(|| format!("{path} cannot be read"))? else {
            return Ok(None);
        };
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("{path} is not text"))?;
        KeyRing::parse(&text).map(Some).map_err(|why| anyhow!("{path} is not a key file: {why}"))
    }

    pub(crate) fn write(&self, ring: &KeyRing) -> anyhow::Result<()> {
        write_private_file(&self.path, ring.to_text().as_bytes())
    }

    /// The keys for `store`. Creates the file if there is none and the database needs none.
    pub(crate) async fn load(&self, store: &Store, world: &World) -> anyhow::Result<KeyRing> {
        let path = self.path.display();
        let ring = match self.read()? {
            Some(ring) => ring,
            None if has_keys(store).await? => bail!(
                "{path} is missing, but the database contains secrets that were encrypted with \
                 it: restore the file from its copy"
            ),
            None => {
                let text = KeyRing::generate(world).to_text();
                create_private_file(&self.path, text.as_bytes())?;
                // Another process may have been faster.
                self.read()?.with_context(|| format!("{path} is missing"))?
            }
        };
        let checked = check_keys(store, world, &ring).await;
        checked.with_context(|| format!("{path} does not belong to this database"))?;
        Ok(ring)
    }

    /// Uses the keys of the file as soon as they change, and completes rotations, until `stop`.
    #[boxed]
    pub(crate) async fn watch(self, app: App, mut used: KeyRing, stop: CancellationToken) {
        let reading = LastingFailure::new("reading the secret key file", "keeping the known keys");
        let sealing = LastingFailure::new("encrypting with the newest key", "will retry");
        let remembering = LastingFailure::new("asking for the keys of the database", "will retry");
        let mut unfinished = true;
        let mut refused: Option<KeyRing> = None;
        let mut checks = 0_u32;
        while stop.run_until_cancelled(tokio::time::sleep(CHECK_INTERVAL)).await.is_some() {
            let read = self.read();
            match &read {
                Ok(_) => reading.note_success(),
                Err(error) => reading.note_failure(&format!("{error:#}")),
            }
            match read {
                Ok(Some(ring)) if ring != used && refused.as_ref() != Some(&ring) => {
                    match use_keys(&app, &ring).await {
                        Ok(()) => {
                            tracing::info!(key = ring.newest(), "the secret key file was changed");
                            (used, refused, unfinished) = (ring, None, true);
                        }
                        Err(error) => {
                            let cause = with_causes(&error);
                            tracing::error!("the changed secret key file is not used: {cause}");
                            refused = Some(ring);
                        }
                    }
                }
                Ok(_) | Err(_) => (),
            }
            if unfinished {
                unfinished = !finish(&app, &stop, &sealing).await;
            }
            checks = (checks + 1) % REMEMBER_EVERY;
            if checks == 0 {
                remember(&app, &used, &stop, &remembering).await;
            }
        }
    }
}

/// Makes the database remember the key that this node still uses.
async fn remember(app: &App, used: &KeyRing, stop: &CancellationToken, failures: &LastingFailure) {
    let remembered = stop.run_until_cancelled(remember_key(app, used)).await;
    let Some(remembered) = remembered else { return };
    failures.note(&remembered);
    if let Ok(Some(newer)) = remembered {
        let cause = KeyError::Missing(newer);
        tracing::warn!("another node has a newer secret key file, copy it to this node: {cause}");
    }
}

/// Whether every stored value is now sealed with the newest key.
async fn finish(app: &App, stop: &CancellationToken, failures: &LastingFailure) -> bool {
    let Some(finished) = stop.run_until_cancelled(finish_rotation(app)).await else { return false };
    failures.note(&finished);
    if let Ok(changed @ 1..) = finished {
        let values = format_count(changed, "stored value");
        tracing::info!(changed, "encrypted {values} with the newest key");
    }
    finished.is_ok()
}

//! `homeward restore`: a backup becomes the database of the data directory.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use serde_json::json;
use store::{DirectoryLock, Location, LockError};

use crate::{
    backups,
    config::Config,
    directory::Directory,
    keys::KeyFile,
    output::{Output, print_note},
};

const EXAMPLES: &str = "Examples:
  homeward restore homeward-20260301T020000Z.sealed
  homeward restore copy.db --replace";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Restore {
    /// A file that homeward backup or the server wrote
    file: PathBuf,

    /// Replace the database of the data directory, which is kept beside the new one
    #[arg(long)]
    replace: bool,
}

impl Restore {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let Location::Sqlite(database) = &config.location else {
            bail!(
                "restore writes an SQLite database: restore PostgreSQL with its own tools, or serve \
                 the backup with --store sqlite"
            );
        };
        Directory::open(&config.data_dir)?;
        let _lock = match DirectoryLock::take(&config.data_dir) {
            Err(LockError::InUse { holder, .. }) => {
                bail!("process {holder} uses the data directory: stop the server first")
            }
            taken => taken?,
        };
        ensure!(
            self.replace || !database.exists(),
            "{} exists already: use --replace to replace it",
            database.display()
        );
        let key_file = KeyFile::new(config.secret_key_file.clone());
        let (summary, before) = backups::restore(&self.file, database, &key_file).await?;
        output.print(
            &json!({ "database": database, "summary": summary, "replaced": before }),
            || format!("Restored {}: {summary}.", database.display()),
        );
        if let (false, Some(before)) = (output.json, before) {
            print_note(&format!("The database before is {}.", before.display()));
        }
        if !output.json && !config.secret_key_file.exists() {
            print_note(&format!(
                "Its secrets need the key file of the backup: put it at {} before you start.",
                config.secret_key_file.display()
            ));
        }
        Ok(())
    }
}

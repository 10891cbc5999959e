//! `homeward backup`: a consistent copy of the database, made while the server runs.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use store::{CopiedMoment, Location};

use crate::{
    config::Config,
    directory::write_private_file,
    output::{Output, print_note},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    file: PathBuf,
}

impl Backup {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        if self.file.exists() {
            bail!("{} exists already", self.file.display());
        }
        let mut partial = self.file.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        write_private_file(&partial, b"")?;
        let copied = copy(&config.location, &partial).await;
        if copied.is_err() {
            let _ = std::fs::remove_file(&partial);
        }
        let moment = copied?;
        make_durable(&partial, &self.file)
            .with_context(|| format!("{} cannot be written", self.file.display()))?;
        let bytes = std::fs::metadata(&self.file)?.len();
        output.print(&json!({ "file": self.file, "bytes": bytes }), || {
            format!("Wrote {bytes} bytes to {}.", self.file.display())
        });
        if !output.json && moment == CopiedMoment::OneForEachMerchant {
            print_note(
                "The database is on several servers: each merchant's data is as of one moment, \
                 different merchants' data may be some seconds apart.",
            );
        }
        if !output.json {
            print_note(&format!(
                "Its secrets can be decrypted only with {}: keep that file too, elsewhere.",
                config.secret_key_file.display()
            ));
        }
        Ok(())
    }
}

/// Copies with a progress bar that follows the size of the new file.
async fn copy(location: &Location, to: &Path) -> anyhow::Result<CopiedMoment> {
    let expected = match location {
        Location::Sqlite(from) => std::fs::metadata(from)
            .with_context(|| format!("no database at {}", from.display()))?
            .len(),
        Location::Postgres(_) => 0,
    };
    let bar = ProgressBar::new(expected);
    let style = "{spinner} {bytes} of {total_bytes} {wide_bar} {bytes_per_sec}, {eta} to go";
    bar.set_style(ProgressStyle::with_template(style)?);
    let copying = store::backup(location, to);
    tokio::pin!(copying);
    let copied = loop {
        tokio::select! {
            copied = &mut copying => break copied,
            () = tokio::time::sleep(Duration::from_millis(200)) => {
                bar.set_position(std::fs::metadata(to).map_or(0, |file| file.len()));
            }
        }
    };
    bar.finish_and_clear();
    Ok(copied?)
}

fn make_durable(partial: &Path, file: &Path) -> std::io::Result<()> {
    std::fs::File::open(partial)?.sync_all()?;
    std::fs::rename(partial, file)
}

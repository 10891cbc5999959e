//! `homeward backup`: a consistent copy of the database, made while the server runs.

use std::{path::PathBuf, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use store::CopiedMoment;

use crate::{
    backups::{self, Encryption},
    config::Config,
    directory::require_installation,
    keys::KeyFile,
    output::{Output, print_note},
};

const TICK: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    file: PathBuf,

    /// Encrypt the whole file with the secret key file
    #[arg(long)]
    encrypt: bool,
}

impl Backup {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        require_installation(config)?;
        let key_file = KeyFile::new(config.secret_key_file.clone());
        let encryption = if self.encrypt { Encryption::With(key_file) } else { Encryption::None };
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} copying and verifying, {elapsed}")?);
        bar.enable_steady_tick(TICK);
        let made = backups::make(&config.location, &self.file, &encryption).await;
        bar.finish_and_clear();
        let made = made?;
        let (bytes, summary) = (made.bytes, made.summary);
        output.print(&json!({ "file": self.file, "bytes": bytes, "summary": summary }), || {
            format!("Wrote {bytes} bytes to {}: {summary}.", self.file.display())
        });
        if !output.json && made.moment == CopiedMoment::OneForEachMerchant {
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

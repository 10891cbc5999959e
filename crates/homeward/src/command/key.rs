//! `homeward key`: the keys that encrypt secrets in the database.

use std::time::Duration;

use anyhow::{Context, ensure};
use app::access::sealing::SealingKeys;
use clap::Subcommand;
use world::World;

use crate::{
    config::Config,
    keys::KeyFile,
    output::Output,
    session::{Remote, Session},
};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
const POLLS_UNTIL_USED_MAX: u32 = 60;

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Add a new key to the secret key file and encrypt stored secrets with it
    Rotate,
}

impl Key {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let Self::Rotate = self;
        let rotate = async |session: &mut Session| rotate(config, session).await;
        let keys = Session::run(config, &Remote::none(), rotate).await?;
        output.print(&keys, || format!("All secrets are encrypted with the key {}.", keys.newest));
        Ok(())
    }
}

/// Changes the key file, which the server notices, and waits until the server has encrypted
/// everything with the new key.
async fn rotate(config: &Config, session: &mut Session) -> anyhow::Result<SealingKeys> {
    let file = KeyFile::new(config.secret_key_file.clone());
    let ring = file.read()?.context("the secret key file is missing")?;
    let before = read_keys(session).await?;
    ensure!(
        before.older.is_empty() && before.newest == ring.newest(),
        "the last rotation is not complete: the server still encrypts with {}, and some values \
         with {}. Try again later",
        before.newest,
        before.older.join(", ")
    );
    let rotated = ring.rotate(&World::system());
    file.write(&rotated)?;
    let mut polls = 0..POLLS_UNTIL_USED_MAX;
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let keys = read_keys(session).await?;
        let used = keys.newest == rotated.newest();
        if used && keys.older.is_empty() {
            return Ok(keys);
        }
        ensure!(
            used || polls.next().is_some(),
            "the server does not use the new key {}: its log says why",
            rotated.newest()
        );
    }
}

async fn read_keys(session: &mut Session) -> anyhow::Result<SealingKeys> {
    session.get("/admin/keys").await
}

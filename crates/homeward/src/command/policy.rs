//! `homeward policy`: what may come back to a merchant, how and for how much.

use std::{io::Read, path::PathBuf};

use anyhow::Context;
use app::returns::policies::PolicyView;
use clap::Subcommand;
use domain::identifier::MerchantId;
use serde_json::Value;

use crate::{
    config::Config,
    output::Output,
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Show the policy that holds for a merchant, or an earlier version of it
    // Here a version is one of the policy, not of the program.
    #[command(disable_version_flag = true)]
    Show {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// This version instead of the newest
        #[arg(long)]
        version: Option<i64>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Set a merchant's policy: the whole of it, as JSON. It becomes a new version
    Set {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// A file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// Say what is wrong with a policy, or show all of it with its defaults; nothing is stored
    Check {
        /// A file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(serde::Deserialize)]
struct Versions {
    versions: Vec<PolicyView>,
}

impl Policy {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let (Self::Show { remote, .. } | Self::Set { remote, .. } | Self::Check { remote, .. }) =
            &self;
        let mut session = Session::open(config, remote).await?;
        let done = self.with(&mut session, output).await;
        session.close().await;
        done
    }

    async fn with(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Show { merchant, version: None, .. } => {
                let path = format!("/admin/merchants/{merchant}/policy");
                let policy: PolicyView = session.get(&path).await?;
                output.data(&policy, || words(&policy));
            }
            Self::Show { merchant, version: Some(version), .. } => {
                let before = version.saturating_add(1);
                let path =
                    format!("/admin/merchants/{merchant}/policy/versions?before={before}&limit=1");
                let found: Versions = session.get(&path).await?;
                let policy = found.versions.into_iter().find(|it| it.version == version);
                let policy = policy.with_context(|| {
                    format!("{merchant} has no version {version} of its policy")
                })?;
                output.data(&policy, || words(&policy));
            }
            Self::Set { merchant, file, .. } => {
                let path = format!("/admin/merchants/{merchant}/policy");
                let policy: PolicyView = session.put(&path, &json(&file)?).await?;
                output.data(&policy, || {
                    format!("Version {} of the policy of {merchant} holds now.", policy.version)
                });
            }
            Self::Check { file, .. } => {
                let policy: Value = session.post("/admin/policy/check", &json(&file)?).await?;
                output.data(&policy, || format!("The policy is sound. All of it:\n{policy:#}"));
            }
        }
        Ok(())
    }
}

fn words(view: &PolicyView) -> String {
    let policy = serde_json::to_value(&view.policy).unwrap_or_default();
    let since = match (&view.created_at, &view.set_by) {
        (Some(at), Some(by)) => format!("set {at} by {by}"),
        _ => "the default; nobody set one".to_owned(),
    };
    format!("Version {}, {since}.\n{policy:#}", view.version)
}

/// The JSON in a file, or on standard input.
pub(super) fn json(file: &PathBuf) -> anyhow::Result<Value> {
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
    } else {
        text =
            std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    }
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

//! `homeward policy`: a merchant's rules for returns.

use std::{io::Read, path::PathBuf};

use anyhow::Context;
use app::returns::policies::PolicyView;
use clap::Subcommand;
use domain::{bodies::WriteJson, identifier::MerchantId, json};
use serde_json::Value;

use crate::{
    config::Config,
    output::Output,
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Show a merchant's current policy, or an earlier version of it
    // --version is the version of the policy, not of the program.
    #[command(disable_version_flag = true)]
    Show {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// This version instead of the newest
        #[arg(long)]
        version: Option<i64>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Set a merchant's policy: the whole policy as JSON, which becomes a new version
    Set {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// A file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// Check a policy and show it with its defaults; nothing is stored
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
        let remote = remote.clone();
        Session::run(config, &remote, async |session| self.execute(session, output).await).await
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Show { merchant, version: None, .. } => {
                let path = format!("/admin/merchants/{merchant}/policy");
                let policy: PolicyView = session.get(&path).await?;
                output.print(&policy, || describe(&policy));
            }
            Self::Show { merchant, version: Some(version), .. } => {
                let before = version.saturating_add(1);
                let path =
                    format!("/admin/merchants/{merchant}/policy/versions?before={before}&limit=1");
                let page: Versions = session.get(&path).await?;
                let policy = page.versions.into_iter().find(|it| it.version == version);
                let policy = policy.with_context(|| {
                    format!("{merchant} has no version {version} of its policy")
                })?;
                output.print(&policy, || describe(&policy));
            }
            Self::Set { merchant, file, .. } => {
                let path = format!("/admin/merchants/{merchant}/policy");
                let policy: PolicyView = session.put(&path, &read_json(&file)?).await?;
                output.print(&policy, || {
                    format!("{merchant} now has policy version {}.", policy.version)
                });
            }
            Self::Check { file, .. } => {
                let policy: Value = session.post("/admin/policy/check", &read_json(&file)?).await?;
                output.print(&policy, || {
                    format!("The policy is valid. With its defaults:\n{policy:#}")
                });
            }
        }
        Ok(())
    }
}

fn describe(view: &PolicyView) -> String {
    let policy = json::pretty(&view.policy.to_json());
    let since = match (&view.created_at, &view.set_by) {
        (Some(at), Some(by)) => format!("set {at} by {by}"),
        _ => "the default".to_owned(),
    };
    format!("Version {}, {since}.\n{policy}", view.version)
}

/// Reads JSON from a file or, for `-`, standard input.
pub(super) fn read_json(file: &PathBuf) -> anyhow::Result<Value> {
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
    } else {
        text =
            std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    }
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

//! `homeward endpoint`: where a merchant's systems are reached.

mod test;

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::anyhow;
use app::messages::set_endpoints::{EndpointView, EndpointsView};
use clap::{Args, Subcommand};
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use serde_json::json;
use store::Location;

use super::argument;
use crate::{
    config::Config,
    output::{Output, table},
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Endpoint {
    /// Say where a merchant's systems are reached: all of them, or those for one kind of message
    Set(Set),
    /// Send a kind to its path under the merchant's base address again
    Forget(One),
    /// List a merchant's endpoints and how they are doing
    List {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Send a test message and say how the endpoint answered
    Test {
        #[command(flatten)]
        endpoint: One,
        /// How long to wait for the first attempt
        #[arg(long, default_value_t = 15, value_name = "SECONDS")]
        #[arg(value_parser = clap::value_parser!(u64).range(0..=3600))]
        wait_s: u64,
    },
    /// Let a kind's messages wait, with all their tries
    Pause(One),
    /// Send a paused kind's messages again
    Resume(One),
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// Only this kind of message; without it, every kind goes to its path under the address
    #[arg(value_parser = argument::kind)]
    kind: Option<MessageKind>,
    /// The address: a base for all kinds, or the whole address of one
    #[arg(long)]
    url: String,
    /// How calls prove who they come from: a file with {"type": ...}, or - for standard input.
    /// The types: none; basic with username and password; header with name and value; bearer with
    /// token; oauth2 with token_url, client_id, client_secret and perhaps scope
    #[arg(long, value_name = "FILE")]
    auth_json: Option<PathBuf>,
    /// A path other than the usual one, such as rma=/returns/rma; repeatable
    #[arg(long = "path", value_name = "KIND=PATH", conflicts_with = "kind")]
    #[arg(value_parser = argument::kind_path)]
    paths: Vec<(MessageKind, String)>,
    #[command(flatten)]
    remote: Remote,
}

/// One endpoint of a merchant.
#[derive(Debug, Args)]
pub(crate) struct One {
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// The kind of message
    #[arg(value_parser = argument::kind)]
    kind: MessageKind,
    #[command(flatten)]
    remote: Remote,
}

impl One {
    fn path(&self) -> String {
        format!("{}/{}", path(&self.merchant), self.kind)
    }
}

fn path(merchant: &MerchantId) -> String {
    format!("/admin/merchants/{merchant}/endpoints")
}

impl Endpoint {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        let mut session = Session::open(config, self.remote()).await?;
        // The node of a single command sends nothing; on a shared database others may.
        let nobody_sends = session.is_own() && matches!(config.location, Location::Sqlite(_));
        let done = if nobody_sends && matches!(self, Self::Test { .. }) {
            Err(anyhow!("no server runs here that could send: start it with homeward serve"))
        } else {
            self.with(&mut session, output).await
        };
        session.close().await;
        done
    }

    fn remote(&self) -> &Remote {
        match self {
            Self::Set(Set { remote, .. })
            | Self::List { remote, .. }
            | Self::Forget(One { remote, .. })
            | Self::Test { endpoint: One { remote, .. }, .. }
            | Self::Pause(One { remote, .. })
            | Self::Resume(One { remote, .. }) => remote,
        }
    }

    async fn with(self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let view: EndpointsView = match &self {
            Self::Set(set) => set.send(session).await?,
            Self::List { merchant, .. } => session.get(&path(merchant)).await?,
            Self::Forget(one) => session.delete(&one.path()).await?,
            Self::Pause(one) => session.post(&format!("{}/pause", one.path()), &json!({})).await?,
            Self::Resume(one) => {
                session.post(&format!("{}/resume", one.path()), &json!({})).await?
            }
            Self::Test { endpoint, wait_s } => {
                return test::test(session, output, endpoint, *wait_s).await;
            }
        };
        output.data(&view, || words(&view));
        Ok(ExitCode::SUCCESS)
    }
}

impl Set {
    async fn send(&self, session: &mut Session) -> anyhow::Result<EndpointsView> {
        let auth = match &self.auth_json {
            Some(file) => argument::auth(file)?,
            None => json!({ "type": "none" }),
        };
        let base = path(&self.merchant);
        if let Some(kind) = self.kind {
            let body = json!({ "url": self.url, "auth": auth });
            return session.put(&format!("{base}/{kind}"), &body).await;
        }
        let paths: BTreeMap<&str, &str> =
            self.paths.iter().map(|(kind, path)| (kind.name(), path.as_str())).collect();
        let body = json!({ "base_url": self.url, "auth": auth, "paths": paths });
        session.put(&base, &body).await
    }
}

fn words(view: &EndpointsView) -> String {
    let row = |endpoint: &EndpointView| {
        let health = endpoint.state.as_ref();
        let number = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        vec![
            endpoint.kind.to_string(),
            endpoint.url.clone().unwrap_or_else(|| "-".to_owned()),
            endpoint.auth.clone(),
            state(endpoint),
            number(health.map(|health| health.waiting.to_string())),
            number(health.map(|health| health.in_flight.to_string())),
        ]
    };
    let rows: Vec<_> = view.endpoints.iter().map(row).collect();
    table(&["KIND", "URL", "AUTH", "STATE", "WAITING", "IN FLIGHT"], &rows)
}

/// Whether messages go out, and what holds them up.
fn state(endpoint: &EndpointView) -> String {
    let state = if endpoint.url.is_none() {
        "no address"
    } else if endpoint.paused {
        "paused"
    } else {
        "ready"
    };
    match &endpoint.state {
        Some(health) if health.breaker != "closed" => format!("{state}, {}", health.breaker),
        Some(_) | None => state.to_owned(),
    }
}

//! `homeward endpoint`: the addresses of a merchant's systems.

mod test;

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::anyhow;
use app::messages::set_endpoints::{EndpointView, EndpointsView};
use clap::{Args, Subcommand};
use domain::{
    identifier::MerchantId,
    messages::{certificate::Certificate, kind::MessageKind},
};
use serde_json::json;
use store::Location;

use super::{argument, certify::report::format_text};
use crate::{
    config::Config,
    output::{Output, format_table},
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Endpoint {
    /// Set the endpoints of a merchant: for all kinds of messages, or for one kind
    Set(Set),
    /// Remove the address of one kind, which then uses its path under the merchant's base address
    Forget(EndpointArgs),
    /// List a merchant's endpoints and their state
    List {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Send a test message and show the endpoint's response
    Test {
        #[command(flatten)]
        endpoint: EndpointArgs,
        /// How long to wait for the first attempt
        #[arg(long, default_value_t = 15, value_name = "SECONDS")]
        #[arg(value_parser = clap::value_parser!(u64).range(0..=3600))]
        wait_s: u64,
    },
    /// Check whether a merchant's endpoints follow the rules, and remember those that do
    Certify(Certify),
    /// Pause the messages of a kind; they keep all their attempts
    Pause(EndpointArgs),
    /// Resume a paused kind
    Resume(EndpointArgs),
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// The merchant, such as acme
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// Only this kind of message; without it, every kind uses its path under the address
    #[arg(value_parser = argument::parse_kind)]
    kind: Option<MessageKind>,
    /// The base address for all kinds, or the whole address of one kind
    #[arg(long)]
    url: String,
    /// The authentication of calls: a file with {"type": ...}, or - for standard input. Types:
    /// none; basic with username and password; header with name and value; bearer with token;
    /// oauth2 with token_url, client_id, client_secret and optionally scope
    #[arg(long, value_name = "FILE")]
    auth_json: Option<PathBuf>,
    /// A path other than the default, such as rma=/returns/rma; repeatable
    #[arg(long = "path", value_name = "KIND=PATH", conflicts_with = "kind")]
    #[arg(value_parser = argument::parse_kind_path)]
    paths: Vec<(MessageKind, String)>,
    #[command(flatten)]
    remote: Remote,
}

#[derive(Debug, Args)]
pub(crate) struct Certify {
    /// The merchant, such as acme
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// A kind of message to check; can be repeated [default: all that have an address]
    #[arg(long, value_name = "KIND", value_parser = argument::parse_kind)]
    kind: Vec<MessageKind>,
    /// Where the merchant lists what it holds, as it would send it to POST /reconciliation
    #[arg(long, value_name = "URL")]
    held: Option<String>,
    #[command(flatten)]
    remote: Remote,
}

/// One endpoint of a merchant.
#[derive(Debug, Args)]
pub(crate) struct EndpointArgs {
    /// The merchant, such as acme
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// The kind of message
    #[arg(value_parser = argument::parse_kind)]
    kind: MessageKind,
    #[command(flatten)]
    remote: Remote,
}

impl EndpointArgs {
    fn path(&self) -> String {
        format!("{}/{}", endpoints_path(&self.merchant), self.kind)
    }
}

fn endpoints_path(merchant: &MerchantId) -> String {
    format!("/admin/merchants/{merchant}/endpoints")
}

impl Endpoint {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        let mut session = Session::open(config, self.remote()).await?;
        // The node of a single command sends nothing. Servers on a shared database may.
        let can_send = !session.is_own() || !matches!(config.location, Location::Sqlite(_));
        let done = if !can_send && matches!(self, Self::Test { .. }) {
            Err(anyhow!("no server is running that could send: start one with homeward serve"))
        } else {
            self.execute(&mut session, output).await
        };
        session.close().await;
        done
    }

    fn remote(&self) -> &Remote {
        match self {
            Self::Set(Set { remote, .. })
            | Self::Certify(Certify { remote, .. })
            | Self::List { remote, .. }
            | Self::Forget(EndpointArgs { remote, .. })
            | Self::Test { endpoint: EndpointArgs { remote, .. }, .. }
            | Self::Pause(EndpointArgs { remote, .. })
            | Self::Resume(EndpointArgs { remote, .. }) => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let view: EndpointsView = match &self {
            Self::Set(set) => set.send(session).await?,
            Self::List { merchant, .. } => session.get(&endpoints_path(merchant)).await?,
            Self::Forget(endpoint) => session.delete(&endpoint.path()).await?,
            Self::Pause(endpoint) => {
                session.post(&format!("{}/pause", endpoint.path()), &json!({})).await?
            }
            Self::Resume(endpoint) => {
                session.post(&format!("{}/resume", endpoint.path()), &json!({})).await?
            }
            Self::Test { endpoint, wait_s } => {
                return test::test(session, output, endpoint, *wait_s).await;
            }
            Self::Certify(certify) => return certify.run(session, output).await,
        };
        output.print(&view, || describe(&view));
        Ok(ExitCode::SUCCESS)
    }
}

impl Certify {
    /// The exit code says whether the endpoints are certified.
    async fn run(&self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let kinds = Some(&self.kind).filter(|kinds| !kinds.is_empty());
        let body = json!({ "kinds": kinds, "held_url": self.held });
        let path = format!("/admin/merchants/{}/certify", self.merchant);
        let certificate: Certificate = session.post(&path, &body).await?;
        output.print(&certificate, || format_text(&certificate));
        Ok(if certificate.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Set {
    async fn send(&self, session: &mut Session) -> anyhow::Result<EndpointsView> {
        let auth = match &self.auth_json {
            Some(file) => argument::read_auth(file)?,
            None => json!({ "type": "none" }),
        };
        let base = endpoints_path(&self.merchant);
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

fn describe(view: &EndpointsView) -> String {
    let row = |endpoint: &EndpointView| {
        let health = endpoint.state.as_ref();
        let number = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        vec![
            endpoint.kind.to_string(),
            endpoint.url.clone().unwrap_or_else(|| "-".to_owned()),
            endpoint.auth.clone(),
            describe_state(endpoint),
            number(health.map(|health| health.waiting.to_string())),
            number(health.map(|health| health.in_flight.to_string())),
        ]
    };
    let rows: Vec<_> = view.endpoints.iter().map(row).collect();
    format_table(&["KIND", "URL", "AUTH", "STATE", "WAITING", "IN FLIGHT"], &rows)
}

/// Whether messages are sent and, if not, why.
fn describe_state(endpoint: &EndpointView) -> String {
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

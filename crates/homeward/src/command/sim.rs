//! `homeward sim`: a simulated merchant, which receives the calls that Homeward makes, and a
//! simulated carrier, which sells labels.
//!
//! They need neither a data directory nor a server.

mod carrier;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Args, Subcommand};
use domain::messages::{endpoint::Auth, kind::MessageKind};
use serde_json::{Value, json};
use sim::{Behavior, Running, Settings, SimulatedMerchant, Summary, TOKEN_LIFETIME_S};

use super::{argument, serve::Signals};
use crate::{
    config::public_url::parse_public_url,
    output::{Output, format_count, print_note},
};

const LISTEN: &str = "127.0.0.1:9090";
const CARRIER_LISTEN: &str = "127.0.0.1:9091";

#[derive(Debug, Subcommand)]
pub(crate) enum Sim {
    /// Run a simulated merchant: it accepts every message, or fails as configured
    ///
    /// Listens on 127.0.0.1:9090 unless --listen is given (HOMEWARD_LISTEN is for the server).
    Merchant(Merchant),
    /// Run a simulated carrier: it has the routes of EasyPost's API, sells labels and moves parcels
    ///
    /// Listens on 127.0.0.1:9091 unless --listen is given (HOMEWARD_LISTEN is for the server).
    Carrier(carrier::Carrier),
}

#[derive(Args)]
pub(crate) struct Merchant {
    /// A secret that signs messages, whsec_...; repeatable. Without one, signatures are not checked
    #[arg(long = "signing-secret", env = "HOMEWARD_SIM_SIGNING_SECRET", hide_env_values = true)]
    #[arg(value_name = "SECRET", value_delimiter = ',')]
    signing_secrets: Vec<String>,
    /// The credentials that calls must have: a file as for `homeward endpoint set`, or - for
    /// standard input. With oauth2, the merchant's own /oauth/token issues the tokens
    #[arg(long, value_name = "FILE")]
    auth_json: Option<PathBuf>,
    /// Lifetime of a token
    #[arg(long, default_value_t = TOKEN_LIFETIME_S, value_name = "SECONDS")]
    token_lifetime_s: u32,
    /// Do not check signatures
    #[arg(long)]
    no_verify: bool,
    /// Check that the messages of a lane arrive in order
    #[arg(long)]
    check_order: bool,
    /// The address of its images for browsers [default: where it listens]
    #[arg(long, value_name = "URL", value_parser = parse_public_url)]
    public_url: Option<String>,
    /// Seed of the random numbers for --fail-percent
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    behavior: BehaviorArgs,
}

/// The behavior at the start. It can be changed while the merchant runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Behavior")]
struct BehaviorArgs {
    /// Respond with this status
    #[arg(long, value_name = "N")]
    status: Option<u16>,
    /// Wait before each response
    #[arg(long, default_value_t = 0, value_name = "MS")]
    delay_ms: u64,
    /// Send Retry-After
    #[arg(long, value_name = "SECONDS")]
    retry_after_s: Option<u32>,
    /// Never respond
    #[arg(long)]
    hang: bool,
    /// Close the connection without a response
    #[arg(long)]
    close: bool,
    /// Respond with a body of this length
    #[arg(long, value_name = "BYTES")]
    huge_body_bytes: Option<u64>,
    /// Apply it at random to this percentage of calls
    #[arg(long, value_name = "N")]
    fail_percent: Option<u8>,
    /// Apply it only to calls of this kind
    #[arg(long, value_parser = argument::parse_kind)]
    kind: Option<MessageKind>,
    /// Apply it only to this number of calls
    #[arg(long, value_name = "N")]
    count: Option<u32>,
}

/// Without the secrets.
impl std::fmt::Debug for Merchant {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let secrets = self.signing_secrets.len();
        formatter.debug_struct("Merchant").field("secrets", &secrets).finish_non_exhaustive()
    }
}

impl Sim {
    /// Runs until a signal stops it. `listen` is the address, if it is on the command line.
    pub(crate) async fn run(
        self,
        listen: Option<&str>,
        output: Output,
    ) -> anyhow::Result<ExitCode> {
        let usual = match &self {
            Self::Merchant(_) => LISTEN,
            Self::Carrier(_) => CARRIER_LISTEN,
        };
        let listen = listen.unwrap_or(usual);
        let listen: SocketAddr =
            listen.parse().with_context(|| format!("listen must be ADDRESS:PORT, not {listen}"))?;
        match self {
            Self::Merchant(merchant) => merchant.run(listen, output).await,
            Self::Carrier(carrier) => carrier.run(listen, output).await,
        }
    }
}

impl Merchant {
    async fn run(self, listen: SocketAddr, output: Output) -> anyhow::Result<ExitCode> {
        let mut signals = Signals::listen()?;
        let behavior = self.behavior.read();
        let settings = self.settings(listen)?;
        let checks = Checks::of(&settings);
        let running = SimulatedMerchant::start(settings).await?;
        if behavior != Behavior::NORMAL {
            running.merchant().behave(&[behavior])?;
        }
        show(&running, &checks, output);
        signals.wait().await;
        let summary = running.merchant().summary();
        running.stop().await;
        print_note(&describe_end(&summary));
        Ok(ExitCode::SUCCESS)
    }

    fn settings(self, listen: SocketAddr) -> anyhow::Result<Settings> {
        let auth = match &self.auth_json {
            Some(file) => parse_auth(argument::read_auth(file)?)?,
            None => Auth::None,
        };
        Ok(Settings {
            listen,
            public_url: self.public_url,
            signing_secrets: self.signing_secrets,
            auth,
            token_lifetime_s: self.token_lifetime_s,
            verify: !self.no_verify,
            check_order: self.check_order,
            seed: self.seed,
            ..Settings::default()
        })
    }
}

/// The merchant issues tokens itself, so `token_url` is optional.
fn parse_auth(mut value: Value) -> anyhow::Result<Auth<String>> {
    if let Some(fields) = value.as_object_mut() {
        fields.entry("token_url").or_insert_with(|| json!(""));
    }
    serde_json::from_value(value).context("the authentication is not valid")
}

impl BehaviorArgs {
    fn read(&self) -> Behavior {
        Behavior {
            kind: self.kind,
            count: self.count,
            status: self.status,
            delay_ms: self.delay_ms,
            retry_after_s: self.retry_after_s,
            hang: self.hang,
            close: self.close,
            huge_body_bytes: self.huge_body_bytes,
            fail_percent: self.fail_percent,
            unauthorized_until_new_token: false,
        }
    }
}

/// What the merchant checks in a call, as text.
struct Checks {
    signatures: &'static str,
    credentials: &'static str,
    order: &'static str,
}

impl Checks {
    fn of(settings: &Settings) -> Self {
        let signatures = match (settings.verify, settings.signing_secrets.is_empty()) {
            (true, false) => "checked",
            (true, true) => "not checked: no --signing-secret",
            (false, _) => "not checked: --no-verify",
        };
        let order = if settings.check_order { "checked" } else { "not checked: no --check-order" };
        Self { signatures, credentials: settings.auth.name(), order }
    }
}

fn show(running: &Running, checks: &Checks, output: Output) {
    let url = running.url();
    let behaviors = running.merchant().behaviors();
    let shown = json!({ "url": url, "auth": checks.credentials, "behaviours": behaviors });
    output.print(&shown, || {
        let behavior: Vec<String> = behaviors.iter().map(ToString::to_string).collect();
        let behavior = if behavior.is_empty() { "normal".to_owned() } else { behavior.join("; ") };
        let Checks { signatures, credentials, order } = checks;
        format!(
            "
  A simulated merchant runs at {url}; open it to see the received calls.

  Signatures       {signatures}
  Credentials      {credentials}
  Order            {order}
  Behavior         {behavior}

  Send it messages (the server needs --allow-network 'acme@127.0.0.1:*', or the like):

    homeward endpoint set acme --url {url}
    homeward endpoint test acme rma

  Make the next three calls fail, and show the calls:

    curl -X PUT {url}/sim/behaviour -d '{{\"status\": 503, \"count\": 3}}'
    curl {url}/sim/summary

  Stop with Ctrl-C.
"
        )
    });
}

fn describe_end(summary: &Summary) -> String {
    let calls = format_count(summary.calls, "call");
    let accepted = format_count(summary.accepted_ids, "different message");
    let violations = format_count(summary.violation_count, "violation");
    format!("{calls} received, {accepted} accepted, {violations}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_for_an_endpoint_works_for_the_merchant_too() {
        let file = json!({ "type": "oauth2", "client_id": "a", "client_secret": "b" });
        assert_eq!(parse_auth(file).unwrap().name(), "oauth2");
        assert_eq!(parse_auth(json!({ "type": "none" })).unwrap(), Auth::None);
        assert!(parse_auth(json!({ "type": "magic" })).is_err());
    }
}

//! `homeward sim`: the other end of the calls that Homeward makes, to try things out.
//!
//! It needs neither a data directory nor a server.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Args, Subcommand};
use domain::messages::{endpoint::Auth, kind::MessageKind};
use serde_json::{Value, json};
use sim::{Behaviour, Running, Settings, SimulatedMerchant, Summary, TOKEN_LIFETIME_S};

use super::{argument, serve::Signals};
use crate::output::{Output, print_note};

const LISTEN: &str = "127.0.0.1:9090";

#[derive(Debug, Subcommand)]
pub(crate) enum Sim {
    /// Run a merchant's systems: they take every message, and fail as they are told
    ///
    /// Listens on 127.0.0.1:9090 unless --listen says otherwise (HOMEWARD_LISTEN is the server's).
    Merchant(Merchant),
}

#[derive(Args)]
pub(crate) struct Merchant {
    /// A secret that signs the messages, whsec_...; repeatable. Without one, signatures are not
    /// checked
    #[arg(long = "signing-secret", env = "HOMEWARD_SIM_SIGNING_SECRET", hide_env_values = true)]
    #[arg(value_name = "SECRET", value_delimiter = ',')]
    signing_secrets: Vec<String>,
    /// What calls must prove: a file as for `homeward endpoint set`, or - for standard input. With
    /// oauth2, tokens come from the merchant's own /oauth/token
    #[arg(long, value_name = "FILE")]
    auth_json: Option<PathBuf>,
    /// How long a token is good
    #[arg(long, default_value_t = TOKEN_LIFETIME_S, value_name = "SECONDS")]
    token_lifetime_s: u32,
    /// Do not check signatures
    #[arg(long)]
    no_verify: bool,
    /// Check that messages about one thing come in order
    #[arg(long)]
    check_order: bool,
    /// The address under which browsers find its pictures [default: where it listens]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Where chance begins, for --fail-percent
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    told: Told,
}

/// What it does from the start instead of its duty; more can be said while it runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Behaviour")]
struct Told {
    /// ServerResponse with this status
    #[arg(long, value_name = "N")]
    status: Option<u16>,
    /// Wait before each answer
    #[arg(long, default_value_t = 0, value_name = "MS")]
    delay_ms: u64,
    /// Send Retry-After
    #[arg(long, value_name = "SECONDS")]
    retry_after_s: Option<u32>,
    /// Never answer
    #[arg(long)]
    hang: bool,
    /// Close the connection without an answer
    #[arg(long)]
    close: bool,
    /// ServerResponse with so long a body
    #[arg(long, value_name = "BYTES")]
    huge_body_bytes: Option<u64>,
    /// Do this to so many calls of a hundred, by chance
    #[arg(long, value_name = "N")]
    fail_percent: Option<u8>,
    /// Do this to calls of this kind only
    #[arg(long, value_parser = argument::parse_kind)]
    kind: Option<MessageKind>,
    /// Do this to the next so many calls only
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
    /// Runs until a signal says to stop. `listen` is where, when the command line says so.
    pub(crate) async fn run(
        self,
        listen: Option<&str>,
        output: Output,
    ) -> anyhow::Result<ExitCode> {
        let Self::Merchant(merchant) = self;
        let mut signals = Signals::listen()?;
        let listen = listen.unwrap_or(LISTEN);
        let listen: SocketAddr =
            listen.parse().with_context(|| format!("listen must be ADDRESS:PORT, not {listen}"))?;
        let behaviour = merchant.told.behaviour();
        let settings = merchant.settings(listen)?;
        let checks = Checks::of(&settings);
        let running = SimulatedMerchant::start(settings).await?;
        if behaviour != Behaviour::NORMAL {
            running.merchant().behave(&[behaviour])?;
        }
        show(&running, &checks, output);
        signals.wait().await;
        let summary = running.merchant().summary();
        running.stop().await;
        print_note(&ending(&summary));
        Ok(ExitCode::SUCCESS)
    }
}

impl Merchant {
    fn settings(self, listen: SocketAddr) -> anyhow::Result<Settings> {
        let auth = match &self.auth_json {
            Some(file) => auth(argument::read_auth(file)?)?,
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

/// The merchant gives its tokens out itself, so nobody needs to say where they come from.
fn auth(mut value: Value) -> anyhow::Result<Auth<String>> {
    if let Some(fields) = value.as_object_mut() {
        fields.entry("token_url").or_insert_with(|| json!(""));
    }
    serde_json::from_value(value).context("the authentication is not understood")
}

impl Told {
    fn behaviour(&self) -> Behaviour {
        Behaviour {
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

/// What the merchant looks at in a call, in words.
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
    let behaviours = running.merchant().behaviours();
    let shown = json!({ "url": url, "auth": checks.credentials, "behaviours": behaviours });
    output.print(&shown, || {
        let told: Vec<String> = behaviours.iter().map(ToString::to_string).collect();
        let told = if told.is_empty() { "as usual".to_owned() } else { told.join("; ") };
        let Checks { signatures, credentials, order } = checks;
        format!(
            "
  A simulated merchant runs at {url}; open it to see what came.

  Signatures       {signatures}
  Credentials      {credentials}
  Order            {order}
  Behaviour        {told}

  Send it messages (the server needs --allow-network for this address):

    homeward endpoint set acme --url {url}
    homeward endpoint test acme rma

  Let the next three calls fail, and see what came:

    curl -X PUT {url}/sim/behaviour -d '{{\"status\": 503, \"count\": 3}}'
    curl {url}/sim/summary

  Stop with Ctrl-C.
"
        )
    });
}

fn ending(summary: &Summary) -> String {
    format!(
        "{} calls came, {} different messages were accepted, {} promises were broken.",
        summary.calls, summary.accepted_ids, summary.violation_count
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_for_an_endpoint_does_for_the_merchant_too() {
        let file = json!({ "type": "oauth2", "client_id": "a", "client_secret": "b" });
        assert_eq!(auth(file).unwrap().name(), "oauth2");
        assert_eq!(auth(json!({ "type": "none" })).unwrap(), Auth::None);
        assert!(auth(json!({ "type": "magic" })).is_err());
    }
}

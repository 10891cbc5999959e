//! `homeward certify`: checks whether a receiver follows the rules, before it goes live.

pub(super) mod report;

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context;
use delivery::{
    CallSettings, CertifyTarget, HttpClient,
    address::{AddressGuard, NetworkException},
    certify, machine_trust,
};
use domain::{
    identifier::MerchantId,
    messages::{
        certificate::{CertifyRule, CertifyVerdict},
        endpoint::{Auth, Endpoints},
        kind::MessageKind,
    },
};
use indicatif::{ProgressBar, ProgressStyle};
use world::{Secret, World};

use super::argument;
use crate::{config::Config, output::Output};

/// The receiver may run on the same machine while it is developed.
const THIS_MACHINE: [&str; 2] = ["*@127.0.0.0/8:*", "*@::1/128:*"];

const EXAMPLES: &str =
    "Everything that is sent is about things named CERT-..., and exchange orders \
are among it: use a receiver that may place them.
The exit code is 0 if a rule passed and none failed.

Examples:
  homeward certify https://shop.example.com/hooks --secret-file secret.txt
  homeward certify http://127.0.0.1:9000 --secret-file secret.txt --kind rma --html report.html
  homeward certify http://127.0.0.1:9000 --secret-file - --held http://127.0.0.1:9000/held --json";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Certify {
    /// The base address of the receiver
    url: String,
    /// File with the signing secret (whsec_...); - for standard input
    #[arg(long, value_name = "FILE")]
    secret_file: PathBuf,
    /// File with the authentication of the receiver as JSON, as for `endpoint set`
    #[arg(long, value_name = "FILE")]
    auth_json: Option<PathBuf>,
    /// A kind of message that the receiver gets; can be repeated [default: all kinds]
    #[arg(long, value_name = "KIND", value_parser = argument::parse_kind)]
    kind: Vec<MessageKind>,
    /// Where the receiver lists what it holds, as it would send it to POST /reconciliation
    #[arg(long, value_name = "URL")]
    held: Option<String>,
    /// The time limit of a response, in milliseconds
    #[arg(long, value_name = "MS", default_value = "10000",
        value_parser = clap::value_parser!(u64).range(1..=60_000))]
    time_limit_ms: u64,
    /// Write the report as a page to this file, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Certify {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        let target = self.target()?;
        let mut exceptions = config.allow_networks.clone();
        for text in THIS_MACHINE {
            exceptions.push(NetworkException::parse(text).map_err(anyhow::Error::msg)?);
        }
        let settings =
            CallSettings { request_time_max: target.time_max, ..CallSettings::default() };
        let world = World::system();
        let guard = AddressGuard::new(exceptions);
        let client = HttpClient::new(guard, machine_trust(), world.clone(), settings);
        let bar = progress_bar()?;
        let mut progress = |verdict: &CertifyVerdict| {
            bar.set_message(verdict.rule.name());
            bar.inc(1);
        };
        let certificate = certify(&target, &client, &world, &mut progress)
            .await
            .with_context(|| format!("{} cannot be called", self.url))?;
        bar.finish_and_clear();
        if let Some(file) = &self.html {
            std::fs::write(file, report::format_page(&certificate))
                .with_context(|| format!("{} cannot be written", file.display()))?;
        }
        output.print(&certificate, || report::format_text(&certificate));
        Ok(if certificate.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn target(&self) -> anyhow::Result<CertifyTarget> {
        let auth: Auth<Secret> = match &self.auth_json {
            Some(file) => serde_json::from_value::<Auth<String>>(argument::read_auth(file)?)
                .context("the authentication is not as expected")?
                .try_map(|text| Ok::<_, anyhow::Error>(Secret::new(text)))?,
            None => Auth::None,
        };
        let kinds: BTreeSet<MessageKind> = if self.kind.is_empty() {
            MessageKind::to_merchant().collect()
        } else {
            self.kind.iter().copied().filter(|kind| kind.goes_to_merchant()).collect()
        };
        let base_url = Some(self.url.clone());
        Ok(CertifyTarget {
            merchant: MerchantId::platform(),
            endpoints: Endpoints { base_url, auth, ..Endpoints::default() },
            secret: Secret::new(argument::read_first_line(&self.secret_file)?),
            kinds,
            held_url: self.held.clone(),
            time_max: Duration::from_millis(self.time_limit_ms),
        })
    }
}

/// A bar on standard error, if that is a terminal.
fn progress_bar() -> anyhow::Result<ProgressBar> {
    let rules = u64::try_from(CertifyRule::ALL.len())?;
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} rules  {msg}")?;
    Ok(ProgressBar::new(rules).with_style(style))
}

//! `homeward carrier`: the account at a carrier, and parcel events, as a carrier's system would
//! report them.

use std::path::PathBuf;

use anyhow::bail;
use app::{
    carriers::accounts::CarrierAccountView,
    returns::carrier_events::{CarrierResults, EventOutcome},
};
use clap::{Args, Subcommand};
use domain::{
    identifier::MerchantId,
    returns::{carrier::CarrierEventKind, identifier::RmaId},
};
use serde_json::json;

use super::argument;
use crate::{
    config::Config,
    output::Output,
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Carrier {
    /// Report an event of a return's parcel
    Move {
        /// The return, such as RMA-7K3Q-9XWD-2M4T
        #[arg(value_parser = parse_rma)]
        rma: RmaId,
        /// accepted, in_transit, delivered, returned, failure or not_dropped_off
        #[arg(value_parser = parse_event)]
        event: CarrierEventKind,
        /// Only the units of this order line; repeatable
        #[arg(long = "line", value_name = "LINE")]
        lines: Vec<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Set a merchant's account at EasyPost, which buys its labels from then on
    Set(Set),
    /// Show a merchant's account at EasyPost, without its secrets
    Show {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// The merchant, such as acme
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// A file with the API key, or - for standard input
    #[arg(long, value_name = "FILE")]
    easypost_key_file: PathBuf,
    /// A file with the secret that signs webhooks. Without it, no webhook is accepted
    #[arg(long, value_name = "FILE")]
    webhook_secret_file: Option<PathBuf>,
    /// The address of the API [default: EasyPost's own]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The services that may be bought, such as USPS/GroundAdvantage,UPS [default: all]
    #[arg(long, value_name = "SERVICE", value_delimiter = ',')]
    services: Vec<String>,
    /// What a unit weighs if its order line does not say so [default: 500]
    #[arg(long, value_name = "GRAMS")]
    unit_weight_grams: Option<i64>,
    #[command(flatten)]
    remote: Remote,
}

fn parse_rma(text: &str) -> Result<RmaId, String> {
    RmaId::parse(text).ok_or_else(|| "must be like RMA-7K3Q-9XWD-2M4T".to_owned())
}

fn parse_event(text: &str) -> Result<CarrierEventKind, String> {
    let known = CarrierEventKind::parse(text).filter(|it| *it != CarrierEventKind::LabelCreated);
    known.ok_or_else(|| {
        "must be accepted, in_transit, delivered, returned, failure or not_dropped_off".to_owned()
    })
}

impl Carrier {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Move { rma, event, lines, remote } => {
                let parcel = MovedParcel { rma, event, lines };
                parcel.report(config, &remote, output).await
            }
            Self::Set(set) => set.run(config, output).await,
            Self::Show { merchant, remote } => {
                let path = format!("/admin/merchants/{merchant}/carrier");
                let get = async |session: &mut Session| session.get(&path).await;
                let account: CarrierAccountView = Session::run(config, &remote, get).await?;
                output.print(&account, || format_account(&account));
                Ok(())
            }
        }
    }
}

impl Set {
    async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let secret_file = self.webhook_secret_file.as_deref();
        let body = json!({
            "api_key": argument::read_first_line(&self.easypost_key_file)?,
            "webhook_secret": secret_file.map(argument::read_first_line).transpose()?,
            "url": self.url,
            "services": self.services,
            "unit_weight_grams": self.unit_weight_grams,
        });
        let path = format!("/admin/merchants/{}/carrier", self.merchant);
        let put = async |session: &mut Session| session.put(&path, &body).await;
        let account: CarrierAccountView = Session::run(config, &self.remote, put).await?;
        output.print(&account, || format_account(&account));
        Ok(())
    }
}

fn format_account(account: &CarrierAccountView) -> String {
    let CarrierAccountView { merchant, url, services, webhook_path, .. } = account;
    let services = if services.is_empty() { "all".to_owned() } else { services.join(", ") };
    let webhooks = if account.has_webhook_secret {
        format!("accepted at {webhook_path}")
    } else {
        "not accepted: there is no secret".to_owned()
    };
    format!(
        "{merchant} buys labels at {url}.\nServices: {services}. A unit without a weight: {} g.\n\
         Webhooks: {webhooks}.",
        account.unit_weight_grams
    )
}

/// An event to report.
struct MovedParcel {
    rma: RmaId,
    event: CarrierEventKind,
    lines: Vec<String>,
}

impl MovedParcel {
    async fn report(self, config: &Config, remote: &Remote, output: Output) -> anyhow::Result<()> {
        let Self { rma, event, lines } = self;
        let body = json!({ "events": [{
            "type": event.name(), "rma_identifier": rma, "order_line_item_identifiers": lines
        }] });
        let post = async |session: &mut Session| session.post("/carrier_events", &body).await;
        let results: CarrierResults = Session::run(config, remote, post).await?;
        let result = results.results.first();
        let text = match result.map(|it| it.result) {
            Some(EventOutcome::Applied) => format!("{rma} is now {}.", event.name()),
            Some(EventOutcome::Unchanged) => {
                format!("{rma} already had this event or a later one.")
            }
            Some(EventOutcome::Refused) => {
                let why = result.and_then(|it| it.message.clone()).unwrap_or_default();
                bail!("{rma}: {why}")
            }
            Some(EventOutcome::Unknown | EventOutcome::Exception) | None => {
                bail!("there is no return {rma}")
            }
        };
        output.print(&results, || text);
        Ok(())
    }
}

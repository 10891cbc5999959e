//! `homeward carrier`: reports parcel events, as a carrier's system would.

use anyhow::bail;
use app::returns::carrier_events::{CarrierResults, EventOutcome};
use clap::Subcommand;
use domain::returns::{carrier::CarrierEventKind, identifier::RmaId};
use serde_json::json;

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
        let Self::Move { rma, event, lines, remote } = self;
        let body = json!({ "events": [{
            "type": event.name(), "rma_identifier": rma, "order_line_item_identifiers": lines
        }] });
        let post = async |session: &mut Session| session.post("/carrier_events", &body).await;
        let results: CarrierResults = Session::run(config, &remote, post).await?;
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

//! `homeward report`: how things went.

use app::messages::delivery_report::{DeliveryCount, DeliveryReport};
use clap::Subcommand;
use domain::identifier::MerchantId;
use jiff::Timestamp;

use super::argument::{self, Address};
use crate::{
    config::Config,
    output::{Output, table},
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Report {
    /// Attempts to deliver by hour, merchant, kind and status, and how long they took
    Deliveries {
        /// Only this merchant's
        #[arg(long, value_parser = MerchantId::parse)]
        merchant: Option<MerchantId>,
        /// The first hour, such as 2026-02-14T16:00:00Z [default: 24 hours before the end]
        #[arg(long, value_name = "TIME", value_parser = argument::moment)]
        from: Option<Timestamp>,
        /// Up to before this time [default: now]
        #[arg(long, value_name = "TIME", value_parser = argument::moment)]
        to: Option<Timestamp>,
        /// Print comma-separated values
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        #[command(flatten)]
        remote: Remote,
    },
}

impl Report {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let Self::Deliveries { merchant, from, to, csv, remote } = self;
        let mut session = Session::open(config, &remote).await?;
        let address = Address::new("/admin/reports/deliveries")
            .with("merchant", merchant)
            .with("from", from)
            .with("to", to);
        let done = if csv {
            let text = session.text(address.as_str(), "text/csv").await;
            text.map(|text| output.data(&text, || text.trim_end().to_owned()))
        } else {
            let report = session.get::<DeliveryReport>(address.as_str()).await;
            report.map(|report| output.data(&report, || words(&report)))
        };
        session.close().await;
        done
    }
}

fn words(report: &DeliveryReport) -> String {
    if report.rows.is_empty() {
        return "No attempts in this time.".to_owned();
    }
    let row = |count: &DeliveryCount| {
        let no_answer = || "no answer".to_owned();
        let status = Some(count.status).filter(|status| *status != 0);
        vec![
            count.hour.to_string(),
            count.merchant.clone(),
            count.kind.clone(),
            status.map_or_else(no_answer, |status| status.to_string()),
            count.attempts.to_string(),
            format!("{:.1}", count.mean_ms),
            format!("{:.1}", count.p50_ms),
            format!("{:.1}", count.p99_ms),
            format!("{:.1}", count.mean_request_ms),
        ]
    };
    let rows: Vec<_> = report.rows.iter().map(row).collect();
    let heading = [
        "HOUR",
        "MERCHANT",
        "KIND",
        "STATUS",
        "ATTEMPTS",
        "MEAN MS",
        "P50 MS",
        "P99 MS",
        "REQUEST MS",
    ];
    table(&heading, &rows)
}

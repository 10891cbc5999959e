//! `homeward report`: reports on deliveries.

use app::messages::delivery_report::{DeliveryCount, DeliveryReport};
use clap::Subcommand;
use domain::identifier::MerchantId;
use jiff::Timestamp;

use super::argument::{self, PathAndQuery};
use crate::{
    config::Config,
    output::{Output, format_table},
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Report {
    /// Show delivery attempts and their latency by hour, merchant, kind and status, for at most 31
    /// days
    Deliveries {
        /// Only this merchant's
        #[arg(long, value_parser = MerchantId::parse)]
        merchant: Option<MerchantId>,
        /// The first hour, such as 2026-02-14T16:00:00Z [default: 24 hours before the end]
        #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
        from: Option<Timestamp>,
        /// The end, exclusive [default: now]
        #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
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
        let request = PathAndQuery::new("/admin/reports/deliveries")
            .with("merchant", merchant)
            .with("from", from)
            .with("to", to);
        Session::run(config, &remote, async |session| {
            if csv {
                let text = session.get_text(request.as_str(), "text/csv").await?;
                output.print(&text, || text.trim_end().to_owned());
            } else {
                let report = session.get::<DeliveryReport>(request.as_str()).await?;
                output.print(&report, || describe(&report));
            }
            Ok(())
        })
        .await
    }
}

fn describe(report: &DeliveryReport) -> String {
    if report.rows.is_empty() {
        return "No attempts in this period.".to_owned();
    }
    let row = |count: &DeliveryCount| {
        let no_response = || "no response".to_owned();
        let status = Some(count.status).filter(|status| *status != 0);
        vec![
            count.hour.to_string(),
            count.merchant.clone(),
            count.kind.to_string(),
            status.map_or_else(no_response, |status| status.to_string()),
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
    format_table(&heading, &rows)
}

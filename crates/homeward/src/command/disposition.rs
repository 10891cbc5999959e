//! `homeward disposition`: where received units go, and what became of returned goods.

use std::path::PathBuf;

use app::warehouse::{
    disposition::DispositionView,
    disposition_report::{DispositionReport, DispositionRow, format_csv},
};
use clap::Subcommand;
use domain::{identifier::MerchantId, warehouse::disposition::DispositionRule};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{argument::PathAndQuery, policy::read_json};
use crate::{
    output::{Output, format_table},
    session::{Remote, RemoteCommand, Session},
};

const SET_EXAMPLES: &str = "Examples:
  homeward disposition set acme rules.json
  homeward disposition set acme rules.json --warehouse 31
  echo '{\"rules\": [{\"conditions\": [\"B\"], \"channel\": \"OUTLET\"}]}' | homeward disposition set acme -";

#[derive(Debug, Subcommand)]
pub(crate) enum Disposition {
    /// Show the rules of a merchant
    Show {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Replace the rules of a merchant for all warehouses, or for one
    ///
    /// The first rule that matches a unit proposes its channel. A table without rules is removed.
    #[command(after_help = SET_EXAMPLES)]
    Set {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The rules as JSON: a file, or - for standard input
        file: PathBuf,
        /// The warehouse that the rules are for
        #[arg(long)]
        warehouse: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Report what became of returned goods, by channel and weight
    Report {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The first day, such as 2026-02-01 [default: 30 days are reported]
        #[arg(long, value_name = "DAY")]
        from: Option<Date>,
        /// The last day [default: today]
        #[arg(long, value_name = "DAY")]
        to: Option<Date>,
        /// Print comma-separated values
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Serialize, Deserialize)]
struct Dispositions {
    dispositions: Vec<DispositionView>,
}

impl RemoteCommand for Disposition {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Show { remote, .. } | Self::Set { remote, .. } | Self::Report { remote, .. } => {
                remote
            }
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Show { merchant, .. } => {
                let path = format!("/admin/merchants/{merchant}/disposition");
                let found: Dispositions = session.get(&path).await?;
                output.print(&found, || describe_tables(&found));
            }
            Self::Set { merchant, file, warehouse, .. } => {
                let path = format!("/admin/merchants/{merchant}/disposition");
                let path = PathAndQuery::new(&path).with("warehouse", warehouse);
                let set: DispositionView = session.put(path.as_str(), &read_json(&file)?).await?;
                output.print(&set, || describe_table(&set));
            }
            Self::Report { merchant, from, to, csv, .. } => {
                let path = format!("/admin/merchants/{merchant}/disposition/report");
                let path = PathAndQuery::new(&path).with("from", from).with("to", to);
                let report: DispositionReport = session.get(path.as_str()).await?;
                if csv {
                    output.print(&report, || format_csv(&report).trim_end().to_owned());
                } else {
                    output.print(&report, || describe_report(&report));
                }
            }
        }
        Ok(())
    }
}

fn describe_tables(found: &Dispositions) -> String {
    if found.dispositions.is_empty() {
        return "There are no rules: units go to RTS, broken ones to DAMAGED.".to_owned();
    }
    let tables: Vec<String> = found.dispositions.iter().map(describe_table).collect();
    tables.join("\n\n")
}

fn describe_table(view: &DispositionView) -> String {
    let place = match &view.warehouse_identifier {
        Some(warehouse) => format!("Warehouse {warehouse}"),
        None => "All warehouses".to_owned(),
    };
    let row = |(number, rule): (usize, &DispositionRule)| {
        let conditions: Vec<&str> = rule.conditions.iter().map(|it| it.name()).collect();
        let cents = |cents: Option<i64>| cents.map(|it| it.to_string()).unwrap_or_default();
        vec![
            (number + 1).to_string(),
            conditions.join(" "),
            rule.skus.join(" "),
            rule.tags.join(", "),
            rule.reasons.join(", "),
            cents(rule.value_min_cents),
            cents(rule.value_max_cents),
            rule.channel.clone(),
        ]
    };
    let rows: Vec<_> = view.table.rules.iter().enumerate().map(row).collect();
    let columns = ["RULE", "CONDITIONS", "SKUS", "TAGS", "REASONS", "MIN", "MAX", "CHANNEL"];
    format!("{place}:\n{}", format_table(&columns, &rows))
}

fn describe_report(report: &DispositionReport) -> String {
    let row = |row: &DispositionRow| {
        vec![
            row.channel.clone(),
            row.condition.clone(),
            row.outcome.clone(),
            row.units.to_string(),
            row.weight.clone(),
            row.weighed_units.to_string(),
        ]
    };
    let rows: Vec<_> = report.goods.iter().map(row).collect();
    let columns = ["CHANNEL", "CONDITION", "OUTCOME", "UNITS", "WEIGHT", "OF UNITS"];
    format!("{} to {}:\n{}", report.from, report.to, format_table(&columns, &rows))
}

//! `homeward reconcile`: compares what a merchant holds with what was sent to it.
//!
//! The file is read once and sorted, and sent in parts that the server accepts. What differs is
//! printed as it arrives.

use std::{
    fs::File,
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use app::messages::reconciliation::{ReconciliationEnd, ReconciliationSummary};
use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::reconciliation::{ENTRIES_MAX, EntryReader, HeldEntry, HeldState},
};
use hyper::Method;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde_json::json;

use super::argument::PathAndQuery;
use crate::{
    config::Config,
    output::{Output, print_note},
    session::{Remote, Session},
};

const EXAMPLES: &str = "The file has a JSON object on each line:
  {\"kind\": \"rma\", \"reference\": \"RMA-7K3Q-9XWD-2M4T\", \"sequence\": 3}

Each line of the output is something that differs: missing, older, newer or unknown.
With --json, the last line has the numbers of each.
The exit code is 0 if nothing differs.

Examples:
  homeward reconcile acme held.ndjson
  homeward reconcile acme held.ndjson > differences.ndjson";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reconcile {
    /// The merchant that holds what the file lists
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// What the merchant holds, one JSON object per line or a list; - for standard input
    file: PathBuf,
    #[command(flatten)]
    remote: Remote,
}

impl Reconcile {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        Session::run(config, &self.remote, async |session| self.compare(session, output).await)
            .await
    }

    async fn compare(&self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let entries = read_entries(&self.file)?;
        let style = "{wide_bar} {percent}%  {msg}  {eta} to go";
        let bar = ProgressBar::new(u64::try_from(entries.len())?)
            .with_style(ProgressStyle::with_template(style)?);
        let mut total = ReconciliationSummary::default();
        let mut lines = BufWriter::new(std::io::stdout());
        let parts = entries.chunks(ENTRIES_MAX).count().max(1);
        for part in 0..parts {
            let chunk = entries.chunks(ENTRIES_MAX).nth(part).unwrap_or_default();
            let is_last = part + 1 == parts;
            let path = self.path_after(&total, is_last);
            let summary = compare_part(session, path.as_str(), chunk, &mut lines).await?;
            add(&mut total, summary);
            bar.inc(u64::try_from(chunk.len())?);
            bar.set_message(format!("{} differ", HumanCount(differing(&total))));
        }
        bar.finish_and_clear();
        let differs = differing(&total) > 0;
        if output.json {
            // On one line, like everything before it.
            serde_json::to_writer(&mut lines, &ReconciliationEnd { summary: total })?;
            lines.write_all(b"\n")?;
        } else {
            print_note(&describe(&total));
        }
        lines.flush()?;
        Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Where entries are sent that follow those that were compared before.
    fn path_after(&self, before: &ReconciliationSummary, is_last: bool) -> PathAndQuery {
        PathAndQuery::new(&format!("/admin/merchants/{}/reconciliation", self.merchant))
            .with("after", before.next.as_deref())
            .with("more", Some(!is_last))
    }
}

/// Compares some entries and writes what differs.
async fn compare_part(
    session: &mut Session,
    path: &str,
    entries: &[HeldEntry],
    lines: &mut impl Write,
) -> anyhow::Result<ReconciliationSummary> {
    let (kind, body) = ("application/x-ndjson", format_entries(entries));
    let response = session.send_bytes(Method::POST, path, kind, body).await?;
    ensure!(response.status.is_success(), "{}", response.message());
    for line in response.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if let Ok(end) = serde_json::from_slice::<ReconciliationEnd>(line) {
            return Ok(end.summary);
        }
        lines.write_all(line)?;
        lines.write_all(b"\n")?;
    }
    bail!("the response of the server is not complete")
}

fn read_entries(file: &Path) -> anyhow::Result<Vec<HeldEntry>> {
    let mut source: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("{} cannot be read", file.display()))?)
    };
    let mut reader = EntryReader::new(usize::MAX);
    let mut buffer = vec![0; 1 << 16];
    let refused = |faults: domain::faults::Faults| anyhow::anyhow!("{}", faults.summary());
    loop {
        let count = source.read(&mut buffer)?;
        let Some(piece) = buffer.get(..count).filter(|piece| !piece.is_empty()) else { break };
        reader.push(piece).map_err(refused)?;
    }
    reader.finish().map_err(refused)
}

fn format_entries(entries: &[HeldEntry]) -> Bytes {
    let mut body = Vec::new();
    for HeldEntry { kind, reference, state } in entries {
        let line = match state {
            HeldState::Sequence(sequence) => {
                json!({ "kind": kind, "reference": reference, "sequence": sequence })
            }
            HeldState::Hash(hash) => {
                let digits: Vec<String> = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                json!({ "kind": kind, "reference": reference, "hash": digits.concat() })
            }
        };
        body.extend_from_slice(line.to_string().as_bytes());
        body.push(b'\n');
    }
    Bytes::from(body)
}

fn add(total: &mut ReconciliationSummary, part: ReconciliationSummary) {
    total.equal += part.equal;
    total.missing += part.missing;
    total.older += part.older;
    total.newer += part.newer;
    total.unknown += part.unknown;
    total.next = part.next;
}

fn differing(total: &ReconciliationSummary) -> u64 {
    total.missing + total.older + total.newer + total.unknown
}

fn describe(total: &ReconciliationSummary) -> String {
    let ReconciliationSummary { equal, missing, older, newer, unknown, .. } = *total;
    format!(
        "{} equal, {} missing, {} older, {} newer, {} unknown",
        HumanCount(equal),
        HumanCount(missing),
        HumanCount(older),
        HumanCount(newer),
        HumanCount(unknown)
    )
}

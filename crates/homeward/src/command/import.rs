//! `homeward import`: imports a merchant's order history.
//!
//! The file is read as a stream and sent in chunks. After each chunk a journal beside the file
//! records the progress, so that the same command continues after an interruption. A chunk that is
//! sent again changes nothing, because the server has the orders already. Rejected orders are
//! written to a separate file, with their errors.

mod journal;
mod source;

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use app::orders::import_orders::ImportResult;
use domain::identifier::MerchantId;
use flate2::bufread::MultiGzDecoder;
use hyper::{Method, StatusCode};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use omit_none::omit_none;
use serde::Serialize;

use crate::{
    config::Config,
    output::{Output, format_count, print_note},
    session::{Remote, Session},
};
use journal::{ImportTotals, Journal};
use source::{OrderReader, OrderText};

const CHUNK_ORDERS: usize = 500;
const CHUNK_BYTES: usize = 4 << 20;
/// How often a chunk is sent before the command gives up, and the first pause between attempts.
const ATTEMPTS_MAX: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// The merchant that the orders belong to
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// NDJSON (one order per line) or a message envelope, plain or gzip; - for standard input
    file: PathBuf,
    /// File for rejected orders and their errors [default: FILE.rejected.ndjson]
    #[arg(long, value_name = "FILE")]
    rejected: Option<PathBuf>,
    /// Start over even if an earlier import of this file was interrupted
    #[arg(long)]
    restart: bool,
    #[command(flatten)]
    remote: Remote,
}

#[omit_none]
#[derive(Serialize)]
struct ImportSummary<'a> {
    merchant: &'a str,
    #[serde(flatten)]
    totals: &'a ImportTotals,
    rejected_file: Option<&'a Path>,
    seconds: f64,
    /// Orders of this run, without those of the run that it continues.
    orders_per_second: f64,
}

/// Why an import stopped before the end.
enum ImportStop {
    /// The orders cannot be read.
    Input(anyhow::Error),
    /// The server has not accepted a chunk, or its result could not be recorded.
    Sending(anyhow::Error),
}

impl ImportStop {
    /// The error, with what was done and what to do.
    fn explain(self, journal: &Journal) -> anyhow::Error {
        let advice = match &self {
            Self::Input(_) => {
                "correct the input and run the command again; it changes nothing \
                               in orders that are imported already"
            }
            Self::Sending(_) if journal.can_continue() => "run the same command to continue",
            // Standard input begins where the last command stopped reading, or not at all.
            Self::Sending(_) => {
                "run the command again with the whole input; it changes nothing \
                                 in orders that are imported already"
            }
        };
        let (Self::Input(cause) | Self::Sending(cause)) = self;
        match journal.totals.read {
            0 => cause.context("no order was imported"),
            done => {
                cause.context(format!("stopped after {}; {advice}", format_count(done, "order")))
            }
        }
    }
}

/// Orders to send in one request.
#[derive(Default)]
struct Chunk {
    orders: Vec<OrderText>,
    bytes: usize,
}

impl Chunk {
    fn has_room_for(&self, order: &OrderText) -> bool {
        self.orders.is_empty()
            || (self.orders.len() < CHUNK_ORDERS && self.bytes + order.bytes.len() <= CHUNK_BYTES)
    }
}

impl Import {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        Session::run(config, &self.remote, async |session| self.import(session, output).await).await
    }

    async fn import(&self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let bar = progress_bar(&self.file)?;
        let mut orders = OrderReader::new(open(&self.file, &bar)?)?;
        let mut journal = Journal::open(&self.file, self.merchant.as_str(), self.rejected.clone())?;
        if self.restart {
            journal.restart()?;
        }
        let resumed = journal.totals.read;
        if resumed > 0 {
            print_note(&format!("Continuing after {}.", format_count(resumed, "order")));
            orders.skip(resumed)?;
        }
        let copied = self.copy(session, &mut orders, &mut journal, &bar).await;
        bar.finish_and_clear();
        copied.map_err(|stop| stop.explain(&journal))?;
        journal.finish()?;

        let totals = &journal.totals;
        let seconds = started.elapsed().as_secs_f64();
        let rejected_file = (totals.rejected > 0).then_some(journal.rejected_file.as_path());
        #[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "a rate for people")]
        let orders_per_second = ((totals.read - resumed) as f64 / seconds).round();
        let merchant = self.merchant.as_str();
        let summary = ImportSummary { merchant, totals, rejected_file, seconds, orders_per_second };
        output.print(&summary, || describe(&summary));
        Ok(if totals.rejected == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn copy(
        &self,
        session: &mut Session,
        orders: &mut OrderReader,
        journal: &mut Journal,
        bar: &ProgressBar,
    ) -> Result<(), ImportStop> {
        let started = Instant::now();
        let before = journal.totals.read;
        let mut chunk = Chunk::default();
        while let Some(order) = orders.next().map_err(ImportStop::Input)? {
            // A long order must not make the body so long that the server refuses it.
            if !chunk.has_room_for(&order) {
                self.flush(session, &mut chunk, journal).await.map_err(ImportStop::Sending)?;
                bar.set_message(format_rate(
                    journal.totals.read - before,
                    journal.totals.read,
                    started,
                ));
            }
            chunk.bytes += order.bytes.len();
            chunk.orders.push(order);
        }
        self.flush(session, &mut chunk, journal).await.map_err(ImportStop::Sending)
    }

    /// Sends the orders of the chunk and records the result.
    async fn flush(
        &self,
        session: &mut Session,
        chunk: &mut Chunk,
        journal: &mut Journal,
    ) -> anyhow::Result<()> {
        let full = std::mem::take(chunk);
        if full.orders.is_empty() {
            return Ok(());
        }
        let imported = self.send(session, &full).await?;
        journal.record(&full.orders, &imported)
    }

    /// Sends a chunk. Waits and retries when the server is busy or unreachable for a moment.
    async fn send(&self, session: &mut Session, chunk: &Chunk) -> anyhow::Result<ImportResult> {
        let lines: Vec<&[u8]> = chunk.orders.iter().map(|order| order.bytes.as_slice()).collect();
        let body = bytes::Bytes::from(lines.join(&b'\n'));
        let path = format!("/admin/merchants/{}/orders/import", self.merchant);
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            let sent =
                session.send_bytes(Method::POST, &path, "application/x-ndjson", body.clone()).await;
            let wait = match &sent {
                Ok(response) if response.status == StatusCode::TOO_MANY_REQUESTS => {
                    response.retry_after.unwrap_or(pause)
                }
                Ok(response) if response.status.is_server_error() && attempt < ATTEMPTS_MAX => {
                    pause
                }
                Err(_) if attempt < ATTEMPTS_MAX => pause,
                Ok(_) | Err(_) => return sent?.json(),
            };
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        bail!("the server was busy for too long")
    }
}

fn format_rate(read_now: u64, read_total: u64, started: Instant) -> String {
    let seconds = started.elapsed().as_secs().max(1);
    format!("{}, {}/s", format_count(read_total, "order"), HumanCount(read_now / seconds))
}

fn describe(summary: &ImportSummary<'_>) -> String {
    let ImportTotals { read, created, updated, unchanged, stale, rejected, warnings } =
        summary.totals;
    let rejects = match summary.rejected_file {
        Some(file) => format!("\n{rejected} rejected: see {}", file.display()),
        None => String::new(),
    };
    format!(
        "{} read for {} in {:.1} s ({} per second)\n\
         {created} created, {updated} updated, {unchanged} unchanged, {stale} stale, \
         {}{rejects}",
        format_count(*read, "order"),
        summary.merchant,
        summary.seconds,
        summary.orders_per_second,
        format_count(*warnings, "warning"),
    )
}

/// A progress bar over the bytes of the file on the disk.
fn progress_bar(file: &Path) -> anyhow::Result<ProgressBar> {
    let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let style = "{wide_bar} {percent}%  {msg}  {eta} to go";
    Ok(ProgressBar::new(size).with_style(ProgressStyle::with_template(style)?))
}

/// Opens the file, and decompresses it if it is gzip.
fn open(file: &Path, bar: &ProgressBar) -> anyhow::Result<Box<dyn BufRead>> {
    let raw: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("{} cannot be read", file.display()))?)
    };
    let mut raw = BufReader::with_capacity(1 << 20, bar.wrap_read(raw));
    let packed = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    if packed {
        return Ok(Box::new(BufReader::with_capacity(1 << 20, MultiGzDecoder::new(raw))));
    }
    Ok(Box::new(raw))
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    /// What is said about an import of `file` that stopped after `read` orders.
    fn explain(file: &Path, read: u64, stop: fn(anyhow::Error) -> ImportStop) -> String {
        let mut journal = Journal::open(file, "acme", None).unwrap();
        journal.totals.read = read;
        format!("{:#}", stop(anyhow!("the cause")).explain(&journal))
    }

    #[test]
    fn continuing_is_advised_only_where_it_works() {
        let (file, pipe) = (Path::new(file!()), Path::new("-"));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let continues = "stopped after 500 orders; run the same command to continue: the cause";
        assert_eq!(explain(&file, 500, ImportStop::Sending), continues);
        let text = explain(pipe, 500, ImportStop::Sending);
        assert!(text.starts_with("stopped after 500 orders; run the command again with"), "{text}");
        let text = explain(&file, 1, ImportStop::Input);
        assert!(text.starts_with("stopped after 1 order; correct the input and run"), "{text}");
        assert_eq!(explain(&file, 0, ImportStop::Sending), "no order was imported: the cause");
    }
}

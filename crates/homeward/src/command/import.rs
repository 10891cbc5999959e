//! `homeward import`: brings in a merchant's order history.
//!
//! The file is read as a stream and sent in chunks. After each chunk a journal
//! beside the file says how far the import got, so that the same command goes on after an
//! interruption. A chunk that is sent again changes nothing, because the server knows
//! the orders already. What is rejected goes to a file of its own, with its errors.

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
use app::orders::import_orders::Imported;
use domain::identifier::MerchantId;
use flate2::bufread::MultiGzDecoder;
use hyper::{Method, StatusCode};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{
    config::Config,
    output::{Output, note},
    session::{Remote, Session},
};
use journal::{Journal, Totals};
use source::{Found, Orders};

const CHUNK_ORDERS: usize = 500;
const CHUNK_BYTES: usize = 4 << 20;
/// How often a chunk is sent before the command gives up, and the first pause between.
const TRIES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// Whose orders they are
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// NDJSON (one order a line) or a message envelope, plain or gzip; - for standard input
    file: PathBuf,
    /// Where rejected orders go with their errors [default: FILE.rejected.ndjson]
    #[arg(long, value_name = "FILE")]
    rejected: Option<PathBuf>,
    /// Begin anew even if an earlier import of this file was interrupted
    #[arg(long)]
    restart: bool,
    #[command(flatten)]
    remote: Remote,
}

#[derive(Serialize)]
struct Summary<'a> {
    merchant: &'a str,
    #[serde(flatten)]
    totals: &'a Totals,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected_file: Option<&'a Path>,
    seconds: f64,
    /// Orders of this run, without those of the run it resumed.
    orders_per_second: f64,
}

/// Orders on their way to the server.
#[derive(Default)]
struct Chunk {
    orders: Vec<Found>,
    bytes: usize,
}

impl Chunk {
    fn has_room_for(&self, found: &Found) -> bool {
        self.orders.is_empty()
            || (self.orders.len() < CHUNK_ORDERS && self.bytes + found.bytes.len() <= CHUNK_BYTES)
    }
}

impl Import {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        let mut session = Session::open(config, &self.remote).await?;
        let done = self.import(&mut session, output).await;
        session.close().await;
        done
    }

    async fn import(&self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let bar = progress_bar(&self.file)?;
        let mut orders = Orders::new(open(&self.file, &bar)?)?;
        let mut journal = Journal::open(&self.file, self.merchant.as_str(), self.rejected.clone())?;
        if self.restart {
            journal.restart()?;
        }
        let resumed = journal.totals.read;
        if resumed > 0 {
            note(&format!("Going on after {} orders.", HumanCount(resumed)));
            orders.skip(resumed)?;
        }
        let copied = self.copy(session, &mut orders, &mut journal, &bar).await;
        bar.finish_and_clear();
        copied.with_context(|| {
            let done = HumanCount(journal.totals.read);
            format!("stopped after {done} orders; the same command goes on from there")
        })?;
        journal.finish()?;

        let totals = &journal.totals;
        let seconds = started.elapsed().as_secs_f64();
        let rejected_file = (totals.rejected > 0).then_some(journal.rejected_file.as_path());
        #[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "a rate for people")]
        let orders_per_second = ((totals.read - resumed) as f64 / seconds).round();
        let merchant = self.merchant.as_str();
        let summary = Summary { merchant, totals, rejected_file, seconds, orders_per_second };
        output.data(&summary, || words(&summary));
        Ok(if totals.rejected == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn copy(
        &self,
        session: &mut Session,
        orders: &mut Orders,
        journal: &mut Journal,
        bar: &ProgressBar,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        let before = journal.totals.read;
        let mut chunk = Chunk::default();
        while let Some(found) = orders.next()? {
            // A long order must not make a body that the server refuses.
            if !chunk.has_room_for(&found) {
                self.pass_on(session, &mut chunk, journal).await?;
                bar.set_message(rate(journal.totals.read, before, begun));
            }
            chunk.bytes += found.bytes.len();
            chunk.orders.push(found);
        }
        self.pass_on(session, &mut chunk, journal).await
    }

    /// Sends what the chunk holds and notes what became of it.
    async fn pass_on(
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

    /// Sends a chunk; waits and sends it again when the server is busy or away for a moment.
    async fn send(&self, session: &mut Session, chunk: &Chunk) -> anyhow::Result<Imported> {
        let lines: Vec<&[u8]> = chunk.orders.iter().map(|order| order.bytes.as_slice()).collect();
        let body = bytes::Bytes::from(lines.join(&b'\n'));
        let path = format!("/admin/merchants/{}/orders/import", self.merchant);
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            let sent =
                session.send_bytes(Method::POST, &path, "application/x-ndjson", body.clone()).await;
            let wait = match &sent {
                Ok(answer) if answer.status == StatusCode::TOO_MANY_REQUESTS => {
                    answer.retry_after.unwrap_or(pause)
                }
                Ok(answer) if answer.status.is_server_error() && attempt < TRIES => pause,
                Err(_) if attempt < TRIES => pause,
                Ok(_) | Err(_) => return sent?.json(),
            };
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        bail!("the server was busy for too long")
    }
}

fn rate(read: u64, before: u64, begun: Instant) -> String {
    let seconds = begun.elapsed().as_secs().max(1);
    format!("{} orders, {}/s", HumanCount(read), HumanCount((read - before) / seconds))
}

fn words(summary: &Summary<'_>) -> String {
    let Totals { read, created, updated, unchanged, stale, rejected, warnings } = summary.totals;
    let rejects = match summary.rejected_file {
        Some(file) => format!("\n{rejected} rejected: see {}", file.display()),
        None => String::new(),
    };
    format!(
        "{} orders read for {} in {:.1} s ({} a second)\n\
         {created} created, {updated} updated, {unchanged} unchanged, {stale} stale, \
         {warnings} warnings{rejects}",
        HumanCount(*read),
        summary.merchant,
        summary.seconds,
        summary.orders_per_second,
    )
}

/// A bar over the bytes of the file, as it lies on the disk.
fn progress_bar(file: &Path) -> anyhow::Result<ProgressBar> {
    let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let style = "{wide_bar} {percent}%  {msg}  {eta} to go";
    Ok(ProgressBar::new(size).with_style(ProgressStyle::with_template(style)?))
}

/// The bytes of the file, unpacked when they are gzip.
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

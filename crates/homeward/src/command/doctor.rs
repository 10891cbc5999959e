//! `homeward doctor`: checks an installation and says what is wrong, and what to do. It creates
//! and changes nothing.

mod deep;

use std::{
    io::Write,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use app::{messages::failure_queue::FailurePage, money::check::BooksFault};
use prometheus_client::registry::Registry;
use serde::Serialize;
use serde_json::Value;
use server::guard::tls::ReloadingCertificate;
use store::{DirectoryLock, Location, LockError, Store, StoreMetrics};

use crate::{
    config::Config,
    directory::{Directory, is_readable_by_others},
    keys::KeyFile,
    output::Output,
    session::{Remote, Session},
};

const SYNCS: u32 = 20;
/// Slower than this, every request that changes something is slow.
const SYNC_SLOW: Duration = Duration::from_millis(20);
/// For one check that asks the server or the database.
const CHECK_TIME_MAX: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "Examples:
  homeward doctor
  homeward doctor --deep --json | jq '.[] | select(.ok | not)'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Also compare every return with its journal, and every event with what it posted
    #[arg(long)]
    deep: bool,
}

impl Doctor {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<ExitCode> {
        examine(config, output, self.deep).await
    }
}

#[derive(Serialize)]
struct Finding {
    check: &'static str,
    ok: bool,
    detail: String,
    /// The return, if it is about one.
    #[serde(flatten)]
    fault: Option<BooksFault>,
}

async fn examine(config: &Config, output: Output, deep: bool) -> anyhow::Result<ExitCode> {
    let mut findings = vec![
        finding("data directory", check_directory(config)),
        finding("certificate", check_certificate(config)),
    ];
    if is_installed(config) {
        findings.push(finding("secret files", check_secret_files(config)));
        findings.push(finding("disk", check_disk(&config.data_dir)));
        findings.push(finding("server", check_server(config)));
        findings.extend(check_data(config).await);
        if deep {
            findings.extend(deep::check(config).await);
        }
    }
    let healthy = findings.iter().all(|finding| finding.ok);
    output.print(&findings, || {
        let line = |finding: &Finding| {
            let mark = if finding.ok { "ok     " } else { "PROBLEM" };
            format!("{mark}  {:14}  {}", finding.check, finding.detail)
        };
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn finding(check: &'static str, outcome: anyhow::Result<String>) -> Finding {
    match outcome {
        Ok(detail) => Finding { check, ok: true, detail, fault: None },
        Err(error) => Finding { check, ok: false, detail: format!("{error:#}"), fault: None },
    }
}

fn check_directory(config: &Config) -> anyhow::Result<String> {
    let path = config.data_dir.display();
    anyhow::ensure!(config.data_dir.is_dir(), "{path} does not exist; homeward serve creates it");
    std::fs::read_dir(&config.data_dir).with_context(|| {
        format!("{path} cannot be read by this user: run the command as the user of the server")
    })?;
    anyhow::ensure!(
        is_installed(config),
        "{path} contains no installation; homeward serve creates it"
    );
    anyhow::ensure!(
        !is_readable_by_others(&config.data_dir)?,
        "other users can read {path}: run chmod 700 {path}"
    );
    Ok(format!("{path} exists, and only its owner can read it"))
}

/// Whether a server or a command has used the directory before.
fn is_installed(config: &Config) -> bool {
    config.data_dir.join("admin.json").exists()
}

fn check_secret_files(config: &Config) -> anyhow::Result<String> {
    let directory = Directory::open(&config.data_dir)?;
    for path in [config.secret_key_file.clone(), directory.admin_file()] {
        let shown = path.display();
        if path.exists() {
            anyhow::ensure!(
                !is_readable_by_others(&path)?,
                "other users can read {shown}: run chmod 600 {shown}"
            );
        }
    }
    Ok("only their owner can read them".to_owned())
}

/// Measures how long the disk takes to make a little data durable.
fn check_disk(data_dir: &Path) -> anyhow::Result<String> {
    let path = data_dir.join("doctor.partial");
    let mut times = Vec::new();
    let measure = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(&path)?;
        for _ in 0..SYNCS {
            let started = Instant::now();
            file.write_all(&[0; 4096])?;
            file.sync_data()?;
            times.push(started.elapsed());
        }
        Ok(())
    };
    let measured = {
        let mut measure = measure;
        measure()
    };
    let _ = std::fs::remove_file(&path);
    measured.with_context(|| format!("{} cannot be written to", data_dir.display()))?;
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let milliseconds = median.as_secs_f64() * 1000.0;
    anyhow::ensure!(median < SYNC_SLOW, "a sync takes {milliseconds:.1} ms: use a faster disk");
    Ok(format!("a sync takes {milliseconds:.2} ms"))
}

fn check_certificate(config: &Config) -> anyhow::Result<String> {
    let Some(tls) = &config.tls else {
        return Ok("none: plain HTTP on loopback or behind a proxy".to_owned());
    };
    ReloadingCertificate::load(tls)?;
    Ok(format!("{} matches its key", tls.cert.display()))
}

fn check_server(config: &Config) -> anyhow::Result<String> {
    match DirectoryLock::take(&config.data_dir) {
        Ok(_) => Ok("not running; start it with homeward serve".to_owned()),
        Err(LockError::InUse { holder, .. }) => {
            let server = Directory::open(&config.data_dir)?.read_server()?;
            let server = server.context("a process holds the directory but has no address")?;
            Ok(format!("process {holder} listens on {}", server.address))
        }
        Err(error @ LockError::Io { .. }) => Err(error.into()),
    }
}

/// Asks the server, or looks at the store if none runs.
async fn check_data(config: &Config) -> Vec<Finding> {
    if let Ok(_lock) = DirectoryLock::take(&config.data_dir) {
        let opened = in_time("the database", open_store(config)).await;
        return vec![finding("store", opened)];
    }
    let server = "the server";
    let mut session = match in_time(server, Session::open(config, &Remote::none())).await {
        Ok(session) => session,
        Err(error) => return vec![finding("store", Err(error))],
    };
    let findings = vec![
        finding("store", in_time(server, check_store(&mut session)).await),
        finding("deliveries", in_time(server, check_deliveries(&mut session)).await),
    ];
    session.close().await;
    findings
}

/// Gives up on a check that takes too long: `other` then hangs, or is as good as hanging.
async fn in_time<T>(
    other: &str,
    check: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let checked = tokio::time::timeout(CHECK_TIME_MAX, check).await;
    checked.unwrap_or_else(|_| {
        let seconds = CHECK_TIME_MAX.as_secs();
        bail!("{other} did not respond within {seconds} s: its log may say why")
    })
}

/// Opens the store without migrating it.
async fn open_store(config: &Config) -> anyhow::Result<String> {
    ensure_exists(&config.secret_key_file)?;
    KeyFile::new(config.secret_key_file.clone()).read()?;
    if let Location::Sqlite(file) = &config.location {
        ensure_exists(file)?;
    }
    let metrics = StoreMetrics::register(&mut Registry::default());
    let store = Store::open(&config.location, &metrics).await?;
    let version = store.schema_version().await;
    let name = store.engine_name();
    store.close().await;
    Ok(format!("{name} responds, schema version {}", version?))
}

fn ensure_exists(path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(path.exists(), "{} is missing", path.display());
    Ok(())
}

async fn check_store(session: &mut Session) -> anyhow::Result<String> {
    let status: Value = session.get("/admin/status").await?;
    let name = status.get("store").and_then(Value::as_str).unwrap_or_default();
    let version = status.get("schema_version").and_then(Value::as_i64).unwrap_or_default();
    Ok(format!("{name} responds, schema version {version}"))
}

/// Whether messages wait for an operator. That is worth a line, but is not a problem of the
/// installation.
async fn check_deliveries(session: &mut Session) -> anyhow::Result<String> {
    let failures: FailurePage = session.get("/admin/failures?limit=1").await?;
    Ok(if failures.failures.is_empty() {
        "the failure queue is empty".to_owned()
    } else {
        "the failure queue has messages: see homeward failures list".to_owned()
    })
}

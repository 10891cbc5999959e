//! The real binary, started as an operator would start it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;

use crate::{
    http::{Connection, post_head},
    report,
    storage::Storage,
};

/// The merchant of all benchmarks.
pub(crate) const MERCHANT: &str = "bench";

const START_ATTEMPTS_MAX: u32 = 200;
const START_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The binary in `HOMEWARD_BIN`, or the release build of this workspace, which is built first.
pub(crate) fn build_binary() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os("HOMEWARD_BIN") {
        return Ok(path.into());
    }
    report::print_note("Building homeward.");
    let this = std::env::current_exe().context("the path of this program is unknown")?;
    let target = this.ancestors().nth(2).context("this program is not in a target directory")?;
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--package", "homeward", "--target-dir"])
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .context("cargo cannot be run; set HOMEWARD_BIN to a binary")?;
    if !built.success() {
        bail!("building homeward failed");
    }
    Ok(target.join("release").join("homeward"))
}

/// A command of the binary on the data of `storage`, without settings from the environment.
fn new_command(binary: &Path, storage: &Storage) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HOMEWARD_") {
            command.env_remove(name);
        }
    }
    command.arg("--data-dir").arg(storage.directory()).args(["--store", storage.store()]);
    command
}

/// Creates the product's schema in `storage`.
pub(crate) fn migrate(binary: &Path, storage: &Storage) -> anyhow::Result<()> {
    run_to_end(new_command(binary, storage).arg("migrate")).map(|_| ())
}

/// Runs a command of the binary, which must succeed.
pub(crate) fn run_command(
    binary: &Path,
    storage: &Storage,
    arguments: &[&str],
) -> anyhow::Result<()> {
    run_to_end(new_command(binary, storage).args(arguments)).map(|_| ())
}

/// Runs a command of the binary on a file, whatever its exit code says about the content. Returns
/// what it printed.
pub(crate) fn run_for_output(
    binary: &Path,
    storage: &Storage,
    arguments: &[&str],
    file: &Path,
) -> anyhow::Result<Vec<u8>> {
    let file = file.canonicalize()?;
    let mut command = new_command(binary, storage);
    let done = command.args(arguments).arg(file).output().context("homeward cannot be run")?;
    if done.stdout.is_empty() {
        bail!("{}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(done.stdout)
}

/// Adds the merchant. Returns its credentials.
pub(crate) fn add_merchant(binary: &Path, storage: &Storage) -> anyhow::Result<Credentials> {
    let arguments = ["--json", "merchant", "add", MERCHANT, "--name", "Benchmark"];
    let printed = add(binary, storage, &arguments)?;
    parse(&printed)
}

/// Adds the warehouse. Returns its credentials.
pub(crate) fn add_warehouse(binary: &Path, storage: &Storage) -> anyhow::Result<Credentials> {
    let arguments = ["--json", "client", "add", "--name", "dock", "--scope", "warehouse:write"];
    let printed = add(binary, storage, &arguments)?;
    parse(&printed)
}

/// Adds a client that may add merchants. Returns its credentials.
pub(crate) fn add_admin(binary: &Path, storage: &Storage) -> anyhow::Result<Credentials> {
    let arguments = ["--json", "client", "add", "--name", "setup", "--scope", "admin"];
    let printed = add(binary, storage, &arguments)?;
    parse(&printed)
}

/// Adds an operator. Returns the password.
pub(crate) fn add_operator(binary: &Path, storage: &Storage, name: &str) -> anyhow::Result<String> {
    #[derive(Deserialize)]
    struct PrintedLogin {
        password: String,
    }
    let arguments = ["--json", "operator", "add", name, "--role", "operator"];
    let printed = add(binary, storage, &arguments)?;
    let login: PrintedLogin = parse(&printed)?;
    Ok(login.password)
}

/// Runs a command that adds something, and returns what it printed. It may be the first one, so it
/// creates the installation.
fn add(binary: &Path, storage: &Storage, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    migrate(binary, storage)?;
    run_to_end(new_command(binary, storage).args(arguments))
}

fn run_to_end(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let done = command.output().context("homeward cannot be run")?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(done.stdout)
}

#[derive(Deserialize)]
pub(crate) struct Credentials {
    client_id: String,
    client_secret: String,
}

/// A running server. It is killed with the value.
pub(crate) struct Server {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
}

impl Server {
    pub(crate) async fn start(binary: &Path, storage: &Storage) -> anyhow::Result<Self> {
        Self::start_with(binary, storage, &[]).await
    }

    /// With more settings than the default ones.
    pub(crate) async fn start_with(
        binary: &Path,
        storage: &Storage,
        settings: &[&str],
    ) -> anyhow::Result<Self> {
        let log = File::create(storage.directory().join("server.log"))?;
        let child = new_command(binary, storage)
            .args(["--listen", "127.0.0.1:0", "--rate-limit-per-minute", "4000000000"])
            .args(settings)
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("{} cannot be run", binary.display()))?;
        let mut server = Self { child, address: String::new() };
        for _ in 0..START_ATTEMPTS_MAX {
            tokio::time::sleep(START_POLL_INTERVAL).await;
            if let Some(ended) = server.child.try_wait()? {
                let log = fs::read_to_string(storage.directory().join("server.log"))?;
                bail!("the server ended with {ended}: {log}");
            }
            if let Some(address) = server.find_address(storage) {
                server.address = address;
                return Ok(server);
            }
        }
        bail!("the server did not start")
    }

    /// The address in `server.json`, if this server has written it.
    fn find_address(&self, storage: &Storage) -> Option<String> {
        #[derive(Deserialize)]
        struct ServerFile {
            local_address: String,
            pid: u32,
        }
        let text = fs::read(storage.directory().join("server.json")).ok()?;
        let file: ServerFile = serde_json::from_slice(&text).ok()?;
        let address = file.local_address.strip_prefix("http://")?;
        (file.pid == self.child.id()).then(|| address.to_owned())
    }

    /// Gets a token.
    pub(crate) async fn token(&self, credentials: &Credentials) -> anyhow::Result<String> {
        #[derive(Deserialize)]
        struct TokenResponse {
            access_token: String,
        }
        let body = json!({
            "grant_type": "client_credentials",
            "client_id": credentials.client_id,
            "client_secret": credentials.client_secret,
        });
        let body = body.to_string();
        let head = post_head(&self.address, "/oauth/token", "", body.len());
        let mut connection = Connection::open(&self.address).await?;
        let response = connection.exchange(format!("{head}{body}").as_bytes()).await?;
        let token: TokenResponse = parse(response.body)?;
        Ok(token.access_token)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, and its data is about to be removed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> anyhow::Result<T> {
    serde_json::from_slice(body)
        .with_context(|| format!("not as expected: {}", String::from_utf8_lossy(body)))
}

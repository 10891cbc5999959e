//! The real binary, run as an operator would run it.

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
    http::{Connection, head},
    place::Place,
    report,
};

/// The merchant whose orders everything here is about.
pub(crate) const MERCHANT: &str = "bench";

const START_TRIES: u32 = 200;
const START_EVERY: Duration = Duration::from_millis(50);

/// The binary that `HOMEWARD_BIN` names, or the release build of this workspace, brought up to date.
pub(crate) fn binary() -> anyhow::Result<PathBuf> {
    if let Some(named) = std::env::var_os("HOMEWARD_BIN") {
        return Ok(named.into());
    }
    report::note("Building homeward.");
    let this = std::env::current_exe().context("this program does not know where it is")?;
    let target = this.ancestors().nth(2).context("this program is not in a target directory")?;
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--package", "homeward", "--target-dir"])
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .context("cargo cannot be run; name a binary with HOMEWARD_BIN")?;
    if !built.success() {
        bail!("homeward was not built");
    }
    Ok(target.join("release").join("homeward"))
}

/// A command of the binary on the data of `place`, without settings from around it.
fn command(binary: &Path, place: &Place) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HOMEWARD_") {
            command.env_remove(name);
        }
    }
    command.arg("--data-dir").arg(place.directory()).args(["--store", place.store()]);
    command
}

/// Makes the schema in `place`, as the product makes it.
pub(crate) fn migrate(binary: &Path, place: &Place) -> anyhow::Result<()> {
    answer(command(binary, place).arg("migrate")).map(|_| ())
}

/// Runs a command of the binary that must succeed.
pub(crate) fn run(binary: &Path, place: &Place, arguments: &[&str]) -> anyhow::Result<()> {
    answer(command(binary, place).args(arguments)).map(|_| ())
}

/// The credentials of the merchant, who is added.
pub(crate) fn add_merchant(binary: &Path, place: &Place) -> anyhow::Result<Credentials> {
    let arguments = ["--json", "merchant", "add", MERCHANT, "--name", "Benchmark"];
    let printed = answer(command(binary, place).args(arguments))?;
    serde_json::from_slice(&printed).context("the merchant's credentials are not understood")
}

/// The credentials of the warehouse, which is added.
pub(crate) fn add_warehouse(binary: &Path, place: &Place) -> anyhow::Result<Credentials> {
    let arguments = ["--json", "client", "add", "--name", "dock", "--scope", "warehouse:write"];
    let printed = answer(command(binary, place).args(arguments))?;
    serde_json::from_slice(&printed).context("the warehouse's credentials are not understood")
}

/// The password of an operator of this name, who is added.
pub(crate) fn add_operator(binary: &Path, place: &Place, name: &str) -> anyhow::Result<String> {
    #[derive(Deserialize)]
    struct Login {
        password: String,
    }
    let arguments = ["--json", "operator", "add", name, "--role", "operator"];
    let printed = answer(command(binary, place).args(arguments))?;
    let login: Login = parsed(&printed)?;
    Ok(login.password)
}

fn answer(command: &mut Command) -> anyhow::Result<Vec<u8>> {
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

/// A running server; it is killed with the value.
pub(crate) struct Server {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
}

impl Server {
    pub(crate) async fn start(binary: &Path, place: &Place) -> anyhow::Result<Self> {
        Self::start_with(binary, place, &[]).await
    }

    /// With more settings than the usual ones.
    pub(crate) async fn start_with(
        binary: &Path,
        place: &Place,
        settings: &[&str],
    ) -> anyhow::Result<Self> {
        let log = File::create(place.directory().join("server.log"))?;
        let child = command(binary, place)
            .args(["--listen", "127.0.0.1:0", "--rate-limit-per-minute", "4000000000"])
            .args(settings)
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("{} cannot be run", binary.display()))?;
        let mut server = Self { child, address: String::new() };
        for _ in 0..START_TRIES {
            tokio::time::sleep(START_EVERY).await;
            if let Some(ended) = server.child.try_wait()? {
                let log = fs::read_to_string(place.directory().join("server.log"))?;
                bail!("the server ended with {ended}: {log}");
            }
            if let Some(address) = server.announced(place) {
                server.address = address;
                return Ok(server);
            }
        }
        bail!("the server did not start")
    }

    /// The address in `server.json`, once this server wrote it.
    fn announced(&self, place: &Place) -> Option<String> {
        #[derive(Deserialize)]
        struct Announcement {
            local_address: String,
            pid: u32,
        }
        let text = fs::read(place.directory().join("server.json")).ok()?;
        let found: Announcement = serde_json::from_slice(&text).ok()?;
        let address = found.local_address.strip_prefix("http://")?;
        (found.pid == self.child.id()).then(|| address.to_owned())
    }

    pub(crate) async fn token(&self, credentials: &Credentials) -> anyhow::Result<String> {
        #[derive(Deserialize)]
        struct Token {
            access_token: String,
        }
        let body = json!({
            "grant_type": "client_credentials",
            "client_id": credentials.client_id,
            "client_secret": credentials.client_secret,
        });
        let body = body.to_string();
        let head = head(&self.address, "/oauth/token", "", body.len());
        let mut connection = Connection::open(&self.address).await?;
        let answer = connection.exchange(format!("{head}{body}").as_bytes()).await?;
        let token: Token = parsed(answer.body)?;
        Ok(token.access_token)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; and its data is about to go away.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> anyhow::Result<T> {
    serde_json::from_slice(body)
        .with_context(|| format!("not understood: {}", String::from_utf8_lossy(body)))
}

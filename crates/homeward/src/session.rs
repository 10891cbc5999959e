//! A command's session with the server, as an operator.
//!
//! With `--server` and `--token` it is any server. Otherwise it is the server that runs on this
//! data directory, which holds the admin credential. If none runs, a node is started inside the
//! command and stopped with it.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use store::{DirectoryLock, LockError};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    directory::{Directory, ServerAddress, require_installation},
    http::{Client, Outgoing, ServerResponse},
    node::{Announce, Node, NodeEnvironment},
    output::Output,
};

const JSON: &str = "application/json";
const START_ATTEMPTS_MAX: u32 = 300;
const START_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The heading of the arguments for it in the help of commands.
const ANOTHER: &str = "Another server";

/// A server on another machine.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Remote {
    /// Call this server instead of the one on the data directory
    #[arg(long, env = "HOMEWARD_SERVER", value_name = "URL", requires = "token")]
    #[arg(help_heading = ANOTHER)]
    server: Option<String>,

    /// A token with the scope admin, for --server
    #[arg(long, env = "HOMEWARD_TOKEN", hide_env_values = true, help_heading = ANOTHER)]
    token: Option<String>,

    /// Send the token to --server without encryption
    #[arg(long, requires = "server", help_heading = ANOTHER)]
    insecure: bool,
}

impl Remote {
    /// The server on the data directory.
    pub(crate) fn none() -> Self {
        Self { server: None, token: None, insecure: false }
    }
}

pub(crate) struct Session {
    client: Client,
    own_node: Option<OwnNode>,
}

/// A node that was started for this session.
struct OwnNode {
    stop: CancellationToken,
    running: JoinHandle<()>,
}

/// A command that a server does.
pub(crate) trait RemoteCommand: Sized {
    /// `()`, or the exit code of the process.
    type Done;

    fn remote(&self) -> &Remote;

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<Self::Done>;

    async fn run(self, config: &Config, output: Output) -> anyhow::Result<Self::Done> {
        let remote = self.remote().clone();
        Session::run(config, &remote, async |session| self.execute(session, output).await).await
    }
}

impl Session {
    pub(crate) async fn open(config: &Config, remote: &Remote) -> anyhow::Result<Self> {
        if let Some(server) = &remote.server {
            let mut client = Client::new(server)?;
            ensure!(
                remote.insecure || client.is_private(),
                "{server} would get the token unencrypted: use https, or --insecure"
            );
            client.token.clone_from(&remote.token);
            return Ok(Self { client, own_node: None });
        }
        let directory = open_directory(config)?;
        let (address, own_node) = find_server(config, &directory).await?;
        let mut session = Self { client: Client::new(&address.local_address)?, own_node };
        session.log_in(&directory).await?;
        Ok(session)
    }

    /// Does `work` in a session, and closes it whatever the result.
    pub(crate) async fn run<T>(
        config: &Config,
        remote: &Remote,
        work: impl AsyncFnOnce(&mut Self) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut session = Self::open(config, remote).await?;
        let result = work(&mut session).await;
        session.close().await;
        result
    }

    /// Whether the server stops with this session, because it was started for it.
    pub(crate) fn is_own(&self) -> bool {
        self.own_node.is_some()
    }

    async fn log_in(&mut self, directory: &Directory) -> anyhow::Result<()> {
        let file = directory.admin_file();
        let admin = directory
            .read_admin()?
            .with_context(|| format!("{} is missing: start the server once", file.display()))?;
        let request = json!({
            "grant_type": "client_credentials",
            "client_id": admin.client_id,
            "client_secret": admin.client_secret,
        });
        let response = self.send(Method::POST, "/oauth/token", &request).await?;
        let why = if response.status == StatusCode::UNAUTHORIZED {
            format!("the credential in {} is not accepted", file.display())
        } else {
            "the server cannot give a token".to_owned()
        };
        let response: serde_json::Value = response.json().context(why)?;
        let token = response.get("access_token").and_then(serde_json::Value::as_str);
        self.client.token = Some(token.context("the server gave no token")?.to_owned());
        Ok(())
    }

    pub(crate) async fn get<T: DeserializeOwned>(&mut self, path: &str) -> anyhow::Result<T> {
        self.send_bytes(Method::GET, path, JSON, Bytes::new()).await?.json()
    }

    /// Gets `path` as the media type `accept` instead of JSON.
    pub(crate) async fn get_text(
        &mut self,
        path: &str,
        accept: &'static str,
    ) -> anyhow::Result<String> {
        let (method, content_type, body) = (Method::GET, JSON, Bytes::new());
        let outgoing = Outgoing { method, path, content_type, accept, body };
        let response = self.client.send(outgoing).await?;
        anyhow::ensure!(response.status.is_success(), "{}", response.message());
        Ok(String::from_utf8_lossy(&response.body).into_owned())
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &mut self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.send(Method::POST, path, body).await?.json()
    }

    pub(crate) async fn put<T: DeserializeOwned>(
        &mut self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.send(Method::PUT, path, body).await?.json()
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&mut self, path: &str) -> anyhow::Result<T> {
        self.send_bytes(Method::DELETE, path, JSON, Bytes::new()).await?.json()
    }

    pub(crate) async fn patch<T: DeserializeOwned>(
        &mut self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.send(Method::PATCH, path, body).await?.json()
    }

    pub(crate) async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<ServerResponse> {
        let body = serde_json::to_vec(body)?;
        self.send_bytes(method, path, JSON, body.into()).await
    }

    pub(crate) async fn send_bytes(
        &mut self,
        method: Method,
        path: &str,
        content_type: &'static str,
        body: Bytes,
    ) -> anyhow::Result<ServerResponse> {
        self.client.send(Outgoing { method, path, content_type, accept: JSON, body }).await
    }

    /// Ends the session, and the node that was started for it.
    pub(crate) async fn close(self) {
        drop(self.client);
        if let Some(node) = self.own_node {
            node.stop.cancel();
            let _ = node.running.await;
        }
    }
}

/// Opens the data directory if it is, or may become, that of an installation. A mistyped one stays
/// as it is: a command that found an empty installation there would mislead.
fn open_directory(config: &Config) -> anyhow::Result<Directory> {
    // A server that is starting has the lock and no database yet.
    if !config.data_dir.join("lock").exists() {
        require_installation(config)?;
    }
    Directory::open(&config.data_dir)
}

async fn start_own_node(
    config: &Config,
    lock: DirectoryLock,
) -> anyhow::Result<(ServerAddress, OwnNode)> {
    let mut config = config.clone();
    config.listen = ([127, 0, 0, 1], 0).into();
    config.tls = None;
    config.rate_limit_per_minute = u32::MAX;
    let node = Node::start(&config, lock, Announce::No, NodeEnvironment::default()).await?;
    let (address, stop) = (node.address.clone(), CancellationToken::new());
    let running = tokio::spawn(node.run(stop.clone()));
    Ok((address, OwnNode { stop, running }))
}

/// Finds the server that holds the directory, or starts a node if no process holds it. The holder
/// may be a server that is starting, or another command that will soon end.
async fn find_server(
    config: &Config,
    directory: &Directory,
) -> anyhow::Result<(ServerAddress, Option<OwnNode>)> {
    for _ in 0..START_ATTEMPTS_MAX {
        match DirectoryLock::take(&config.data_dir) {
            Ok(lock) => {
                require_installation(config)?;
                let (address, node) = start_own_node(config, lock).await?;
                return Ok((address, Some(node)));
            }
            Err(LockError::InUse { .. }) => (),
            Err(error @ LockError::Io { .. }) => return Err(error.into()),
        }
        if let Some(server) = directory.read_server()? {
            return Ok((server, None));
        }
        tokio::time::sleep(START_POLL_INTERVAL).await;
    }
    bail!("a homeward process holds the data directory but has not published its address")
}

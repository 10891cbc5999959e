//! A command's conversation with the server, as an operator.
//!
//! With `--server` and `--token` it is any server; otherwise the one that runs on this
//! data directory, whose admin credential lies there. When none runs, a node is
//! started inside the command and stopped with it.

use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use hyper::Method;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use store::{DirectoryLock, LockError};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    directory::{Directory, ServerAddress},
    http::{Answer, Client, Outgoing},
    node::{Announce, Node, Surroundings},
};

const JSON: &str = "application/json";
const STARTING_UP_TRIES: u32 = 300;
const STARTING_UP_EVERY: Duration = Duration::from_millis(100);

/// How a command reaches a server that is not on this machine.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Remote {
    /// Talk to this server instead of the one on the data directory
    #[arg(long, env = "HOMEWARD_SERVER", value_name = "URL", requires = "token")]
    server: Option<String>,

    /// A token with the scope admin, for --server
    #[arg(long, env = "HOMEWARD_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl Remote {
    /// The server on the data directory.
    pub(crate) fn none() -> Self {
        Self { server: None, token: None }
    }
}

pub(crate) struct Session {
    client: Client,
    own_node: Option<(CancellationToken, JoinHandle<()>)>,
}

impl Session {
    pub(crate) async fn open(config: &Config, remote: &Remote) -> anyhow::Result<Self> {
        if let Some(server) = &remote.server {
            let mut client = Client::new(server)?;
            client.token.clone_from(&remote.token);
            return Ok(Self { client, own_node: None });
        }
        let directory = Directory::open(&config.data_dir)?;
        let (address, own_node) = find_server(config, &directory).await?;
        let mut session = Self { client: Client::new(&address.local_address)?, own_node };
        session.log_in(&directory).await?;
        Ok(session)
    }

    /// Whether the server ends with this conversation, because it was started for it.
    pub(crate) fn is_own(&self) -> bool {
        self.own_node.is_some()
    }

    async fn log_in(&mut self, directory: &Directory) -> anyhow::Result<()> {
        let file = directory.admin_file();
        let admin = directory
            .admin()?
            .with_context(|| format!("{} is missing: start the server once", file.display()))?;
        let request = json!({
            "grant_type": "client_credentials",
            "client_id": admin.client_id,
            "client_secret": admin.client_secret,
        });
        let answer: serde_json::Value = self
            .send(Method::POST, "/oauth/token", &request)
            .await?
            .json()
            .with_context(|| format!("the credential in {} is not accepted", file.display()))?;
        let token = answer.get("access_token").and_then(serde_json::Value::as_str);
        self.client.token = Some(token.context("the server gave no token")?.to_owned());
        Ok(())
    }

    pub(crate) async fn get<T: DeserializeOwned>(&mut self, path: &str) -> anyhow::Result<T> {
        self.send_bytes(Method::GET, path, JSON, Bytes::new()).await?.json()
    }

    /// What is at `path`, as the media type `accept` instead of JSON.
    pub(crate) async fn text(
        &mut self,
        path: &str,
        accept: &'static str,
    ) -> anyhow::Result<String> {
        let (method, content_type, body) = (Method::GET, JSON, Bytes::new());
        let outgoing = Outgoing { method, path, content_type, accept, body };
        let answer = self.client.send(outgoing).await?;
        anyhow::ensure!(answer.status.is_success(), "{}", answer.message());
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
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
    ) -> anyhow::Result<Answer> {
        let body = serde_json::to_vec(body)?;
        self.send_bytes(method, path, JSON, body.into()).await
    }

    pub(crate) async fn send_bytes(
        &mut self,
        method: Method,
        path: &str,
        content_type: &'static str,
        body: Bytes,
    ) -> anyhow::Result<Answer> {
        self.client.send(Outgoing { method, path, content_type, accept: JSON, body }).await
    }

    /// Ends the conversation, and the node that was started for it.
    pub(crate) async fn close(self) {
        drop(self.client);
        if let Some((stop, running)) = self.own_node {
            stop.cancel();
            let _ = running.await;
        }
    }
}

type OwnNode = Option<(CancellationToken, JoinHandle<()>)>;

async fn own_node(
    config: &Config,
    lock: DirectoryLock,
) -> anyhow::Result<(ServerAddress, OwnNode)> {
    let mut config = config.clone();
    config.listen = ([127, 0, 0, 1], 0).into();
    config.tls = None;
    config.rate_limit_per_minute = u32::MAX;
    let node = Node::start(&config, lock, Announce::No, Surroundings::default()).await?;
    let (address, stop) = (node.address.clone(), CancellationToken::new());
    let running = tokio::spawn(node.run(stop.clone()));
    Ok((address, Some((stop, running))))
}

/// The server that holds the directory, or a node of our own when nobody does. Whoever holds it may be a
/// server that is just starting, or another command that is soon done.
async fn find_server(
    config: &Config,
    directory: &Directory,
) -> anyhow::Result<(ServerAddress, OwnNode)> {
    for _ in 0..STARTING_UP_TRIES {
        match DirectoryLock::take(&config.data_dir) {
            Ok(lock) => return own_node(config, lock).await,
            Err(LockError::InUse { .. }) => (),
            Err(error @ LockError::Io { .. }) => return Err(error.into()),
        }
        if let Some(server) = directory.server()? {
            return Ok((server, None));
        }
        tokio::time::sleep(STARTING_UP_EVERY).await;
    }
    bail!("a homeward process holds the data directory but does not say where it listens")
}

//! The small HTTP client that commands use to call the server.
//!
//! It has one connection, uses it for one request after another, and reconnects when it was lost.

use std::{net::IpAddr, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, StatusCode, Uri,
    client::conn::http1::{SendRequest, handshake},
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, RETRY_AFTER},
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

const RESPONSE_TIME_MAX: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    server: Uri,
    connection: Option<SendRequest<Full<Bytes>>>,
    pub(crate) token: Option<String>,
}

/// The response of the server.
#[derive(Debug)]
pub(crate) struct ServerResponse {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Bytes,
}

impl ServerResponse {
    /// The body as `T` if the request succeeded, or the server's message as an error.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> anyhow::Result<T> {
        if !self.status.is_success() {
            bail!("{}", self.message());
        }
        // The use cases parse their stored responses from text: their code serves here, too.
        let text = str::from_utf8(&self.body).context("the server's response is not text")?;
        serde_json::from_str(text).context("the server's response is not as expected")
    }

    pub(crate) fn message(&self) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let mut keys = ["message", "error_description"].into_iter();
        let text = keys.find_map(|key| body.get(key)?.as_str());
        text.map_or_else(|| format!("the server responded with {}", self.status), str::to_owned)
    }
}

/// A request to the server.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    pub(crate) content_type: &'static str,
    pub(crate) accept: &'static str,
    pub(crate) body: Bytes,
}

impl Client {
    /// A client of the server at `address`, such as `http://127.0.0.1:8080`.
    pub(crate) fn new(address: &str) -> anyhow::Result<Self> {
        let server: Uri =
            address.parse().with_context(|| format!("{address} is not an address"))?;
        // The routes of a server are not below a path.
        let has_rest = address.contains(['?', '#']) || !matches!(server.path(), "" | "/");
        let is_http = matches!(server.scheme_str(), Some("http" | "https"));
        if server.host().is_none() || !is_http || has_rest {
            bail!(
                "{address} is not the address of a server, such as https://returns.example.com, \
                 without a path"
            );
        }
        Ok(Self { server, connection: None, token: None })
    }

    /// Whether the network cannot read what is sent: it is encrypted, or stays on this machine.
    pub(crate) fn is_private(&self) -> bool {
        let host = self.server.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
        self.server.scheme_str() == Some("https")
            || host == "localhost"
            || host.parse().is_ok_and(is_loopback)
    }

    pub(crate) async fn send(&mut self, outgoing: Outgoing<'_>) -> anyhow::Result<ServerResponse> {
        let server = self.server.clone();
        let exchange = tokio::time::timeout(RESPONSE_TIME_MAX, self.exchange(outgoing));
        let response = exchange.await.unwrap_or_else(|_| bail!("no response in time"));
        response.with_context(|| format!("{server} cannot be reached"))
    }

    async fn exchange(&mut self, outgoing: Outgoing<'_>) -> anyhow::Result<ServerResponse> {
        let authority = self.server.authority().context("no authority")?.to_string();
        let mut request = Request::builder()
            .method(outgoing.method)
            .uri(outgoing.path)
            .header(HOST, authority)
            .header(CONTENT_TYPE, outgoing.content_type)
            .header(ACCEPT, outgoing.accept);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::new(outgoing.body))?;
        let mut connection = match self.connection.take() {
            Some(connection) if !connection.is_closed() => connection,
            Some(_) | None => connect(&self.server).await?,
        };
        connection.ready().await?;
        let response = connection.send_request(request).await?;
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
        let received = ServerResponse {
            status: response.status(),
            retry_after: retry_after.map(Duration::from_secs),
            body: response.into_body().collect().await?.to_bytes(),
        };
        self.connection = Some(connection);
        Ok(received)
    }
}

async fn connect(server: &Uri) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let host = server.host().context("no host")?.trim_matches(['[', ']']);
    let secure = server.scheme_str() == Some("https");
    let port = server.port_u16().unwrap_or(if secure { 443 } else { 80 });
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    if !secure {
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        return Ok(sender);
    }
    let name = rustls::pki_types::ServerName::try_from(host.to_owned())?;
    let stream = TlsConnector::from(Arc::new(tls_config()?)).connect(name, stream).await?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Trusts the machine's own root certificates.
fn tls_config() -> anyhow::Result<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_server_has_no_path() {
        for address in ["https://a.example", "http://127.0.0.1:8080/"] {
            assert!(Client::new(address).is_ok(), "{address}");
        }
        for address in ["a.example", "ftp://a.example", "https://a.example/b", "https://a/?b"] {
            assert!(Client::new(address).is_err(), "{address}");
        }
    }
}

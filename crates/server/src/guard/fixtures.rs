//! What the tests of the guards share: certificates made on the spot, in a folder of their
//! own, and clients of the simplest kind.

use std::{
    fs::{self, File},
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use rcgen::generate_simple_self_signed;
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::tls::TlsSettings;

pub(super) struct Pair {
    pub(super) cert_pem: String,
    pub(super) key_pem: String,
    pub(super) der: CertificateDer<'static>,
    pub(super) key_der: Vec<u8>,
}

/// A new self-signed certificate for `localhost`, and its key.
pub(super) fn make_pair() -> Pair {
    let made = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    Pair {
        cert_pem: made.cert.pem(),
        key_pem: made.signing_key.serialize_pem(),
        der: made.cert.der().clone(),
        key_der: made.signing_key.serialize_der(),
    }
}

/// Settings that name two files in `folder`.
pub(super) fn settings_in(folder: &TempDir) -> TlsSettings {
    TlsSettings {
        cert: folder.path().join("cert.pem"),
        key: folder.path().join("key.pem"),
        allow_tls13: false,
    }
}

/// Replaces `file` with `text` at once, so that no reader sees a part of it. The new file is a
/// second newer: file systems store times in milliseconds, and tests are faster than that.
pub(super) fn put(file: &Path, text: &str) {
    let new = file.with_extension("new");
    fs::write(&new, text).unwrap();
    if let Ok(old) = fs::metadata(file) {
        let younger = old.modified().unwrap() + Duration::from_secs(1);
        File::options().write(true).open(&new).unwrap().set_modified(younger).unwrap();
    }
    fs::rename(&new, file).unwrap();
}

pub(super) fn put_pair(settings: &TlsSettings, pair: &Pair) {
    put(&settings.key, &pair.key_pem);
    put(&settings.cert, &pair.cert_pem);
}

/// A handshake with `localhost` at `address` that trusts `pairs`, in one version only.
pub(super) async fn connect_tls(
    address: SocketAddr,
    pairs: &[&Pair],
    version: &'static SupportedProtocolVersion,
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    for pair in pairs {
        roots.add(pair.der.clone()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// The whole of what comes back for `request`, until the server closes.
pub(super) async fn ask(address: SocketAddr, request: &str) -> io::Result<String> {
    ask_from(Ipv4Addr::LOCALHOST.into(), address, request).await
}

/// The same for a client with the address `from`.
pub(super) async fn ask_from(
    from: IpAddr,
    address: SocketAddr,
    request: &str,
) -> io::Result<String> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    let mut stream = socket.connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

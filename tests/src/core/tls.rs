//! TLS: which versions are spoken, and a certificate that is replaced while the server runs.

use std::{
    io,
    net::TcpStream,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, StreamOwned,
    SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
    version::{TLS12, TLS13},
};
use serde_json::Value;

use crate::harness::{
    eventually,
    home::{Home, text},
    http::{Connection, Request},
    samples::{message, sample_order, taken_in},
    server::{Server, publication},
};

/// The files of a certificate for `localhost`.
struct Files {
    cert: PathBuf,
    key: PathBuf,
}

impl Files {
    fn in_folder(folder: &Path) -> Self {
        Self { cert: folder.join("cert.pem"), key: folder.join("key.pem") }
    }

    /// Writes a new certificate, and gives it.
    fn renew(&self) -> CertificateDer<'static> {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&self.key, made.signing_key.serialize_pem()).unwrap();
        std::fs::write(&self.cert, made.cert.pem()).unwrap();
        made.cert.der().clone()
    }
}

struct Secured {
    server: Server,
    /// Host and port, where TLS is spoken.
    address: String,
    files: Files,
    certificate: CertificateDer<'static>,
}

fn serve_secured(arguments: &[&str]) -> Secured {
    let home = Home::new();
    let files = Files::in_folder(home.root());
    let certificate = files.renew();
    let named = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let server = home.serve(&[&named, arguments].concat());
    let file = std::fs::read(home.data_dir().join("server.json")).unwrap();
    let told: Value = serde_json::from_slice(&file).unwrap();
    let address = text(&told["address"]).strip_prefix("https://").unwrap().to_owned();
    Secured { server, address, files, certificate }
}

/// A connection that trusts this certificate alone and speaks these versions.
fn connect(
    address: &str,
    trusted: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(10)))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(connection, socket))
}

#[test]
fn only_tls_1_2_is_spoken_unless_1_3_is_allowed() {
    let Secured { server: _server, address, certificate, .. } = serve_secured(&[]);
    let stream = connect(&address, &certificate, &[&TLS12]).unwrap();
    assert_eq!(stream.conn.protocol_version(), Some(ProtocolVersion::TLSv1_2));
    let both = connect(&address, &certificate, &[&TLS12, &TLS13]).unwrap();
    assert_eq!(both.conn.protocol_version(), Some(ProtocolVersion::TLSv1_2));
    let refused = connect(&address, &certificate, &[&TLS13]).unwrap_err();
    assert!(refused.to_string().contains("ProtocolVersion"), "{refused}");

    let Secured { server: _server, address, certificate, .. } = serve_secured(&["--tls13"]);
    for (version, spoken) in
        [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)]
    {
        let stream = connect(&address, &certificate, &[version]).unwrap();
        assert_eq!(stream.conn.protocol_version(), Some(spoken));
    }
}

#[test]
fn orders_come_in_over_tls_and_commands_work_beside_it() {
    let secured = serve_secured(&[]);
    let server = &secured.server;
    let merchant = server.merchant("tls");
    let token = server.token(&merchant);
    let stream = connect(&secured.address, &secured.certificate, &[&TLS12]).unwrap();
    let mut connection = Connection::over(stream);

    let reply = connection.send(&publication(&token, message(&[sample_order("A")]))).unwrap();

    assert_eq!(reply.said(), taken_in(&[("A", "created")]));
    let read = Request::get("/orders/A").bearer(&token);
    assert_eq!(connection.send(&read).unwrap().json(), sample_order("A"));
    assert_eq!(server.home.json(&["merchant", "list"])["merchants"][0]["merchant"], merchant.id);
    let doctor = server.home.json(&["doctor"]);
    let server_check = doctor.as_array().unwrap().iter().find(|it| it["check"] == "server");
    let detail = text(&server_check.unwrap()["detail"]);
    assert_eq!(detail, format!("process {} listens on https://{}", server.pid(), secured.address));
}

#[test]
fn plain_http_is_not_spoken_where_tls_is() {
    let secured = serve_secured(&[]);
    let mut connection = Connection::open(&secured.address).unwrap();
    let answered = connection.send(&Request::get("/healthz"));
    assert!(answered.is_err(), "{answered:?}");
}

#[test]
fn a_certificate_replaced_on_disk_is_served_within_five_seconds() {
    let secured = serve_secured(&[]);
    let before = secured.certificate.clone();
    let mut open = Connection::over(connect(&secured.address, &before, &[&TLS12]).unwrap());
    let after = secured.files.renew();
    let renewed = Instant::now();

    eventually("the new certificate is served", || {
        connect(&secured.address, &after, &[&TLS12]).ok()
    });

    assert!(renewed.elapsed() < Duration::from_secs(5), "{:?}", renewed.elapsed());
    assert!(connect(&secured.address, &before, &[&TLS12]).is_err(), "the old one is gone");
    let reply = open.send(&Request::get("/healthz")).unwrap();
    assert_eq!(reply.status, 200, "an open connection goes on");
}

#[test]
fn a_broken_certificate_on_disk_leaves_the_old_one_in_use() {
    let secured = serve_secured(&[]);
    std::fs::write(&secured.files.cert, "not a certificate").unwrap();

    eventually("the fault is logged", || {
        secured.server.log().contains("loading the new TLS certificate failed").then_some(())
    });

    connect(&secured.address, &secured.certificate, &[&TLS12]).unwrap();
    let renewed = secured.files.renew();
    eventually("the sound one is served", || connect(&secured.address, &renewed, &[&TLS12]).ok());
}

#[test]
fn a_server_does_not_start_with_a_certificate_that_is_not_sound() {
    let home = Home::new();
    let (files, other) = (Files::in_folder(home.root()), home.root().join("other"));
    files.renew();
    let key = std::fs::read(&files.key).unwrap();
    files.renew();
    std::fs::write(&other, key).unwrap();
    for (cert, key, why) in [
        ("cert.pem", "other", "does not belong to the certificate"),
        ("none.pem", "key.pem", "none.pem (tls_cert) does not exist"),
        ("key.pem", "key.pem", "key.pem (tls_cert) contains no certificate"),
        ("cert.pem", "cert.pem", "cert.pem (tls_key) contains no private key"),
    ] {
        let listen = ["--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key, "serve"];
        let ran = home.run(&listen);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    let ran = home.run(&["--tls-cert", "cert.pem", "serve"]);
    assert_eq!(ran.err, "homeward: tls_cert is set but tls_key is not\n");
}

#[test]
fn over_tls_browsers_are_told_to_stay_with_it() {
    let secured = serve_secured(&[]);
    let stream = connect(&secured.address, &secured.certificate, &[&TLS12]).unwrap();
    let mut connection = Connection::over(stream);
    for target in ["/console/login", "/healthz", "/nothing"] {
        let reply = connection.send(&Request::get(target)).unwrap();
        let told = reply.header("strict-transport-security");
        assert_eq!(told, Some("max-age=31536000"), "{target}");
    }
    let plain = secured.server.send(&Request::get("/healthz"));
    assert_eq!(plain.header("strict-transport-security"), None);

    let cookie = secured.server.visitor("operator").cookie;
    assert!(cookie.starts_with("__Host-homeward_console="), "{cookie}");
}

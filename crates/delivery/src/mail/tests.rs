//! Mails to a real mail server, which is the program `tests/mail-server`.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    sync::Arc,
};

use domain::messages::mail::settings::{DkimKey, MailSecurity, SmtpLogin, SmtpServer};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::RootCertStore;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use world::Secret;

use super::*;
use crate::{
    CallResult, CallSettings, Courier, HttpClient, OutgoingMessage,
    address::{AddressGuard, NetworkException},
    sender::{context::trust, permit::QueuePermit, tests::standing},
};

const ID: &str = "msg_acme_42";

/// A mail server that ends with its test. None where the package is not installed.
struct MailServer {
    program: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
    roots: RootCertStore,
    _files: tempfile::TempDir,
}

impl MailServer {
    fn start(tls: &str, login: Option<&str>) -> Option<Self> {
        let login = login.map(|login| ["--login", login]);
        Self::start_with(tls, login.as_ref().map_or(&[], |login| &login[..]))
    }

    fn start_with(tls: &str, arguments: &[&str]) -> Option<Self> {
        let files = tempfile::tempdir().unwrap();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone()).unwrap();
        let (cert_file, key_file) = (files.path().join("cert"), files.path().join("key"));
        std::fs::write(&cert_file, cert.pem()).unwrap();
        std::fs::write(&key_file, signing_key.serialize_pem()).unwrap();
        let mut command =
            Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/mail-server"));
        command.args(["--tls", tls, "--cert"]).arg(cert_file).arg("--key").arg(key_file);
        command.args(arguments);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut program = started.unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap());
        let mut port = String::new();
        lines.read_line(&mut port).unwrap();
        let Ok(port) = port.trim().parse() else {
            program.wait().unwrap();
            assert!(std::env::var_os("CI").is_none(), "CI must have python3-aiosmtpd");
            return None;
        };
        Some(Self { program, lines, port, roots, _files: files })
    }

    fn settings(&self, security: MailSecurity) -> SmtpServer<Secret> {
        SmtpServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            security,
            login: None,
            from: "returns@acme.example".to_owned(),
            from_name: None,
            dkim: None,
        }
    }

    fn courier(&self, settings: SmtpServer<Secret>) -> MailCourier {
        build_courier(settings, self.roots.clone())
    }

    /// The next mail that was accepted.
    fn next_mail(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(self.program.stdin.take());
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn build_courier(settings: SmtpServer<Secret>, roots: RootCertStore) -> MailCourier {
    let guard = AddressGuard::new(vec![NetworkException::parse("*@127.0.0.0/8:*").unwrap()]);
    let client = HttpClient::new(guard, trust(roots), standing().0, CallSettings::default());
    let merchant = domain::identifier::MerchantId::parse("acme").unwrap();
    MailCourier::new(MailSender::Merchant(&merchant), settings, "Acmé & Söhne", &client).unwrap()
}

async fn send(courier: &MailCourier, recipient: &str) -> CallResult {
    let body = json!({
        "mail": "canceled", "recipient": recipient, "subject": "Größe geändert",
        "text": "First line.\n.\nÜber 5 € = fünf\n", "html": "<p>Über <b>5 €</b></p>\n",
    });
    let body = body.to_string();
    let permit = QueuePermit::default().until(None);
    let message = OutgoingMessage {
        id: ID,
        sequence: 1,
        created_us: 0,
        replay: false,
        attempt: 1,
        body: body.as_bytes(),
        permit: &permit,
    };
    courier.attempt(&message).await
}

fn header<'a>(content: &'a str, name: &str) -> &'a str {
    let line = content.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim()
}

#[tokio::test]
async fn a_mail_arrives_over_starttls_with_a_login() {
    let Some(mut server) = MailServer::start("starttls", Some("acme:s3cret")) else { return };
    let mut settings = server.settings(MailSecurity::Starttls);
    let password = Secret::new("s3cret".to_owned());
    settings.login = Some(SmtpLogin { username: "acme".to_owned(), password });
    let result = send(&server.courier(settings), "dana@example.com").await;

    assert!(result.is_success(), "{result:?}");
    let mail = server.next_mail();
    assert_eq!((&mail["tls"], &mail["user"]), (&json!(true), &json!("acme")));
    assert_eq!(
        (&mail["from"], &mail["to"][0]),
        (&json!("returns@acme.example"), &json!("dana@example.com"))
    );
    let content = mail["content"].as_str().unwrap();
    assert_eq!(header(content, "Message-ID"), "<msg_acme_42@acme.example>");
    assert_eq!(header(content, "Subject"), "=?utf-8?B?R3LDtsOfZSBnZcOkbmRlcnQ=?=");
    assert!(content.contains("\r\nFirst line.\r\n.\r\n=C3=9Cber 5 =E2=82=AC =3D f=C3=BCnf\r\n"));
}

#[tokio::test]
async fn a_mail_arrives_over_tls_and_a_wrong_password_is_retried() {
    let Some(mut server) = MailServer::start("tls", Some("acme:s3cret")) else { return };
    let mut settings = server.settings(MailSecurity::Tls);
    let login = |password: &str| {
        let password = Secret::new(password.to_owned());
        Some(SmtpLogin { username: "acme".to_owned(), password })
    };
    settings.login = login("wrong");
    let refused = send(&server.courier(settings.clone()), "dana@example.com").await;
    assert_eq!((refused.status, refused.is_final), (None, false));
    let error = refused.error.unwrap();
    assert!(error.starts_with("login failed: 535") && !error.contains("wrong"), "{error}");

    settings.login = login("s3cret");
    assert!(send(&server.courier(settings), "dana@example.com").await.is_success());
    assert_eq!(server.next_mail()["user"], "acme");
}

#[tokio::test]
async fn a_refused_recipient_is_final_and_a_busy_server_is_not() {
    let Some(mut server) = MailServer::start("none", None) else { return };
    let courier = server.courier(server.settings(MailSecurity::None));
    let bounced = send(&courier, "bounce@example.com").await;
    assert_eq!((bounced.status, bounced.is_final), (Some(550), true));
    assert_eq!(bounced.error.as_deref(), Some("5.1.1 … unknown user"), "without the address");
    let spam = send(&courier, "spam@example.com").await;
    assert_eq!((spam.status, spam.is_final), (Some(554), true));
    let busy = send(&courier, "busy@example.com").await;
    assert_eq!((busy.status, busy.is_final), (Some(451), false));

    // The connection is lost after the mail was accepted: it is sent again, as the same mail.
    let dropped = send(&courier, "drop@example.com").await;
    assert_eq!((dropped.status, dropped.is_final), (None, false));
    let content = server.next_mail();
    let content = content["content"].as_str().unwrap();
    assert_eq!(header(content, "Message-ID"), "<msg_acme_42@acme.example>");
}

#[tokio::test]
async fn a_server_without_tls_or_with_another_certificate_gets_nothing() {
    let Some(server) = MailServer::start("none", None) else { return };
    let plain = server.courier(server.settings(MailSecurity::Starttls));
    let error = send(&plain, "dana@example.com").await.error.unwrap();
    assert_eq!(error, "the mail server does not offer STARTTLS");

    let Some(server) = MailServer::start("starttls", None) else { return };
    let courier = build_courier(server.settings(MailSecurity::Starttls), RootCertStore::empty());
    let error = send(&courier, "dana@example.com").await.error.unwrap();
    assert_eq!(error, "tls: invalid peer certificate: UnknownIssuer");
}

/// Runs openssl, with this input.
fn openssl(arguments: &[&str], input: &str) -> String {
    use std::io::Write;
    let command = &mut Command::new("openssl");
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = command.stderr(Stdio::null()).spawn().unwrap();
    program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(program.wait_with_output().unwrap().stdout).unwrap()
}

fn dkim_key(key: &str) -> DkimKey<Secret> {
    DkimKey {
        domain: "acme.example".to_owned(),
        selector: "homeward".to_owned(),
        key: Secret::new(key.to_owned()),
    }
}

#[tokio::test]
async fn another_implementation_verifies_the_signature() {
    let key = openssl(&["genrsa", "2048"], "");
    let public = openssl(&["rsa", "-pubout"], &key);
    let public: String = public.lines().filter(|line| !line.starts_with('-')).collect();
    let Some(mut server) = MailServer::start_with("none", &["--dkim-key", &public]) else { return };
    let mut settings = server.settings(MailSecurity::None);
    settings.dkim = Some(dkim_key(&key));
    assert!(send(&server.courier(settings), "dana@example.com").await.is_success());
    let mail = server.next_mail();
    assert_eq!(mail["signed"], true, "{}", mail["content"]);
}

#[tokio::test]
async fn a_mail_can_be_signed_with_an_ed25519_key() {
    let Some(mut server) = MailServer::start("none", None) else { return };
    let mut settings = server.settings(MailSecurity::None);
    settings.dkim = Some(dkim_key(&openssl(&["genpkey", "-algorithm", "ed25519"], "")));
    assert!(send(&server.courier(settings), "dana@example.com").await.is_success());
    let mail = server.next_mail();
    let signature = header(mail["content"].as_str().unwrap(), "DKIM-Signature");
    assert!(signature.starts_with("v=1; a=ed25519-sha256; c=relaxed/relaxed"), "{signature}");
}

/// A server that sends `said` to everyone, and closes.
async fn rude_server(said: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            use tokio::io::AsyncWriteExt;
            let _ = stream.write_all(said).await;
        }
    });
    port
}

#[tokio::test]
async fn what_is_no_mail_server_is_retried_with_the_reason() {
    for (said, expected) in [
        (&b""[..], "connection closed before the answer was complete"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server's reply is not SMTP"),
        (b"554 no service for you\r\n", "the greeting failed: 554 no service for you"),
    ] {
        let port = rude_server(said).await;
        let settings = SmtpServer {
            host: "127.0.0.1".to_owned(),
            port,
            security: MailSecurity::None,
            login: None,
            from: "returns@acme.example".to_owned(),
            from_name: None,
            dkim: None,
        };
        let result =
            send(&build_courier(settings, RootCertStore::empty()), "dana@example.com").await;
        assert_eq!((result.status, result.is_final), (None, false));
        let error = result.error.unwrap();
        assert!(error == expected || error == "connection reset", "{error}");
    }
}

#[tokio::test]
async fn merchants_servers_are_behind_the_guard_and_the_platforms_is_not() {
    let settings = |host: &str, security: MailSecurity| SmtpServer {
        host: host.to_owned(),
        port: 1,
        security,
        login: None,
        from: "returns@acme.example".to_owned(),
        from_name: None,
        dkim: None,
    };
    let trusted = trust(RootCertStore::empty());
    let client =
        HttpClient::new(AddressGuard::default(), trusted, standing().0, CallSettings::default());
    let merchant = domain::identifier::MerchantId::parse("acme").unwrap();
    let own = MailSender::Merchant(&merchant);
    let local = settings("127.0.0.1", MailSecurity::Starttls);
    let courier = MailCourier::new(own, local.clone(), "Acme", &client).unwrap();
    let error = send(&courier, "dana@example.com").await.error.unwrap();
    assert!(error.contains("is not public"), "{error}");

    let courier = MailCourier::new(MailSender::Platform, local, "Acme", &client).unwrap();
    let error = send(&courier, "dana@example.com").await.error;
    assert_eq!(error.as_deref(), Some("connection refused"));
    let plain = settings("mail.example", MailSecurity::None);
    assert!(MailCourier::new(MailSender::Platform, plain, "Acme", &client).is_err());
}

#[tokio::test]
async fn a_body_or_a_recipient_that_cannot_be_sent_is_final() {
    let settings = SmtpServer {
        host: "127.0.0.1".to_owned(),
        port: 1,
        security: MailSecurity::None,
        login: None,
        from: "returns@acme.example".to_owned(),
        from_name: None,
        dkim: None,
    };
    let courier = Arc::new(build_courier(settings, RootCertStore::empty()));
    for recipient in ["nobody", "a@b\r\nRCPT TO:<c@d>", "jörg@example.com"] {
        let result = send(&courier, recipient).await;
        assert!(result.is_final && result.status.is_none(), "{result:?}");
    }
}

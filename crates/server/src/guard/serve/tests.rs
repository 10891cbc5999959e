//! The listener on loopback, with clients that behave and clients that do not.

use std::{net::Ipv4Addr, time::Instant};

use axum::{
    Extension,
    body::Body,
    http::StatusCode,
    routing::{get, post},
};
use delivery::address::Network;
use rustls::version::{TLS12, TLS13};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Notify,
    task::JoinHandle,
};

use super::*;
use crate::guard::{
    RequestOrigin,
    fixtures::{Pair, ask, ask_from, connect_tls, make_pair, put, put_pair, settings_in},
    limits::{BodyError, read_body},
};

const GET_HELLO: &str = "GET /hello HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n";
const PATIENCE: Duration = Duration::from_secs(20);

/// A listener at work, and the levers of the test.
struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<()>,
    /// Told when `/slow` was entered.
    entered: Arc<Notify>,
    /// Lets `/slow` answer.
    release: Arc<Notify>,
}

fn loopback() -> ListenSettings {
    ListenSettings::new((Ipv4Addr::LOCALHOST, 0).into())
}

fn start_server(settings: ListenSettings) -> Server {
    server_with_grace(settings, PATIENCE)
}

fn server_with_grace(settings: ListenSettings, grace: Duration) -> Server {
    let listener = ReservedPort::bind(settings).unwrap().listen().unwrap();
    let address = listener.local_addr();
    let stop = CancellationToken::new();
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let levers = (Arc::clone(&entered), Arc::clone(&release));
    let slow = get(move || async move {
        levers.0.notify_one();
        levers.1.notified().await;
        "slow but sure"
    });
    let router = Router::new()
        .route("/hello", get(hello))
        .route("/slow", slow)
        .route("/large", get(|| async { Body::from(vec![b'x'; 64 * 1024 * 1024]) }))
        .route("/body", post(count_body));
    let running = tokio::spawn(listener.run(router, stop.clone(), grace));
    Server { address, stop, running, entered, release }
}

async fn hello(Extension(origin): Extension<RequestOrigin>) -> String {
    format!("hello {}", origin.address)
}

async fn count_body(body: Body) -> (StatusCode, String) {
    match read_body(body, 10, Duration::from_millis(300)).await {
        Ok(bytes) => (StatusCode::OK, bytes.len().to_string()),
        Err(error @ BodyError::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
        Err(error) => (StatusCode::REQUEST_TIMEOUT, error.to_string()),
    }
}

/// A server with TLS, its files and the pair it starts with.
fn tls_server(allow_tls13: bool, handshake: Duration) -> (Server, TempDir, Pair) {
    let folder = TempDir::new().unwrap();
    let tls = TlsSettings { allow_tls13, ..settings_in(&folder) };
    let pair = make_pair();
    put_pair(&tls, &pair);
    let mut settings = loopback();
    settings.tls = Some(tls);
    settings.timeouts.reload_interval = Duration::from_millis(10);
    settings.timeouts.handshake = handshake;
    (start_server(settings), folder, pair)
}

/// Whether a client that trusts only `pair` gets through.
async fn greets(address: SocketAddr, pair: &Pair) -> bool {
    connect_tls(address, &[pair], &TLS12).await.is_ok()
}

#[tokio::test]
async fn a_request_carries_the_peer() {
    let server = start_server(loopback());

    let answer = ask(server.address, GET_HELLO).await.unwrap();

    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("hello 127.0.0.1"), "{answer}");
}

#[tokio::test]
async fn one_connection_serves_several_requests() {
    let server = start_server(loopback());
    let kept = GET_HELLO.replace("close", "keep-alive");

    let answer = ask(server.address, &format!("{kept}{kept}{GET_HELLO}")).await.unwrap();

    assert_eq!(answer.matches("hello 127.0.0.1").count(), 3);
}

#[tokio::test]
async fn plain_http_is_refused_on_the_network_without_a_proxy() {
    let mut settings = ListenSettings::new((Ipv4Addr::UNSPECIFIED, 0).into());

    let refusal = ReservedPort::bind(settings.clone()).err().unwrap();
    settings.trusted_proxies = TrustedProxies::new(vec![Network::parse("10.0.0.0/8").unwrap()]);
    let behind_a_proxy = ReservedPort::bind(settings);

    let text = refusal.to_string();
    assert!(text.contains("0.0.0.0:0"), "{text}");
    assert!(text.contains("TLS certificate") && text.contains("trusted_proxies"), "{text}");
    assert!(behind_a_proxy.is_ok());
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let server = start_server(loopback());

    let refusal = ReservedPort::bind(ListenSettings::new(server.address)).err().unwrap();

    assert_eq!(refusal.to_string(), format!("cannot listen at {}", server.address));
}

#[tokio::test]
async fn a_reserved_port_refuses_connections_until_it_listens() {
    let port = ReservedPort::bind(loopback()).unwrap();
    let address = port.socket.local_addr().unwrap();

    let early = TcpStream::connect(address).await;
    let listener = port.listen().unwrap();

    assert_eq!(early.err().unwrap().kind(), io::ErrorKind::ConnectionRefused);
    assert_eq!(listener.local_addr(), address);
    assert!(TcpStream::connect(address).await.is_ok());
}

#[tokio::test]
async fn only_tls_1_2_is_spoken_by_default() {
    let (server, _folder, pair) = tls_server(false, PATIENCE);

    let mut stream = connect_tls(server.address, &[&pair], &TLS12).await.unwrap();
    stream.write_all(GET_HELLO.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();

    assert!(answer.ends_with("hello 127.0.0.1"), "{answer}");
    assert!(connect_tls(server.address, &[&pair], &TLS13).await.is_err());
}

#[tokio::test]
async fn tls_1_3_is_spoken_when_allowed() {
    let (server, _folder, pair) = tls_server(true, PATIENCE);

    assert!(connect_tls(server.address, &[&pair], &TLS13).await.is_ok());
    assert!(connect_tls(server.address, &[&pair], &TLS12).await.is_ok());
}

#[tokio::test]
async fn a_new_certificate_is_served_without_a_restart() {
    let (server, folder, old) = tls_server(false, PATIENCE);
    let new = make_pair();
    assert!(greets(server.address, &old).await);

    put_pair(&settings_in(&folder), &new);

    let swap = async {
        while !greets(server.address, &new).await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, swap).await.unwrap();
    assert!(!greets(server.address, &old).await);
}

#[tokio::test]
async fn a_broken_replacement_leaves_the_old_certificate_in_use() {
    let (server, folder, old) = tls_server(false, PATIENCE);

    put(&settings_in(&folder).cert, "not a certificate");
    sleep(Duration::from_millis(100)).await;

    assert!(greets(server.address, &old).await);
}

#[tokio::test]
async fn a_client_that_says_nothing_is_not_waited_for() {
    let (server, _folder, _pair) = tls_server(false, Duration::from_millis(50));

    let answer = timeout(PATIENCE, ask(server.address, "")).await.unwrap();

    assert_eq!(answer.unwrap(), "");
}

#[tokio::test]
async fn slow_headers_are_cut_off() {
    let mut settings = loopback();
    settings.timeouts.headers = Duration::from_millis(300);
    let server = start_server(settings);
    let kept = GET_HELLO.replace("close", "keep-alive");

    let partial = timeout(PATIENCE, ask(server.address, "GET /hello HT")).await.unwrap();
    let idle = timeout(PATIENCE, ask(server.address, &kept)).await.unwrap();

    assert!(!partial.unwrap().contains("hello"));
    assert!(idle.unwrap().ends_with("hello 127.0.0.1"), "an idle connection ends as well");
}

#[tokio::test]
async fn headers_that_are_too_large_are_refused() {
    let server = start_server(loopback());
    let request = GET_HELLO.replace("test", &"x".repeat(HEADERS_MAX_BYTES));

    let answer = ask(server.address, &request).await.unwrap();

    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

#[tokio::test]
async fn a_body_announced_as_too_large_is_refused_before_it_comes() {
    let server = start_server(loopback());
    let head = "POST /body HTTP/1.1\r\nhost: test\r\ncontent-length: 11\r\n\r\n";

    let answer = timeout(PATIENCE, ask(server.address, head)).await.unwrap().unwrap();

    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn a_client_that_sends_its_whole_body_first_still_gets_the_refusal() {
    let server = start_server(loopback());
    let body = "x".repeat(8 << 20);
    let head = format!("POST /body HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n", body.len());

    let answer = ask(server.address, &format!("{head}\r\n{body}")).await.unwrap();

    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn a_streamed_body_is_refused_when_it_is_too_large_or_too_slow() {
    let server = start_server(loopback());
    let head = "POST /body HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n";

    let large = ask(server.address, &format!("{head}6\r\n123456\r\n5\r\n78901\r\n")).await;
    let slow = ask(server.address, &format!("{head}6\r\n123456\r\n")).await;

    assert!(large.unwrap().starts_with("HTTP/1.1 413 "));
    assert!(slow.unwrap().starts_with("HTTP/1.1 408 "));
}

#[tokio::test]
async fn beyond_the_limit_a_connection_waits_for_a_place() {
    let mut settings = loopback();
    settings.connections_max = 1;
    let server = start_server(settings);
    let first = TcpStream::connect(server.address).await.unwrap();

    let mut second = tokio::spawn(ask(server.address, GET_HELLO));
    assert!(timeout(Duration::from_millis(100), &mut second).await.is_err());
    drop(first);

    let answer = timeout(PATIENCE, second).await.unwrap().unwrap().unwrap();
    assert!(answer.ends_with("hello 127.0.0.1"), "{answer}");
}

#[tokio::test]
async fn one_address_cannot_take_all_places() {
    let mut settings = loopback();
    settings.connections_per_address_max = 2;
    let server = start_server(settings.clone());
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push(TcpStream::connect(server.address).await.unwrap());
    }

    let refused = timeout(PATIENCE, ask(server.address, GET_HELLO)).await.unwrap();
    assert!(refused.is_err() || refused.is_ok_and(|answer| answer.is_empty()));
    let other = ask_from([127, 0, 0, 2].into(), server.address, GET_HELLO);
    let answer = timeout(PATIENCE, other).await.unwrap().unwrap();
    assert!(answer.ends_with("hello 127.0.0.2"), "{answer}");

    let proxy = Network::parse("127.0.0.1").unwrap();
    settings.trusted_proxies = TrustedProxies::new(vec![proxy]);
    let server = start_server(settings);
    for _ in 0..5 {
        held.push(TcpStream::connect(server.address).await.unwrap());
    }
    let answer = timeout(PATIENCE, ask(server.address, GET_HELLO)).await.unwrap().unwrap();
    assert!(answer.ends_with("hello 127.0.0.1"), "a proxy has as many as it needs: {answer}");
}

#[tokio::test]
async fn a_client_that_does_not_take_its_answer_loses_its_place() {
    let mut settings = loopback();
    settings.connections_max = 1;
    settings.timeouts.slow_reader = Duration::from_millis(100);
    let server = start_server(settings);
    let mut greedy = TcpStream::connect(server.address).await.unwrap();
    greedy.write_all(GET_HELLO.replace("hello", "large").as_bytes()).await.unwrap();

    let answer = timeout(PATIENCE, ask(server.address, GET_HELLO)).await.unwrap().unwrap();

    assert!(answer.ends_with("hello 127.0.0.1"), "{answer}");
    drop(greedy);
}

#[tokio::test]
async fn a_connection_ends_after_its_lifetime() {
    let mut settings = loopback();
    settings.timeouts.lifetime = Duration::from_millis(50);
    let server = start_server(settings);

    let request = GET_HELLO.replace("hello", "slow");
    let answer = timeout(PATIENCE, ask(server.address, &request)).await.unwrap();

    assert!(!answer.unwrap().contains("sure"), "nobody released it");
}

#[tokio::test]
async fn a_stop_lets_a_running_request_finish_and_refuses_new_connections() {
    let server = start_server(loopback());
    let idle = TcpStream::connect(server.address).await.unwrap();
    let running = tokio::spawn(ask(server.address, "GET /slow HTTP/1.1\r\nhost: test\r\n\r\n"));
    server.entered.notified().await;

    server.stop.cancel();
    let refused = async {
        while TcpStream::connect(server.address).await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, refused).await.unwrap();
    server.release.notify_one();

    assert!(running.await.unwrap().unwrap().ends_with("slow but sure"));
    timeout(PATIENCE, server.running).await.unwrap().unwrap();
    drop(idle);
}

#[tokio::test]
async fn a_request_that_does_not_finish_is_dropped_after_the_grace() {
    let grace = Duration::from_millis(100);
    let server = server_with_grace(loopback(), grace);
    let running = tokio::spawn(ask(server.address, "GET /slow HTTP/1.1\r\nhost: test\r\n\r\n"));
    server.entered.notified().await;

    let stopped = Instant::now();
    server.stop.cancel();
    timeout(PATIENCE, server.running).await.unwrap().unwrap();

    assert!(stopped.elapsed() >= grace);
    assert_eq!(running.await.unwrap().unwrap(), "");
}

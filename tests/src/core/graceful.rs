//! A server that is told to stop finishes what is under way.

use std::{net::TcpStream, process::Stdio, thread, time::Duration};

use crate::harness::{
    eventually,
    home::Home,
    http::{Connection, Request},
    samples::{message, sample_order, taken_in},
    server::{Server, publication, signal},
    stage::homes,
};

/// Waits until the port is closed.
fn port_is_closed(address: &str) {
    eventually("the port is closed", || TcpStream::connect(address).is_err().then_some(()));
}

#[test]
fn a_slow_upload_is_finished_and_answered_and_the_order_is_there_afterwards() {
    for home in homes("graceful") {
        let mut server = home.serve(&[]);
        let token = server.token(&server.merchant("slow"));
        let request = publication(&token, message(&[sample_order("A")])).bytes();
        let mut connection = server.connect();
        let (first, rest) = request.split_at(request.len() - 300);
        connection.write(first).unwrap();
        is_being_read(&server);

        server.terminate();
        port_is_closed(&server.address);
        for part in rest.chunks(100) {
            thread::sleep(Duration::from_millis(20));
            connection.write(part).unwrap();
        }

        let reply = connection.reply().unwrap();
        assert_eq!(reply.said(), taken_in(&[("A", "created")]));
        assert_eq!(server.ended(), Some(0), "{}", server.log());
        assert!(!home.data_dir().join("server.json").exists());
        assert!(server.log().contains("stopped"));

        server.restart();
        assert_eq!(server.order(&token, "A").json(), sample_order("A"));
        server.stop();
    }
}

/// Waits until the server has begun with what was sent before: it answers a later request.
fn is_being_read(server: &Server) {
    // What is accepted later is read later; both are on loopback.
    assert_eq!(server.send(&Request::get("/healthz")).status, 200);
    thread::sleep(Duration::from_millis(50));
}

#[test]
fn idle_connections_do_not_hold_a_server_that_is_told_to_stop() {
    let mut server = Home::new().serve(&[]);
    let mut idle = server.connect();
    assert_eq!(idle.send(&Request::get("/healthz")).unwrap().status, 200);
    let silent = server.connect();

    let begun = std::time::Instant::now();
    server.stop();

    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(idle.send(&Request::get("/healthz")).is_err());
    drop(silent);
}

#[test]
fn a_request_after_the_signal_is_not_accepted() {
    let mut server = Home::new().serve(&[]);
    let token = server.token(&server.merchant("slow"));
    let request = publication(&token, message(&[sample_order("A")])).bytes();
    let mut connection = server.connect();
    connection.write(&request[..request.len() - 1]).unwrap();
    is_being_read(&server);
    server.terminate();
    port_is_closed(&server.address);

    assert!(Connection::open(&server.address).is_err());

    connection.write(&request[request.len() - 1..]).unwrap();
    assert_eq!(connection.reply().unwrap().header("Connection"), Some("close"));
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn a_signal_right_after_the_start_is_heard() {
    let home = Home::new();
    let file = home.data_dir().join("server.json");
    let mut command = home.command(&["--listen", "127.0.0.1:0", "serve"]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    eventually("the server says where it is", || file.exists().then_some(()));

    signal("-TERM", child.id());

    let status = eventually("the server ends", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!file.exists());
}

#[test]
fn an_interrupt_from_the_keyboard_stops_the_server_alike() {
    let mut server = Home::new().serve(&[]);
    signal("-INT", server.pid());
    assert_eq!(server.ended(), Some(0));
    assert!(!server.home.data_dir().join("server.json").exists());
}

#[test]
fn a_server_that_drains_says_so_and_still_answers_until_it_stops() {
    let mut server = Home::new().serve(&["--drain-seconds", "60"]);
    let ready = server.send(&Request::get("/readyz"));
    let parts = r#"{"message":"ready","database":"ready","traffic":"ready"}"#;
    assert_eq!((ready.status, ready.text()), (200, parts));

    server.terminate();

    eventually("it is not ready", || {
        let ready = server.send(&Request::get("/readyz"));
        (ready.status == 503).then(|| assert_eq!(ready.json()["traffic"], "draining"))
    });
    assert_eq!(server.send(&Request::get("/healthz")).status, 200);
    // A second signal means at once.
    server.stop();
    assert!(server.log().contains("draining for 60 s"));
}

#[test]
fn settings_are_read_again_at_a_hangup_and_invalid_ones_change_nothing() {
    let home = Home::new();
    let file = home.file("settings.toml", "rate_limit_per_minute = 7\n");
    let arguments = ["--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()];
    let server = Server::start(&home, &arguments);
    let limit = || {
        let reply = server.send(&Request::get("/openapi.json"));
        reply.header("ratelimit-limit").map(str::to_owned)
    };
    assert_eq!(limit().as_deref(), Some("7"));

    let more =
        "log_format = \"json\"\n[mail]\nhost = \"localhost\"\nfrom = \"returns@example.com\"\n";
    let changed = format!("rate_limit_per_minute = 1000\nretention_days = 9\n{more}");
    home.file("settings.toml", &changed);
    signal("-HUP", server.pid());
    eventually("the new limit holds", || (limit().as_deref() == Some("1000")).then_some(()));
    let restart = "these need a restart: retention_days, log_format, [mail]";
    eventually("the log names the rest", || server.log().contains(restart).then_some(()));

    home.file("settings.toml", "rate_limit_per_minute = \"many\"\n");
    signal("-HUP", server.pid());
    eventually("it is refused", || server.log().contains("the old ones stay").then_some(()));
    assert_eq!(limit().as_deref(), Some("1000"));
}

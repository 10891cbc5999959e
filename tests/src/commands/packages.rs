//! What packages need: completions, man pages, the description of the API, and word to systemd.

use std::{os::unix::net::UnixDatagram, process::Stdio, time::Duration};

use serde_json::Value;

use crate::harness::{home::Home, http::Request, postgres::POSTGRES};

#[test]
fn completions_know_every_command_in_every_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = home.run(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{}", script.err);
        for command in ["serve", "merchant", "failures", "man-pages"] {
            assert!(script.out.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_man_page() {
    let home = Home::new();
    let folder = home.root().join("man");
    let written = home.run(&["man-pages", folder.to_str().unwrap()]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    for page in ["homeward.1", "homeward-serve.1", "homeward-merchant-add.1"] {
        let text = std::fs::read_to_string(folder.join(page)).unwrap();
        assert!(text.contains(".TH"), "{page}: {text}");
    }
}

#[test]
fn the_description_of_the_api_is_printed_as_the_server_has_it() {
    let server = Home::new().serve(&[]);
    let printed = server.home.run(&["openapi"]);
    let printed: Value = serde_json::from_str(&printed.out).unwrap();
    assert_eq!(printed, server.send(&Request::get("/openapi.json")).json());
}

#[test]
fn systemd_is_told_that_the_server_is_ready_works_and_stops() {
    let home = Home::new();
    let path = home.root().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000").stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let told = || {
        let mut words = [0; 64];
        let length = socket.recv(&mut words).unwrap();
        String::from_utf8_lossy(&words[..length]).into_owned()
    };
    assert_eq!(told(), "READY=1");
    assert_eq!(told(), "WATCHDOG=1");
    let stopped = std::process::Command::new("kill").arg(server.id().to_string()).status();
    assert!(stopped.unwrap().success());
    while told() != "STOPPING=1" {}
    assert!(server.wait().unwrap().success());
}

#[test]
fn systemd_hears_nothing_from_a_server_whose_database_hangs() {
    let Some(schema) = POSTGRES.schema("watchdog") else { return };
    let home = Home::on(&schema.address);
    let path = home.root().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000").stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let hears = |within: Duration| {
        socket.set_read_timeout(Some(within)).unwrap();
        socket.recv(&mut [0; 64]).is_ok()
    };
    assert!(hears(Duration::from_secs(20)));

    let lock = schema.lock("schema_versions", 3);
    // It is told ten times a second while all is well.
    let silent = (0..100).any(|_| !hears(Duration::from_secs(1)));

    assert!(silent);
    lock.join().unwrap();
    assert!(hears(Duration::from_secs(20)));
    server.kill().unwrap();
    server.wait().unwrap();
}

//! `homeward doctor` and `migrate`, the files of a data directory, and who may use it.

use std::{os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};

use super::{assert_refused, make_places};
use crate::harness::{
    home::{Home, Ran, text},
    postgres::{CITUS, POSTGRES},
};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_with_secrets_are_for_their_owner_only() {
    for (home, server) in make_places("files") {
        home.add_merchant("acme");
        let directory = home.data_dir();
        assert_eq!(mode(&directory), 0o700);
        for name in ["admin.json", "secret.key"] {
            assert_eq!(mode(&directory.join(name)), 0o600, "{name}");
        }
        for name in ["homeward.db", "homeward.db-wal", "homeward.db-shm"] {
            let path = directory.join(name);
            assert!(!path.exists() || mode(&path) == 0o600, "{name}");
        }
        assert_eq!(server.is_some(), directory.join("server.json").exists());
    }
}

/// What the doctor says of one check.
fn finding(findings: &Value, check: &str) -> (bool, String) {
    let found = findings.as_array().unwrap().iter().find(|it| it["check"] == check);
    let found = found.unwrap_or_else(|| panic!("no {check}: {findings}"));
    (found["ok"].as_bool().unwrap(), text(&found["detail"]))
}

#[test]
fn the_doctor_finds_a_sound_installation_sound() {
    for (home, server) in make_places("doctor") {
        home.add_merchant("acme");
        let findings = home.json(&["doctor"]);

        for check in ["data directory", "secret files", "disk", "certificate", "server", "store"] {
            assert!(finding(&findings, check).0, "{findings}");
        }
        assert!(findings.as_array().unwrap().iter().all(|it| it["ok"] == true), "{findings}");
        let seen = finding(&findings, "server").1;
        match &server {
            None => assert_eq!(seen, "not running; start it with homeward serve"),
            Some(server) => {
                let address = format!("http://{}", server.address);
                assert_eq!(seen, format!("process {} listens on {address}", server.pid()));
            }
        }
        let store = finding(&findings, "store").1;
        let begins = format!("{} responds, schema version ", home.engine());
        assert!(store.starts_with(&begins), "{store}");
        let words = home.run(&["doctor"]);
        assert_eq!(words.code, Some(0));
        assert!(words.out.lines().all(|line| line.starts_with("ok ")), "{}", words.out);
    }
}

#[test]
fn the_doctor_creates_nothing() {
    let home = Home::new();
    let ran = home.run(&["--json", "doctor"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let findings: Value = serde_json::from_str(&ran.out).unwrap();
    let said = format!("{} does not exist; homeward serve creates it", home.data_dir().display());
    assert_eq!(finding(&findings, "data directory"), (false, said));
    assert!(!home.data_dir().exists());

    std::fs::create_dir(home.data_dir()).unwrap();
    assert_eq!(home.run(&["doctor"]).code, Some(1));
    assert_eq!(std::fs::read_dir(home.data_dir()).unwrap().count(), 0);

    // A database of an earlier version stays as it is.
    let home = Home::new();
    home.add_merchant("acme");
    let files = || {
        let entries = std::fs::read_dir(home.data_dir()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = files();
    assert_eq!(home.run(&["doctor"]).code, Some(0));
    assert_eq!(files(), before);
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let home = Home::new();
    home.add_merchant("acme");
    let open = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let (directory, admin) = (home.data_dir(), home.data_dir().join("admin.json"));
    open(&directory, 0o755);
    open(&admin, 0o644);

    let ran = home.run(&["--json", "doctor"]);

    assert_eq!(ran.code, Some(1));
    let findings: Value = serde_json::from_str(&ran.out).unwrap();
    let path = directory.display();
    let said = format!("other users can read {path}: run chmod 700 {path}");
    assert_eq!(finding(&findings, "data directory"), (false, said));
    let said = format!("other users can read {0}: run chmod 600 {0}", admin.display());
    assert_eq!(finding(&findings, "secret files"), (false, said));
    assert!(finding(&findings, "store").0);

    open(&directory, 0o700);
    open(&admin, 0o600);
    std::fs::write(directory.join("secret.key"), "short").unwrap();
    let ran = home.run(&["--json", "doctor"]);
    let findings: Value = serde_json::from_str(&ran.out).unwrap();
    let (ok, said) = finding(&findings, "store");
    assert!(!ok && said.contains("secret.key is not a key file: "), "{said}");
}

#[test]
fn the_doctor_gives_up_on_a_server_that_hangs() {
    let server = Home::sqlite().serve(&[]);
    let signal = |name: &str| {
        let pid = server.pid().to_string();
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    signal("-STOP");
    let started = std::time::Instant::now();

    let ran = server.home.run(&["--json", "doctor"]);

    signal("-CONT");
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let findings: Value = serde_json::from_str(&ran.out).unwrap();
    let said = "the server did not respond within 5 s: its log may say why".to_owned();
    assert_eq!(finding(&findings, "store"), (false, said));
}

#[test]
fn only_a_server_creates_an_installation() {
    let home = Home::sqlite();
    let path = home.data_dir();
    let why = format!(
        "no installation in {}: name its directory with --data-dir, or create one with homeward \
         serve",
        path.display()
    );
    let commands: [&[&str]; 6] = [
        &["merchant", "list"],
        &["merchant", "add", "acme", "--name", "Acme"],
        &["backup", "copy.db"],
        &["key", "rotate"],
        &["failures", "list"],
        &["shopper", "export", "a@b.example"],
    ];
    for command in commands {
        assert_refused(&home.run(command), &why);
        assert!(!path.exists(), "{command:?}");
    }

    // A folder of something else stays as it is.
    std::fs::create_dir(&path).unwrap();
    assert_refused(&home.run(&["merchant", "list"]), &why);
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
}

#[test]
fn a_server_that_cannot_listen_changes_nothing() {
    let home = Home::sqlite();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();

    let ran = home.run(&["serve", "--listen", &address]);

    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains(&format!("cannot listen at {address}: ")), "{}", ran.err);
    for name in ["homeward.db", "secret.key", "admin.json"] {
        assert!(!home.data_dir().join(name).exists(), "{name}");
    }
    assert!(home.run(&["merchant", "list"]).err.contains("no installation in "));
}

#[test]
fn migrating_is_told_and_done_once() {
    let homes = [
        Some(Home::sqlite()),
        POSTGRES.schema("migrate").map(|schema| Home::on(&schema.address)),
        CITUS.schema("migrate").map(|schema| Home::on(&schema.address)),
    ];
    for (home, is_distributed) in homes.into_iter().zip([false, false, true]) {
        let Some(home) = home else { continue };
        let mut first = home.json(&["migrate"]);
        let version = first["to"].as_u64().unwrap();
        let distributed = first.as_object_mut().unwrap().remove("distributed_tables");
        assert_eq!(distributed.is_some_and(|tables| tables.as_u64() > Some(30)), is_distributed);
        assert_eq!(first, json!({ "from": 0, "to": version }));
        assert_eq!(home.json(&["migrate"]), json!({ "from": version, "to": version }));
        let words = home.run(&["migrate"]);
        assert_eq!(words.out, format!("The schema is at version {version}; nothing to do.\n"));
        home.add_merchant("acme");
    }
}

#[test]
fn beside_a_server_only_postgres_can_be_migrated() {
    let mut places = make_places("migrate_served").into_iter().skip(1);
    let (home, server) = places.next().unwrap();
    let (path, pid) = (home.data_dir(), server.as_ref().unwrap().pid());
    let ran = home.run(&["migrate"]);
    assert_refused(&ran, &format!("{} is in use by process {pid}", path.display()));
    for (home, _server) in places {
        let told = home.json(&["migrate"]);
        assert_eq!(told["from"], told["to"]);
    }
}

#[test]
fn a_second_server_on_the_same_directory_is_refused_with_the_pid_of_the_first() {
    let server = Home::new().serve(&[]);
    let home = &server.home;

    let ran = home.run(&["--listen", "127.0.0.1:0", "serve"]);

    let path = home.data_dir();
    assert_refused(&ran, &format!("{} is in use by process {}", path.display(), server.pid()));
    assert_eq!(home.json(&["merchant", "list"]), json!({ "merchants": [] }), "the first goes on");
}

#[test]
fn a_server_that_was_killed_leaves_nothing_in_the_way() {
    let mut server = Home::new().serve(&[]);
    let merchant = server.merchant("killed");
    let home = server.home.clone();
    server.kill9();
    assert!(home.data_dir().join("server.json").exists(), "nobody could remove it");

    let list = home.json(&["merchant", "list"]);

    assert_eq!(list["merchants"][0]["merchant"], merchant.id);
    assert!(!home.data_dir().join("server.json").exists());
    server.restart();
    server.token(&merchant);
}

#[test]
fn commands_at_the_same_time_all_succeed() {
    let home = Home::new();
    home.add_merchant("first");
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..6)
            .map(|number| {
                let (home, id) = (&home, format!("m{number}"));
                scope.spawn(move || home.run(&["merchant", "add", &id, "--name", "At once"]))
            })
            .collect();
        running.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for ran in &ran {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let list = home.json(&["merchant", "list"]);
    assert_eq!(list["merchants"].as_array().unwrap().len(), 7);
}

#[test]
fn a_token_is_not_sent_unencrypted_to_another_machine() {
    let home = Home::new();
    let list = ["merchant", "list", "--token", "hwt.secret", "--server"];
    for address in ["http://192.0.2.1:1", "http://returns.example.com", "http://127.0.0.1.example"]
    {
        let ran = home.run(&[&list[..], &[address]].concat());
        let why = format!("{address} would get the token unencrypted: use https, or --insecure");
        assert_refused(&ran, &why);
    }
    for (address, insecure) in [
        ("http://127.0.0.1:1", false),
        ("http://[::1]:1", false),
        ("http://localhost:1", false),
        ("http://127.0.0.1:1", true),
    ] {
        let flag: &[&str] = if insecure { &["--insecure"] } else { &[] };
        let ran = home.run(&[&list[..], &[address], flag].concat());
        assert!(ran.err.contains("cannot be reached"), "{address}: {}", ran.err);
    }
    assert!(!home.data_dir().exists());
}

#[test]
fn another_server_can_be_named_with_a_token() {
    let server = Home::new().serve(&[]);
    let merchant = server.merchant("remote");
    let (token, elsewhere) = (server.admin_token(), Home::new());
    let address = format!("http://{}", server.address);

    let list = elsewhere.json(&["merchant", "list", "--server", &address, "--token", &token]);

    assert_eq!(list["merchants"][0]["merchant"], merchant.id);
    let short = ["merchant", "list", "--server", &address, "--token", "wrong"];
    assert_refused(&elsewhere.run(&short), "the token is unknown, expired or revoked");
    let own = server.token(&merchant);
    let lesser = ["merchant", "list", "--server", &address, "--token", &own];
    assert_refused(&elsewhere.run(&lesser), "the token lacks the scope admin");
}

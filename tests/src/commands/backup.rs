//! `homeward backup`: a copy, taken while orders come in, that another server can serve.

use std::{
    os::unix::fs::PermissionsExt,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use super::{assert_refused, make_places};
use crate::harness::{
    eventually,
    home::Home,
    http::Request,
    samples::{message, refunded_order},
    server::Server,
};

fn sent(number: usize) -> serde_json::Value {
    refunded_order(&format!("order-{number}"), &format!("refund-{number}"))
}

/// Posts orders one after the other until `stop`, counting those that were answered.
fn post(server: &Server, token: &str, answered: &AtomicUsize, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let number = answered.load(Ordering::Relaxed);
        assert_eq!(server.publish(token, &message(&[sent(number)])).status, 200);
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

/// Ends the posting also when the test fails meanwhile.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A data directory with the backup as its database, and the keys of the original.
fn restored(original: &Home, backup: &str) -> Home {
    let home = Home::sqlite();
    std::fs::create_dir(home.data_dir()).unwrap();
    let copy = |from: std::path::PathBuf, to: &str| {
        std::fs::copy(from, home.data_dir().join(to)).unwrap();
    };
    copy(original.root().join(backup), "homeward.db");
    copy(original.data_dir().join("secret.key"), "secret.key");
    copy(original.data_dir().join("admin.json"), "admin.json");
    home
}

#[test]
fn a_backup_taken_under_load_holds_everything_answered_before_it_began() {
    for (home, server) in make_places("backup") {
        let server = server.unwrap_or_else(|| home.serve(&[]));
        let merchant = server.merchant("backup");
        let token = server.token(&merchant);
        let (answered, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let before = thread::scope(|scope| {
            let _stop = StopAtEnd(&stop);
            scope.spawn(|| post(&server, &token, &answered, &stop));
            let count = || answered.load(Ordering::Relaxed);
            eventually("orders come in", || (count() > 20).then_some(()));
            let before = count();
            let told = home.json(&["backup", "copy.db"]);
            assert_eq!(told["file"], "copy.db");
            assert!(told["bytes"].as_u64().unwrap() > 0);
            let during = count();
            eventually("and go on coming in", || (count() > during + 5).then_some(()));
            before
        });

        let copy = restored(&home, "copy.db").serve(&[]);

        let all = answered.load(Ordering::Relaxed);
        let held: Vec<bool> = (0..all)
            .map(|number| {
                let reply = copy.order(&token, &format!("order-{number}"));
                assert!(reply.status == 404 || reply.json() == sent(number), "{}", reply.said());
                reply.status == 200
            })
            .collect();
        let length = held.iter().take_while(|held| **held).count();
        assert!((before..all).contains(&length), "{before} {length} {all}");
        assert!(held.iter().skip(length).all(|held| !held), "as of one moment: no gaps");
        let list = copy.home.json(&["merchant", "list"]);
        assert_eq!(list["merchants"][0]["merchant"], merchant.id);
        copy.home.json(&["merchant", "rotate-secret", &merchant.id, "--signing"]);
        let reply = copy.publish(&token, &message(&[sent(all)]));
        assert_eq!(reply.status, 200, "the copy goes on by itself");
    }
}

#[test]
fn a_backup_needs_no_server_and_overwrites_nothing() {
    let home = Home::sqlite();
    let merchant = home.add_merchant("acme");
    let words = home.run(&["backup", "copy.db"]);
    assert_eq!(words.code, Some(0), "{}", words.err);
    assert!(words.out.starts_with("Wrote "), "{}", words.out);
    let key = home.data_dir().join("secret.key");
    let keep = "Its secrets can be decrypted only with";
    assert_eq!(words.err, format!("{keep} {}: keep that file too, elsewhere.\n", key.display()));

    assert_refused(&home.run(&["backup", "copy.db"]), "copy.db exists already");
    let list = restored(&home, "copy.db").json(&["merchant", "list"]);
    assert_eq!(list["merchants"][0]["merchant"], merchant.id);

    let ran = Home::sqlite().run(&["backup", "copy.db"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.starts_with("homeward: no installation in "), "{}", ran.err);
    let ran = home.run(&["backup", "no/such/folder/copy.db"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let left: Vec<_> =
        std::fs::read_dir(home.root()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
}

#[test]
fn a_backup_is_for_its_owner_only() {
    let home = Home::sqlite();
    home.add_merchant("acme");
    home.json(&["backup", "copy.db"]);
    let permissions = std::fs::metadata(home.root().join("copy.db")).unwrap().permissions();
    assert_eq!(permissions.mode() & 0o077, 0, "{:o}", permissions.mode());
}

#[test]
fn a_restore_without_its_key_file_says_what_is_missing() {
    let home = Home::sqlite();
    home.add_merchant("acme");
    home.json(&["backup", "copy.db"]);
    let (elsewhere, file) = (Home::sqlite(), home.root().join("copy.db"));

    let ran = elsewhere.run(&["restore", file.to_str().unwrap()]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.ends_with(", 1 merchant.\n"), "{}", ran.out);
    let key = elsewhere.data_dir().join("secret.key");
    let note = format!(
        "Its secrets need the key file of the backup: put it at {} before you start.\n",
        key.display()
    );
    assert_eq!(ran.err, note);
}

#[test]
fn an_encrypted_backup_shows_nothing_and_is_restored_with_its_key_only() {
    let home = Home::sqlite();
    let merchant = home.add_merchant("acme");
    let words = home.run(&["backup", "copy.sealed", "--encrypt"]);
    assert_eq!(words.code, Some(0), "{}", words.err);
    let bytes = std::fs::read(home.root().join("copy.sealed")).unwrap();
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(!has(b"SQLite format") && !has(b"A merchant"));
    let file = home.root().join("copy.sealed");
    let file = file.to_str().unwrap();

    let elsewhere = Home::sqlite();
    std::fs::create_dir(elsewhere.data_dir()).unwrap();
    let missing = elsewhere.data_dir().join("secret.key");
    let why =
        format!("{} is missing: put the key file of the backup in its place", missing.display());
    assert_refused(&elsewhere.run(&["restore", file]), &why);
    let other = Home::sqlite();
    other.add_merchant("other");
    let ran = other.run(&["restore", file, "--replace"]);
    assert!(ran.err.contains("cannot be decrypted with this key file"), "{}", ran.err);
    assert_eq!(other.json(&["merchant", "list"])["merchants"][0]["merchant"], "other");

    let key = home.data_dir().join("secret.key");
    std::fs::copy(&key, elsewhere.data_dir().join("secret.key")).unwrap();
    let restored = elsewhere.run(&["restore", file]);
    assert_eq!(restored.code, Some(0), "{}", restored.err);
    let list = elsewhere.json(&["merchant", "list"]);
    assert_eq!(list["merchants"][0]["merchant"], merchant.id);
}

#[test]
fn a_restore_replaces_only_what_it_is_told_to_and_keeps_it_aside() {
    let home = Home::sqlite();
    home.add_merchant("first");
    home.json(&["backup", "copy.db"]);
    home.add_merchant("second");
    let merchants = || home.json(&["merchant", "list"])["merchants"].as_array().unwrap().len();

    let ran = home.run(&["restore", "copy.db"]);
    assert!(ran.err.contains("use --replace to replace it"), "{}", ran.err);
    std::fs::write(home.root().join("damaged.db"), b"not a database").unwrap();
    let ran = home.run(&["restore", "damaged.db", "--replace"]);
    assert!(ran.err.contains("is not a sound backup"), "{}", ran.err);
    let server = home.serve(&[]);
    let ran = home.run(&["restore", "copy.db", "--replace"]);
    assert!(ran.err.contains("stop the server first"), "{}", ran.err);
    drop(server);
    assert_eq!(merchants(), 2);

    let ran = home.run(&["restore", "copy.db", "--replace"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(merchants(), 1);
    assert!(home.data_dir().join("homeward.db.before-restore").exists());
}

#[test]
fn a_server_makes_regular_backups_and_keeps_the_newest() {
    let home = Home::sqlite();
    let folder = home.root().join("backups");
    std::fs::create_dir(&folder).unwrap();
    for day in ["20200101", "20200102"] {
        let old = folder.join(format!("homeward-{day}T000000Z.sealed"));
        std::fs::write(&old, b"old").unwrap();
        let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
        std::fs::File::options().write(true).open(&old).unwrap().set_modified(past).unwrap();
    }
    // What a process leaves that ends while it makes a backup.
    for ending in [".plain", ".plain-journal", ".partial"] {
        let name = format!("homeward-20200103T000000Z.sealed{ending}");
        std::fs::write(folder.join(name), b"orders of shoppers").unwrap();
    }
    let flags = ["--backup-dir", folder.to_str().unwrap(), "--backup-keep", "2"];
    let server = home.serve(&flags);
    let names = || {
        let entries = std::fs::read_dir(&folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let kept = eventually("the oldest is removed", || {
        Some(names()).filter(|it| it.len() == 2 && it[0].contains("20200102"))
    });
    let file = folder.join(&kept[1]);
    drop(server);
    let server = home.serve(&flags);
    let known = eventually("the backup is known after a restart", || {
        let metric = "homeward_backup_last_success_timestamp_seconds ";
        let metrics = server.send(&Request::get("/metrics"));
        let line =
            metrics.text().lines().find_map(|line| line.strip_prefix(metric)).map(str::to_owned);
        line.filter(|value| value != "0")
    });
    assert!(known.parse::<i64>().unwrap() > 1_700_000_000, "{known}");
    drop(server);

    let restore = ["restore", file.to_str().unwrap(), "--replace"];
    let ran = home.run(&restore);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = home.run(&restore);
    assert!(ran.err.contains("before-restore exists already: move it away first"), "{}", ran.err);
    assert!(!home.data_dir().join("homeward.db.restoring").exists(), "no copy is left");

    let sealed = std::fs::read(&file).unwrap();
    std::fs::write(&file, &sealed[..sealed.len() / 2]).unwrap();
    let empty = Home::sqlite();
    std::fs::create_dir(empty.data_dir()).unwrap();
    let key = "secret.key";
    std::fs::copy(home.data_dir().join(key), empty.data_dir().join(key)).unwrap();
    let ran = empty.run(&["restore", file.to_str().unwrap()]);
    assert!(ran.err.contains("is incomplete: its end is missing"), "{}", ran.err);
}

//! The keys that encrypt secrets in the database: a wrong file is refused, and keys are rotated
//! while the server works.

use std::sync::atomic::{AtomicBool, Ordering};

use domain::messages::endpoint::Auth;
use serde_json::{Value, json};
use sim::Settings;

use crate::harness::{
    home::{Home, text},
    http::Request,
    server::Server,
    stage::{ALLOW, Stage, accepted, homes, receiver},
};

fn key_file(home: &Home) -> std::path::PathBuf {
    home.data_dir().join("secret.key")
}

/// The identifiers of the keys in the file, newest first.
fn key_ids(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(key_file(home)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn a_missing_or_foreign_key_file_stops_the_start_and_is_not_replaced() {
    for home in homes("key_files") {
        home.add_merchant("acme");
        let (file, [own]) = (key_file(&home), <[String; 1]>::try_from(key_ids(&home)).unwrap());
        let kept = std::fs::read(&file).unwrap();

        std::fs::remove_file(&file).unwrap();
        let ran = home.run(&["merchant", "list"]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains("secret.key is missing, but the database"), "{}", ran.err);
        assert!(!file.exists(), "no other key is created");

        let other = Home::new();
        other.add_merchant("acme");
        std::fs::copy(key_file(&other), &file).unwrap();
        let ran = home.run(&["merchant", "list"]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains("does not belong to this database"), "{}", ran.err);
        assert!(ran.err.contains(&own), "it names the missing key: {}", ran.err);

        // The identifier alone does not help.
        let foreign = std::fs::read_to_string(&file).unwrap().replace(&key_ids(&home)[0], &own);
        std::fs::write(&file, foreign).unwrap();
        let ran = home.run(&["merchant", "list"]);
        assert!(ran.err.contains("does not belong to this database"), "{}", ran.err);

        std::fs::write(&file, kept).unwrap();
        assert_eq!(home.run(&["merchant", "list"]).code, Some(0));
    }
}

/// What the server recorded in the audit trail by itself, oldest first: action and detail.
fn key_records(server: &Server) -> Vec<Value> {
    let request = Request::get("/admin/audit");
    let reply = server.send(&request.bearer(&server.admin_token()));
    assert_eq!(reply.status, 200, "{}", reply.said());
    let changes = reply.json()["changes"].as_array().unwrap().clone();
    let shown = |change: &Value| {
        assert_eq!(change.get("address"), None);
        json!([change["action"], change["detail"]])
    };
    changes.iter().rev().filter(|change| change["actor"] == "server").map(shown).collect()
}

#[test]
fn the_audit_trail_has_every_rotation_with_identifiers_and_no_keys() {
    for home in homes("key_audit") {
        let server = home.serve(&[]);
        let [first] = <[String; 1]>::try_from(key_ids(&home)).unwrap();
        assert!(key_records(&server).is_empty(), "the first key replaces none");

        home.json(&["key", "rotate"]);
        let second = key_ids(&home)[0].clone();
        let rotated = json!(["key.rotate", { "new": second, "old": [first] }]);
        let forgotten = json!(["key.forget", { "old": [first] }]);
        assert_eq!(key_records(&server), [rotated, forgotten]);
    }
}

/// A request that is answered with a new secret, which is stored for its repetition.
fn rotate_signing_secret(server: &Server, stage: &Stage<'_>, key: &str) -> String {
    let target = format!("/admin/merchants/{}/rotate_signing_secret", stage.merchant.id);
    let request = Request::post(&target).bearer(&stage.admin).header("Idempotency-Key", key);
    let reply = server.send(&request);
    assert_eq!(reply.status, 200, "{}", reply.said());
    text(&reply.json()["signing_secret"])
}

#[test]
fn keys_are_rotated_while_messages_are_signed_and_old_keys_are_forgotten() {
    for home in homes("key_rotation") {
        let mut server = home.serve(&ALLOW);
        let tenant = {
            // Its systems check the signature and the credential of every call.
            let stage = Stage::set(&server);
            let auth = Auth::Bearer { token: "s3cret".to_owned() };
            let running = receiver(Settings { auth, ..stage.settings() });
            stage.point_to(&running.url(), &json!({ "type": "bearer", "token": "s3cret" }));
            let secret = rotate_signing_secret(&server, &stage, "before");
            let stop = AtomicBool::new(false);
            let sent = std::thread::scope(|scope| {
                let sending = scope.spawn(|| {
                    let mut sent = 0;
                    while !stop.load(Ordering::Relaxed) {
                        stage.test("lane", sent);
                        sent += 1;
                    }
                    u64::try_from(sent).unwrap()
                });
                let first = key_ids(&home);
                for _ in 0..2 {
                    let rotated = home.json(&["key", "rotate"]);
                    assert_eq!(rotated, json!({ "newest": key_ids(&home)[0], "older": [] }));
                }
                let ids = key_ids(&home);
                assert!(ids.len() == 2 && !ids.contains(&first[0]), "{first:?} {ids:?}");
                stop.store(true, Ordering::Relaxed);
                sending.join().unwrap()
            });
            accepted(&running, sent);
            assert_eq!(rotate_signing_secret(&server, &stage, "before"), secret, "repeated");
            stage.tenant
        };
        server.restart();
        let stage = Stage { server: &server, tenant };
        rotate_signing_secret(&server, &stage, "after");
        assert!(server.log().contains(" with the newest key"), "{}", server.log());
    }
}

#[test]
fn a_key_is_rotated_without_a_server_too() {
    let home = Home::new();
    home.add_merchant("acme");
    let before = key_ids(&home);
    let said = home.run(&["key", "rotate"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let after = key_ids(&home);
    assert_eq!(said.out, format!("All secrets are encrypted with the key {}.\n", after[0]));
    assert_eq!(after[1..], before);
    assert_eq!(home.run(&["merchant", "list"]).code, Some(0));
}

//! Upgrades: the database of a released version, with data, is served by this one, and what it
//! contains is continued.
//!
//! `upgrade/` has the databases of version 0.1.0 as SQL, each with the facts that a test must know
//! in its first line: two orders, a return on its way, a withdrawal, messages of which some were
//! delivered, and mails that wait.

use std::collections::BTreeSet;

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::{
    harness::{
        binary::workspace,
        eventually,
        home::{Home, Merchant, SHARED_KEY, text},
        http::Request,
        mail_server::MailServer,
        postgres::POSTGRES,
        samples::message,
        server::Server,
        stage::{QUICK, receiver},
    },
    returns::scene::refund,
};

const SQLITE: &str = include_str!("upgrade/0.1.0.sqlite.dump");
const POSTGRES_SQL: &str = include_str!("upgrade/0.1.0.postgres.dump");

/// The databases of version 0.1.0, and what is in them.
fn released_databases() -> Vec<(Home, Value)> {
    let home = Home::sqlite();
    std::fs::create_dir(home.data_dir()).unwrap();
    let file = home.data_dir().join("homeward.db");
    rusqlite::Connection::open(file).unwrap().execute_batch(SQLITE).unwrap();
    let mut databases = vec![(home, read_facts(SQLITE))];
    if let Some(schema) = POSTGRES.schema("upgrade") {
        schema.execute(POSTGRES_SQL);
        databases.push((Home::on(&schema.address), read_facts(POSTGRES_SQL)));
    }
    databases
}

fn read_facts(sql: &str) -> Value {
    let first = sql.lines().next().unwrap();
    serde_json::from_str(first.strip_prefix("-- ").unwrap()).unwrap()
}

/// A server of this version on the database of another, as its merchant and its operators use it.
struct Upgraded<'a> {
    server: &'a Server,
    facts: &'a Value,
    token: String,
    admin: String,
}

impl<'a> Upgraded<'a> {
    fn new(server: &'a Server, facts: &'a Value) -> Self {
        // The secret of the merchant's client is as it was.
        let token = server.token(&Merchant::read("acme", facts));
        Self { server, facts, token, admin: server.admin_token() }
    }

    fn read(&self, target: &str) -> Value {
        let reply = self.server.send(&Request::get(target).bearer(&self.token));
        assert_eq!(reply.status, 200, "{target}: {}", reply.said());
        reply.json()
    }

    fn change(&self, method: &str, target: &str, body: &Value) {
        let target = format!("/admin/merchants/acme/{target}");
        let request = Request::new(method, &target).bearer(&self.admin).json(body.to_string());
        let reply = self.server.send(&request);
        assert!(reply.status < 300, "{target}: {}", reply.said());
    }

    fn waiting_messages(&self) -> BTreeSet<String> {
        let target = "/admin/messages?merchant=acme&state=waiting&limit=500";
        let reply = self.server.send(&Request::get(target).bearer(&self.admin));
        assert_eq!(reply.status, 200, "{}", reply.said());
        let found = reply.json()["messages"].as_array().unwrap().clone();
        found.iter().map(|message| text(&message["id"])).collect()
    }

    /// The return is still on its way, and its journal leads to what is stored.
    fn assert_return_is_continued(&self) {
        let rma = text(&self.facts["rma_identifier"]);
        let before = self.read(&format!("/returns/{rma}"));
        assert_eq!(before["status"], "CREATED", "{before}");
        let events = self.read(&format!("/returns/{rma}/events"))["events"].clone();
        assert_eq!(events.as_array().unwrap().len(), 3, "{events}");
        let mut order = self.read("/orders/ORD-1");
        let line = text(&before["items"][0]["order_line_item_identifier"]);
        let mut paid = refund("RF-1", Some(&rma), &[(&line, 1)]);
        paid["total_refund_amount_cents"] = before["statement"]["balance_cents"].clone();
        order["refunds"] = json!([paid]);
        order["updated_at"] = json!("2126-01-01T00:00:00Z");
        let reply = self.server.publish(&self.token, &message(&[order]));
        assert_eq!(reply.status, 200, "{}", reply.said());
        assert_eq!(self.read(&format!("/returns/{rma}"))["status"], "REFUNDED");
    }

    /// The withdrawal is recorded, and the seal of its acknowledgement is valid.
    fn assert_withdrawal_is_kept(&self, key: &str) {
        let recorded = self.read("/withdrawals")["withdrawals"][0].clone();
        assert_eq!(recorded["withdrawal_identifier"], self.facts["withdrawal_identifier"]);
        let page = format!("{}/document", text(&self.facts["withdrawal_page"]));
        let document = self.server.send(&Request::get(&page));
        assert_eq!(document.status, 200, "{}", document.said());
        let file = self.server.home.file("acknowledgement.json", &document.body);
        let verify = ["--secret-key-file", key, "withdrawal", "verify", file.to_str().unwrap()];
        let ran = self.server.home.run(&verify);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }

    /// Messages and mails that waited arrive, signed with the secret of before.
    fn assert_messages_are_sent(&self) {
        let before = self.waiting_messages();
        assert!(before.len() >= 7, "{before:?}");
        let signing_secrets = vec![text(&self.facts["signing_secret"])];
        let running = receiver(sim::Settings { signing_secrets, ..sim::Settings::default() });
        let mailbox = MailServer::start();
        self.change("PUT", "mail", &json!({ "server": mailbox.settings() }));
        let endpoints = json!({ "base_url": running.url(), "auth": { "type": "none" } });
        self.change("PUT", "endpoints", &endpoints);
        for kind in ["rma", "mail"] {
            self.change("POST", &format!("endpoints/{kind}/resume"), &json!({}));
        }
        eventually("what waited is sent", || {
            self.waiting_messages().is_disjoint(&before).then_some(())
        });
        assert!(running.merchant().summary().accepted_ids >= 3);
        assert!(mailbox.wait_for(4).iter().any(|mail| mail.to == "dana@example.org"));
    }
}

#[test]
fn a_database_of_version_0_1_0_is_served_and_continued() {
    for (home, facts) in released_databases() {
        let key = home.file("shared.key", SHARED_KEY);
        let key = key.to_str().unwrap();
        let mut server = home.serve(&[&QUICK[..], &["--secret-key-file", key]].concat());
        let upgraded = Upgraded::new(&server, &facts);
        upgraded.assert_withdrawal_is_kept(key);
        upgraded.assert_return_is_continued();
        upgraded.assert_messages_are_sent();
        server.stop();

        let checked = home.run(&["--secret-key-file", key, "doctor", "--deep"]);
        assert!(checked.out.contains("ok       books"), "{}{}", checked.out, checked.err);
    }
}

#[test]
fn no_released_migration_changes() {
    let folder = workspace().join("crates/store/migrations");
    let released = std::fs::read_to_string(folder.join("released.sha256")).unwrap();
    let mut names = BTreeSet::new();
    for line in released.lines() {
        let (expected, name) = line.split_once("  ").unwrap();
        let hash = digest(&SHA256, &std::fs::read(folder.join(name)).unwrap());
        let expected: Vec<u8> = (0..expected.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&expected[at..at + 2], 16).unwrap())
            .collect();
        assert_eq!(hash.as_ref(), expected, "{name} was released: add a migration instead");
        names.insert(name.to_owned());
    }
    let files = std::fs::read_dir(&folder).unwrap();
    let files = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in files.filter(|name| name.starts_with("00") && !names.contains(name)) {
        let number: usize = name.split('_').next().unwrap().parse().unwrap();
        assert!(number > names.len(), "{name} comes before what was released");
    }
}

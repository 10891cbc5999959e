//! The server is killed without warning while it sends mails, again and again. Every mail arrives,
//! and one that was in flight arrives again only as the same mail.
//!
//! `HOMEWARD_CRASH_ROUNDS` says how often on each engine.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::json;

use crate::{
    harness::{
        home::{Home, text},
        http::Request,
        mail_server::{MailServer, ReceivedMail},
        postgres::{CITUS, POSTGRES},
        read_number,
        server::Server,
        stage::{QUICK, Stage, Tenant},
        within,
    },
    returns::scene::{request, sample_order},
};

const RETURNS_PER_ROUND: usize = 12;
/// Longer than a dead node's lease, which the next one waits for.
const ENDS_WITHIN: Duration = Duration::from_secs(90);

#[test]
fn on_sqlite_no_mail_is_lost_and_a_repeated_one_is_the_same() {
    survive(&Home::sqlite(), read_number("HOMEWARD_CRASH_ROUNDS", 3));
}

#[test]
fn on_postgres_no_mail_is_lost_and_a_repeated_one_is_the_same() {
    Home::test_on(&POSTGRES, "mail_crash", |home| {
        survive(home, read_number("HOMEWARD_CRASH_ROUNDS", 1));
    });
}

#[test]
fn on_citus_no_mail_is_lost_and_a_repeated_one_is_the_same() {
    Home::test_on(&CITUS, "mail_crash", |home| {
        survive(home, read_number("HOMEWARD_CRASH_ROUNDS", 1));
    });
}

fn survive(home: &Home, rounds: usize) {
    let mailbox = MailServer::start();
    let mut server = home.serve(&QUICK);
    let tenant = set_up(&server, &mailbox, rounds * RETURNS_PER_ROUND);
    let mut confirmed = BTreeSet::new();
    // What was delivered for certain, and how often the server had been killed before.
    let mut delivered: BTreeMap<String, usize> = BTreeMap::new();
    for round in 0..rounds {
        let before = mailbox.mails().len();
        for position in 0..RETURNS_PER_ROUND {
            let order = format!("O-{}", round * RETURNS_PER_ROUND + position);
            confirmed.insert(start_return(&server, &tenant, &order));
        }
        // In the middle of sending.
        within(ENDS_WITHIN, "the first mails are sent", || {
            (mailbox.mails().len() > before).then_some(())
        });
        for id in list_delivered(&server, &tenant) {
            delivered.entry(id).or_insert(round);
        }
        server.kill9();
        server.restart();
    }
    let mails = within(ENDS_WITHIN, "every confirmation arrives", || {
        let mut mails = mailbox.mails();
        mails.retain(|mail| mail.subject.ends_with("is confirmed"));
        let subjects: BTreeSet<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
        (subjects.len() == confirmed.len()).then_some(mails)
    });
    check_repetitions(&mails, &delivered);
    let repeated = mails.len() - confirmed.len();
    eprintln!("{} mails in {rounds} rounds, {repeated} of them repeated", mails.len());
}

/// A merchant with its mail server and so many orders.
fn set_up(server: &Server, mailbox: &MailServer, orders: usize) -> Tenant {
    let stage = Stage::set(server);
    let set = stage.try_to_put("mail", &json!({ "server": mailbox.settings() }));
    assert_eq!(set.status, 200, "{}", set.said());
    let orders: Vec<_> = (0..orders).map(|it| sample_order(&format!("O-{it}"))).collect();
    stage.publish(&orders);
    stage.tenant
}

fn start_return(server: &Server, tenant: &Tenant, order: &str) -> String {
    let body = request("mail-back", &[(order, "tee", 1)]).to_string();
    let reply = server.send(&Request::post("/returns").bearer(&tenant.token).json(body));
    assert_eq!(reply.status, 201, "{}", reply.said());
    text(&reply.json()["rma_identifier"])
}

/// The mails whose delivery is stored.
fn list_delivered(server: &Server, tenant: &Tenant) -> Vec<String> {
    let query = format!("merchant={}&kind=mail&state=delivered&limit=500", tenant.merchant.id);
    let request = Request::get(&format!("/admin/messages?{query}")).bearer(&tenant.admin);
    let page = server.send(&request).json();
    page["messages"].as_array().unwrap().iter().map(|it| text(&it["id"])).collect()
}

/// A mail that arrives again is the same mail, and its delivery was not stored when the server was
/// killed: it was in flight.
fn check_repetitions(mails: &[ReceivedMail], delivered: &BTreeMap<String, usize>) {
    let mut arrivals: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mail in mails {
        arrivals.entry(&mail.subject).or_default().push(&mail.message_id);
    }
    for (subject, ids) in &arrivals {
        let distinct: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(distinct.len(), 1, "{subject} arrived as different mails: {ids:?}");
        let own = |(id, _): &(&String, &usize)| ids[0].starts_with(&format!("<{id}@"));
        if let Some((id, kills)) = delivered.iter().find(own) {
            assert!(ids.len() <= kills + 1, "{id} arrived {} times", ids.len());
        }
    }
}

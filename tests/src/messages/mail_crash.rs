//! The server is killed without warning while it sends mails, again and again. Every mail arrives,
//! and one that was in flight arrives again only as the same mail.
//!
//! `HOMEWARD_CRASH_ROUNDS` says how often.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::json;

use super::compose_number;
use crate::{
    harness::{
        home::{Home, text},
        http::Request,
        mail_server::MailServer,
        samples::message,
        stage::{QUICK, Stage},
        within,
    },
    returns::scene::{request, sample_order},
};

const RETURNS_PER_ROUND: usize = 12;
const ENDS_WITHIN: Duration = Duration::from_secs(60);

#[test]
fn no_mail_is_lost_and_a_repeated_one_is_the_same() {
    let rounds = compose_number("HOMEWARD_CRASH_ROUNDS", 3);
    let mailbox = MailServer::start();
    let mut server = Home::sqlite().serve(&QUICK);
    let tenant = {
        let stage = Stage::set(&server);
        let set = stage.try_to_put("mail", &json!({ "server": mailbox.settings() }));
        assert_eq!(set.status, 200, "{}", set.said());
        let orders: Vec<_> =
            (0..rounds * RETURNS_PER_ROUND).map(|it| sample_order(&format!("O-{it}"))).collect();
        let published = server.publish(&stage.token, &message(&orders));
        assert_eq!(published.status, 200, "{}", published.said());
        stage.tenant.clone()
    };
    let mut confirmed = BTreeSet::new();
    for round in 0..rounds {
        let before = mailbox.mails().len();
        for position in 0..RETURNS_PER_ROUND {
            let order = format!("O-{}", round * RETURNS_PER_ROUND + position);
            let body = request("mail-back", &[(&order, "tee", 1)]).to_string();
            let reply = server.send(&Request::post("/returns").bearer(&tenant.token).json(body));
            assert_eq!(reply.status, 201, "{}", reply.said());
            confirmed.insert(text(&reply.json()["rma_identifier"]));
        }
        // In the middle of sending.
        within(ENDS_WITHIN, "the first mails are sent", || {
            (mailbox.mails().len() > before).then_some(())
        });
        server.kill9();
        server.restart();
    }
    let is_confirmation = |subject: &str| subject.ends_with("is confirmed");
    let mails = within(ENDS_WITHIN, "every confirmation arrives", || {
        let mut mails = mailbox.mails();
        mails.retain(|mail| is_confirmation(&mail.subject));
        let subjects: BTreeSet<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
        (subjects.len() == confirmed.len()).then_some(mails)
    });
    let mut identifiers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for mail in &mails {
        identifiers.entry(mail.subject.clone()).or_default().insert(mail.message_id.clone());
    }
    for (subject, ids) in &identifiers {
        assert_eq!(ids.len(), 1, "{subject} arrived as different mails: {ids:?}");
    }
    let repeated = mails.len() - identifiers.len();
    println!("{} mails in {rounds} rounds, {repeated} of them repeated", mails.len());
}

//! Problems are told once when they begin, and once when they are over.

use std::sync::Arc;

use domain::{
    identifier::MerchantId,
    messages::{
        kind::MessageKind,
        mail::settings::{MailSecurity, MailSettings, SmtpServer},
    },
};
use jiff::SignedDuration;
use serde_json::Value;
use store::{AttemptOutcome, FailureCause, FailureKey, Transaction};

use super::Fixture;
use crate::messages::{
    alerts::check_problems,
    mail::platform::PlatformMail,
    outbox::{self, About},
};

/// A platform that can send mails, with an address for operators.
async fn new_fixture() -> Fixture {
    let mut fixture = Fixture::new().await;
    let server = SmtpServer {
        host: "127.0.0.1".to_owned(),
        port: 1,
        security: MailSecurity::None,
        login: None,
        from: "returns@example.com".to_owned(),
        from_name: None,
        dkim: None,
    };
    let state = Arc::get_mut(&mut fixture.app.0).expect("the fixture's app has no clones");
    state.mail = PlatformMail {
        server: Some(server),
        public_url: None,
        operators: Some("operators@example.com".to_owned()),
    };
    let contact = Some("it@acme.example".to_owned());
    let settings = MailSettings { technical_contact: contact, ..MailSettings::default() };
    let mut transaction = Transaction::new("testing");
    transaction.put_mail_settings(&acme(), &settings, 0);
    fixture.app.commit(transaction).await.unwrap();
    fixture
}

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

/// Lets a message fail for good.
async fn fail(fixture: &Fixture, kind: MessageKind) -> i64 {
    let about = About { kind, reference: "A", sequence: 1 };
    let mut transaction = Transaction::new("testing");
    transaction.enqueue(outbox::message(&fixture.app, &acme(), &about, "{}".into()));
    let pending = fixture.app.store.commit(transaction).await.unwrap();
    let message = pending[0].clone();
    let number = message.message_id;
    let failed = AttemptOutcome::Failed { cause: FailureCause::Refused };
    fixture.store_attempt(message, 500, failed).await;
    number
}

/// The mails that wait to be sent, as recipient and subject.
async fn told(fixture: &Fixture) -> Vec<(String, String)> {
    let (platform, queue) = (MerchantId::platform(), MessageKind::Mail.queue());
    let pending = fixture.app.store.pending_messages(&platform, queue, 0, 100).await.unwrap();
    let mails = pending.iter().map(|message| {
        let body: Value = serde_json::from_slice(&message.body).unwrap();
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        assert!(!text("text").is_empty() && text("html").contains(&text("subject")));
        (text("recipient"), text("subject"))
    });
    mails.collect()
}

#[tokio::test]
async fn people_hear_of_a_failing_carrier_account_and_of_its_end_once() {
    let fixture = new_fixture().await;
    check_problems(&fixture.app, None).await.unwrap();
    assert_eq!(told(&fixture).await, []);

    let number = fail(&fixture, MessageKind::CarrierRequest).await;
    for _ in 0..3 {
        check_problems(&fixture.app, None).await.unwrap();
    }
    let begins = "The carrier account of acme fails";
    let mail = |to: &str, subject: &str| (to.to_owned(), subject.to_owned());
    let first = [mail("it@acme.example", begins), mail("operators@example.com", begins)];
    assert_eq!(told(&fixture).await, first);

    let mut transaction = Transaction::new("testing");
    let (merchant, kind) = (&acme(), MessageKind::CarrierRequest);
    transaction.discard_failure(FailureKey { merchant, kind, message_id: number }, "done", 1);
    fixture.app.store.commit(transaction).await.unwrap();
    for _ in 0..3 {
        check_problems(&fixture.app, None).await.unwrap();
    }
    let over = "Over: The carrier account of acme fails";
    let second = [mail("it@acme.example", over), mail("operators@example.com", over)];
    assert_eq!(told(&fixture).await, [first, second].concat());
}

#[tokio::test]
async fn a_growing_failure_queue_and_an_ending_certificate_are_told() {
    let fixture = new_fixture().await;
    for _ in 0..19 {
        fail(&fixture, MessageKind::Rma).await;
    }
    let day = SignedDuration::from_hours(24);
    let later = fixture.app.world.now() + 15 * day;
    check_problems(&fixture.app, Some(later)).await.unwrap();
    assert_eq!(told(&fixture).await, []);

    fail(&fixture, MessageKind::Rma).await;
    check_problems(&fixture.app, Some(later - 2 * day)).await.unwrap();
    let subjects: Vec<(String, String)> = told(&fixture).await;
    let expected = [
        ("it@acme.example", "Messages of kind rma to acme fail"),
        ("operators@example.com", "Messages of kind rma to acme fail"),
        ("operators@example.com", "The certificate of this server ends soon"),
    ];
    assert_eq!(subjects, expected.map(|(to, subject)| (to.to_owned(), subject.to_owned())));
}

//! Settings for mails, reminders, and the problems that people were told of.

use domain::{
    identifier::MerchantId,
    messages::mail::settings::{MailDelivery, MailSettings},
    returns::identifier::RmaId,
};

use crate::{
    DueReminder, OpenAlert, Versioned,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    mail_settings_are_replaced_only_at_the_version_that_was_read,
    a_reminder_is_due_once_and_at_its_last_time,
    a_problem_is_told_once_and_its_end_too,
);

async fn mail_settings_are_replaced_only_at_the_version_that_was_read(
    Subject { store, .. }: Subject,
) {
    let usual = Versioned { value: MailSettings::default(), version: 0 };
    assert_eq!(store.mail_settings(&acme()).await.unwrap(), usual);
    let off = MailSettings { delivery: MailDelivery::Off, ..MailSettings::default() };
    commit(&store, |it| it.put_mail_settings(&acme(), &off, 0)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.put_mail_settings(&acme(), &off, 0)).await);

    let contact = Some("it@acme.example".to_owned());
    let changed = MailSettings { technical_contact: contact, ..off };
    commit(&store, |it| it.put_mail_settings(&acme(), &changed, 1)).await.unwrap();

    let expected = Versioned { value: changed, version: 2 };
    assert_eq!(store.mail_settings(&acme()).await.unwrap(), expected);
    assert_eq!(store.mail_settings(&other()).await.unwrap(), usual);
}

async fn a_reminder_is_due_once_and_at_its_last_time(Subject { store, .. }: Subject) {
    let ids = [1_u64, 2, 3].map(|number| RmaId::from_random(number.to_be_bytes()));
    let [first, second, third] = &ids;
    commit(&store, |it| {
        it.put_mail_reminder(&acme(), first, 30);
        it.put_mail_reminder(&acme(), second, 10);
        it.put_mail_reminder(&acme(), first, 20);
    })
    .await
    .unwrap();
    commit(&store, |it| it.put_mail_reminder(&other(), third, 40)).await.unwrap();
    let reminder = |merchant: MerchantId, id: &RmaId, due_us: i64| DueReminder {
        merchant,
        rma_id: id.clone(),
        due_us,
    };

    assert_eq!(store.due_mail_reminders(9, 10).await.unwrap(), []);
    let due = [reminder(acme(), second, 10), reminder(acme(), first, 20)];
    assert_eq!(store.due_mail_reminders(39, 10).await.unwrap(), due);
    assert_eq!(store.due_mail_reminders(39, 1).await.unwrap(), due[..1]);

    commit(&store, |it| it.end_mail_reminder(&due[0])).await.unwrap();
    assert_conflict(&commit(&store, |it| it.end_mail_reminder(&due[0])).await);
    let outdated = reminder(acme(), first, 30);
    assert_conflict(&commit(&store, |it| it.end_mail_reminder(&outdated)).await);
    commit(&store, |it| it.delete_mail_reminder(&acme(), first)).await.unwrap();
    commit(&store, |it| it.delete_mail_reminder(&acme(), third)).await.unwrap();
    let left = [reminder(other(), third, 40)];
    assert_eq!(store.due_mail_reminders(i64::MAX, 10).await.unwrap(), left);
}

async fn a_problem_is_told_once_and_its_end_too(Subject { store, .. }: Subject) {
    let alert = |merchant: MerchantId, problem: &str| OpenAlert {
        merchant,
        problem: problem.to_owned(),
        since_us: 7,
        detail: "what people were told".to_owned(),
    };
    let suspended = alert(acme(), "endpoint rma");
    let certificate = alert(MerchantId::platform(), "certificate");
    for it in [&suspended, &certificate, &alert(other(), "endpoint rma")] {
        commit(&store, |transaction| transaction.open_alert(it)).await.unwrap();
    }
    assert_conflict(&commit(&store, |it| it.open_alert(&suspended)).await);
    commit(&store, |it| it.close_alert(&other(), "endpoint rma")).await.unwrap();
    assert_conflict(&commit(&store, |it| it.close_alert(&other(), "endpoint rma")).await);

    assert_eq!(store.open_alerts(10).await.unwrap(), [suspended, certificate]);
}

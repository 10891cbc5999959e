//! The mails to shoppers as a browser shows them, and the pages of the console about them.

use domain::{merchants::language::Language, messages::mail::MailKind};
use serde_json::json;

use super::{
    operator::log_in,
    window::{Browser, Scripts},
};
use crate::harness::{
    home::Home,
    mail_server::MailServer,
    server::Server,
    stage::{QUICK, Stage},
};

fn open(server: &Server) -> Option<Browser> {
    let browser = Browser::open(server, Scripts::On)?;
    let (name, password) = server.operator("operator");
    log_in(&browser, &name, &password);
    Some(browser)
}

#[test]
fn every_kind_of_mail_reads_well_on_a_phone_and_at_a_desk() {
    let server = Home::new().serve(&QUICK);
    let Some(browser) = open(&server) else { return };
    let stage = Stage::set(&server);
    stage.try_to_put(
        "portal",
        &json!({ "accent": "#ffe800", "texts": {
        "en": { "help": "Write to help@acme.example.", "footer": "Acme Outfitters Ltd, London" },
    } }),
    );
    let languages = Language::ALL.into_iter().cycle();
    for (kind, language) in MailKind::ALL.into_iter().zip(languages) {
        let code = language.code();
        let merchant = &stage.merchant.id;
        browser.visit(&format!("/console/merchants/{merchant}/mail/{kind}/{code}/html"));
        browser.see("A merchant");
        browser.examine(&format!("mail-{kind}"));
    }
}

#[test]
fn an_operator_sets_up_mails_rewords_one_and_sends_a_test() {
    let server = Home::new().serve(&QUICK);
    let Some(browser) = open(&server) else { return };
    let (stage, mailbox) = (Stage::set(&server), MailServer::start());
    let port = mailbox.settings()["port"].to_string();
    browser.visit(&format!("/console/merchants/{}", stage.merchant.id));
    browser.follow("Mail");
    browser.see("The platform has no mail server.");
    browser.examine("console-mail");
    browser.fill("Mail server", "127.0.0.1");
    browser.set("server.security", "none");
    browser.fill("Port", &port);
    browser.fill("Sender address", "nobody");
    browser.press("Save mail settings");
    browser.see("Must be an e-mail address");
    browser.examine("console-mail-refused");
    browser.fill("Sender address", "returns@acme.example");
    browser.press("Save mail settings");
    browser.see("Mail settings saved.");

    browser.visit(&format!("/console/merchants/{}/mail/canceled/de", stage.merchant.id));
    browser.see("Ihre Rücksendung wurde storniert");
    browser.fill("Subject", "Storno {number}");
    browser.press("Save words");
    browser.see("“Subject” has the unknown placeholder {number}");
    browser.examine("console-mail-words");
    browser.fill("Subject", "Storno von {return_number}");
    browser.press("Save words");
    browser.see("Storno von RMA-7K3Q-9XWD-2M4T");
    browser.fill("Send this mail to", "it@acme.example");
    browser.press("Send test mail");
    let mails = mailbox.wait_for(1);
    assert_eq!(mails[0].subject, "Storno von RMA-7K3Q-9XWD-2M4T");
    assert_eq!(mails[0].to, "it@acme.example");
}

//! Mails to shoppers, through a real mail server.

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};

use crate::{
    harness::{
        eventually,
        home::text,
        http::Reply,
        mail_server::MailServer,
        stage::{calls_of, statuses},
    },
    returns::scene::{SHOPPER, Scene, refund, request, sample_order, scenes},
};

fn set_mail(scene: &Scene<'_>, settings: &Value) -> Value {
    let reply = scene.stage.try_to_put("mail", settings);
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

/// The messages about a return of this kind, oldest first.
fn messages_of(scene: &Scene<'_>, rma: &str, kind: &str) -> Vec<Value> {
    let merchant = &scene.stage.merchant.id;
    let listed = scene.stage.get(&format!("/admin/messages?merchant={merchant}&ref={rma}"));
    assert_eq!(listed.status, 200, "{}", listed.said());
    let mut messages = listed.json()["messages"].as_array().unwrap().clone();
    messages.retain(|message| message["kind"] == kind);
    messages.reverse();
    messages
}

#[test]
fn every_step_of_a_return_is_mailed_once_and_its_messages_stay_as_they_are() {
    for scene in scenes() {
        let mailbox = MailServer::start();
        set_mail(&scene, &json!({ "server": mailbox.settings() }));
        let mut asked = request("mail-back", &[("A", "tee", 1)]);
        asked["language"] = json!("de");
        let rma = scene.start(&asked);
        scene.label(&rma);
        scene.happens(&rma, "in_transit");
        scene.publish_refunds(&sample_order("A"), &[refund("R-1", Some(&rma), &[("tee", 1)])]);

        let mails = mailbox.wait_for(3);
        assert!(mails.iter().all(|mail| mail.to == SHOPPER), "{mails:?}");
        let plain = |text: &str| text.replace('\u{a0}', " ");
        let subjects: Vec<String> = mails.iter().map(|mail| plain(&mail.subject)).collect();
        assert_eq!(
            subjects,
            [
                format!("Ihre Rücksendung {rma} ist bestätigt"),
                "Ihre Rücksendung ist unterwegs".to_owned(),
                "Ihre Erstattung über 46,10 €".to_owned(),
            ]
        );
        for part in [&mails[2].text, &mails[2].html] {
            assert!(plain(part).contains("46,10 €") && part.contains("A tee"), "{part}");
        }
        let sent = messages_of(&scene, &rma, "mail");
        let ids: Vec<String> =
            sent.iter().map(|it| format!("<{}@acme.example>", text(&it["id"]))).collect();
        let arrived: Vec<String> = mails.iter().map(|mail| mail.message_id.clone()).collect();
        assert_eq!(arrived, ids);

        let calls = calls_of(&scene.running, Some(MessageKind::Rma));
        let mut sequences: Vec<u64> = calls.iter().filter_map(|call| call.sequence).collect();
        sequences.dedup();
        assert_eq!(sequences, [1, 2, 3, 4], "no mail has a number of its own");
        assert_eq!(calls_of(&scene.running, Some(MessageKind::Mail)).len(), 0);
    }
}

#[test]
fn a_gifts_mails_go_to_who_got_it_and_name_nothing_of_who_bought_it() {
    for scene in scenes() {
        let mailbox = MailServer::start();
        set_mail(&scene, &json!({ "server": mailbox.settings() }));
        scene.set_policy(&json!({
            "gift_returns": true, "gift_card": { "sku": "GIFT", "bonus_per_mille": 0 },
        }));
        let mut asked = request("mail-back", &[("A", "tee", 1)]);
        asked["gift"] = json!({ "giftee_email": "robin@example.com" });
        asked["items"][0]["resolution"] = json!("gift_card");
        let rma = scene.start(&asked);
        eventually("the carrier has it", || {
            let results = scene.carry(&json!([{ "type": "in_transit", "rma_identifier": rma }]));
            (results[0]["result"] == "applied").then_some(())
        });

        let mails = mailbox.wait_for(2);
        for mail in &mails {
            assert_eq!(mail.to, "robin@example.com");
            let readable = format!("{} {}", mail.content, mail.text).to_lowercase();
            for buyers in [SHOPPER, "lena", "brandt"] {
                assert!(!readable.contains(buyers), "{readable}");
            }
        }
    }
}

#[test]
fn a_bounce_ends_a_mail_and_a_busy_server_is_tried_again() {
    for scene in scenes() {
        let mailbox = MailServer::start();
        set_mail(&scene, &json!({ "server": mailbox.settings() }));
        let mut asked = request("mail-back", &[("A", "tee", 1)]);
        asked["email"] = json!("bounce@example.com");
        let mut order = sample_order("B");
        order["customer"]["email"] = json!("bounce@example.com");
        scene.publish(&order);
        asked["items"][0]["order_identifier"] = json!("B");
        let rma = scene.start(&asked);
        let failed = scene.stage.until_failed(1);
        assert_eq!((&failed[0]["kind"], &failed[0]["ref"]), (&json!("mail"), &json!(rma)));
        let message = scene.stage.message(&text(&failed[0]["id"]));
        assert_eq!(statuses(&message), [550], "it is not tried again");
        assert!(!message["attempts"].to_string().contains("bounce@"), "{message}");

        let test = json!({ "mail": "canceled", "language": "fr", "recipient": "busy@example.com" });
        let target = format!("/admin/merchants/{}/mail/test", scene.stage.merchant.id);
        let reply = scene.send("POST", &target, &scene.stage.admin, &test);
        assert_eq!(reply.status, 200, "{}", reply.said());
        let id = text(&reply.json()["id"]);
        let message = scene.stage.until(&id, "failed");
        assert_eq!(statuses(&message), [451; 6], "as often as any message");
    }
}

fn send_test(scene: &Scene<'_>, recipient: &str) -> Reply {
    let test = json!({ "mail": "canceled", "language": "en", "recipient": recipient });
    let target = format!("/admin/merchants/{}/mail/test", scene.stage.merchant.id);
    scene.send("POST", &target, &scene.stage.admin, &test)
}

/// Anyone can be the recipient of a test mail.
#[test]
fn a_merchant_can_send_only_so_many_test_mails_in_an_hour() {
    for (scene, other) in scenes().zip(scenes()) {
        let mailbox = MailServer::start();
        for scene in [&scene, &other] {
            set_mail(scene, &json!({ "server": mailbox.settings() }));
        }
        for _ in 0..20 {
            let reply = send_test(&scene, "robin@example.com");
            assert_eq!(reply.status, 200, "{}", reply.said());
        }
        let reply = send_test(&scene, "robin@example.com");
        assert_eq!(reply.status, 409);
        assert!(
            reply.said().contains("20 test mails were sent within an hour"),
            "{}",
            reply.said()
        );
        assert_eq!(send_test(&other, "robin@example.com").status, 200);
        assert_eq!(mailbox.wait_for(21).len(), 21);
    }
}

#[test]
fn a_slow_mail_server_holds_up_no_other_merchant() {
    for (scene, other) in scenes().zip(scenes()) {
        let mailbox = MailServer::start();
        for scene in [&scene, &other] {
            set_mail(scene, &json!({ "server": mailbox.settings() }));
        }
        let test = |scene: &Scene<'_>, recipient: &str| {
            let reply = send_test(scene, recipient);
            assert_eq!(reply.status, 200, "{}", reply.said());
            text(&reply.json()["id"])
        };
        let slow: Vec<String> = (0..20).map(|_| test(&scene, "slow@example.com")).collect();
        test(&other, "robin@example.com");
        let mails = mailbox.wait_for(1);
        assert_eq!(mails[0].to, "robin@example.com");
        for id in &slow {
            let message = scene.stage.message(id);
            assert_eq!(message["state"], json!("waiting"), "{message}");
        }
    }
}

#[test]
fn a_merchant_that_sends_its_own_mails_gets_them_as_messages() {
    for scene in scenes() {
        set_mail(&scene, &json!({ "delivery": "message", "disabled": ["canceled"] }));
        let rma = scene.start_tee();
        assert_eq!(scene.cancel(&rma).status, 200);
        let call = eventually("the mail arrives", || {
            calls_of(&scene.running, Some(MessageKind::Mail)).into_iter().next()
        });
        assert_eq!(call.path, "/mails");
        let body: Value = serde_json::from_str(&call.content.unwrap().body).unwrap();
        assert_eq!(
            (&body["mail"], &body["recipient"]),
            (&json!("return_confirmed"), &json!(SHOPPER))
        );
        assert_eq!(body["content"]["return_number"], json!(rma));
        assert_eq!(messages_of(&scene, &rma, "mail").len(), 1, "no other kind");
        assert_eq!(scene.running.merchant().summary().violation_count, 0);
    }
}

#[test]
fn without_a_server_or_when_switched_off_nothing_waits() {
    for scene in scenes() {
        let rma = scene.start_tee();
        assert!(messages_of(&scene, &rma, "mail").is_empty());
        let mailbox = MailServer::start();
        set_mail(&scene, &json!({ "delivery": "off", "server": mailbox.settings() }));
        assert_eq!(scene.cancel(&rma).status, 200);
        assert!(messages_of(&scene, &rma, "mail").is_empty());
    }
}

#[test]
fn settings_are_checked_and_secrets_are_kept_and_never_shown() {
    for scene in scenes().take(1) {
        let put = |body: &Value| scene.stage.try_to_put("mail", body);
        let server = json!({
            "host": "smtp.acme.example", "username": "acme", "password": "s3cret-password",
            "from": "returns@acme.example",
        });
        let set = set_mail(&scene, &json!({ "server": server }));
        assert_eq!(
            (&set["server"]["port"], &set["server"]["security"]),
            (&json!(587), &json!("starttls"))
        );
        assert!(!set.to_string().contains("s3cret"), "{set}");

        let mut again = server.clone();
        again.as_object_mut().unwrap().remove("password");
        set_mail(&scene, &json!({ "server": again, "technical_contact": "it@acme.example" }));
        again["host"] = json!("smtp.evil.example");
        let moved = put(&json!({ "server": again }));
        assert_eq!(moved.status, 409, "a password never moves to another server");

        let faults = put(&json!({
            "delivery": "pigeon", "disabled": ["proof_code", "spam"],
            "server": { "host": "a b", "port": 0, "security": "none", "from": "x\r\ny@z" },
            "texts": { "canceled": { "en": { "subject": "{number}" }, "nl": {} }, "x": {} },
            "technical_contact": "nobody",
        }));
        assert_eq!(faults.status, 422);
        let errors = faults.json()["errors"].as_array().unwrap().clone();
        let fields: Vec<String> = errors.iter().map(|error| text(&error["field"])).collect();
        for field in [
            "$.delivery",
            "$.disabled[0]",
            "$.disabled[1]",
            "$.server.host",
            "$.server.port",
            "$.server.from",
            "$.texts.canceled.en.subject",
            "$.texts.canceled.nl",
            "$.texts.x",
            "$.technical_contact",
        ] {
            assert!(fields.iter().any(|it| it == field), "{field} is not in {fields:?}");
        }
        let plain = put(&json!({ "server": {
            "host": "mail.example", "security": "none", "from": "a@b.example",
        } }));
        assert_eq!(plain.status, 422, "passwords and mails never travel openly");
        let own = put(&json!({
            "texts": { "canceled": { "en": { "subject": "Bye, {return_number}" } } },
        }));
        assert_eq!(own.status, 200, "{}", own.said());
    }
}

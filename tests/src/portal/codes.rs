//! Codes that are mailed to the address of an order.

use serde_json::{Value, json};

use super::shop::{DANA, GIFT, ONE_TEE, Shop, shops};
use crate::harness::{home::text, http::Request, mail_server::MailServer};

const CARD: &str = "quantity.0.0=1&reason.0.0=too_small&get.0.0=gift_card&method=mail-back";

/// The shop sends mails through this server, and offers gift cards.
fn send_mails(shop: &Shop<'_>) -> MailServer {
    let mailbox = MailServer::start();
    let set = shop.admin("PUT", "mail", &json!({ "server": mailbox.settings() }));
    assert_eq!(set.status, 200, "{}", set.said());
    shop.set_policy(&json!({ "gift_returns": true, "gift_card": { "sku": "CARD" } }));
    mailbox
}

/// The code in the newest of so many mails.
fn newest_code(mailbox: &MailServer, count: usize) -> String {
    let mails = mailbox.wait_for(count);
    let mail = mails.last().unwrap();
    assert_eq!(mail.to, "dana.whitfield@example.com");
    let code = mail.subject.split(' ').next().unwrap().to_owned();
    assert!(code.len() == 6 && code.bytes().all(|it| it.is_ascii_digit()), "{}", mail.subject);
    assert!(mail.text.contains(&code) && mail.html.contains(&code), "{}", mail.text);
    code
}

/// A code that is not the right one.
fn other_than(code: &str, number: u32) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + number + 1) % 1_000_000)
}

fn messages(shop: &Shop<'_>) -> Vec<Value> {
    let target = format!("/admin/messages?merchant={}&kind=mail", shop.merchant);
    let admin = shop.server.admin_token();
    let listed = shop.server.send(&Request::get(&target).bearer(&admin));
    listed.json()["messages"].as_array().unwrap().clone()
}

#[test]
fn a_mailed_code_proves_the_buyer_and_nobody_else_reads_it() {
    for shop in shops() {
        let mailbox = send_mails(&shop);
        let pass = shop.pass("order_number=ORD-100472&secret=97205");
        let page = shop.get("/return", &pass);
        assert!(page.text().contains("Send me a code"), "{}", page.text());
        let sent = shop.post("/proof/code", &pass, "");
        assert_eq!(sent.status, 303, "{}", sent.text());
        let location = sent.header("location").unwrap();
        let notice = shop.get(location.strip_prefix(&shop.path("")).unwrap(), &pass);
        assert!(notice.text().contains("We have sent a code"), "{}", notice.text());

        let code = newest_code(&mailbox, 1);
        let wrong = shop.post("/proof", &pass, &format!("code={}", other_than(&code, 0)));
        assert!(wrong.text().contains("This code is not correct"), "{}", wrong.text());
        let spaced = format!("code={}+{}", &code[..3], &code[3..]);
        let proven = shop.post("/proof", &pass, &spaced);
        assert_eq!(proven.status, 303, "{}", proven.text());
        let cookie = proven.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        assert!(shop.get("/return", &cookie).text().contains("value=\"gift_card\""));
        shop.start_return(&cookie, CARD);
        let again = shop.post("/proof", &pass, &spaced);
        assert!(again.text().contains("This code is not correct"), "it proves once");

        let id = text(&messages(&shop).last().unwrap()["id"]);
        let target = format!("/admin/messages/{id}");
        let admin = shop.server.admin_token();
        let shown = shop.server.send(&Request::get(&target).bearer(&admin));
        assert_eq!(shown.status, 200, "{}", shown.said());
        assert!(shown.text().contains("proof_code"), "{}", shown.text());
        assert!(!shown.text().contains(&code), "operators do not see it: {}", shown.text());
    }
}

#[test]
fn without_proof_the_label_with_its_address_is_not_shown_where_codes_can_be_sent() {
    for shop in shops() {
        let mailbox = send_mails(&shop);
        let pass = shop.pass("order_number=ORD-100472&secret=97205");
        let path = shop.start_return(&pass, ONE_TEE);
        // The confirmation: mails of different kinds do not wait for each other.
        mailbox.wait_for(1);
        let page = shop.get(&path, &pass);
        assert!(!page.text().contains("/labels/"), "{}", page.text());
        let renewed = shop.post(&format!("{path}/label"), &pass, "reason=lost");
        assert_eq!(renewed.status, 422, "{}", renewed.text());
        assert!(renewed.text().contains("Please confirm who you are first"), "{}", renewed.text());
        assert!(page.text().contains("The label shows a name and an address"), "{}", page.text());

        let number = path.rsplit('/').next().unwrap();
        let form = format!("return_number={number}");
        let sent = shop.post("/proof/code", &pass, &form);
        assert_eq!(sent.header("location").unwrap(), shop.path(&format!("{path}?code=sent#proof")));
        let code = newest_code(&mailbox, 2);
        let wrong = format!("{form}&code={}", other_than(&code, 0));
        let wrong = shop.post("/proof", &pass, &wrong);
        assert_eq!(wrong.status, 422);
        assert!(wrong.text().contains("This code is not correct"), "{}", wrong.text());
        assert!(!wrong.text().contains("/labels/"), "{}", wrong.text());

        let proven = shop.post("/proof", &pass, &format!("{form}&code={code}"));
        assert_eq!(proven.header("location").unwrap(), shop.path(&path));
        let cookie = proven.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        assert!(shop.get(&path, &cookie).text().contains("/labels/"));
    }
}

#[test]
fn nine_guesses_a_day_are_all_that_an_order_allows_from_however_many_addresses() {
    for shop in shops() {
        let mailbox = send_mails(&shop);
        let pass = shop.pass(DANA);
        let mut guesses = 0;
        let mut code = String::new();
        for round in 1..=3 {
            let request = shop.form("/proof/code", &pass, "");
            let address = format!("198.51.100.{round}");
            let sent = shop.server.send(&request.with("X-Forwarded-For", &address));
            if sent.status != 303 {
                assert!(sent.text().contains("Too many codes"), "{}", sent.text());
                break;
            }
            code = newest_code(&mailbox, round);
            for guess in 0..8 {
                let form = format!("code={}", other_than(&code, guess));
                let request = shop.form("/proof", &pass, &form);
                let address = format!("203.0.113.{}", guess * 8 + u32::try_from(round).unwrap());
                let answer = shop.server.send(&request.with("X-Forwarded-For", &address));
                assert!(answer.header("set-cookie").is_none(), "{}", answer.text());
                guesses += usize::from(answer.text().contains("Too many attempts"));
            }
        }
        assert!(guesses > 0, "guesses are refused");
        let right = shop.post("/proof", &pass, &format!("code={code}"));
        assert!(right.header("set-cookie").is_none(), "not even the right code is compared");
        assert!(mailbox.mails().len() <= 3, "three codes an hour");
    }
}

#[test]
fn who_got_a_gift_cannot_have_a_code_sent_to_who_bought_it() {
    for shop in shops() {
        let mailbox = send_mails(&shop);
        let pass = shop.pass(GIFT);
        let refused = shop.post("/proof/code", &pass, "");
        assert_ne!(refused.status, 303, "{}", refused.text());
        assert!(messages(&shop).is_empty() && mailbox.mails().is_empty());
    }
}

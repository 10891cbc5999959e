//! The right of withdrawal, as a browser without scripts uses it.

mod words;

use domain::messages::kind::MessageKind;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::shop::{DANA, ONE_TEE, Shop, servers};
use crate::harness::{
    eventually,
    home::text,
    http::Request,
    mail_server::MailServer,
    samples::{full_order, message},
    server::Server,
    stage::{self, Stage, calls_of},
};

const WHO: &str = "name=Dana+Whitfield&email=dana%40example.org";

/// A shop with the sample order, shipped to Germany and delivered in the far future.
fn european_shop(server: &'static Server) -> Shop<'static> {
    Shop::on(server, |order| {
        order["shipping_address"]["country_code"] = json!("DE");
        order["currency"] = json!("EUR");
        for line in order["items"].as_array_mut().unwrap() {
            line["delivered_date"] = json!("2126-01-07T10:00:00Z");
        }
    })
}

/// Enters who withdraws from which order, and returns the cookie with the pass.
fn begin(shop: &Shop<'_>) -> String {
    let items = shop.post("/withdraw", "", &format!("{WHO}&{DANA}"));
    assert_eq!(items.status, 200, "{}", items.text());
    assert!(items.text().contains("The whole order is selected"), "{}", items.text());
    let cookie = items.header("set-cookie").expect("a pass");
    cookie.split(';').next().unwrap().to_owned()
}

/// Confirms a statement, and returns the path of its page within the portal.
fn confirm(shop: &Shop<'_>, pass: &str, form: &str) -> String {
    let confirmed = shop.post("/withdraw/confirm", pass, form);
    assert_eq!(confirmed.status, 303, "{}", confirmed.text());
    let location = confirmed.header("location").unwrap();
    location.strip_prefix(&shop.path("")).unwrap().to_owned()
}

fn read(shop: &Shop<'_>, target: &str) -> Value {
    let token = shop.server.token(&shop.owner);
    let reply = shop.server.send(&Request::get(target).bearer(&token));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

fn only_withdrawal(shop: &Shop<'_>) -> Value {
    let listed = read(shop, "/withdrawals");
    assert_eq!(listed["withdrawals"].as_array().unwrap().len(), 1, "{listed}");
    listed["withdrawals"][0].clone()
}

#[test]
fn a_shopper_withdraws_gets_an_acknowledgement_and_returns_everything_without_a_fee() {
    for server in servers() {
        let shop = european_shop(server);
        shop.set_policy(&json!({
            "window_days": 0, "methods": [{ "method": "mail-back", "fee_cents": 595 }],
        }));
        let pass = begin(&shop);
        let review = shop.post("/withdraw/review", &pass, WHO);
        for text in [
            "I hereby withdraw from the contract",
            "2 × Organic cotton tee, navy, M",
            "Order ORD-100472, placed on 11 February 2026",
            "Name: Dana Whitfield",
            ">Confirm withdrawal</button>",
            "The shipping cost of €6.43 is refunded, too.",
        ] {
            assert!(review.text().contains(text), "{text}: {}", review.text());
        }
        assert_eq!(read(&shop, "/withdrawals")["withdrawals"], json!([]), "nothing is sent yet");

        let path = confirm(&shop, &pass, WHO);
        let done = shop.get(&path, "");
        assert_eq!(done.status, 200);
        assert!(done.text().contains("Your withdrawal was received"), "{}", done.text());
        assert!(done.text().contains(" UTC"), "date and time: {}", done.text());
        let shipping = "The shipping cost of €6.43 is refunded, too.";
        assert!(done.text().contains(shipping), "as it was promised: {}", done.text());

        let recorded = only_withdrawal(&shop);
        assert_eq!(recorded["outcome"], "accepted");
        assert_eq!(recorded["refund_state"], "awaits_goods");
        assert!(done.text().contains(&text(&recorded["sha256"])), "{}", done.text());
        let rma = read(&shop, &format!("/returns/{}", text(&recorded["rma_identifier"])));
        assert_eq!(rma["withdrawal_identifier"], recorded["withdrawal_identifier"]);
        assert_eq!(rma["statement"]["promised"]["shipping_cents"], 643, "{rma}");
        assert_eq!(rma["statement"]["promised"]["fee_cents"], 0, "{rma}");
        let events = read(&shop, &format!("/returns/{}/events", text(&rma["rma_identifier"])));
        assert_eq!(events["events"][0]["cause"], recorded["withdrawal_identifier"], "{events}");

        let number = text(&recorded["withdrawal_identifier"]);
        let buyer = "dana.whitfield@example.com";
        let of_shop = ["shopper", "export", buyer, "--merchant", &shop.merchant];
        let exported = &server.home.json(&of_shop)["withdrawals"][0];
        assert_eq!(exported["identifier"], json!(number));
        assert_eq!(exported["data"]["email"], "dana@example.org", "{exported}");

        let operator = server.visitor("operator");
        let found = operator.get(&format!("/console/search?q={number}"));
        let expected =
            format!("/console/withdrawals?merchant={}&withdrawal={number}", shop.merchant);
        assert_eq!(found.header("location"), Some(expected.as_str()), "{}", found.said());
        let page = operator.page(&expected);
        assert!(page.contains(&number) && page.contains("All withdrawals"), "{page}");
        let elsewhere = "/console/withdrawals?merchant=of-no-one&withdrawal=";
        assert_eq!(operator.get(&format!("{elsewhere}{number}")).status, 404);
    }
}

#[test]
fn an_acknowledgement_is_verified_and_one_changed_byte_is_noticed() {
    for server in servers() {
        let shop = european_shop(server);
        let path = confirm(&shop, &begin(&shop), WHO);
        let document = shop.get(&format!("{path}/document"), "");
        assert_eq!(document.header("content-type"), Some("application/json"));
        let disposition = document.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment; filename=\"WDR-"), "{disposition}");

        let check = |bytes: &[u8]| {
            let file = server.home.file("acknowledgement.json", bytes);
            let ran = server.home.run(&["withdrawal", "verify", file.to_str().unwrap(), "--json"]);
            (ran.code == Some(0), format!("{}{}", ran.out, ran.err))
        };
        let (genuine, said) = check(&document.body);
        assert!(genuine, "{said}");
        let length = document.body.len();
        for position in [length / 7, length / 3, length / 2, length - 40, length - 1] {
            let mut changed = document.body.clone();
            changed[position] ^= 1;
            let (genuine, said) = check(&changed);
            assert!(!genuine, "{position}: {said}");
        }
    }
}

#[test]
fn the_acknowledgement_is_mailed_as_a_file_that_verifies() {
    for server in servers() {
        let shop = european_shop(server);
        let mailbox = MailServer::start();
        let set = shop.admin("PUT", "mail", &json!({ "server": mailbox.settings() }));
        assert_eq!(set.status, 200, "{}", set.said());
        let path = confirm(&shop, &begin(&shop), WHO);
        let document = shop.get(&format!("{path}/document"), "");

        let mails = mailbox.wait_for(2);
        let mail = mails.iter().find(|mail| mail.to == "dana@example.org").expect("the mail");
        assert_eq!(mail.subject, "We received your withdrawal from order ORD-100472");
        let record = only_withdrawal(&shop);
        for part in [&mail.text, &mail.html] {
            let statement = "I hereby withdraw from the contract";
            assert!(part.contains(statement) && part.contains(" UTC"), "{part}");
        }
        let id = text(&record["withdrawal_identifier"]);
        assert_eq!(mail.files[0]["name"], json!(format!("{id}.json")));
        assert_eq!(text(&mail.files[0]["content"]), document.text(), "as on the page");
        let file = server.home.file("mailed.json", text(&mail.files[0]["content"]).as_bytes());
        let ran = server.home.run(&["withdrawal", "verify", file.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let other = mails.iter().find(|mail| mail.to != "dana@example.org").expect("the return");
        assert_eq!(other.files, json!([]), "{other:?}");
    }
}

#[test]
fn a_late_statement_is_recorded_and_answered_with_the_date() {
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order["shipping_address"]["country_code"] = json!("DE");
            order["items"][0]["delivered_date"] = json!("2026-02-16T10:00:00Z");
            order["items"][1]["delivered_date"] = json!("2026-02-15T10:00:00Z");
        });
        let pass = begin(&shop);
        let review = shop.post("/withdraw/review", &pass, WHO);
        for text in ["The withdrawal period ended on 2 March 2026.", ">Confirm withdrawal</button>"]
        {
            assert!(review.text().contains(text), "{text}: {}", review.text());
        }
        let done = shop.get(&confirm(&shop, &pass, WHO), "");
        assert!(done.text().contains("ended on 2 March 2026"), "{}", done.text());
        let recorded = only_withdrawal(&shop);
        assert_eq!(
            (&recorded["outcome"], &recorded["rma_identifier"]),
            (&json!("late"), &Value::Null)
        );
        assert_eq!(recorded["refund_state"], "no_return");
    }
}

#[test]
fn goods_without_the_right_are_named_and_the_rest_comes_back() {
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order["shipping_address"]["country_code"] = json!("FR");
            for line in order["items"].as_array_mut().unwrap() {
                line["delivered_date"] = json!("2126-01-07T10:00:00Z");
            }
            order["items"][0]["tags"] = json!(["sealed-hygiene"]);
            order["items"][1]["tags"] = json!(["made to order"]);
        });
        let pass = begin(&shop);
        let broken = shop.post("/withdraw/review", &pass, WHO);
        for article in ["Article 16(e)", "Article 16(c)", "No return starts"] {
            assert!(broken.text().contains(article), "{article}: {}", broken.text());
        }
        let form = format!("{WHO}&sealed.0=yes&quantity.0=1");
        confirm(&shop, &pass, &form);
        let recorded = only_withdrawal(&shop);
        assert_eq!(recorded["outcome"], "partly_accepted", "{recorded}");
        let items = &recorded["items"];
        assert_eq!((&items[0]["quantity"], &items[0]["result"]), (&json!(1), &json!("return")));
        assert_eq!(items[1]["legal_basis"], "Directive 2011/83/EU, Article 16(c)");
        assert_eq!(recorded["shipping_refund_cents"], 0, "a tee is kept");
    }
}

#[test]
fn the_link_is_on_every_page_unless_the_order_was_shipped_elsewhere_or_it_is_turned_off() {
    let link = "/withdraw\">Withdraw from contract here</a>";
    for server in servers() {
        let shop = european_shop(server);
        let pass = begin(&shop);
        let path = confirm(&shop, &pass, WHO);
        let review = shop.post("/withdraw/review", &pass, WHO);
        let pages = [shop.get("", ""), shop.get("/return", &pass), shop.get(&path, ""), review];
        for page in pages {
            assert!(page.text().contains(link), "{}", page.text());
        }
        let german = shop.get("?lang=de", "");
        assert!(german.text().contains(">Vertrag widerrufen</a>"), "{}", german.text());

        let overseas = Shop::on(server, |_| ());
        assert!(overseas.get("", "").text().contains(link), "the order is not known yet");
        let pass = overseas.pass(DANA);
        assert!(!overseas.get("/return", &pass).text().contains(link));
        let started = overseas.start_return(&pass, ONE_TEE);
        assert!(!overseas.get(&started, "").text().contains(link), "the page names its order");
        let signed = overseas.sign_link(&json!({ "order_identifier": "ORD-100472" }));
        let opened = overseas.get(signed.strip_prefix(&overseas.path("")).unwrap(), "");
        assert!(opened.text().contains("Organic cotton tee"), "{}", opened.text());
        assert!(!opened.text().contains(link), "{}", opened.text());
        let refused = overseas.post("/withdraw", "", &format!("{WHO}&{DANA}"));
        assert!(
            refused.text().contains("not shipped to a country of the EU"),
            "{}",
            refused.text()
        );

        shop.set_policy(&json!({ "withdrawal": { "offered": false } }));
        assert!(!shop.get("", "").text().contains(link));
        assert_eq!(shop.get("/withdraw", "").status, 404);
    }
}

#[test]
fn a_form_without_name_or_address_is_shown_again_and_strangers_are_limited() {
    for server in servers() {
        let shop = european_shop(server);
        for (who, problem) in [
            ("name=&email=dana%40example.org", "Please enter your name."),
            ("name=Dana&email=dana", "Please enter an email address."),
        ] {
            let page = shop.post("/withdraw", "", &format!("{who}&{DANA}"));
            assert_eq!(page.status, 422, "{who}");
            assert!(page.text().contains(problem), "{problem}: {}", page.text());
        }
        let unknown = shop.post("/withdraw", "", &format!("{WHO}&order_number=NONE&secret=1"));
        assert!(unknown.text().contains("could not find an order"), "{}", unknown.text());
        assert!(unknown.header("set-cookie").is_none());
        let empty = shop.post(
            "/withdraw/review",
            &begin(&shop),
            &format!("{WHO}&quantity.0=0&quantity.1=0"),
        );
        assert_eq!(empty.status, 422);
        assert!(empty.text().contains("at least one item"), "{}", empty.text());
        for rest in ["/withdraw/items", "/withdraw/review", "/withdraw/confirm"] {
            let reply = shop.post(rest, "", WHO);
            assert_eq!(
                (reply.status, reply.header("location")),
                (303, Some(shop.path("/withdraw").as_str()))
            );
        }
        let unknown = format!("{WHO}&order_number=NONE&secret=1");
        let limited = (0..30).any(|_| shop.post("/withdraw", "", &unknown).status == 429);
        assert!(limited);
    }
}

#[test]
fn a_statement_that_is_confirmed_twice_is_recorded_once_and_its_page_needs_its_key() {
    for server in servers() {
        let shop = european_shop(server);
        let pass = begin(&shop);
        let form = format!("{WHO}&key=once");
        let first = confirm(&shop, &pass, &form);
        for _ in 0..25 {
            assert_eq!(confirm(&shop, &pass, &form), first, "the same form is no new statement");
        }
        let recorded = only_withdrawal(&shop);
        let id = text(&recorded["withdrawal_identifier"]);
        for name in [id.clone(), format!("{id}-"), format!("{id}-wrong")] {
            assert_eq!(shop.get(&format!("/withdrawals/{name}"), &pass).status, 404, "{name}");
        }
        let other = european_shop(server);
        assert_eq!(other.get(&first, "").status, 404, "of another merchant");
        assert_eq!(read(&other, "/withdrawals")["withdrawals"], json!([]));
    }
}

#[test]
fn a_withdrawal_before_delivery_cancels_what_was_not_shipped() {
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order["shipping_address"]["country_code"] = json!("ES");
            order["status"] = json!("Created");
            for line in order["items"].as_array_mut().unwrap() {
                line["quantity_shipped"] = json!(0);
                line["quantity_canceled"] = json!(0);
                line["product_amount_cents"] = json!(0);
            }
        });
        confirm(&shop, &begin(&shop), WHO);
        let recorded = only_withdrawal(&shop);
        assert_eq!(recorded["outcome"], "accepted", "{recorded}");
        assert_eq!(recorded["items"][0]["result"], "cancel", "{recorded}");
        assert_eq!(recorded["rma_identifier"], Value::Null);
        assert_eq!(recorded["shipping_refund_cents"], 643, "{recorded}");
        let again = shop.get(&confirm(&shop, &begin(&shop), WHO), "");
        assert!(again.text().contains("already being returned or canceled"), "{}", again.text());
        let all = read(&shop, "/withdrawals");
        let outcomes = [0, 1].map(|position| &all["withdrawals"][position]["outcome"]);
        assert_eq!(outcomes, [&json!("settled"), &json!("accepted")], "{all}");
        let published = shop.server.publish(
            &shop.server.token(&shop.owner),
            &message(&[read(&shop, "/orders/ORD-100472")]),
        );
        assert_eq!(published.status, 200, "{}", published.said());
    }
}

#[test]
fn the_merchant_is_told_in_the_words_of_the_record() {
    for server in stage::servers() {
        let (stage, running) = Stage::with_receiver(server);
        let mut order = full_order();
        order["refunds"] = json!([]);
        order["shipping_address"]["country_code"] = json!("DE");
        for line in order["items"].as_array_mut().unwrap() {
            line["delivered_date"] = json!("2126-01-07T10:00:00Z");
            line["quantity_refunded"] = json!(0);
        }
        stage.publish(&[order]);
        let post = |rest: &str, pass: &str, form: &str| {
            let path = format!("/portal/{}{rest}", stage.merchant.id);
            let request = Request::post(&path).header("Cookie", pass).body(form);
            server.send(&request.header("Content-Type", "application/x-www-form-urlencoded"))
        };
        let items = post("/withdraw", "", &format!("{WHO}&{DANA}"));
        let pass = items.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let confirmed = post("/withdraw/confirm", &pass, WHO);
        assert_eq!(confirmed.status, 303, "{}", confirmed.text());

        let call = eventually("the merchant is told", || {
            calls_of(&running, Some(MessageKind::Withdrawal)).pop()
        });

        let body = call.content.unwrap().body;
        let told: Value = serde_json::from_str(&body).unwrap();
        let address = confirmed.header("location").unwrap();
        let document = server.send(&Request::get(&format!("{address}/document"))).json();
        assert_eq!(document["withdrawal"], told);
        let hash = digest(&SHA256, body.as_bytes());
        let hash =
            hash.as_ref().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        assert_eq!(document["sha256"], hash.as_str());
        assert_eq!(told["items"][0]["result"], "return", "{told}");
        let rma = text(&told["rma_identifier"]);
        assert_eq!(stage.show_return(&rma)["items"][0]["return_reason"], "withdrawal");
    }
}

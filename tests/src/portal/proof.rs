//! What a postal code cannot do: move value to another address than the original payment.

use serde_json::{Value, json};

use super::shop::{DANA, GIFT, ONE_TEE, Shop, servers, shops};
use crate::harness::{home::text, http::Request};

const BY_POSTAL_CODE: &str = "order_number=ORD-100472&secret=97205";
const CARD: &str = "quantity.0.0=1&reason.0.0=too_small&get.0.0=gift_card&method=mail-back";

fn offer_cards(shop: &Shop<'_>) {
    shop.set_policy(&json!({ "gift_returns": true, "gift_card": { "sku": "CARD" } }));
}

#[test]
fn without_proof_no_gift_card_is_offered_or_given() {
    let fallback = "quantity.0.0=1&reason.0.0=too_small&get.0.0=exchange&variant.0.0=TEE-NAVY-L\
                    &fallback.0.0=gift_card&method=mail-back";
    for shop in shops() {
        offer_cards(&shop);
        for claim in [BY_POSTAL_CODE, DANA] {
            let pass = shop.pass(claim);
            let page = shop.get("/return", &pass);
            assert!(page.text().contains("Confirm who you are"), "{}", page.text());
            assert!(!page.text().contains("value=\"gift_card\""), "{}", page.text());
            let (_, folded) = page.text().split_once("<summary>").unwrap();
            let (folded, _) = folded.split_once("</summary>").unwrap();
            assert!(folded.contains("Then you can also choose a gift card."), "{folded}");
            for form in [CARD, fallback] {
                for step in ["/review", "/confirm"] {
                    let refused = shop.post(step, &pass, form);
                    assert_eq!(refused.status, 422, "{step} {form}: {}", refused.text());
                    assert!(refused.text().contains("href=\"#proof\""), "{}", refused.text());
                }
            }
            assert_eq!(shop.post("/review", &pass, ONE_TEE).status, 200, "a refund needs none");
        }
    }
}

#[test]
fn a_signed_link_proves_the_buyer_for_its_order_until_it_expires() {
    for shop in shops() {
        offer_cards(&shop);
        let pass = shop.proven_pass();
        let page = shop.get("/return", &pass);
        assert!(page.text().contains("value=\"gift_card\""), "{}", page.text());
        assert!(!page.text().contains("Confirm who you are"), "{}", page.text());
        shop.start_return(&pass, CARD);

        let link = shop.sign_link(&json!({ "order_identifier": "ORD-100472", "days": 1 }));
        let (_, rest) = link.split_once(&shop.path("")).unwrap();
        let mut last = rest.chars().last().unwrap();
        last = if last == '0' { '1' } else { '0' };
        let forged = [
            format!("{}{last}", &rest[..rest.len() - 1]),
            rest.replace("expires=", "expires=1"),
            rest.replace("ORD%2D100472", "ORD%2D100473"),
            format!("{rest}&gift=yes"),
            "/link?order=ORD-100472&expires=1&signature=00".to_owned(),
            "/link".to_owned(),
        ];
        for forged in forged {
            let refused = shop.get(&forged, "");
            assert_eq!(refused.status, 403, "{forged}: {}", refused.text());
            assert!(refused.header("set-cookie").is_none(), "{forged}");
        }
        let other = Shop::on(shop.server, |_| ());
        assert_eq!(other.get(rest, "").status, 403, "of another merchant");
    }
}

#[test]
fn a_gift_needs_its_code_which_is_not_guessed() {
    let given = format!("{ONE_TEE}&giftee_email=robin%40example.com");
    for shop in shops() {
        offer_cards(&shop);
        let pass = shop.pass(&format!("{BY_POSTAL_CODE}&gift=yes"));
        let refused = shop.post("/confirm", &pass, &given);
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert!(!refused.text().contains("whitfield"), "{}", refused.text());
        let wrong = shop.post("/proof", &pass, "gift_code=GIFT-7Q2M-K4XE");
        assert!(wrong.text().contains("This code is not correct"), "{}", wrong.text());

        let proven = shop.post("/proof", &pass, "gift_code=gift7q2mk4xd");
        assert_eq!(proven.status, 303, "{}", proven.text());
        let cookie = proven.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        shop.start_return(&cookie, &given);
        shop.start_return(&shop.pass(GIFT), &given);

        let guess = |number: u32| {
            let form = shop.form("/proof", &pass, &format!("gift_code=GIFT-{number:06}"));
            shop.server.send(&form.with("X-Forwarded-For", &format!("198.51.100.{number}")))
        };
        let refused = (0..25).map(guess).filter(|it| it.text().contains("Too many attempts"));
        assert!(refused.count() >= 5, "from however many addresses");
    }
}

#[test]
fn a_gift_without_a_code_needs_the_link_of_the_store_and_the_buyer_needs_no_code() {
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order.as_object_mut().unwrap().remove("gift_code");
        });
        offer_cards(&shop);
        let pass = shop.pass(&format!("{BY_POSTAL_CODE}&gift=yes"));
        let page = shop.get("/return", &pass);
        assert!(page.text().contains("use the gift link from the store"), "{}", page.text());
        assert!(!page.text().contains("name=\"gift_code\""), "{}", page.text());
        assert!(shop.post("/proof", &pass, "gift_code=").text().contains("not correct"));

        let wanted = json!({ "order_identifier": "ORD-100472", "gift": true });
        let link = shop.sign_link(&wanted);
        let opened = shop.get(link.strip_prefix(&shop.path("")).unwrap(), "");
        let cookie = opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let path =
            shop.start_return(&cookie, &format!("{ONE_TEE}&giftee_email=robin%40example.com"));
        assert!(shop.get(&path, &cookie).text().contains("/labels/"));
    }
}

/// The carrier reports something about a return.
fn report(shop: &Shop<'_>, event: &Value) {
    let request = Request::post("/carrier_events").bearer(&shop.server.admin_token());
    let reply = shop.server.send(&request.json(json!({ "events": [event] }).to_string()));
    assert_eq!(reply.json()["results"][0]["result"], "applied", "{}", reply.said());
}

#[test]
fn where_no_mails_are_sent_a_postal_code_replaces_only_a_label_that_is_of_no_use() {
    let advice = "Do you need a new label? Open this page with the link";
    for shop in shops() {
        shop.server.home.json(&["merchant", "set", &shop.merchant, "--carrier", "external"]);
        let pass = shop.pass(BY_POSTAL_CODE);
        let path = shop.start_return(&pass, ONE_TEE);
        let (renew, rma) = (format!("{path}/label"), path.rsplit('/').next().unwrap());
        let label = |number: &str| {
            json!({
                "type": "label_created",
                "rma_identifier": rma,
                "tracking_number": number,
            })
        };
        report(&shop, &label("P-1"));
        let page = shop.get(&path, &pass);
        assert!(page.text().contains("/labels/"), "it is shown: {}", page.text());
        assert!(page.text().contains(advice), "{}", page.text());
        assert!(!page.text().contains("I need a new label"), "{}", page.text());

        let refused = shop.post(&renew, &pass, "reason=lost");
        assert_eq!(refused.status, 403, "{}", refused.text());
        assert!(refused.text().contains(advice), "{}", refused.text());
        let proven = shop.post(&renew, &shop.proven_pass(), "reason=lost");
        assert_eq!(proven.status, 303, "{}", proven.text());

        report(&shop, &label("P-2"));
        assert_eq!(shop.post(&renew, &pass, "reason=lost").status, 403);
        report(&shop, &json!({ "type": "label_voided", "rma_identifier": rma }));
        assert!(shop.get(&path, &pass).text().contains("I need a new label"));
        assert_eq!(shop.post(&renew, &pass, "reason=lost").status, 303);
    }
}

#[test]
fn the_command_signs_a_link() {
    for shop in shops() {
        let merchant = &shop.merchant;
        let link = shop.server.home.json(&["portal", "link", merchant, "ORD-100472", "--gift"]);
        let path = text(&link["path"]);
        assert!(path.starts_with(&shop.path("/link?order=ORD%2D100472")), "{path}");
        assert!(path.contains("&gift=yes&signature="), "{path}");
    }
}

#[test]
fn no_page_of_a_gifts_return_names_who_bought_it_and_no_page_of_the_buyer_names_the_return() {
    let given = format!("{ONE_TEE}&giftee_email=robin%40example.com");
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order["shipping_address"]["name"] = json!("Robin Ames");
            order["shipping_address"]["company"] = json!("");
        });
        offer_cards(&shop);
        let pass = shop.pass(GIFT);
        let mut pages = vec![
            shop.get("/return", &pass),
            shop.post("/review", &pass, &given),
            shop.post("/confirm", &pass, ONE_TEE),
            shop.post("/proof", &pass, "gift_code=wrong"),
        ];
        let path = shop.start_return(&pass, &given);
        let status = shop.get(&path, &pass);
        let label = status.text().split("href=\"/labels/").nth(1).map(str::to_owned);
        let label = format!("/labels/{}", label.unwrap().split('"').next().unwrap());
        pages.extend([status, shop.server.send(&Request::get(&label)), shop.get("/return", &pass)]);
        for page in &pages {
            let readable = page.text().to_lowercase();
            for buyers in ["dana", "whitfield"] {
                assert!(!readable.contains(buyers), "{readable}");
            }
        }

        let number = path.rsplit('/').next().unwrap();
        for claim in [DANA, BY_POSTAL_CODE] {
            let buyer = shop.pass(claim);
            for page in [shop.get("/return", &buyer), shop.post("/review", &buyer, ONE_TEE)] {
                let readable = page.text().to_lowercase();
                assert!(!readable.contains("robin@example.com"), "{readable}");
                assert!(!readable.contains(&number.to_lowercase()), "{readable}");
            }
        }
    }
}

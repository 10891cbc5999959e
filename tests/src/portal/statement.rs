//! The pages of a return show the numbers of its statement, to the cent.

use serde_json::{Value, json};

use super::shop::{DANA, ONE_TEE, Shop, servers, shops};
use crate::harness::{http::Request, samples::message};

const EVERYTHING: &str = "quantity.0.0=1&reason.0.0=too_small&get.0.0=refund&parts.0=2\
                          &quantity.0.1=1&reason.0.1=too_small&get.0.1=gift_card\
                          &quantity.1.0=1&reason.1.0=changed_mind&get.1.0=refund\
                          &method=mail-back";

/// The rows of the sums on a page, with their amounts in cents.
fn list_rows(page: &str) -> Vec<(String, i64)> {
    let (_, sums) = page.split_once("<dl class=\"sums\">").expect(page);
    let (sums, _) = sums.split_once("</dl>").unwrap();
    let row = |row: &str| {
        let (label, rest) = row.split_once("</dt><dd>").unwrap();
        let amount = rest.split_once("</dd>").unwrap().0;
        let digits: String = amount.chars().filter(char::is_ascii_digit).collect();
        let cents: i64 = digits.parse().unwrap();
        (label.to_owned(), if amount.starts_with('−') { -cents } else { cents })
    };
    sums.split("<dt>").skip(1).map(row).collect()
}

fn amount(rows: &[(String, i64)], label: &str) -> i64 {
    let found = rows.iter().find(|(name, _)| name.starts_with(label));
    found.unwrap_or_else(|| panic!("no {label} in {rows:?}")).1
}

fn read(shop: &Shop<'_>, target: &str) -> Value {
    let token = shop.server.token(&shop.owner);
    let reply = shop.server.send(&Request::get(target).bearer(&token));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

/// The merchant pays this for the two units that are refunded.
fn pay(shop: &Shop<'_>, rma: &str, amount_cents: i64) {
    let mut order = read(shop, "/orders/ORD-100472");
    let line = |number: i64| {
        json!({ "identifier": format!("RF-1-{number}"), "quantity": 1,
            "order_item_identifier": format!("ORD-100472-{number}") })
    };
    order["refunds"] = json!([{
        "identifier": "RF-1", "total_refund_amount_cents": amount_cents, "rma_identifier": rma,
        "refund_line_items": [line(1), line(2)], "created_at": "2126-03-01T08:00:00Z",
    }]);
    order["updated_at"] = json!("2126-03-01T08:00:00Z");
    let published = shop.server.publish(&shop.server.token(&shop.owner), &message(&[order]));
    assert_eq!(published.status, 200, "{}", published.said());
}

#[test]
fn review_and_status_show_the_statement_before_and_after_a_refund() {
    for shop in shops() {
        shop.refund_shipping_with_fee_and_bonus();
        let pass = shop.proven_pass();
        let review = list_rows(shop.post("/review", &pass, EVERYTHING).text());
        let path = shop.start_return(&pass, EVERYTHING);
        let rma = path.strip_prefix("/returns/").unwrap();
        let statement = || read(&shop, &format!("/returns/{rma}"))["statement"].clone();
        let before = statement();

        let status = list_rows(shop.get(&path, "").text());

        let promised = |name: &str| before["promised"][name].as_i64().unwrap();
        assert_eq!(status, review);
        assert!(promised("shipping_cents") > 0 && promised("bonus_cents") > 0, "{before}");
        assert_eq!(amount(&status, "Shipping"), promised("shipping_cents"));
        assert_eq!(amount(&status, "Return fee"), -promised("fee_cents"));
        assert_eq!(amount(&status, "Bonus"), promised("bonus_cents"));
        assert_eq!(amount(&status, "You will receive"), promised("total_cents"));
        assert_eq!(promised("total_cents"), before["balance_cents"].as_i64().unwrap());
        let components: i64 = status.iter().map(|(_, cents)| cents).sum();
        assert_eq!(components, 2 * promised("total_cents"), "the components, and their sum");

        pay(&shop, rma, promised("refund_cents") - 1);

        let (after, status) = (statement(), list_rows(shop.get(&path, "").text()));
        assert_eq!(amount(&status, "You will receive"), promised("total_cents"));
        assert_eq!(
            amount(&status, "Refunded on"),
            -after["paid"][0]["amount_cents"].as_i64().unwrap()
        );
        let balance = after["balance_cents"].as_i64().unwrap();
        assert_eq!(amount(&status, "Still to come"), balance);
        assert_eq!(balance, promised("gift_card_cents") + 1);
    }
}

#[test]
fn amounts_have_the_decimals_of_their_currency_on_every_page() {
    // What the tee is worth, in the formats of two languages.
    let currencies = [
        ("JPY", "¥4,610", "4.610\u{a0}¥"),
        ("KRW", "KRW\u{a0}4,610", "4.610\u{a0}KRW"),
        ("KWD", "KWD\u{a0}4.610", "4,610\u{a0}KWD"),
        ("BHD", "BHD\u{a0}4.610", "4,610\u{a0}BHD"),
    ];
    for server in servers() {
        for (currency, english, german) in currencies {
            let shop = Shop::on(server, |order| order["currency"] = json!(currency));
            let pass = shop.pass(DANA);
            let path = shop.start_return(&pass, ONE_TEE);
            for (language, amount) in [("en", english), ("de", german)] {
                let pages = [
                    shop.get(&format!("/return?lang={language}"), &pass),
                    shop.post(&format!("/review?lang={language}"), &pass, ONE_TEE),
                    shop.get(&format!("{path}?lang={language}"), &pass),
                ];
                for page in pages {
                    let text = page.text();
                    assert!(text.contains(amount), "{currency} {language}: {text}");
                    assert!(!text.contains("46.10") && !text.contains("46,10"), "{text}");
                }
            }
        }
    }
}

//! What shoppers do in the portal.

use serde_json::json;

use super::shop::{DANA, GIFT, ONE_TEE, Shop, servers, shops};
use crate::harness::{eventually, http::Request};

#[test]
fn a_shopper_finds_an_order_reviews_the_refund_confirms_and_cancels() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let choose = shop.get("/return", &pass);
        assert_eq!(choose.status, 200);
        for text in ["Organic cotton tee", "Return by 1 January 2126", "$46.10 each"] {
            assert!(choose.text().contains(text), "{text}: {}", choose.text());
        }

        let review = shop.post("/review", &pass, ONE_TEE);
        for text in ["$45.00", "−$2.50", "$3.60", "$46.10", "Too small"] {
            assert!(review.text().contains(text), "{text}: {}", review.text());
        }
        let path = shop.start_return(&pass, ONE_TEE);
        let status = shop.get(&path, "");
        assert!(status.text().contains("Return started"), "{}", status.text());

        assert_eq!(shop.post(&format!("{path}/cancel"), &pass, "").status, 303);
        let status = shop.get(&path, "");
        assert!(status.text().contains("Return canceled"), "{}", status.text());
    }
}

#[test]
fn a_shopper_who_sends_several_packages_gets_a_label_for_each() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let choose = shop.get("/return", &pass);
        assert!(choose.text().contains("How many packages will you send?"), "{}", choose.text());
        let two_tees = ONE_TEE.replace("quantity.0.0=1", "quantity.0.0=2");
        for count in ["3", "0", "some"] {
            let refused = shop.post("/review", &pass, &format!("{two_tees}&parcels={count}"));
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("href=\"#parcels\""), "{}", refused.text());
        }

        let form = format!("{two_tees}&parcels=2");
        let review = shop.post("/review", &pass, &form);
        assert!(review.text().contains("In 2 packages"), "{}", review.text());
        let path = shop.start_return(&pass, &form);

        let status = shop.get(&path, &pass);
        let label = status.text().split("href=\"/labels/").nth(1).unwrap();
        let label = format!("/labels/{}", label.split('"').next().unwrap());
        eventually("there are two labels", || {
            let page = shop.server.send(&Request::get(&label));
            let page = page.text();
            (page.contains("Package 1 of 2") && page.contains("Package 2 of 2")).then_some(())
        });
    }
}

#[test]
fn a_page_that_is_confirmed_twice_starts_one_return() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let review = shop.post("/review", &pass, ONE_TEE);
        let key = review.text().split("name=\"key\" value=\"").nth(1).unwrap();
        let form = format!("{ONE_TEE}&key={}", key.split('"').next().unwrap());

        let (first, second) = (shop.start_return(&pass, &form), shop.start_return(&pass, &form));

        assert_eq!(first, second);
        assert_ne!(shop.start_return(&pass, ONE_TEE), first);
    }
}

#[test]
fn only_the_total_that_was_shown_can_be_confirmed() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let review = shop.post("/review", &pass, ONE_TEE);
        assert!(review.text().contains("name=\"total\" value=\"4610\""), "{}", review.text());
        let confirm =
            |total: i64| shop.post("/confirm", &pass, &format!("{ONE_TEE}&total={total}"));

        let another = confirm(4611);
        assert_eq!(another.status, 409);
        assert!(another.text().contains("has changed since you last saw it"), "{}", another.text());
        assert!(another.text().contains("name=\"total\" value=\"4610\""), "{}", another.text());
        assert_eq!(another.text().matches("name=\"total\"").count(), 2, "{}", another.text());
        assert_eq!(confirm(4610).status, 303);
    }
}

#[test]
fn buyer_and_gift_recipient_each_find_their_own_returns_of_the_order() {
    for shop in shops() {
        shop.set_policy(&json!({ "gift_returns": true }));
        let (buyer, recipient) = (shop.pass(DANA), shop.pass(GIFT));
        let bought = shop.start_return(&buyer, ONE_TEE);
        let given =
            shop.start_return(&recipient, &format!("{ONE_TEE}&giftee_email=robin%40example.com"));

        for (pass, own, other) in [(&buyer, &bought, &given), (&recipient, &given, &bought)] {
            let page = shop.get("/return", pass);
            assert!(page.text().contains(own.as_str()), "{}", page.text());
            assert!(!page.text().contains(other.as_str()), "{}", page.text());
        }
    }
}

#[test]
fn a_gift_is_found_by_its_code_and_not_by_the_buyers_address() {
    for shop in shops() {
        shop.set_policy(&json!({ "gift_returns": true }));
        let buyers = shop.post("", "", &format!("{DANA}&gift=yes"));
        assert_eq!(buyers.status, 200);

        let pass = shop.pass(GIFT);
        let missing = shop.post("/review", &pass, ONE_TEE);
        assert_eq!(missing.status, 422);
        assert!(missing.text().contains("href=\"#giftee_email\""), "{}", missing.text());
        let long = format!("{ONE_TEE}&giftee_email={}%40example.com", "x".repeat(255));
        let refused = shop.post("/review", &pass, &long);
        assert_eq!(refused.status, 422, "the API has the same bounds");
        assert!(refused.text().contains("href=\"#giftee_email\""), "{}", refused.text());
        let form = format!("{ONE_TEE}&giftee_email=robin%40example.com");
        assert_eq!(shop.post("/confirm", &pass, &form).status, 303);
    }
}

#[test]
fn a_missing_value_is_reported_at_its_field_and_choices_are_kept() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        for (form, element, text) in [
            ("method=mail-back", "items", "at least one item"),
            ("quantity.0.0=1&method=mail-back", "reason-0-0", "choose a reason"),
            (
                "quantity.0.0=1&reason.0.0=other&get.0.0=exchange&variants_shown.0.0=yes",
                "variant-0-0",
                "choose the variant",
            ),
            ("quantity.0.0=1&reason.0.0=other", "method", "choose a return method"),
            (
                "quantity.0.0=9&reason.0.0=other&method=mail-back",
                "quantity-0-0",
                "not been shipped",
            ),
            ("quantity.0.0=1&reason.0.0=other&method=home-pickup", "method", "not available"),
            (
                "quantity.0.0=1&reason.0.0=none&method=mail-back",
                "reason-0-0",
                "one of the listed reasons",
            ),
        ] {
            let reply = shop.post("/review", &pass, form);
            assert_eq!(reply.status, 422, "{form}");
            let page = reply.text();
            assert!(page.contains(&format!("href=\"#{element}\"")), "{form}: {page}");
            assert!(page.contains(&format!("id=\"{element}\"")), "{form}: {page}");
            assert!(page.contains(text), "{text}: {page}");
        }
        let form = "quantity.0.0=2&get.0.0=exchange&variant.0.0=TEE-NAVY-L&method=mail-back";
        let page = shop.post("/review", &pass, form);
        for kept in [
            "<option value=\"2\" selected>",
            "value=\"exchange\" checked>",
            "value=\"TEE-NAVY-L\" checked>",
        ] {
            assert!(page.text().contains(kept), "{kept}: {}", page.text());
        }
    }
}

#[test]
fn units_of_one_line_can_be_returned_for_different_reasons() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let form = format!("{ONE_TEE}&parts.0=1&split=0");
        let split = shop.post("/return", &pass, &form);
        assert_eq!(split.status, 200);
        assert!(split.text().contains("name=\"quantity.0.1\""), "{}", split.text());
        assert!(split.text().contains("<option value=\"too_small\" selected>"));

        let both = format!(
            "{ONE_TEE}&parts.0=2&quantity.0.1=1&reason.0.1=damaged&get.0.1=exchange\
             &variant.0.1=TEE-NAVY-L&fallback.0.1=refund"
        );
        let review = shop.post("/review", &pass, &both);
        for text in ["Too small", "Arrived damaged", "Exchange for Organic cotton tee, navy, L"] {
            assert!(review.text().contains(text), "{text}: {}", review.text());
        }
        let status = shop.get(&shop.start_return(&pass, &both), "");
        assert!(status.text().contains("Your new order is being placed"), "{}", status.text());
    }
}

#[test]
fn a_unit_that_cannot_be_returned_has_a_reason_and_a_gift_card_shows_its_bonus() {
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order["items"][1]["tags"] = json!(["final_sale"]);
            order["items"][0]["quantity_shipped"] = json!(1);
            order["items"][0]["product_amount_cents"] = json!(4500);
        });
        shop.set_policy(&json!({
            "gift_card": { "sku": "CARD", "bonus_per_mille": 125, "bonus_max_cents": 2000 },
            "methods": [
                { "method": "mail-back", "fee_cents": 595 }, { "method": "express-returns" }
            ]
        }));
        let page = shop.get("/return", &shop.proven_pass());
        for text in [
            "This item was a final sale.",
            "This item has not been shipped.",
            "12.5% extra, up to $20.00",
            "$0.00 to $5.95, depending on the reason",
            "Free",
        ] {
            assert!(page.text().contains(text), "{text}: {}", page.text());
        }
        assert!(!page.text().contains("has the tag"), "{}", page.text());
    }
}

#[test]
fn a_canceled_unit_is_called_canceled_and_not_unshipped() {
    for server in servers() {
        let shop = Shop::on(server, |order| {
            order["items"][0]["quantity"] = json!(3);
            order["items"][0]["quantity_canceled"] = json!(1);
        });
        let page = shop.get("/return", &shop.pass(DANA));
        assert!(page.text().contains("This item was canceled."), "{}", page.text());
        assert!(!page.text().contains("has not been shipped"), "{}", page.text());
    }
}

#[test]
fn an_item_has_the_same_price_before_and_after_it_was_returned() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let price = || {
            let page = shop.get("/return", &pass);
            let (_, price) = page.text().split_once("<p class=\"worth\">").unwrap();
            price.split_once("</p>").unwrap().0.to_owned()
        };
        let before = price();
        shop.start_return(&pass, &ONE_TEE.replace("quantity.0.0=1", "quantity.0.0=2"));
        assert_eq!((price(), before.as_str()), (before.clone(), "$46.10 each"));
    }
}

#[test]
fn the_pages_of_a_gifts_return_speak_of_a_gift_card_and_not_of_a_refund() {
    let languages = [
        ("en", "Gift card", "refund"),
        ("de", "Gutschein", "erstattung"),
        ("fr", "Carte cadeau", "rembours"),
        ("es", "Tarjeta regalo", "reembols"),
    ];
    for shop in shops() {
        shop.set_policy(&json!({
            "gift_returns": true, "methods": [{ "method": "mail-back", "fee_cents": 595 }],
        }));
        let pass = shop.pass(GIFT);
        let form = format!("{ONE_TEE}&giftee_email=robin%40example.com");
        let path = shop.start_return(&pass, &form);
        for (language, card, refund) in languages {
            let pages = [
                shop.get(&format!("/return?lang={language}"), &pass),
                shop.post(&format!("/review?lang={language}"), &pass, &form),
                shop.post(&format!("/confirm?lang={language}"), &pass, &format!("{form}&total=1")),
                shop.get(&format!("{path}?lang={language}"), &pass),
            ];
            for page in pages {
                let texts = page.text().split('<').filter_map(|it| Some(it.split_once('>')?.1));
                let text = texts.collect::<String>();
                assert!(text.contains(card), "{text}");
                assert!(!text.to_lowercase().contains(refund), "{language}: {text}");
            }
        }
    }
}

#[test]
fn a_return_in_transit_cannot_be_canceled() {
    for shop in shops() {
        let path = shop.start_return(&shop.pass(DANA), ONE_TEE);
        let rma = path.rsplit('/').next().unwrap();
        shop.server.home.json(&["carrier", "move", rma, "in_transit"]);

        let status = shop.get(&path, "");
        assert!(status.text().contains("nothing else you need to do"), "{}", status.text());
        assert!(!status.text().contains("/cancel"), "{}", status.text());
        let late = shop.post(&format!("{path}/cancel"), &shop.pass(DANA), "");
        assert_eq!(late.status, 409);
        assert!(late.text().contains("can no longer be canceled"), "{}", late.text());
    }
}

#[test]
fn pages_load_nothing_from_elsewhere_and_are_not_cached() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        for rest in ["", "/return"] {
            let page = shop.get(rest, &pass);
            let policy = page.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(page.header("cache-control"), Some("no-store"));
            for outside in ["://", "<script", " style=", "=\"//"] {
                assert!(!page.text().contains(outside), "{outside}: {}", page.text());
            }
        }
        let missing = shop.server.send(&Request::get("/portal/no-such-shop"));
        assert_eq!(missing.status, 404);
        assert!(missing.text().contains("<h1>Page not found</h1>"), "{}", missing.text());
    }
}

#[test]
fn an_order_is_found_by_its_second_number() {
    for server in servers() {
        let shop = Shop::on(server, |order| order["secondary_identifier"] = json!("WEB-77 / 3"));
        let pass = shop.pass(&DANA.replace("ORD-100472", "WEB-77+%2F+3"));
        let page = shop.get("/return", &pass);
        assert!(page.text().contains("ORD-100472"), "{}", page.text());
        let stranger = shop.post("", "", "order_number=WEB-77+%2F+3&secret=x%40example.com");
        assert_eq!(stranger.status, 200);
    }
}

#[test]
fn the_page_of_a_return_shows_the_total_that_was_confirmed() {
    for shop in shops() {
        shop.refund_shipping_with_fee_and_bonus();
        let pass = shop.proven_pass();
        let form = "quantity.0.0=1&reason.0.0=too_small&get.0.0=refund&parts.0=2\
                    &quantity.0.1=1&reason.0.1=too_small&get.0.1=gift_card&method=mail-back";
        let total = |page: &str| {
            let (_, total) = page.split_once("<div class=\"total\">").expect(page);
            total.split_once("</div>").unwrap().0.to_owned()
        };
        let review = shop.post("/review", &pass, form);
        let status = shop.get(&shop.start_return(&pass, form), "");
        assert_eq!(total(status.text()), total(review.text()));
        for text in ["$5.95", "Bonus"] {
            assert!(status.text().contains(text), "{text}: {}", status.text());
        }
    }
}

#[test]
fn a_gift_can_be_returned_only_where_the_policy_says_so() {
    for shop in shops() {
        let claim = "order_number=ORD-100472&secret=97205&gift=yes";
        let find = shop.get("", "");
        assert!(!find.text().contains("name=\"gift\""), "{}", find.text());
        assert_eq!(shop.post("", "", claim).status, 200, "not found");

        shop.set_policy(&json!({ "gift_returns": true }));
        assert!(shop.get("", "").text().contains("name=\"gift\""));
        assert_eq!(shop.post("", "", claim).status, 303);
    }
}

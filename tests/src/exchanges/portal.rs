//! A shopper who wants another variant, in the portal: when the merchant is asked for variants, how
//! often, and that the largest order is a page like any other.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};

use super::{
    scripted::Scripted,
    stage::{ExchangeStage, parse_body, sample_order, servers},
};
use crate::harness::{
    eventually,
    http::{Reply, Request},
};

const TEES: &str = "quantity.0.0=1&get.0.0=exchange&method=mail-back";

/// A shopper who has found an order.
struct Shopper<'a> {
    stage: &'a ExchangeStage<'a>,
    pass: String,
}

impl<'a> Shopper<'a> {
    fn of(stage: &'a ExchangeStage<'a>, order: &str) -> Self {
        let mut shopper = Self { stage, pass: String::new() };
        let form = format!("order_number={order}&secret=dana.whitfield%40example.com");
        let found = shopper.post("", &form);
        assert_eq!(found.status, 303, "{}", found.text());
        let cookie = found.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().clone_into(&mut shopper.pass);
        shopper
    }

    fn request(&self, method: &str, rest: &str) -> Request {
        let path = format!("/portal/{}{rest}", self.stage.merchant.id);
        Request::new(method, &path).header("Cookie", &self.pass)
    }

    fn open(&self) -> Reply {
        self.stage.server.send(&self.request("GET", "/return"))
    }

    fn post(&self, rest: &str, form: &str) -> Reply {
        let kind = "application/x-www-form-urlencoded";
        let request = self.request("POST", rest).header("Content-Type", kind).body(form);
        self.stage.server.send(&request)
    }
}

/// An order of so many lines of one unit each, with the variants that `of_line` names.
fn order_of_lines(count: usize, of_line: impl Fn(usize) -> String) -> Value {
    let mut order = sample_order("O-1");
    let mut line = order["items"][0].clone();
    for (key, value) in [("quantity", 1), ("quantity_shipped", 1), ("quantity_canceled", 0)] {
        line[key] = json!(value);
    }
    let lines = (0..count).map(|number| {
        let mut line = line.clone();
        line["identifier"] = json!(format!("line-{number}"));
        line["variant_identifier"] = json!(of_line(number));
        line
    });
    order["items"] = lines.collect();
    order
}

#[test]
fn variants_are_requested_when_a_reason_that_offers_them_is_picked() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let shopper = Shopper::of(&stage, "O-1");
        let requests = || stage.calls(MessageKind::ExchangeVariants).len();

        let opened = shopper.open();
        assert!(opened.text().contains("value=\"exchange\""), "{}", opened.text());
        assert!(!opened.text().contains("TEE-NAVY-L"), "{}", opened.text());
        let refused = shopper.post("/review", &format!("{TEES}&reason.0.0=changed_mind"));
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("href=\"#get-0-0\""), "{}", refused.text());
        assert_eq!(requests(), 0, "no reason that offers an exchange was picked");

        let form = format!("{TEES}&reason.0.0=too_small");
        let step = shopper.post("/review", &form);
        assert_eq!(step.status, 200, "{}", step.text());
        for text in ["Choose what you would like instead", "value=\"TEE-NAVY-L\""] {
            assert!(step.text().contains(text), "{text}: {}", step.text());
        }
        assert_eq!(requests(), 1);
        let shown = format!("{form}&variants_shown.0.0=yes");
        assert_eq!(shopper.post("/review", &shown).status, 422, "a variant must be chosen");
        let review = shopper.post("/review", &format!("{shown}&variant.0.0=TEE-NAVY-L"));
        assert!(review.text().contains("Exchange for Organic cotton tee, navy, L"));
    }
}

#[test]
fn an_exchange_without_any_variant_is_explained() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let shop = Scripted::answering(|_| (500, String::new()));
        stage.point_to(&shop.url());
        let shopper = Shopper::of(&stage, "O-1");

        let page = shopper.post("/review", &format!("{TEES}&reason.0.0=too_small"));

        assert_eq!(page.status, 422);
        assert!(page.text().contains("There is nothing to exchange this item for"));
        let offered = "type=\"radio\" name=\"get.0.0\" value=\"exchange\"";
        assert!(!page.text().contains(offered), "{}", page.text());
    }
}

#[test]
fn a_variant_that_is_not_offered_cannot_be_chosen_by_hand() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let shopper = Shopper::of(&stage, "O-1");
        let form = format!("{TEES}&reason.0.0=too_small&variants_shown.0.0=yes");
        let gold = format!("{form}&variant.0.0=GOLD-WATCH");

        let listed = shopper.post("/review", &gold);
        assert_eq!(listed.status, 422, "it is not in the list: {}", listed.text());
        let shop = Scripted::answering(|_| (200, "[]".to_owned()));
        stage.point_to(&shop.url());
        let mut other = sample_order("O-2");
        other["items"][0]["variant_identifier"] = json!("NONE");
        stage.publish(&other);
        let shopper = Shopper::of(&stage, "O-2");
        for step in ["/review", "/confirm"] {
            let empty = shopper.post(step, &gold);
            assert_eq!(empty.status, 422, "the list is empty: {}", empty.text());
        }

        let fails = Scripted::answering(|_| (500, String::new()));
        stage.point_to(&fails.url());
        let mut third = sample_order("O-3");
        third["items"][0]["variant_identifier"] = json!("FAILS");
        stage.publish(&third);
        let shopper = Shopper::of(&stage, "O-3");
        for step in ["/review", "/confirm"] {
            let failed = shopper.post(step, &gold);
            assert_eq!(failed.status, 422, "there is no list: {}", failed.text());
        }
    }
}

#[test]
fn another_variant_is_chosen_in_advance_and_replaces_one_that_sells_out() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let shopper = Shopper::of(&stage, "O-1");
        let form = format!("{TEES}&reason.0.0=too_small&variants_shown.0.0=yes");
        let large = format!("{form}&variant.0.0=TEE-NAVY-L");
        let falling_back =
            |to: &str| shopper.post("/review", &format!("{large}&fallback.0.0=variant:{to}"));

        let page = shopper.post("/review", &form);
        assert!(page.text().contains("<option value=\"variant:TEE-NAVY-S\">"), "{}", page.text());
        for wrong in ["TEE-NAVY-L", "GOLD-WATCH"] {
            let refused = falling_back(wrong);
            assert_eq!(refused.status, 422, "{wrong}");
            assert!(refused.text().contains("href=\"#fallback-0-0\""), "{}", refused.text());
        }
        let review = falling_back("TEE-NAVY-S");
        assert!(review.text().contains("Exchange for Organic cotton tee, navy, L"));

        assert!(stage.shop.merchant().set_stock("TEE-NAVY-L", 0));
        let small = format!("{large}&fallback.0.0=variant:TEE-NAVY-S");
        let started = shopper.post("/confirm", &small);
        assert_eq!(started.status, 303, "{}", started.text());
        eventually("the exchange order", || {
            let calls = stage.calls(MessageKind::ExchangeOrder);
            calls.iter().any(|it| parse_body(it)["items"][0]["sku"] == "TEE-NAVY-S").then_some(())
        });
    }
}

#[test]
fn a_page_makes_at_most_eight_requests_at_once_and_each_only_once() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.publish(&order_of_lines(48, |number| format!("V-{}", number / 2)));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, highest) = (Arc::clone(&now), Arc::clone(&most));
        let shop = Scripted::answering(move |_| {
            highest.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            counted.fetch_sub(1, Ordering::SeqCst);
            (200, r#"[{"sku":"TEE-NAVY-L"}]"#.to_owned())
        });
        stage.point_to(&shop.url());
        let shopper = Shopper::of(&stage, "O-1");
        let mut form = "method=mail-back".to_owned();
        for line in 0..48 {
            let reason = format!("reason.{line}.0=too_small&get.{line}.0=exchange");
            write!(form, "&quantity.{line}.0=1&{reason}").unwrap();
        }

        let page = shopper.post("/review", &form);

        assert_eq!(page.status, 200, "{}", page.text());
        assert_eq!(page.text().matches("value=\"TEE-NAVY-L\"").count(), 48);
        let mut requests = shop.requests();
        requests.sort();
        requests.dedup();
        assert_eq!((requests.len(), shop.requests().len()), (24, 24));
        assert!(most.load(Ordering::SeqCst) <= 8, "{most:?}");
    }
}

#[test]
fn an_order_of_5000_lines_is_a_page_without_requests() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.publish(&order_of_lines(5_000, |number| format!("V-{number}")));
        let shop = Scripted::answering(|_| {
            thread::sleep(Duration::from_secs(2));
            (200, "[]".to_owned())
        });
        stage.point_to(&shop.url());
        let shopper = Shopper::of(&stage, "O-1");

        let page = shopper.open();

        assert_eq!(page.status, 200);
        assert!(page.text().contains("name=\"reason.4999.0\""));
        let mut form = "method=mail-back".to_owned();
        for line in 0..5_000 {
            let quantity = u8::from(line < 200);
            let reason = format!("reason.{line}.0=too_small&get.{line}.0=refund&parts.{line}=1");
            write!(form, "&quantity.{line}.0={quantity}&{reason}").unwrap();
        }
        let review = shopper.post("/review", &form);
        assert_eq!(review.status, 200);
        assert_eq!(shop.requests(), Vec::<String>::new());
    }
}

#[test]
fn variants_at_another_price_are_offered_only_where_the_policy_says_so() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let shop = Scripted::answering(|_| {
            let variant =
                |sku: &str, price: i64| json!({ "sku": sku, "unit_price_amount_cents": price });
            let list =
                json!([variant("SAME", 4_500), variant("LESS", 4_050), variant("MORE", 5_000)]);
            (200, list.to_string())
        });
        stage.point_to(&shop.url());
        let shopper = Shopper::of(&stage, "O-1");
        let offered = |policy: &Value| {
            stage.set_policy(policy);
            let page = shopper.post("/review", &format!("{TEES}&reason.0.0=too_small"));
            let page = page.text().to_owned();
            let known = ["SAME", "LESS", "MORE"].into_iter();
            let shown = known.filter(|sku| page.contains(&format!("value=\"{sku}\"")));
            (shown.collect::<Vec<_>>(), page)
        };

        assert_eq!(offered(&json!({ "window_days": 3650 })).0, ["SAME"]);
        let (shown, page) = offered(&json!({ "window_days": 3650, "cheaper_exchanges": true }));
        assert_eq!(shown, ["SAME", "LESS"]);
        assert!(page.contains("You get $4.61 back"), "{page}");
        let (shown, page) = offered(&json!({ "window_days": 3650, "dearer_exchanges": true }));
        assert_eq!(shown, ["SAME", "MORE"]);
        assert!(page.contains("No extra charge"), "{page}");
    }
}

//! The returns portal, as a browser without scripts walks through it.

use serde_json::json;

use crate::harness::{
    http::{Reply, Request},
    samples::{full_order, message},
    server::Server,
    shared,
};

/// A merchant with one order that can come back.
struct Shop {
    server: &'static Server,
    merchant: String,
}

fn shops() -> impl Iterator<Item = Shop> {
    shared::on_both_engines().map(|server| {
        let merchant = server.merchant("portal");
        let mut order = full_order();
        order["refunds"] = json!([]);
        order["tags"] = json!([]);
        for line in order["items"].as_array_mut().unwrap() {
            line["tags"] = json!([]);
            line["return_policy_end_date"] = json!("2126-01-01T00:00:00Z");
            line["quantity_refunded"] = json!(0);
        }
        let token = server.token(&merchant);
        assert_eq!(server.publish(&token, &message(&[order])).status, 200);
        Shop { server, merchant: merchant.id }
    })
}

impl Shop {
    fn path(&self, rest: &str) -> String {
        format!("/portal/{}{rest}", self.merchant)
    }

    fn post(&self, rest: &str, pass: &str, form: &str) -> Reply {
        let request = Request::post(&self.path(rest))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Cookie", pass)
            .body(form);
        self.server.send(&request)
    }

    fn get(&self, rest: &str, pass: &str) -> Reply {
        self.server.send(&Request::get(&self.path(rest)).header("Cookie", pass))
    }

    /// What the browser keeps after the order was found.
    fn pass(&self, form: &str) -> String {
        let reply = self.post("", "", form);
        assert_eq!(reply.status, 303, "{}", reply.text());
        let cookie = reply.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }
}

const DANA: &str = "order_number=ORD-100472&secret=DANA.Whitfield%40example.com";
const ONE_TEE: &str = "quantity.0=1&reason.0=too_small&get.0=refund&method=mail-back";

#[test]
fn a_shopper_finds_an_order_sees_what_it_comes_to_confirms_and_cancels() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let choose = shop.get("/return", &pass);
        assert_eq!(choose.status, 200);
        assert!(choose.text().contains("Organic cotton tee"), "{}", choose.text());

        let review = shop.post("/review", &pass, ONE_TEE);
        assert!(review.text().contains("46.10 USD"), "{}", review.text());
        let confirmed = shop.post("/confirm", &pass, ONE_TEE);
        assert_eq!(confirmed.status, 303, "{}", confirmed.text());
        let place = confirmed.header("location").unwrap().to_owned();
        let status = shop.server.send(&Request::get(&place));
        assert!(status.text().contains("You started the return"), "{}", status.text());

        let cancel = Request::post(&format!("{place}/cancel")).body("");
        assert_eq!(shop.server.send(&cancel).status, 303);
        let status = shop.server.send(&Request::get(&place));
        assert!(status.text().contains("The return was cancelled"), "{}", status.text());
    }
}

#[test]
fn a_wrong_guess_tells_nothing_of_whether_the_order_exists() {
    for shop in shops() {
        let wrong = shop.post("", "", "order_number=ORD-100472&secret=nobody%40example.com");
        let unknown = shop.post("", "", "order_number=ORD-100472x&secret=nobody%40example.com");

        assert_eq!((wrong.status, unknown.status), (200, 200));
        assert_eq!(wrong.text(), unknown.text().replace("ORD-100472x", "ORD-100472"));
        assert!(wrong.header("set-cookie").is_none());
    }
}

#[test]
fn a_gift_is_found_by_its_postal_code_and_not_by_the_buyers_address() {
    for shop in shops() {
        let buyers = shop.post("", "", &format!("{DANA}&gift=yes"));
        assert_eq!(buyers.status, 200);

        let pass = shop.pass("order_number=ORD-100472&secret=97205&gift=yes");
        let missing = shop.post("/review", &pass, ONE_TEE);
        assert_eq!(missing.status, 422);
        let form = format!("{ONE_TEE}&giftee_email=robin%40example.com");
        assert_eq!(shop.post("/confirm", &pass, &form).status, 303);
    }
}

#[test]
fn nothing_is_shown_without_a_pass_or_with_one_of_another_portal() {
    let all: Vec<Shop> = shops().chain(shops()).collect();
    let (first, other) = (&all[0], all.last().unwrap());
    let pass = first.pass(DANA);

    for pass in ["", "homeward_shopper=forged", &pass] {
        let reply = other.get("/return", pass);
        assert_eq!(reply.status, 303);
        assert_eq!(reply.header("location"), Some(other.path("").as_str()));
    }
}

#[test]
fn what_cannot_be_is_said_where_the_shopper_can_choose_otherwise() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        for (form, words) in [
            ("method=mail-back", "at least one item"),
            ("quantity.0=1&method=mail-back", "give a reason"),
            ("quantity.0=9&reason.0=other&method=mail-back", "not possible"),
            ("quantity.0=1&reason.0=other&method=home-pickup", "not possible"),
        ] {
            let reply = shop.post("/review", &pass, form);
            assert_eq!(reply.status, 422, "{form}");
            assert!(reply.text().contains(words), "{form}: {}", reply.text());
        }
    }
}

#[test]
fn pages_load_nothing_from_elsewhere_and_nobody_keeps_them() {
    for shop in shops() {
        let page = shop.get("", "");

        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(!page.text().contains("//"), "{}", page.text());
        assert_eq!(shop.server.send(&Request::get("/portal/no-such-shop")).status, 404);
    }
}

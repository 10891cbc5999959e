//! A merchant with one returnable order, and requests with a shopper's pass.

use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};

use crate::harness::{
    home::{Merchant, text},
    http::{Reply, Request},
    samples::{full_order, message},
    server::Server,
    shared::SharedServers,
};

pub(super) const DANA: &str = "order_number=ORD-100472&secret=DANA.Whitfield%40example.com";
/// The recipient of the order as a gift, with the code of the gift receipt.
pub(super) const GIFT: &str = "order_number=ORD-100472&secret=gift+7q2m+k4xd&gift=yes";
pub(super) const ONE_TEE: &str =
    "quantity.0.0=1&reason.0.0=too_small&get.0.0=refund&method=mail-back";

pub(super) struct Shop<'a> {
    pub(super) server: &'a Server,
    pub(super) owner: Merchant,
    pub(super) merchant: String,
    /// The address of its shoppers, as the proxy reports it. Attempts are counted per address.
    address: String,
}

/// A server on each available engine, behind a proxy.
pub(super) fn servers() -> impl Iterator<Item = &'static Server> {
    static SERVERS: SharedServers = SharedServers::new(
        "portal",
        &["--trusted-proxies", "127.0.0.1", "--allow-network", "*@127.0.0.0/8:*"],
    );
    SERVERS.each()
}

/// A shop on each available engine.
pub(super) fn shops() -> impl Iterator<Item = Shop<'static>> {
    servers().map(|server| Shop::on(server, |_| ()))
}

impl<'a> Shop<'a> {
    /// A shop with the sample order. All its items are returnable unless `change` prevents it.
    pub(super) fn on(server: &'a Server, change: impl FnOnce(&mut Value)) -> Self {
        static COUNT: AtomicU8 = AtomicU8::new(1);
        let owner = server.merchant("portal");
        let address = format!("192.0.2.{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let shop = Self { server, merchant: owner.id.clone(), owner, address };
        let mut order = full_order();
        order["refunds"] = json!([]);
        order["tags"] = json!([]);
        for line in order["items"].as_array_mut().unwrap() {
            line["tags"] = json!([]);
            line["return_policy_end_date"] = json!("2126-01-01T00:00:00Z");
            line["quantity_refunded"] = json!(0);
        }
        change(&mut order);
        let published = server.publish(&server.token(&shop.owner), &message(&[order]));
        assert_eq!(published.status, 200, "{}", published.said());
        shop
    }

    pub(super) fn path(&self, rest: &str) -> String {
        format!("/portal/{}{rest}", self.merchant)
    }

    pub(super) fn post(&self, rest: &str, pass: &str, form: &str) -> Reply {
        self.server.send(&self.form(rest, pass, form))
    }

    /// Tries to find an order from another address.
    pub(super) fn post_from(&self, address: &str, form: &str) -> Reply {
        self.server.send(&self.form("", "", form).with("X-Forwarded-For", address))
    }

    /// The request that submits a form.
    pub(super) fn form(&self, rest: &str, pass: &str, form: &str) -> Request {
        Request::post(&self.path(rest))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Cookie", pass)
            .header("X-Forwarded-For", &self.address)
            .body(form)
    }

    pub(super) fn get(&self, rest: &str, pass: &str) -> Reply {
        let request = Request::get(&self.path(rest)).header("Cookie", pass);
        self.server.send(&request.header("X-Forwarded-For", &self.address))
    }

    /// Finds the order and returns the cookie with the pass.
    pub(super) fn pass(&self, form: &str) -> String {
        let reply = self.post("", "", form);
        assert_eq!(reply.status, 303, "{}", reply.text());
        let cookie = reply.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// The pass of the buyer, who opens the link in a mail of the store.
    pub(super) fn proven_pass(&self) -> String {
        let link = self.sign_link(&json!({ "order_identifier": "ORD-100472" }));
        let opened = self.get(link.strip_prefix(&self.path("")).unwrap(), "");
        assert_eq!(opened.status, 200, "{}", opened.text());
        let cookie = opened.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// The path of a signed link.
    pub(super) fn sign_link(&self, wanted: &Value) -> String {
        let signed = self.admin("POST", "portal/links", wanted);
        assert_eq!(signed.status, 200, "{}", signed.said());
        text(&signed.json()["path"])
    }

    /// Starts a return and gives the path of its page within the portal.
    pub(super) fn start_return(&self, pass: &str, form: &str) -> String {
        let confirmed = self.post("/confirm", pass, form);
        assert_eq!(confirmed.status, 303, "{}", confirmed.text());
        let location = confirmed.header("location").unwrap();
        location.strip_prefix(&self.path("")).unwrap().to_owned()
    }

    /// Calls an address of the admin API about the merchant.
    pub(super) fn admin(&self, method: &str, rest: &str, body: &Value) -> Reply {
        let path = format!("/admin/merchants/{}/{rest}", self.merchant);
        let request = Request::new(method, &path).bearer(&self.server.admin_token());
        self.server.send(&request.json(body.to_string()))
    }

    /// Shipping is refunded, returning by mail costs a fee, and gift cards have a bonus.
    pub(super) fn refund_shipping_with_fee_and_bonus(&self) {
        self.set_policy(&json!({
            "shipping_refunded": "when_everything_returns",
            "methods": [{ "method": "mail-back", "fee_cents": 595 }],
            "gift_card": { "sku": "CARD", "bonus_per_mille": 100 },
        }));
    }

    pub(super) fn set_policy(&self, policy: &Value) {
        let set = self.admin("PUT", "policy", policy);
        assert_eq!(set.status, 200, "{}", set.said());
    }

    pub(super) fn set_portal(&self, portal: &Value) {
        let set = self.admin("PUT", "portal", portal);
        assert_eq!(set.status, 200, "{}", set.said());
    }
}

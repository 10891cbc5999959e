//! A shop whose pages are looked at: a merchant of its own, whose simulated systems know the variants and take
//! exchange orders, and one order of two tees that can come back and a mug that cannot.

use std::sync::OnceLock;

use serde_json::json;
use sim::Running;

use crate::{
    delivery::stage::{ALLOW, Stage},
    harness::{
        home::{Home, text},
        http::Request,
        samples::{full_order, message},
        server::Server,
    },
};

pub(super) const ORDER: &str = "ORD-100472";
pub(super) const EMAIL: &str = "dana.whitfield@example.com";
pub(super) const POSTAL_CODE: &str = "97205";
pub(super) const TEE: &str = "Organic cotton tee, navy, M";
pub(super) const MUG: &str = "Stoneware mug, clay";

pub(super) struct Shop {
    pub(super) server: &'static Server,
    pub(super) merchant: String,
    token: String,
    _systems: Running,
}

/// The server that all of them share. It believes a proxy in front of it, so that each browser can
/// be somebody else.
fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let arguments = [&ALLOW[..], &["--trusted-proxy-hops", "1"]].concat();
    SERVER.get_or_init(|| Home::sqlite().serve(&arguments))
}

impl Shop {
    pub(super) fn open() -> Self {
        let server = server();
        let (stage, systems) = Stage::with_receiver(server);
        let policy = json!({
            "window_days": 3650, "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 100 }
        });
        let target = format!("/admin/merchants/{}/policy", stage.merchant.id);
        let request = Request::new("PUT", &target).bearer(&stage.admin).json(policy.to_string());
        assert_eq!(server.send(&request).status, 200);
        let mut order = full_order();
        order["refunds"] = json!([]);
        order["tags"] = json!([]);
        let tee = order["items"][0].as_object_mut().unwrap();
        tee.insert("tags".to_owned(), json!([]));
        tee.insert("return_policy_end_date".to_owned(), json!("2126-01-01T00:00:00Z"));
        tee.insert("quantity_refunded".to_owned(), json!(0));
        let token = server.token(&stage.merchant);
        let published = server.publish(&token, &message(&[order]));
        assert_eq!(published.status, 200, "{}", published.said());
        Self { server, merchant: stage.merchant.id, token, _systems: systems }
    }

    /// The address of the portal.
    pub(super) fn portal(&self) -> String {
        format!("/portal/{}", self.merchant)
    }

    /// What is held of a return, as the merchant reads it.
    pub(super) fn held(&self, rma: &str) -> serde_json::Value {
        let request = Request::get(&format!("/returns/{rma}")).bearer(&self.token);
        let reply = self.server.send(&request);
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()
    }

    /// What each unit of a return is worth, in cents, and what is given for it.
    pub(super) fn given(&self, rma: &str) -> Vec<(String, u64)> {
        let held = self.held(rma);
        let units = held["items"].as_array().unwrap().iter().map(|unit| {
            let cents = &unit["refund_financials"]["shopper_refund_amount_cents"];
            (text(&unit["refund_type"]), cents.as_u64().unwrap())
        });
        units.collect()
    }
}

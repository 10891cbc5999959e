//! A shop whose pages are looked at: a merchant of its own, whose simulated systems know the
//! variants and take exchange orders, and one order of two tees that can come back and a mug that
//! cannot.

use std::sync::OnceLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sim::Running;

use crate::harness::{
    home::{Home, text},
    http::Request,
    samples::full_order,
    server::Server,
    stage::{ALLOW, Stage},
};

pub(super) const ORDER: &str = "ORD-100472";
pub(super) const EMAIL: &str = "dana.whitfield@example.com";
pub(super) const POSTAL_CODE: &str = "97205";
pub(super) const TEE: &str = "Organic cotton tee, navy, M";
pub(super) const MUG: &str = "Stoneware mug, clay";

/// The smallest picture there is.
const DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/// A sheet of paper with nothing on it.
const PAGE: &str = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
    2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
    3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 288 432]>>endobj\n\
    trailer<</Root 1 0 R/Size 4>>\n%%EOF\n";

pub(super) struct Shop {
    pub(super) server: &'static Server,
    pub(super) merchant: String,
    stage: Stage<'static>,
    systems: Running,
}

/// The server that all of them share. It believes a proxy in front of it, so that each browser can
/// be somebody else.
fn shared_server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let arguments = [&ALLOW[..], &["--trusted-proxies", "127.0.0.1"]].concat();
    SERVER.get_or_init(|| Home::new().serve(&arguments))
}

/// One order of two tees that can come back and a mug that cannot.
fn two_tees_and_a_mug() -> Value {
    let mut order = full_order();
    order["refunds"] = json!([]);
    order["tags"] = json!([]);
    let tee = order["items"][0].as_object_mut().unwrap();
    tee.insert("tags".to_owned(), json!([]));
    tee.insert("return_policy_end_date".to_owned(), json!("2126-01-01T00:00:00Z"));
    tee.insert("quantity_refunded".to_owned(), json!(0));
    order
}

impl Shop {
    /// From now on the order was shipped to Germany, and will be delivered in the far future.
    pub(super) fn ship_to_germany(&self) {
        let mut order = two_tees_and_a_mug();
        order["shipping_address"]["country_code"] = json!("DE");
        order["updated_at"] = json!("2126-01-01T00:00:00Z");
        for line in order["items"].as_array_mut().unwrap() {
            line["delivered_date"] = json!("2126-01-07T10:00:00Z");
        }
        self.stage.publish(&[order]);
    }

    /// The withdrawal that was recorded.
    pub(super) fn only_withdrawal(&self) -> Value {
        let request = Request::get("/withdrawals").bearer(&self.stage.token);
        let listed = self.server.send(&request).json();
        assert_eq!(listed["withdrawals"].as_array().unwrap().len(), 1, "{listed}");
        listed["withdrawals"][0].clone()
    }

    pub(super) fn open() -> Self {
        let server = shared_server();
        let (stage, systems) = Stage::with_receiver(server);
        stage.publish(&[two_tees_and_a_mug()]);
        let merchant = stage.merchant.id.clone();
        let shop = Self { server, merchant, stage, systems };
        shop.offer(&[json!({ "method": "mail-back" })]);
        shop
    }

    /// From now on goods come back by these methods.
    pub(super) fn offer(&self, methods: &[Value]) {
        let policy = json!({
            "window_days": 3650, "gift_returns": true, "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 100 },
            "methods": methods,
        });
        self.stage.set_policy(&policy);
    }

    /// From now on none of a variant are left.
    pub(super) fn sell_out(&self, sku: &str) {
        assert!(self.systems.merchant().set_stock(sku, 0));
    }

    /// From now on labels are made by a carrier that takes its time.
    pub(super) fn wait_for_labels(&self) {
        self.server.home.json(&["merchant", "set", &self.merchant, "--carrier", "external"]);
    }

    /// Starts the return of a tee for a shopper who is elsewhere.
    pub(super) fn start(&self, method: &str) -> String {
        let body = json!({
            "email": EMAIL, "return_method": method, "items": [{
                "order_identifier": ORDER, "order_line_item_identifier": "ORD-100472-1",
                "quantity": 1, "return_reason": "too_small", "resolution": "refund",
            }],
        });
        let reply = self.stage.call("POST", "/returns", &body);
        assert_eq!(reply.status, 201, "{}", reply.said());
        text(&reply.json()["rma_identifier"])
    }

    /// Waits until the carrier has made the label of a return.
    pub(super) fn await_label(&self, rma: &str) {
        self.stage.wait_for_label(rma);
    }

    /// The carrier makes a label, with files.
    pub(super) fn issue_label(&self, rma: &str, number: &str) {
        let event = json!({
            "type": "label_created", "rma_identifier": rma, "tracking_number": number,
            "label": {
                "carrier": "Parcelry", "service": "Ground", "expires_at": "2126-01-01T00:00:00Z",
                "documents": [
                    { "format": "png", "content": DOT },
                    { "format": "pdf", "content": STANDARD.encode(PAGE) },
                ],
            },
        });
        let body = json!({ "events": [event] }).to_string();
        let request = Request::post("/carrier_events").bearer(&self.stage.admin).json(body);
        let reply = self.server.send(&request);
        assert_eq!(reply.json()["results"][0]["result"], "applied", "{}", reply.said());
    }

    /// The address in a mail of the store that opens the order.
    pub(super) fn sign_link(&self) -> String {
        let target = format!("/admin/merchants/{}/portal/links", self.merchant);
        let body = json!({ "order_identifier": ORDER }).to_string();
        let signed = self.server.send(&Request::post(&target).bearer(&self.stage.admin).json(body));
        assert_eq!(signed.status, 200, "{}", signed.said());
        text(&signed.json()["path"])
    }

    /// The address of the portal.
    pub(super) fn portal(&self) -> String {
        format!("/portal/{}", self.merchant)
    }

    /// The address of the label of a return.
    pub(super) fn label_address(&self, rma: &str) -> String {
        text(&self.held(rma)["links"]["label"])
    }

    /// What is held of a return, as the merchant reads it.
    pub(super) fn held(&self, rma: &str) -> Value {
        self.stage.show_return(rma)
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

//! A person at a bench with a scanner, in a browser without scripts.

use serde_json::{Value, json};

use crate::harness::{
    console::{Visitor, form_request},
    home::text,
    http::{Reply, Request},
    samples::{self, message},
    server::Server,
    shared,
    stage::Stage,
};

const GRADING: &str = "<form class=\"card grading\"";

/// A merchant with managed receiving, and a warehouse worker.
pub(super) struct Bench<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) visitor: Visitor<'a>,
    /// The merchant's own token.
    token: String,
}

/// A bench on each engine.
pub(super) fn benches() -> impl Iterator<Item = Bench<'static>> {
    shared::on_every_engine().map(Bench::new)
}

impl<'a> Bench<'a> {
    pub(super) fn new(server: &'a Server) -> Self {
        let stage = Stage::set(server);
        let token = server.token(&stage.merchant);
        let bench = Self { visitor: server.visitor("warehouse"), stage, token };
        let target = format!("/admin/merchants/{}", bench.stage.merchant.id);
        let managed = json!({ "managed_receiving": true }).to_string();
        let change = Request::new("PATCH", &target).bearer(&bench.stage.admin).json(managed);
        assert_eq!(server.send(&change).status, 200);
        bench
    }

    /// A code that only this bench uses.
    pub(super) fn unique(&self, code: &str) -> String {
        format!("{code}-{}", self.stage.merchant.id)
    }

    /// A call by the merchant's systems.
    pub(super) fn call(&self, method: &str, target: &str, body: &Value) -> Reply {
        let request = Request::new(method, target).bearer(&self.token).json(body.to_string());
        self.stage.server.send(&request)
    }

    /// Starts a return of these lines, each `(line, title, units)`. The SKU of a line is
    /// `SKU-line`.
    pub(super) fn start_return(&self, lines: &[(&str, &str, i64)]) -> String {
        self.start_return_of("A", lines)
    }

    /// The same for an order with this identifier.
    pub(super) fn start_return_of(&self, order_id: &str, lines: &[(&str, &str, i64)]) -> String {
        let mut order = samples::sample_order(order_id);
        let sample = order["items"][0].clone();
        let total: i64 = lines.iter().map(|(.., units)| units * 1_000).sum();
        order["status"] = json!("Shipped");
        order["total_amount_cents"] = json!(total);
        order["product_amount_cents"] = json!(total);
        order["tax_amount_cents"] = json!(0);
        order["discount_amount_cents"] = json!(0);
        order["items"] =
            lines.iter().map(|&(id, title, units)| line(&sample, id, title, units)).collect();
        let reply = self.stage.server.publish(&self.token, &message(&[order]));
        assert_eq!(reply.status, 200, "{}", reply.said());
        let item = |(line, _, units): &(&str, &str, i64)| {
            json!({
                "order_identifier": order_id, "order_line_item_identifier": line,
                "quantity": units,
                "return_reason": "too_small", "resolution": "refund",
            })
        };
        let items: Vec<Value> = lines.iter().map(item).collect();
        let wanted = json!({
            "email": "lena.brandt@example.com", "return_method": "mail-back", "items": items,
        });
        let started = self.call("POST", "/returns", &wanted);
        assert_eq!(started.status, 201, "{}", started.said());
        text(&started.json()["rma_identifier"])
    }

    /// Announces units under a number, each `(license plate, SKU)`.
    pub(super) fn announce_units(&self, number: &str, units: &[(&str, &str)]) {
        let details = units.iter().enumerate().map(|(position, (plate, sku))| {
            json!({
                "line_identifier": (position + 1).to_string(), "unit_identifier": plate,
                "sku": sku, "quantity": 1,
            })
        });
        self.announce(number, "unit", &details.collect::<Vec<_>>());
    }

    /// Announces quantities under a number, each `(SKU, units)`.
    pub(super) fn announce_quantities(&self, number: &str, lines: &[(&str, i64)]) {
        let details = lines.iter().enumerate().map(|(position, (sku, units))| {
            json!({
                "line_identifier": (position + 1).to_string(), "sku": sku, "quantity": units,
            })
        });
        self.announce(number, "sku", &details.collect::<Vec<_>>());
    }

    /// Announces units of one article by the code that is printed on them.
    pub(super) fn announce_article(&self, number: &str, upc: &str, units: i64) {
        let detail = json!({ "line_identifier": "1", "sku": "PEN", "upc": upc, "quantity": units });
        self.announce(number, "sku", &[detail]);
    }

    fn announce(&self, number: &str, details_type: &str, details: &[Value]) {
        let asn = json!({
            "program_identifier": "returns-west", "asn_number": number, "status": "shipped",
            "details_type": details_type, "from": { "identifier": "12", "type": "store" },
            "to": { "identifier": "31", "type": "warehouse" }, "cartons": [{ "details": details }],
        });
        let announced = self.call("POST", "/asns", &asn);
        assert_eq!(announced.status, 202, "{}", announced.said());
    }

    /// Scans a parcel, and returns the page.
    pub(super) fn open(&self, parcel: &str) -> String {
        self.submit(
            "<form class=\"scan\"",
            &self.visitor.page("/console/receive"),
            &[("parcel", parcel)],
        )
    }

    /// Scans a unit on a page, and returns the next page.
    pub(super) fn scan(&self, page: &str, unit: &str) -> String {
        self.submit("<form class=\"scan\"", page, &[("unit", unit)])
    }

    /// Enters the condition or the license plate of the current unit.
    pub(super) fn enter(&self, page: &str, input: &str) -> String {
        self.submit(GRADING, page, &[("scan", input)])
    }

    /// Scans a unit and enters its condition.
    pub(super) fn receive(&self, page: &str, unit: &str, condition: &str) -> String {
        self.enter(&self.scan(page, unit), condition)
    }

    /// Sends the first form of a page that starts with `form`, with these values, and returns the
    /// next page.
    pub(super) fn submit(&self, form: &str, page: &str, values: &[(&str, &str)]) -> String {
        let form = page.split_once(form).unwrap_or_else(|| panic!("no {form}: {page}")).1;
        let form = form.split_once("</form>").unwrap().0;
        let mut fields = inputs(form);
        for (name, value) in values {
            fields.retain(|(known, _)| known != name);
            fields.push(((*name).to_owned(), (*value).to_owned()));
        }
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let reply = if form.contains("method=\"get\"") {
            let query = crate::harness::console::form(&fields);
            self.visitor.get(&format!("/console/receive?{query}"))
        } else {
            let request = form_request("/console/receive", &fields);
            self.stage.server.send(&request.header("Cookie", &self.visitor.cookie))
        };
        self.follow_redirects(reply)
    }

    /// Follows a link by its label.
    pub(super) fn follow(&self, page: &str, label: &str) -> String {
        let before = page.split_once(label).unwrap_or_else(|| panic!("no {label}: {page}")).0;
        let address = before.rsplit_once("href=\"").unwrap().1.split_once('"').unwrap().0;
        self.follow_redirects(self.visitor.get(&unescape(address)))
    }

    fn follow_redirects(&self, mut reply: Reply) -> String {
        for _ in 0..4 {
            let Some(place) = reply.header("location") else { break };
            reply = self.visitor.get(place);
        }
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.text().to_owned()
    }

    /// The receiving status of each unit of a return.
    pub(super) fn receiving_statuses(&self, rma: &str) -> Vec<String> {
        let held = self.call("GET", &format!("/returns/{rma}"), &json!({})).json();
        let items = held["items"].as_array().unwrap_or_else(|| panic!("{held}"));
        items.iter().map(|item| text(&item["receiving_status"])).collect()
    }

    /// The Inventory Receipts about a unit, oldest first.
    pub(super) fn receipt_messages(&self, plate: &str) -> Vec<Value> {
        let target = format!("/messages?kind=inventory_receipt&ref={plate}");
        let listed = self.call("GET", &target, &json!({})).json();
        let ids = listed["messages"].as_array().unwrap_or_else(|| panic!("{listed}")).iter();
        let body = |id: &Value| {
            let target = format!("/messages/{}", text(id));
            let message = self.call("GET", &target, &json!({})).json();
            serde_json::from_str(&text(&message["body"])).unwrap()
        };
        ids.rev().map(|message| body(&message["id"])).collect()
    }

    /// Announces one carton of goods with a tracking number, each detail as it is.
    pub(super) fn announce_carton(&self, number: &str, carton: &str, details: &[Value]) {
        let asn = json!({
            "program_identifier": "returns-west", "asn_number": number, "status": "shipped",
            "details_type": "sku", "from": { "identifier": "12", "type": "store" },
            "to": { "identifier": "31", "type": "warehouse" },
            "tracking_number": format!("1Z-{number}"),
            "cartons": [{ "identifier": carton, "details": details }],
        });
        let announced = self.call("POST", "/asns", &asn);
        assert_eq!(announced.status, 202, "{}", announced.said());
    }

    /// The open exceptions for this number: merchant and kind.
    pub(super) fn exceptions(&self, number: &str) -> Vec<(String, String)> {
        let mut exceptions = Vec::new();
        let mut target = "/admin/exceptions?limit=500".to_owned();
        loop {
            let page = self.stage.get(&target).json();
            for exception in page["exceptions"].as_array().unwrap() {
                let questions = exception["unit"]["questions"].as_array().unwrap().iter();
                let about = questions.filter(|it| it["asn_number"] == number);
                exceptions
                    .extend(about.map(|it| (text(&exception["merchant"]), text(&it["kind"]))));
            }
            let Some(next) = page["next"].as_str() else { return exceptions };
            target = format!("/admin/exceptions?limit=500&after={next}");
        }
    }
}

fn line(sample: &Value, identifier: &str, title: &str, units: i64) -> Value {
    let mut line = sample.clone();
    line["identifier"] = json!(identifier);
    line["sku"] = json!(format!("SKU-{identifier}"));
    line["upc"] = json!(barcode(identifier));
    line["title"] = json!(title);
    line["quantity"] = json!(units);
    line["quantity_shipped"] = json!(units);
    line["unit_price_amount_cents"] = json!(1_000);
    line["product_amount_cents"] = json!(1_000 * units);
    line["tax_amount_cents"] = json!(0);
    line["discount_amount_cents"] = json!(0);
    line["return_policy_end_date"] = json!("2126-04-30");
    line
}

/// A barcode that follows from a text: twelve digits and their check digit.
pub(super) fn barcode(text: &str) -> String {
    let hash = text.bytes().fold(7_u64, |sum, byte| (sum * 131 + u64::from(byte)) % 999_999_937);
    with_check_digit(&format!("400{hash:09}"))
}

/// The digits with the check digit of GS1 behind them.
pub(super) fn with_check_digit(start: &str) -> String {
    let weigh = |(position, byte): (usize, u8)| {
        u32::from(byte - b'0') * if position % 2 == 0 { 3 } else { 1 }
    };
    let sum: u32 = start.bytes().rev().enumerate().map(weigh).sum();
    format!("{start}{}", (10 - sum % 10) % 10)
}

/// The names and values of the inputs of a form.
fn inputs(form: &str) -> Vec<(String, String)> {
    let attribute = |tag: &str, name: &str| {
        let value = tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0;
        Some(unescape(value))
    };
    let tags = form.split("<input").skip(1).filter_map(|rest| rest.split_once('>'));
    tags.filter_map(|(tag, _)| {
        Some((attribute(tag, "name")?, attribute(tag, "value").unwrap_or_default()))
    })
    .collect()
}

/// The text of escaped HTML.
fn unescape(html: &str) -> String {
    let signs = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    signs.into_iter().fold(html.to_owned(), |text, (code, sign)| text.replace(code, sign))
}

/// Fails if the page does not contain all of these texts.
#[track_caller]
pub(super) fn assert_contains(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "missing: {text}\n{page}");
    }
}

//! Somebody at a bench, with a scanner and without scripts: pages are read, forms are sent as they
//! stand.

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

/// A merchant whose goods we receive, and a person who does it.
pub(super) struct Bench<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) visitor: Visitor<'a>,
    /// The merchant's own token.
    token: String,
}

/// A bench on each engine there is.
pub(super) fn benches() -> impl Iterator<Item = Bench<'static>> {
    shared::on_both_engines().map(Bench::set)
}

impl<'a> Bench<'a> {
    pub(super) fn set(server: &'a Server) -> Self {
        let stage = Stage::set(server);
        let token = server.token(&stage.merchant);
        let bench = Self { visitor: server.visitor("warehouse"), stage, token };
        let target = format!("/admin/merchants/{}", bench.stage.merchant.id);
        let managed = json!({ "managed_receiving": true }).to_string();
        let change = Request::new("PATCH", &target).bearer(&bench.stage.admin).json(managed);
        assert_eq!(server.send(&change).status, 200);
        bench
    }

    /// The same text with the merchant's name behind it, so that no other bench has it.
    pub(super) fn own(&self, code: &str) -> String {
        format!("{code}-{}", self.stage.merchant.id)
    }

    /// What the merchant's own systems are answered.
    pub(super) fn ask(&self, method: &str, target: &str, body: &Value) -> Reply {
        let request = Request::new(method, target).bearer(&self.token).json(body.to_string());
        self.stage.server.send(&request)
    }

    /// A return of these articles, each `(line, title, units)`; the SKU of a line is `SKU-line`.
    pub(super) fn returned(&self, lines: &[(&str, &str, i64)]) -> String {
        let mut order = samples::sample_order("A");
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
                "order_identifier": "A", "order_line_item_identifier": line, "quantity": units,
                "return_reason": "too_small", "resolution": "refund",
            })
        };
        let items: Vec<Value> = lines.iter().map(item).collect();
        let wanted = json!({
            "email": "lena.brandt@example.com", "return_method": "mail-back", "items": items,
        });
        let started = self.ask("POST", "/returns", &wanted);
        assert_eq!(started.status, 201, "{}", started.said());
        text(&started.json()["rma_identifier"])
    }

    /// Announces goods under a number: pieces, each `(license plate, SKU)`.
    pub(super) fn pieces(&self, number: &str, pieces: &[(&str, &str)]) {
        let details = pieces.iter().enumerate().map(|(position, (plate, sku))| {
            json!({
                "line_identifier": (position + 1).to_string(), "unit_identifier": plate,
                "sku": sku, "quantity": 1,
            })
        });
        self.announce(number, "unit", &details.collect::<Vec<_>>());
    }

    /// Announces goods under a number: quantities, each `(SKU, units)`.
    pub(super) fn quantities(&self, number: &str, lines: &[(&str, i64)]) {
        let details = lines.iter().enumerate().map(|(position, (sku, units))| {
            json!({
                "line_identifier": (position + 1).to_string(), "sku": sku, "quantity": units,
            })
        });
        self.announce(number, "sku", &details.collect::<Vec<_>>());
    }

    fn announce(&self, number: &str, details_type: &str, details: &[Value]) {
        let asn = json!({
            "program_identifier": "returns-west", "asn_number": number, "status": "shipped",
            "details_type": details_type, "from": { "identifier": "12", "type": "store" },
            "to": { "identifier": "31", "type": "warehouse" }, "cartons": [{ "details": details }],
        });
        let announced = self.ask("POST", "/asns", &asn);
        assert_eq!(announced.status, 202, "{}", announced.said());
    }

    /// Scans a parcel, and reads the page.
    pub(super) fn open(&self, parcel: &str) -> String {
        self.sent(
            "<form class=\"scan\"",
            &self.visitor.page("/console/receive"),
            &[("parcel", parcel)],
        )
    }

    /// Scans a unit on a page, and reads the next.
    pub(super) fn scan(&self, page: &str, unit: &str) -> String {
        self.sent("<form class=\"scan\"", page, &[("unit", unit)])
    }

    /// Types something into the field of the unit in the hand: its condition, or its license plate.
    pub(super) fn typed(&self, page: &str, typed: &str) -> String {
        self.sent(GRADING, page, &[("scan", typed)])
    }

    /// Scans a unit and gives it a condition.
    pub(super) fn receive(&self, page: &str, unit: &str, condition: &str) -> String {
        self.typed(&self.scan(page, unit), condition)
    }

    /// Sends the first form of a page that begins so, with something typed into it or pressed, and
    /// reads the page that it leads to.
    pub(super) fn sent(&self, form: &str, page: &str, typed: &[(&str, &str)]) -> String {
        let form = page.split_once(form).unwrap_or_else(|| panic!("no {form}: {page}")).1;
        let form = form.split_once("</form>").unwrap().0;
        let mut fields = inputs(form);
        for (name, value) in typed {
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
        self.arrived(reply)
    }

    /// Follows a link by its words.
    pub(super) fn follow(&self, page: &str, words: &str) -> String {
        let before = page.split_once(words).unwrap_or_else(|| panic!("no {words}: {page}")).0;
        let address = before.rsplit_once("href=\"").unwrap().1.split_once('"').unwrap().0;
        self.arrived(self.visitor.get(&plain(address)))
    }

    fn arrived(&self, mut reply: Reply) -> String {
        for _ in 0..4 {
            let Some(place) = reply.header("location") else { break };
            reply = self.visitor.get(place);
        }
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.text().to_owned()
    }

    /// Whether the merchant's messages about a return say so of its units, in their order.
    pub(super) fn receiving(&self, rma: &str) -> Vec<String> {
        let held = self.ask("GET", &format!("/returns/{rma}"), &json!({})).json();
        let items = held["items"].as_array().unwrap_or_else(|| panic!("{held}"));
        items.iter().map(|item| text(&item["receiving_status"])).collect()
    }

    /// What operators are asked about units that were scanned for this number: whose, and why.
    pub(super) fn doubts(&self, number: &str) -> Vec<(String, String)> {
        let mut doubts = Vec::new();
        let mut target = "/admin/exceptions?limit=500".to_owned();
        loop {
            let page = self.stage.get(&target).json();
            for doubt in page["exceptions"].as_array().unwrap() {
                let questions = doubt["unit"]["questions"].as_array().unwrap().iter();
                let about = questions.filter(|it| it["asn_number"] == number);
                doubts.extend(about.map(|it| (text(&doubt["merchant"]), text(&it["kind"]))));
            }
            let Some(next) = page["next"].as_str() else { return doubts };
            target = format!("/admin/exceptions?limit=500&after={next}");
        }
    }
}

fn line(sample: &Value, identifier: &str, title: &str, units: i64) -> Value {
    let mut line = sample.clone();
    line["identifier"] = json!(identifier);
    line["sku"] = json!(format!("SKU-{identifier}"));
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

/// The names and values of the inputs of a form.
fn inputs(form: &str) -> Vec<(String, String)> {
    let attribute = |tag: &str, name: &str| {
        let value = tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0;
        Some(plain(value))
    };
    let tags = form.split("<input").skip(1).filter_map(|rest| rest.split_once('>'));
    tags.filter_map(|(tag, _)| {
        Some((attribute(tag, "name")?, attribute(tag, "value").unwrap_or_default()))
    })
    .collect()
}

/// The text that stands in HTML.
fn plain(html: &str) -> String {
    let signs = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    signs.into_iter().fold(html.to_owned(), |text, (code, sign)| text.replace(code, sign))
}

/// The page says all of this.
#[track_caller]
pub(super) fn assert_says(page: &str, words: &[&str]) {
    for words in words {
        assert!(page.contains(words), "not said: {words}\n{page}");
    }
}

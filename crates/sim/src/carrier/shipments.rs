//! The shipments of a simulated carrier, and what it says about them.

use jiff::Timestamp;
use serde_json::{Value, json};

/// What a label costs, by carrier and service: in cents, and for each ounce.
const OFFERS: [(&str, &str, i64, i64); 4] = [
    ("USPS", "GroundAdvantage", 512, 9),
    ("USPS", "Priority", 801, 14),
    ("UPS", "Ground", 934, 11),
    ("FedEx", "FEDEX_GROUND", 978, 10),
];

/// The statuses that a parcel can have.
pub(super) const STATUSES: [&str; 9] = [
    "unknown",
    "pre_transit",
    "in_transit",
    "out_for_delivery",
    "available_for_pickup",
    "delivered",
    "return_to_sender",
    "failure",
    "cancelled",
];

#[derive(Clone)]
pub(super) struct SimulatedShipment {
    number: usize,
    pub(super) id: String,
    pub(super) reference: Option<String>,
    /// As it was sent, with the addresses swapped if it is a return.
    request: Value,
    pub(super) purchase: Option<LabelSale>,
    pub(super) has_code: bool,
    pub(super) refund_status: Option<&'static str>,
    created_at: Timestamp,
}

#[derive(Clone)]
pub(super) struct LabelSale {
    pub(super) tracking_code: String,
    rate: Value,
    pub(super) status: String,
    at: Timestamp,
}

/// All shipments, oldest first.
pub(super) struct Shipments {
    /// A part of every identifier, so that a carrier that is started again reuses none.
    started: Timestamp,
    all: Vec<SimulatedShipment>,
}

impl Shipments {
    pub(super) fn starting_at(started: Timestamp) -> Self {
        Self { started, all: Vec::new() }
    }

    /// Adds a shipment, or says what is missing.
    pub(super) fn create(&mut self, body: &Value, now: Timestamp) -> Result<usize, &'static str> {
        let mut request = body.get("shipment").cloned().ok_or("shipment is missing")?;
        for name in ["to_address", "from_address"] {
            let address = request.get(name).unwrap_or(&Value::Null);
            if ["street1", "city", "country"].iter().any(|part| is_blank(address.get(part))) {
                return Err("an address needs street1, city and country");
            }
        }
        if at(&request, "/parcel/weight").as_f64().is_none_or(|ounces| ounces <= 0.0) {
            return Err("a parcel needs a weight");
        }
        if at(&request, "/is_return") == &Value::Bool(true)
            && let Some(parts) = request.as_object_mut()
        {
            let (to, from) = (parts.remove("to_address"), parts.remove("from_address"));
            parts.insert("to_address".to_owned(), from.unwrap_or_default());
            parts.insert("from_address".to_owned(), to.unwrap_or_default());
        }
        let number = self.all.len();
        self.all.push(SimulatedShipment {
            number,
            id: self.identifier("shp", number),
            reference: at(&request, "/reference").as_str().map(str::to_owned),
            request,
            purchase: None,
            has_code: false,
            refund_status: None,
            created_at: now,
        });
        Ok(number)
    }

    fn identifier(&self, prefix: &str, number: usize) -> String {
        format!("{prefix}_{:012x}{number:08x}", self.started.as_microsecond())
    }

    /// By identifier, or by reference: the newest that has it.
    pub(super) fn position(&self, id_or_reference: &str) -> Option<usize> {
        self.all.iter().rposition(|shipment| {
            shipment.id == id_or_reference || shipment.reference.as_deref() == Some(id_or_reference)
        })
    }

    pub(super) fn get_mut(&mut self, position: usize) -> Option<&mut SimulatedShipment> {
        self.all.get_mut(position)
    }

    pub(super) fn get(&self, position: usize) -> Option<&SimulatedShipment> {
        self.all.get(position)
    }

    pub(super) fn by_tracking_code(&mut self, code: &str) -> Option<&mut SimulatedShipment> {
        self.all.iter_mut().find(|shipment| {
            shipment.purchase.as_ref().is_some_and(|sale| sale.tracking_code == code)
        })
    }

    pub(super) fn purchases(&self) -> impl Iterator<Item = &SimulatedShipment> {
        self.all.iter().filter(|shipment| shipment.purchase.is_some())
    }

    /// Sells the label of a shipment, or says why not.
    pub(super) fn buy(
        &mut self,
        position: usize,
        rate_id: &str,
        now: Timestamp,
    ) -> Result<(), &'static str> {
        let tracking_code = self.tracking_code(position);
        let rates = self.get(position).map(|shipment| self.rates(shipment)).unwrap_or_default();
        let rate =
            rates.into_iter().find(|rate| at(rate, "/id") == rate_id).ok_or("unknown rate")?;
        let shipment = self.all.get_mut(position).ok_or("unknown shipment")?;
        if shipment.purchase.is_some() {
            return Err("the label was already bought");
        }
        let status = "pre_transit".to_owned();
        shipment.purchase = Some(LabelSale { tracking_code, rate, status, at: now });
        Ok(())
    }

    /// A number of 22 digits, as USPS has them.
    fn tracking_code(&self, number: usize) -> String {
        format!("9400{:011}{number:07}", self.started.as_second())
    }

    fn rates(&self, shipment: &SimulatedShipment) -> Vec<Value> {
        let ounces = at(&shipment.request, "/parcel/weight").as_f64().unwrap_or(1.0);
        let ounces: i64 = format!("{:.0}", ounces.ceil().min(10_000.0)).parse().unwrap_or(1);
        let rate = |(place, offer): (usize, &(&str, &str, i64, i64))| {
            let (carrier, service, base, each) = offer;
            let cents = base + each * ounces;
            json!({
                "id": self.identifier("rate", shipment.number * OFFERS.len() + place),
                "object": "Rate", "mode": "test", "carrier": carrier, "service": service,
                "rate": format!("{}.{:02}", cents / 100, cents % 100), "currency": "USD",
                "delivery_days": 3, "shipment_id": shipment.id,
            })
        };
        OFFERS.iter().enumerate().map(rate).collect()
    }

    /// The shipment as the API shows it. Documents are under `url`.
    pub(super) fn show(&self, shipment: &SimulatedShipment, url: &str) -> Value {
        let SimulatedShipment { id, request, purchase, .. } = shipment;
        let label = purchase.as_ref().map(|_| {
            let format = label_format(request);
            json!({
                "id": self.identifier("pl", shipment.number), "object": "PostageLabel",
                "label_size": "4x6", "label_resolution": 203, "label_type": "default",
                "label_file_type": format!("application/{format}"),
                "label_url": format!("{url}/labels/{id}.{format}"),
                "label_pdf_url": null, "label_zpl_url": null,
            })
        });
        let forms = shipment.has_code.then(|| {
            json!({
                "id": self.identifier("form", shipment.number), "object": "Form",
                "form_type": "label_qr_code", "form_url": format!("{url}/labels/{id}.qr.png"),
                "submitted_electronically": false,
            })
        });
        json!({
            "id": id, "object": "Shipment", "mode": "test", "reference": shipment.reference,
            "is_return": at(request, "/is_return"), "created_at": shipment.created_at,
            "to_address": at(request, "/to_address"), "from_address": at(request, "/from_address"),
            "parcel": at(request, "/parcel"), "options": at(request, "/options"),
            "rates": self.rates(shipment),
            "selected_rate": purchase.as_ref().map(|sale| &sale.rate),
            "postage_label": label,
            "tracking_code": purchase.as_ref().map(|sale| &sale.tracking_code),
            "tracker": self.tracker(shipment),
            "status": purchase.as_ref().map_or("unknown", |sale| sale.status.as_str()),
            "refund_status": shipment.refund_status,
            "forms": forms.into_iter().collect::<Vec<_>>(), "messages": [],
        })
    }

    /// The tracker of a bought shipment, as the API and webhooks show it.
    pub(super) fn tracker(&self, shipment: &SimulatedShipment) -> Option<Value> {
        let sale = shipment.purchase.as_ref()?;
        Some(json!({
            "id": self.identifier("trk", shipment.number), "object": "Tracker", "mode": "test",
            "tracking_code": sale.tracking_code, "status": sale.status,
            "status_detail": "unknown", "shipment_id": shipment.id,
            "carrier": at(&sale.rate, "/carrier"), "created_at": sale.at, "updated_at": sale.at,
            "tracking_details": [],
        }))
    }

    /// A purchase, for tests.
    pub(super) fn show_purchase(shipment: &SimulatedShipment) -> Option<Value> {
        let sale = shipment.purchase.as_ref()?;
        Some(json!({
            "shipment_id": shipment.id, "reference": shipment.reference,
            "tracking_code": sale.tracking_code, "status": sale.status,
            "carrier": at(&sale.rate, "/carrier"), "service": at(&sale.rate, "/service"),
            "rate": at(&sale.rate, "/rate"), "refund_status": shipment.refund_status,
        }))
    }
}

impl SimulatedShipment {
    /// What is printed on its documents, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        let part = |address: &str, name: &str| {
            let value = self.request.get(address).and_then(|it| it.get(name));
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let block = |title: &str, address: &str| {
            let city = ["city", "state", "zip"].map(|name| part(address, name)).join(" ");
            [title.to_owned(), part(address, "name"), part(address, "street1"), city]
        };
        let sale = self.purchase.as_ref();
        let code = sale.map(|sale| sale.tracking_code.clone()).unwrap_or_default();
        let mut lines = vec!["SIMULATED LABEL - NO POSTAGE".to_owned()];
        lines.extend(block("FROM", "from_address"));
        lines.extend(block("TO", "to_address"));
        lines.push(format!("TRACKING {code}"));
        lines.extend(self.reference.clone());
        lines
    }
}

/// The name of the format that was asked for: pdf, png or zpl.
fn label_format(request: &Value) -> &'static str {
    match at(request, "/options/label_format").as_str() {
        Some("PNG") | None => "png",
        Some("ZPL") => "zpl",
        Some(_) => "pdf",
    }
}

fn is_blank(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

/// What the pointer leads to, or null.
fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

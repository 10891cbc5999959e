//! Orders like those of a real shop: two lines, addresses, a customer, one payment, about 2.2 KB of
//! compact JSON. Each has a shopper of its own, and some are published again, with a refund. The
//! same seed gives the same orders.
//!
//! They are created before anything is measured. Only the number in the identifiers is left open
//! and filled in when an order is used, so that any number of distinct orders costs no memory and
//! almost no time.

pub(crate) mod drafts;
pub(crate) mod merchants;

use std::fmt::Write;

use bytes::Bytes;
use domain::random::SeededRandom;
use jiff::{SignedDuration, Timestamp};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use store::compress_order;

use self::drafts::{Draft, OPEN, to_digits};

/// Contains the number of the order.
const OWN_EMAIL: &str = "shopper.##########@example.com";
const REFUND_BYTES: usize = 260;
/// As long as the ledger of an order of which one unit is spent.
pub(crate) const LEDGER_BODY: &str =
    r#"{"rmas":[],"refunds":[{"refund":"RF-0000000001","line":"ORD-0000000001-1","units":1}]}"#;
/// Odd, so that different numbers stay different.
pub(crate) const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

const FIRST_NAMES: [&str; 8] = ["Dana", "Lena", "Omar", "Ines", "Noor", "Jonas", "Mei", "Paulo"];
const LAST_NAMES: [&str; 8] =
    ["Whitfield", "Brandt", "Haddad", "Moreau", "Okafor", "Lindqvist", "Tanaka", "Almeida"];
const STREETS: [&str; 8] = [
    "Juniper Street",
    "Harbor Road",
    "Mill Lane",
    "Orchard Avenue",
    "Station Square",
    "Cedar Court",
    "Quarry Hill",
    "Bridge Street",
];
const CITIES: [(&str, &str, &str); 6] = [
    ("Portland", "OR", "97205"),
    ("Austin", "TX", "78701"),
    ("Madison", "WI", "53703"),
    ("Savannah", "GA", "31401"),
    ("Boulder", "CO", "80302"),
    ("Burlington", "VT", "05401"),
];
const PRODUCTS: [(&str, &str); 8] = [
    ("TEE", "Organic cotton tee"),
    ("MUG", "Stoneware mug"),
    ("SCARF", "Wool scarf"),
    ("BOOT", "Waterproof hiking boot"),
    ("LAMP", "Folding desk lamp"),
    ("BAG", "Canvas weekend bag"),
    ("SHIRT", "Linen shirt, long sleeves"),
    ("PAN", "Cast-iron pan"),
];
const COLORS: [&str; 6] = ["Navy", "Clay", "Red", "Forest", "Sand", "Black"];

/// An order as a row of the product's table.
pub(crate) struct Row {
    pub(crate) merchant: String,
    pub(crate) order_id: String,
    pub(crate) updated_us: i64,
    /// The draft's digest with the number in it: as long and as varied as the product's, but
    /// without the time to compute it.
    pub(crate) hash: Vec<u8>,
    shopper_hash: i64,
    body: Draft,
    /// The body as the product stores it.
    compressed: Option<Bytes>,
}

impl Row {
    pub(crate) fn set_number(&mut self, number: u64) {
        self.order_id.clear();
        let _ = write!(self.order_id, "ORD-{number:010}");
        if let Some(start) = self.hash.get_mut(..OPEN.len()) {
            start.copy_from_slice(&to_digits(number));
        }
        self.shopper_hash = i64::from_be_bytes(number.wrapping_mul(SCATTER).to_be_bytes());
        self.body.set_numbers(number);
        self.compressed = None;
    }

    /// Makes it a row that the product can read and that is as large as its own.
    pub(crate) fn compress(&mut self) {
        self.compressed = Some(compress_order(Bytes::copy_from_slice(self.body.bytes())));
    }

    /// As it was sent, unless it is compressed.
    pub(crate) fn body(&self) -> &[u8] {
        self.compressed.as_deref().unwrap_or_else(|| self.body.bytes())
    }

    /// As long as the refund of an order, which is a part of its newer body.
    pub(crate) fn refund_body(&self) -> &[u8] {
        self.body.bytes().get(..REFUND_BYTES).unwrap_or_default()
    }

    /// As varied as the numbers of orders, because each order has a shopper.
    pub(crate) fn shopper_hash(&self) -> i64 {
        self.shopper_hash
    }
}

/// The email address of the shopper of the order with this number.
pub(crate) fn own_email(order: u64) -> String {
    OWN_EMAIL.replace(OPEN, &format!("{order:010}"))
}

/// Creates orders, the same for the same seed.
pub(crate) struct Generator {
    random: SeededRandom,
}

/// The requests that publish some orders and, later, publish them again.
pub(crate) struct Requests {
    pub(crate) first: Draft,
    /// Each order is newer, and has a refund.
    pub(crate) update: Draft,
}

/// An order as compact JSON.
struct OrderText {
    updated: Timestamp,
    first: Vec<u8>,
    update: Vec<u8>,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: SeededRandom::new(seed) }
    }

    /// Whole HTTP requests that publish `orders` orders; `head` gets the length of a body.
    pub(crate) fn requests(&mut self, orders: usize, head: impl Fn(usize) -> String) -> Requests {
        let (before, after) = ("{\"returns_portal_order\":{\"orders\":[", "]}}");
        let draft = |orders: Vec<Vec<u8>>| {
            let length = before.len() + orders.iter().map(|order| order.len() + 1).sum::<usize>()
                - 1
                + after.len();
            Draft::new(&format!("{}{before}", head(length)), &orders, after)
        };
        let texts = (0..orders).map(|_| self.order()).map(|it| (it.first, it.update));
        let (first, update) = texts.unzip();
        Requests { first: draft(first), update: draft(update) }
    }

    pub(crate) fn row(&mut self) -> Row {
        let OrderText { updated, first: body, .. } = self.order();
        Row {
            merchant: String::new(),
            order_id: String::new(),
            updated_us: updated.as_microsecond(),
            hash: digest(&SHA256, &body).as_ref().to_vec(),
            shopper_hash: 0,
            body: Draft::new("", &[body], ""),
            compressed: None,
        }
    }

    fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.random.below(u64::from(limit))).unwrap_or(0)
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.random.pick(all).expect("the list is not empty")
    }

    fn order(&mut self) -> OrderText {
        let created = Timestamp::UNIX_EPOCH
            + SignedDuration::from_secs(1_770_000_000 + i64::from(self.below(5_000_000)));
        let shipped = created + SignedDuration::from_secs(3_600 + i64::from(self.below(200_000)));
        let (first, second) = (self.line(1, shipped), self.line(2, shipped));
        let cents = |key| amount(&first, key) + amount(&second, key);
        let (product, tax) = (cents("product_amount_cents"), cents("tax_amount_cents"));
        let discount = cents("discount_amount_cents");
        let (shipping, shipping_tax) = (495 + i64::from(self.below(500)), 40);
        let total = product + tax + shipping + shipping_tax - discount;
        let (customer, address) = self.shopper();
        let payment = json!({
            "identifier": format!("TX-{:09}", self.below(1_000_000_000)),
            "amount_cents": total,
            "status": "success",
            "type": "capture",
            "gateway": "example_pay",
            "created_at": created.to_string(),
            "payment_details": { "avs_result_code": "Y", "credit_card_company": "Visa" },
        });
        let mut order = json!({
            "identifier": format!("ORD-{OPEN}"),
            "raw_status": "FULFILLED",
            "status": "Shipped",
            "total_amount_cents": total,
            "product_amount_cents": product,
            "tax_amount_cents": tax,
            "discount_amount_cents": discount,
            "shipping_amount_cents": shipping,
            "shipping_tax_amount_cents": shipping_tax,
            "currency": "USD",
            "tags": ["web"],
            "created_at": created.to_string(),
            "updated_at": shipped.to_string(),
            "items": [first, second],
            "customer": customer,
            "shipping_address": address,
            "billing_address": address,
            "transactions": [payment],
            "refunds": [],
            "discounts": [],
        });
        let first_text = order.to_string().into_bytes();
        if let Some(fields) = order.as_object_mut() {
            let later = shipped + SignedDuration::from_hours(240);
            fields.insert("updated_at".to_owned(), json!(later.to_string()));
            fields.insert("refunds".to_owned(), json!([refund_of(&first)]));
        }
        OrderText { updated: shipped, first: first_text, update: order.to_string().into_bytes() }
    }

    fn line(&mut self, position: u32, shipped: Timestamp) -> Value {
        let (code, title) = self.pick(&PRODUCTS);
        let color = self.pick(&COLORS);
        let quantity = 1 + i64::from(self.below(3));
        let price = 900 + 100 * i64::from(self.below(150));
        let product = self.below(100_000);
        json!({
            "identifier": format!("ORD-{OPEN}-{position}"),
            "sku": format!("{code}-{}-{product:05}", color.to_uppercase()),
            "quantity": quantity,
            "quantity_shipped": quantity,
            "quantity_canceled": 0,
            "tracking_number": format!("1Z999AA1{:010}", self.below(4_000_000_000)),
            "shipped_date": shipped.to_string(),
            "product_identifier": format!("PRD-{product:05}"),
            "variant_identifier": format!("{code}-{product:05}"),
            "title": format!("{title}, {}", color.to_lowercase()),
            "tags": ["returnable"],
            "product_amount_cents": price * quantity,
            "tax_amount_cents": price * quantity * 8 / 100,
            "discount_amount_cents": i64::from(self.below(4)) * 50,
            "unit_price_amount_cents": price,
            "image_url": format!("https://images.example.com/{product:05}.jpg"),
            "weight": 0.45,
        })
    }

    /// The customer, and where that customer lives.
    fn shopper(&mut self) -> (Value, Value) {
        let (first, last) = (self.pick(&FIRST_NAMES), self.pick(&LAST_NAMES));
        let (city, state, zip_code) = self.pick(&CITIES);
        let phone = format!("+1 503 555 {:04}", self.below(10_000));
        let account = self.below(10_000_000);
        let customer = json!({
            "identifier": format!("CUS-{account}"),
            "first_name": first,
            "last_name": last,
            "email": OWN_EMAIL,
            "phone": phone,
        });
        let address = json!({
            "name": format!("{first} {last}"),
            "street1": format!("{} {}", 1 + self.below(900), self.pick(&STREETS)),
            "street2": format!("Apartment {}", 1 + self.below(40)),
            "city": city,
            "state": state,
            "zip_code": zip_code,
            "country_code": "US",
            "phone": phone,
        });
        (customer, address)
    }
}

/// The refund of one unit of the first line.
fn refund_of(line: &Value) -> Value {
    json!({
        "identifier": format!("RF-{OPEN}"),
        "total_refund_amount_cents": amount(line, "unit_price_amount_cents"),
        "refund_line_items": [{
            "identifier": format!("RF-{OPEN}-1"),
            "quantity": 1,
            "order_item_identifier": format!("ORD-{OPEN}-1"),
        }],
        "note": "Did not fit",
        // A refund in the past would be accepted with a warning.
        "created_at": "2126-02-14T16:02:00Z",
        "tags": [],
    })
}

fn amount(line: &Value, key: &str) -> i64 {
    line.get(key).and_then(Value::as_i64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use domain::{
        json,
        orders::order_message::{OrderReadContext, RefundCheck, read_message},
    };

    use super::*;

    #[test]
    fn orders_are_accepted_without_a_warning_and_stored_as_they_are_sent() {
        let context = OrderReadContext {
            now: Timestamp::UNIX_EPOCH,
            strict: true,
            refunds: RefundCheck::All,
        };
        let Requests { mut first, mut update } =
            Generator::new(7).requests(50, |length| format!("{length:06}"));
        first.set_numbers(41);
        update.set_numbers(41);
        let (length, body) = first.bytes().split_at(6);

        assert_eq!(length, format!("{:06}", body.len()).as_bytes());
        let reading = read_message(&json::parse(body).unwrap(), &context).unwrap();
        assert_eq!((reading.orders.len(), reading.warnings.len()), (50, 0));
        assert_eq!(reading.orders[2].order.identifier, "ORD-0000000043");
        let newer = read_message(&json::parse(&update.bytes()[6..]).unwrap(), &context).unwrap();
        assert_eq!((newer.orders.len(), newer.warnings.len()), (50, 0));
        let (before, after) = (&reading.orders[2].order, &newer.orders[2].order);
        assert!(before.updated_at < after.updated_at);
        assert_eq!((before.refunds.len(), after.refunds.len()), (0, 1));

        let mut generator = Generator::new(7);
        let mut rows: Vec<Row> = (0..50).map(|_| generator.row()).collect();
        rows[2].set_number(43);
        assert_eq!(reading.orders[2].body.bytes(body), rows[2].body());
        let bytes: usize = rows.iter().map(|row| row.body().len()).sum();
        assert!((2_100..2_300).contains(&(bytes / 50)), "{} bytes", bytes / 50);
    }

    #[test]
    fn each_order_has_a_shopper_of_its_own() {
        let mut row = Generator::new(7).row();
        for number in [41, 42] {
            row.set_number(number);
            let order: Value = serde_json::from_slice(row.body()).unwrap();
            assert_eq!(order["customer"]["email"], own_email(number));
        }
    }
}

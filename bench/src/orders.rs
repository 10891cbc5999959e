//! Orders like those of a real shop: two lines, addresses, a customer, one payment, about
//! 2.2 KB of compact JSON. The same seed makes the same orders.
//!
//! They are made before anything is measured. Only the number in the identifiers is left open and
//! written in place when an order is used, so that any number of distinct orders costs no
//! memory and almost no time.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::random::SeededRandom;
use jiff::{SignedDuration, Timestamp};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

/// Stands for the number of an order until it is filled in.
const OPEN: &str = "##########";
/// With the number of the order in it.
const OWN_EMAIL: &str = "shopper.##########@example.com";

const FIRST_NAMES: [&str; 8] = ["Dana", "Lena", "Omar", "Ines", "Noor", "Jonas", "Mei", "Paulo"];
const LAST_NAMES: [&str; 8] =
    ["Whitfield", "Brandt", "Haddad", "Moreau", "Okafor", "Lindqvist", "Tanaka", "Almeida"];
const STREETS: [&str; 8] = [
    "Juniper Street",
    "Harbour Road",
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
const COLOURS: [&str; 6] = ["Navy", "Clay", "Red", "Forest", "Sand", "Black"];

/// Numbers of orders, each given out once, rising.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(Arc<AtomicU64>);

impl Numbers {
    pub(crate) fn starting_at(first: u64) -> Self {
        Self(Arc::new(AtomicU64::new(first)))
    }

    /// The first of `count` numbers that are the caller's now.
    pub(crate) fn take(&self, count: usize) -> u64 {
        self.0.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed)
    }

    /// The number after the last that was given out.
    pub(crate) fn next(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// JSON in which the numbers of one or more orders can be changed.
pub(crate) struct Draft {
    bytes: Vec<u8>,
    /// For each order, where its number stands.
    places: Vec<Vec<usize>>,
}

impl Draft {
    /// `before`, the orders with commas between, `after`.
    fn new(before: &str, orders: &[Vec<u8>], after: &str) -> Self {
        let mut draft = Self { bytes: before.as_bytes().to_vec(), places: Vec::new() };
        for order in orders {
            if !draft.places.is_empty() {
                draft.bytes.push(b',');
            }
            let here = draft.bytes.len();
            let open = order.windows(OPEN.len()).enumerate();
            let open = open.filter(|(_, bytes)| *bytes == OPEN.as_bytes());
            draft.places.push(open.map(|(place, _)| here + place).collect());
            draft.bytes.extend_from_slice(order);
        }
        draft.bytes.extend_from_slice(after.as_bytes());
        draft
    }

    pub(crate) fn orders(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the orders the numbers from `first` on.
    pub(crate) fn number(&mut self, first: u64) {
        for (number, places) in (first..).zip(&self.places) {
            let digits = digits(number);
            for &place in places {
                if let Some(open) = self.bytes.get_mut(place..place + OPEN.len()) {
                    open.copy_from_slice(&digits);
                }
            }
        }
    }
}

/// An order as a row of the table that the product keeps it in.
pub(crate) struct Row {
    pub(crate) order_id: String,
    pub(crate) updated_us: i64,
    /// The draft's digest with the number written into it: as long and as varied as the
    /// product's, but nobody waits for it to be computed.
    pub(crate) hash: Vec<u8>,
    body: Draft,
}

impl Row {
    pub(crate) fn number(&mut self, number: u64) {
        self.order_id.clear();
        let _ = write!(self.order_id, "ORD-{number:010}");
        if let Some(start) = self.hash.get_mut(..OPEN.len()) {
            start.copy_from_slice(&digits(number));
        }
        self.body.number(number);
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.body.bytes()
    }

    /// As many different ones as there are drafts, because each draft has a shopper.
    pub(crate) fn shopper_hash(&self) -> i64 {
        self.hash.last_chunk::<8>().copied().map_or(0, i64::from_be_bytes)
    }
}

fn digits(mut number: u64) -> [u8; OPEN.len()] {
    let mut digits = [b'0'; OPEN.len()];
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
    digits
}

/// The e-mail address of whoever bought the order with this number, where every order has a shopper of its own.
pub(crate) fn own_email(order: u64) -> String {
    OWN_EMAIL.replace(OPEN, &format!("{order:010}"))
}

/// Makes orders, the same ones for the same seed.
pub(crate) struct Generator {
    random: SeededRandom,
    own_shoppers: bool,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: SeededRandom::new(seed), own_shoppers: false }
    }

    /// Every order has a shopper of its own, whose address [`own_email`] tells. There are as many shoppers
    /// then as numbers, and no longer only as many as drafts.
    pub(crate) fn with_own_shoppers(seed: u64) -> Self {
        Self { random: SeededRandom::new(seed), own_shoppers: true }
    }

    /// A whole HTTP request that publishes `orders` orders; `head` is told the length of its body.
    pub(crate) fn request(&mut self, orders: usize, head: impl Fn(usize) -> String) -> Draft {
        let (before, after) = ("{\"returns_portal_order\":{\"orders\":[", "]}}");
        let orders: Vec<Vec<u8>> = (0..orders).map(|_| self.order().1).collect();
        let length = before.len() + orders.iter().map(|order| order.len() + 1).sum::<usize>() - 1
            + after.len();
        Draft::new(&format!("{}{before}", head(length)), &orders, after)
    }

    pub(crate) fn row(&mut self) -> Row {
        let (updated, body) = self.order();
        Row {
            order_id: String::new(),
            updated_us: updated.as_microsecond(),
            hash: digest(&SHA256, &body).as_ref().to_vec(),
            body: Draft::new("", &[body], ""),
        }
    }

    fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.random.below(u64::from(limit))).unwrap_or(0)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        let place = self.below(u32::try_from(all.len()).unwrap_or(u32::MAX));
        let place = usize::try_from(place).unwrap_or(0);
        *all.get(place).expect("a list with something in it")
    }

    /// When the order last changed, and the order as compact JSON.
    fn order(&mut self) -> (Timestamp, Vec<u8>) {
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
        let order = json!({
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
        (shipped, order.to_string().into_bytes())
    }

    fn line(&mut self, position: u32, shipped: Timestamp) -> Value {
        let (code, title) = self.one_of(&PRODUCTS);
        let colour = self.one_of(&COLOURS);
        let quantity = 1 + i64::from(self.below(3));
        let price = 900 + 100 * i64::from(self.below(150));
        let product = self.below(100_000);
        json!({
            "identifier": format!("ORD-{OPEN}-{position}"),
            "sku": format!("{code}-{}-{product:05}", colour.to_uppercase()),
            "quantity": quantity,
            "quantity_shipped": quantity,
            "quantity_canceled": 0,
            "tracking_number": format!("1Z999AA1{:010}", self.below(4_000_000_000)),
            "shipped_date": shipped.to_string(),
            "product_identifier": format!("PRD-{product:05}"),
            "variant_identifier": format!("{code}-{product:05}"),
            "title": format!("{title}, {}", colour.to_lowercase()),
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
        let (first, last) = (self.one_of(&FIRST_NAMES), self.one_of(&LAST_NAMES));
        let (city, state, zip_code) = self.one_of(&CITIES);
        let phone = format!("+1 503 555 {:04}", self.below(10_000));
        let account = self.below(10_000_000);
        let email = if self.own_shoppers {
            OWN_EMAIL.to_owned()
        } else {
            format!("{first}.{last}.{account}@example.com").to_lowercase()
        };
        let customer = json!({
            "identifier": format!("CUS-{account}"),
            "first_name": first,
            "last_name": last,
            "email": email,
            "phone": phone,
        });
        let address = json!({
            "name": format!("{first} {last}"),
            "street1": format!("{} {}", 1 + self.below(900), self.one_of(&STREETS)),
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

fn amount(line: &Value, key: &str) -> i64 {
    line.get(key).and_then(Value::as_i64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use domain::{
        json,
        orders::order_message::{OrderReadContext, read_message},
    };

    use super::*;

    #[test]
    fn orders_are_accepted_without_a_warning_and_stored_as_they_are_sent() {
        let context = OrderReadContext { now: Timestamp::UNIX_EPOCH, strict: true };
        let mut request = Generator::new(7).request(50, |length| format!("{length:06}"));
        request.number(41);
        let (length, body) = request.bytes().split_at(6);

        assert_eq!(length, format!("{:06}", body.len()).as_bytes());
        let reading = read_message(&json::parse(body).unwrap(), &context).unwrap();
        assert_eq!((reading.orders.len(), reading.warnings.len()), (50, 0));
        assert_eq!(reading.orders[2].order.identifier, "ORD-0000000043");

        let mut generator = Generator::new(7);
        let mut rows: Vec<Row> = (0..50).map(|_| generator.row()).collect();
        rows[2].number(43);
        assert_eq!(reading.orders[2].body.bytes(body), rows[2].body());
        let bytes: usize = rows.iter().map(|row| row.body().len()).sum();
        assert!((2_100..2_300).contains(&(bytes / 50)), "{} bytes", bytes / 50);
    }

    #[test]
    fn an_order_can_have_a_shopper_of_its_own() {
        let mut row = Generator::with_own_shoppers(7).row();
        for number in [41, 42] {
            row.number(number);
            let order: Value = serde_json::from_slice(row.body()).unwrap();
            assert_eq!(order["customer"]["email"], own_email(number));
        }
    }
}

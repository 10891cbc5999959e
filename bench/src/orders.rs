//! Orders like those of a real shop: two lines, addresses, a customer, one payment, about 2.2 KB of
//! compact JSON. The same seed gives the same orders.
//!
//! They are created before anything is measured. Only the number in the identifiers is left open
//! and filled in when an order is used, so that any number of distinct orders costs no memory and
//! almost no time.

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

/// The placeholder of the number of an order.
const OPEN: &str = "##########";
/// Contains the number of the order.
const OWN_EMAIL: &str = "shopper.##########@example.com";

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

/// Ascending numbers of orders. Each is used once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(Arc<AtomicU64>);

impl Numbers {
    pub(crate) fn starting_at(first: u64) -> Self {
        Self(Arc::new(AtomicU64::new(first)))
    }

    /// Reserves `count` numbers and returns the first.
    pub(crate) fn take(&self, count: usize) -> u64 {
        self.0.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed)
    }

    /// The number after the last reserved one.
    pub(crate) fn next(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// JSON in which the numbers of one or more orders can be changed.
pub(crate) struct Draft {
    bytes: Vec<u8>,
    /// For each order, the positions of its number.
    positions: Vec<Vec<usize>>,
}

impl Draft {
    /// `before`, the orders separated by commas, `after`.
    fn new(before: &str, orders: &[Vec<u8>], after: &str) -> Self {
        let mut draft = Self { bytes: before.as_bytes().to_vec(), positions: Vec::new() };
        for order in orders {
            if !draft.positions.is_empty() {
                draft.bytes.push(b',');
            }
            let here = draft.bytes.len();
            let open = order.windows(OPEN.len()).enumerate();
            let open = open.filter(|(_, bytes)| *bytes == OPEN.as_bytes());
            draft.positions.push(open.map(|(position, _)| here + position).collect());
            draft.bytes.extend_from_slice(order);
        }
        draft.bytes.extend_from_slice(after.as_bytes());
        draft
    }

    pub(crate) fn orders(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Fills in the numbers, starting with `first`.
    pub(crate) fn set_numbers(&mut self, first: u64) {
        for (number, positions) in (first..).zip(&self.positions) {
            let digits = to_digits(number);
            for &position in positions {
                if let Some(open) = self.bytes.get_mut(position..position + OPEN.len()) {
                    open.copy_from_slice(&digits);
                }
            }
        }
    }
}

/// An order as a row of the product's table.
pub(crate) struct Row {
    pub(crate) order_id: String,
    pub(crate) updated_us: i64,
    /// The draft's digest with the number in it: as long and as varied as the product's, but
    /// without the time to compute it.
    pub(crate) hash: Vec<u8>,
    body: Draft,
}

impl Row {
    pub(crate) fn set_number(&mut self, number: u64) {
        self.order_id.clear();
        let _ = write!(self.order_id, "ORD-{number:010}");
        if let Some(start) = self.hash.get_mut(..OPEN.len()) {
            start.copy_from_slice(&to_digits(number));
        }
        self.body.set_numbers(number);
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.body.bytes()
    }

    /// There are as many different ones as drafts, because each draft has a shopper.
    pub(crate) fn shopper_hash(&self) -> i64 {
        self.hash.last_chunk::<8>().copied().map_or(0, i64::from_be_bytes)
    }
}

fn to_digits(mut number: u64) -> [u8; OPEN.len()] {
    let mut digits = [b'0'; OPEN.len()];
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
    digits
}

/// The email address of the order with this number, if every order has its own shopper.
pub(crate) fn own_email(order: u64) -> String {
    OWN_EMAIL.replace(OPEN, &format!("{order:010}"))
}

/// Creates orders, the same for the same seed.
pub(crate) struct Generator {
    random: SeededRandom,
    own_shoppers: bool,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: SeededRandom::new(seed), own_shoppers: false }
    }

    /// Every order has its own shopper, with the address of [`own_email`]. There are then as many
    /// shoppers as numbers, and not only as many as drafts.
    pub(crate) fn with_own_shoppers(seed: u64) -> Self {
        Self { random: SeededRandom::new(seed), own_shoppers: true }
    }

    /// A whole HTTP request that publishes `orders` orders; `head` gets the length of its body.
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

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.random.pick(all).expect("the list is not empty")
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
        request.set_numbers(41);
        let (length, body) = request.bytes().split_at(6);

        assert_eq!(length, format!("{:06}", body.len()).as_bytes());
        let reading = read_message(&json::parse(body).unwrap(), &context).unwrap();
        assert_eq!((reading.orders.len(), reading.warnings.len()), (50, 0));
        assert_eq!(reading.orders[2].order.identifier, "ORD-0000000043");

        let mut generator = Generator::new(7);
        let mut rows: Vec<Row> = (0..50).map(|_| generator.row()).collect();
        rows[2].set_number(43);
        assert_eq!(reading.orders[2].body.bytes(body), rows[2].body());
        let bytes: usize = rows.iter().map(|row| row.body().len()).sum();
        assert!((2_100..2_300).contains(&(bytes / 50)), "{} bytes", bytes / 50);
    }

    #[test]
    fn an_order_can_have_a_shopper_of_its_own() {
        let mut row = Generator::with_own_shoppers(7).row();
        for number in [41, 42] {
            row.set_number(number);
            let order: Value = serde_json::from_slice(row.body()).unwrap();
            assert_eq!(order["customer"]["email"], own_email(number));
        }
    }
}

//! The orders of the demo's merchant. Their amounts always add up.

use serde_json::{Value, json};

use crate::{
    DAY_US, HOUR_US, format_time,
    people::{Country, Person, random_person},
    random::random_for,
    stock::Stock,
};

/// The content of an order.
pub(crate) struct Draft<'a> {
    pub(crate) identifier: String,
    pub(crate) country: &'a Country,
    pub(crate) buyer: Person,
    /// The recipient, if it is not the buyer.
    pub(crate) recipient: Option<Person>,
    pub(crate) lines: Vec<LineDraft>,
    pub(crate) placed_us: i64,
    /// None if nothing was shipped.
    pub(crate) shipped_us: Option<i64>,
    pub(crate) discount_percent: i64,
    pub(crate) tags: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub(crate) struct LineDraft {
    pub(crate) article: sim::Article,
    pub(crate) quantity: i64,
    /// How many of them were canceled.
    pub(crate) canceled: i64,
    /// How many of the others are shipped later.
    pub(crate) waiting: i64,
    pub(crate) tags: Vec<&'static str>,
    /// The last time for a return, if it is not the policy's.
    pub(crate) returnable_until_us: Option<i64>,
}

impl LineDraft {
    pub(crate) fn new(article: sim::Article, quantity: i64) -> Self {
        Self {
            article,
            quantity,
            canceled: 0,
            waiting: 0,
            tags: Vec::new(),
            returnable_until_us: None,
        }
    }
}

/// The amounts of a line.
#[derive(Clone, Copy, Default)]
struct Amounts {
    product: i64,
    discount: i64,
    tax: i64,
}

impl Draft<'_> {
    /// The identifier of the line at a position.
    pub(crate) fn line_identifier(&self, position: usize) -> String {
        format!("{}-{}", self.identifier, position + 1)
    }

    pub(crate) fn json(&self) -> Value {
        let amounts: Vec<Amounts> = self.lines.iter().map(|line| self.amounts(line)).collect();
        let sum = |part: fn(&Amounts) -> i64| amounts.iter().map(part).sum::<i64>();
        let product = sum(|it| it.product);
        let (discount, tax) = (sum(|it| it.discount), sum(|it| it.tax));
        let shipping = self.country.shipping_cents;
        let shipping_tax = shipping * self.country.tax_percent / 100;
        let total = product - discount + tax + shipping + shipping_tax;
        let placed = format_time(self.placed_us);
        let updated = format_time(self.shipped_us.unwrap_or(self.placed_us));
        let lines = self.lines.iter().zip(&amounts).enumerate();
        let recipient = self.recipient.as_ref().unwrap_or(&self.buyer);
        json!({
            "identifier": self.identifier,
            "status": if self.is_shipped() { "Shipped" } else { "Created" },
            "total_amount_cents": total,
            "product_amount_cents": product,
            "tax_amount_cents": tax,
            "discount_amount_cents": discount,
            "shipping_amount_cents": shipping,
            "shipping_tax_amount_cents": shipping_tax,
            "currency": self.country.currency,
            "tags": self.tags,
            "gift_code": self.recipient.as_ref().map(|_| format!("GIFT-{}", self.identifier)),
            "created_at": placed,
            "updated_at": updated,
            "items": lines.map(|(at, (line, it))| self.line(at, line, *it)).collect::<Vec<_>>(),
            "customer": self.buyer.customer(),
            "shipping_address": recipient.address(),
            "billing_address": self.buyer.address(),
            "transactions": [{
                "identifier": format!("TX-{}", self.identifier), "amount_cents": total,
                "status": "success", "type": "capture", "gateway": "demo_pay",
                "created_at": placed, "updated_at": updated,
            }],
            "refunds": [],
            "discounts": self.discounts(discount),
        })
    }

    fn discounts(&self, amount: i64) -> Vec<Value> {
        let code = format!("WELCOME{}", self.discount_percent);
        let discount = json!({
            "identifier": format!("DSC-{}", self.identifier), "code": code,
            "amount_cents": amount, "type": "percentage",
        });
        Some(discount).filter(|_| amount > 0).into_iter().collect()
    }

    /// Whether all units were shipped.
    fn is_shipped(&self) -> bool {
        self.shipped_us.is_some() && self.lines.iter().all(|line| line.waiting == 0)
    }

    /// How many units of a line were shipped.
    fn shipped_units(&self, line: &LineDraft) -> i64 {
        if self.shipped_us.is_some() { line.quantity - line.canceled - line.waiting } else { 0 }
    }

    fn amounts(&self, line: &LineDraft) -> Amounts {
        // Before the shipment the amounts include all units: a shop shows what was ordered.
        let units =
            if self.shipped_us.is_some() { self.shipped_units(line) } else { line.quantity };
        let product = line.article.price_cents * units;
        let discount = product * self.discount_percent / 100;
        let tax = (product - discount) * self.country.tax_percent / 100;
        Amounts { product, discount, tax }
    }

    fn line(&self, position: usize, line: &LineDraft, amounts: Amounts) -> Value {
        let shipped = self.shipped_units(line);
        let mut value = json!({
            "identifier": self.line_identifier(position),
            "sku": line.article.sku,
            "quantity": line.quantity,
            "quantity_shipped": shipped,
            "quantity_canceled": line.canceled,
            "product_identifier": line.article.variant_identifier,
            "variant_identifier": line.article.variant_identifier,
            "title": line.article.title,
            "tags": line.tags,
            "product_amount_cents": amounts.product,
            "tax_amount_cents": amounts.tax,
            "discount_amount_cents": amounts.discount,
            "unit_price_amount_cents": line.article.price_cents,
            "image_url": line.article.image_url,
            "weight": 0.4,
        });
        let mut insert = |key: &str, text: Option<String>| {
            if let (Some(fields), Some(text)) = (value.as_object_mut(), text) {
                fields.insert(key.to_owned(), json!(text));
            }
        };
        let shipped_us = self.shipped_us.filter(|_| shipped > 0);
        insert("shipped_date", shipped_us.map(format_time));
        insert("tracking_number", shipped_us.map(|_| format!("OUT{}", self.identifier)));
        insert("return_policy_end_date", line.returnable_until_us.map(format_time));
        value
    }
}

/// When the merchant ships an order of the history.
pub(crate) fn shipping_time_us(number: u32, placed_us: i64) -> i64 {
    placed_us + random_for(&format!("leaving {number}")).between(20, 44) * HOUR_US
}

/// An order of the history.
pub(crate) fn history_order(
    number: u32,
    placed_us: i64,
    shipped: bool,
    stock: &Stock,
) -> Draft<'static> {
    let mut random = random_for(&format!("order {number}"));
    let (country, buyer) = random_person(&mut random);
    let gift = random.percent(6);
    let recipient = gift.then(|| country.random_person(&mut random));
    let count = match random.between(0, 9) {
        0..5 => 1,
        5..8 => 2,
        _ => 3,
    };
    let mut lines = Vec::new();
    for _ in 0..count {
        let Some(article) = random.pick(&stock.articles) else { continue };
        let quantity = if random.percent(18) { random.between(2, 4) } else { 1 };
        let mut line = LineDraft::new(article.clone(), quantity);
        line.tags.extend(random.percent(8).then_some("final_sale"));
        line.tags.extend(random.percent(5).then_some("outlet"));
        line.canceled = i64::from(quantity > 1 && random.percent(10));
        line.waiting = i64::from(quantity > 2 && random.percent(20));
        lines.push(line);
    }
    let discounted = random.percent(25);
    Draft {
        identifier: format!("AC-{}", 20_000 + number),
        country,
        buyer,
        recipient,
        lines,
        placed_us,
        shipped_us: shipped.then(|| shipping_time_us(number, placed_us)),
        discount_percent: if discounted { 10 } else { 0 },
        tags: if gift { vec!["web", "gift"] } else { vec!["web"] },
    }
}

/// An order that will be placed.
pub(crate) struct PlannedOrder {
    pub(crate) number: u32,
    pub(crate) placed_us: i64,
}

/// The orders of a day.
pub(crate) fn plan_day(day: i64) -> Vec<PlannedOrder> {
    let mut random = random_for(&format!("day {day}"));
    let count = random.between(4, 9);
    let number = |at: i64| u32::try_from((day.rem_euclid(100_000)) * 10 + at).unwrap_or(0);
    (0..count)
        .map(|at| PlannedOrder {
            number: number(at),
            placed_us: day * DAY_US + random.between(6 * 60, 23 * 60) * 60_000_000,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use domain::orders::order_message::{OrderReadContext, RefundCheck, read_message};

    use super::*;

    fn message(orders: &[Value]) -> String {
        json!({ "returns_portal_order": { "orders": orders } }).to_string()
    }

    #[test]
    fn shipped_orders_are_accepted_without_a_warning() {
        let stock = Stock::sample();
        let planned = (0..60).flat_map(plan_day);
        let build =
            |order: PlannedOrder| history_order(order.number, order.placed_us, true, &stock).json();
        let orders: Vec<Value> = planned.map(build).collect();
        assert!(orders.len() > 300, "{}", orders.len());
        let text = message(&orders);
        let document = domain::json::parse(text.as_bytes()).unwrap();
        let context = OrderReadContext {
            now: jiff::Timestamp::UNIX_EPOCH,
            strict: true,
            refunds: RefundCheck::All,
        };
        let read = read_message(&document, &context).unwrap();
        assert_eq!(read.orders.len(), orders.len());
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    }

    #[test]
    fn an_order_is_always_the_same() {
        let stock = Stock::sample();
        let [once, again] = [0; 2].map(|_| history_order(7, 1_000_000, true, &stock).json());
        assert_eq!(once, again);
    }
}

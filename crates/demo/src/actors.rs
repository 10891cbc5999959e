//! How each deed is done, and what its doer will do next.

use std::{collections::BTreeMap, slice::from_ref};

use anyhow::Context;
use serde_json::{Value, json};
use sim::SimulatedMerchant;

use crate::{
    DAY_US, HOUR_US,
    action::{Deed, Wish},
    api::Api,
    messages::{Told, ToldUnit},
    orders::{Draft, LineDraft, leaves_us, ordinary, placed_on},
    random::{pick_word, random_for},
    sample_orders,
    stock::Shelf,
    time,
};

/// What the deeds are done with.
pub(crate) struct Hands {
    pub(crate) api: Api,
    pub(crate) merchant: SimulatedMerchant,
    pub(crate) shelf: Shelf,
    pub(crate) born_us: i64,
}

/// What is to be done later.
pub(crate) type Next = Vec<(i64, Deed)>;

impl Hands {
    /// The order that a deed publishes, if that is what it does.
    pub(crate) fn order(&self, deed: &Deed) -> Option<Value> {
        match deed {
            Deed::Order { number, placed_us } => {
                Some(ordinary(*number, *placed_us, false, &self.shelf).json())
            }
            Deed::Ship { number, placed_us } => {
                Some(ordinary(*number, *placed_us, true, &self.shelf).json())
            }
            Deed::Try { position, shipped } => {
                let draft = sample_orders::draft(*position, *shipped, self.born_us, &self.shelf);
                draft.map(|draft| draft.json())
            }
            Deed::Exchange { body, identifier, placed_us, shipped } => {
                Some(exchange_order(body, identifier, *placed_us, *shipped))
            }
            Deed::Day { .. }
            | Deed::Return { .. }
            | Deed::Cancel { .. }
            | Deed::Move { .. }
            | Deed::Refund { .. }
            | Deed::Receive { .. }
            | Deed::Scene(_) => None,
        }
    }

    /// Does what is to be done at `at_us`. What is only to be published was published before.
    pub(crate) async fn act(&self, at_us: i64, deed: Deed) -> anyhow::Result<Next> {
        match deed {
            Deed::Day { day } => Ok(self.begin_day(day)),
            Deed::Order { number, placed_us } => {
                Ok(vec![(leaves_us(number, placed_us), Deed::Ship { number, placed_us })])
            }
            Deed::Ship { number, placed_us } => Ok(second_thoughts(number, placed_us, at_us)),
            Deed::Return { number, placed_us, wish } => {
                let draft = ordinary(number, placed_us, true, &self.shelf);
                self.return_some(&draft, wish, at_us).await
            }
            Deed::Cancel { rma } => {
                let path = format!("/returns/{rma}/cancel");
                self.api.merchant.post(&path, &Value::Null).await.map(|_| Vec::new())
            }
            Deed::Move { rma, event } => self.move_parcel(&rma, event.name()).await,
            Deed::Refund { told } => self.refund(&told, at_us).await,
            Deed::Receive { told } => self.receive(&told).await,
            Deed::Exchange { .. } | Deed::Try { .. } => Ok(Vec::new()),
            Deed::Scene(scene) => self.play(scene, at_us).await,
        }
    }

    /// New goods come in once a week.
    fn begin_day(&self, day: i64) -> Next {
        if day % 7 == 0 {
            self.shelf.restock(&self.merchant);
        }
        let order = |(number, placed_us)| (placed_us, Deed::Order { number, placed_us });
        let mut next: Next = placed_on(day).into_iter().map(order).collect();
        next.push(((day + 1) * DAY_US, Deed::Day { day: day + 1 }));
        next
    }

    async fn return_some(&self, draft: &Draft<'_>, wish: Wish, at_us: i64) -> anyhow::Result<Next> {
        let Some(request) = self.request(draft, wish) else { return Ok(Vec::new()) };
        let started = self.api.merchant.post("/returns", &request).await?;
        let rma = started.get("rma_identifier").and_then(Value::as_str).unwrap_or_default();
        let cancel = Deed::Cancel { rma: rma.to_owned() };
        Ok(Some((at_us + 7 * HOUR_US, cancel))
            .filter(|_| wish == Wish::Nothing)
            .into_iter()
            .collect())
    }

    /// What the shopper of an order asks for; nothing when nothing can come back.
    fn request(&self, draft: &Draft<'_>, wish: Wish) -> Option<Value> {
        let mut random = random_for(&format!("return {}", draft.identifier));
        let lines = draft.lines.iter().enumerate();
        let returnable = |line: &LineDraft| line.quantity - line.canceled - line.waiting;
        let mut lines =
            lines.filter(|(_, line)| !line.tags.contains(&"final_sale") && returnable(line) > 0);
        let (position, line) = lines.next()?;
        let units = random.between(1, returnable(line));
        let mut items = vec![self.item(draft, (position, line), units, wish)];
        if let Some((position, line)) = lines.next().filter(|_| random.percent(25)) {
            items.push(self.item(draft, (position, line), 1, Wish::Refund));
        }
        let method = match draft.country.code {
            "US" if random.percent(25) => "express-returns",
            "DE" | "FR" | "ES" if random.percent(15) => "home-pickup",
            _ => "mail-back",
        };
        let mut request = json!({ "return_method": method, "items": items });
        let (key, who) = match wish {
            Wish::Gift => ("gift", json!({ "giftee_email": "gift@example.com" })),
            Wish::Refund | Wish::Exchange | Wish::GiftCard | Wish::Nothing => {
                ("email", json!(draft.buyer.email))
            }
        };
        request.as_object_mut()?.insert(key.to_owned(), who);
        Some(request)
    }

    fn item(
        &self,
        draft: &Draft<'_>,
        (position, line): (usize, &LineDraft),
        units: i64,
        wish: Wish,
    ) -> Value {
        let mut random = random_for(&format!("reason {} {position}", draft.identifier));
        let reasons =
            ["too_small", "too_large", "changed_mind", "not_as_described", "late", "other"];
        let mut item = json!({
            "order_identifier": draft.identifier,
            "order_line_item_identifier": draft.line_identifier(position),
            "quantity": units,
            "return_reason": pick_word(&mut random, &reasons),
            "resolution": if wish == Wish::GiftCard { "gift_card" } else { "refund" },
        });
        let others = self.shelf.alternatives(&line.article.sku, &self.merchant);
        let other = random.pick(&others).filter(|_| wish == Wish::Exchange);
        if let (Some(fields), Some(sku)) = (item.as_object_mut(), other) {
            fields.extend([
                ("quantity".to_owned(), json!(1)),
                (
                    "return_reason".to_owned(),
                    json!(pick_word(&mut random, &["too_small", "too_large"])),
                ),
                ("resolution".to_owned(), json!("exchange")),
                ("exchange_sku".to_owned(), json!(sku)),
                ("fallback".to_owned(), json!("refund")),
            ]);
        }
        item
    }

    pub(crate) async fn move_parcel(&self, rma: &str, event: &str) -> anyhow::Result<Next> {
        let body = json!({ "events": [{ "type": event, "rma_identifier": rma }] });
        self.api.carrier.post("/carrier_events", &body).await.map(|_| Vec::new())
    }

    /// The merchant pays, and says so with the order. Now and then it forgets a unit.
    async fn refund(&self, told: &Told, at_us: i64) -> anyhow::Result<Next> {
        let held = self.api.merchant.get(&format!("/returns/{}", told.rma_identifier)).await?;
        if held.get("status").is_some_and(|status| status == "REFUNDED") {
            // A visitor has paid already, as the merchant.
            return Ok(Vec::new());
        }
        let forgets = random_for(&format!("partly {}", told.order())).percent(12);
        let count = told.to_refund().count();
        let paid = if forgets && count > 1 && !told.is_visitors() { count - 1 } else { count };
        let units: Vec<&ToldUnit> = told.to_refund().take(paid).collect();
        let refund = refund(told, &units, at_us);
        self.publish_refund(told.order(), refund, at_us).await
    }

    pub(crate) async fn publish_refund(
        &self,
        order: &str,
        refund: Value,
        at_us: i64,
    ) -> anyhow::Result<Next> {
        let mut order = self.api.merchant.get(&format!("/orders/{order}")).await?;
        let refunds = order.get_mut("refunds").and_then(Value::as_array_mut);
        refunds.context("an order has refunds")?.push(refund);
        if let Some(fields) = order.as_object_mut() {
            fields.insert("updated_at".to_owned(), json!(time(at_us)));
        }
        self.api.merchant.publish(from_ref(&order)).await.map(|()| Vec::new())
    }

    /// The warehouse finds every unit in the parcel, or all but one.
    async fn receive(&self, told: &Told) -> anyhow::Result<Next> {
        let mut random = random_for(&format!("receiving {}", told.order()));
        let missing = told.items.len() > 1 && random.percent(8) && !told.is_visitors();
        let found = told.items.len() - usize::from(missing);
        self.receive_units(told.items.iter().take(found), &told.rma_identifier).await?;
        let close = format!("/returns/{}/receiving/close", told.rma_identifier);
        self.api.warehouse.post(&close, &Value::Null).await.map(|_| Vec::new())
    }

    pub(crate) async fn receive_units(
        &self,
        units: impl Iterator<Item = &ToldUnit>,
        rma: &str,
    ) -> anyhow::Result<()> {
        let receipt = |(at, unit): (usize, &ToldUnit)| {
            let plate = format!("LP-{}-{}", rma.trim_start_matches("RMA-"), at + 1);
            let condition = pick_word(&mut random_for(&plate), &["N", "A", "A", "A", "B", "C"]);
            json!({
                "rma_identifier": rma, "line_identifier": unit.order_line_item_identifier,
                "sku": unit.sku, "unit_identifier": plate, "condition": condition,
                "channel": if condition == "C" { "OUTLET" } else { "RTS" },
                "user_login": "mkowalski", "location_identifier": "A-14-03",
            })
        };
        let receipts: Vec<Value> = units.enumerate().map(receipt).collect();
        self.api.warehouse.post("/receipts", &json!({ "receipts": receipts })).await.map(drop)
    }
}

/// Whether the shopper will send something back, when, and for what.
fn second_thoughts(number: u32, placed_us: i64, shipped_us: i64) -> Next {
    let mut random = random_for(&format!("thoughts {number}"));
    if !random.percent(32) {
        return Vec::new();
    }
    let wish = match random.between(0, 99) {
        0..60 => Wish::Refund,
        60..80 => Wish::Exchange,
        80..90 => Wish::GiftCard,
        90..95 => Wish::Gift,
        _ => Wish::Nothing,
    };
    let due_us = shipped_us + random.between(3 * 24, 22 * 24) * HOUR_US;
    vec![(due_us, Deed::Return { number, placed_us, wish })]
}

/// A refund of units of a return, less what the way back costs.
pub(crate) fn refund(told: &Told, units: &[&ToldUnit], at_us: i64) -> Value {
    let mut lines: BTreeMap<&str, i64> = BTreeMap::new();
    let mut amount = 0;
    for unit in units {
        *lines.entry(&unit.order_line_item_identifier).or_default() += 1;
        amount += unit.refund_financials.shopper_refund_amount_cents;
    }
    let number = told.rma_identifier.trim_start_matches("RMA-");
    let line = |(at, (line, quantity)): (usize, (&&str, &i64))| {
        json!({
            "identifier": format!("RF-{number}-{}", at + 1), "quantity": quantity,
            "order_item_identifier": line,
        })
    };
    json!({
        "identifier": format!("RF-{number}"),
        "total_refund_amount_cents": (amount - told.return_shipping_cost_cents).max(0),
        "refund_line_items": lines.iter().enumerate().map(line).collect::<Vec<_>>(),
        "created_at": time(at_us),
        "rma_identifier": told.rma_identifier,
    })
}

/// An exchange order as the merchant's own order.
fn exchange_order(body: &Value, identifier: &str, placed_us: i64, shipped: bool) -> Value {
    let part = |name: &str| body.get(name).cloned().unwrap_or_default();
    let cents = |item: &Value, name: &str| item.get(name).and_then(Value::as_i64).unwrap_or(0);
    let items = part("items").as_array().cloned().unwrap_or_default();
    let sum = |name: &str| items.iter().map(|item| cents(item, name)).sum::<i64>();
    let (product, discount, tax) =
        (sum("product_amount_cents"), sum("discount_amount_cents"), sum("tax_amount_cents"));
    let line = |(at, item): (usize, &Value)| {
        let of = |name: &str| item.get(name).cloned().unwrap_or_default();
        let quantity = cents(item, "quantity");
        json!({
            "identifier": format!("{identifier}-{}", at + 1), "sku": of("sku"),
            "quantity": quantity, "quantity_shipped": if shipped { quantity } else { 0 },
            "quantity_canceled": 0, "product_identifier": of("sku"),
            "variant_identifier": item.get("variant_identifier").and_then(Value::as_str).unwrap_or(""),
            "title": item.get("title").and_then(Value::as_str).unwrap_or("Gift card"), "tags": ["exchange"],
            "product_amount_cents": cents(item, "product_amount_cents"),
            "tax_amount_cents": cents(item, "tax_amount_cents"),
            "discount_amount_cents": cents(item, "discount_amount_cents"),
            "unit_price_amount_cents": cents(item, "unit_price_amount_cents"),
        })
    };
    let address = |name: &str| {
        let from = part(name);
        let text = |key: &str| from.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        json!({
            "name": text("name"), "street1": text("street1"), "city": text("city"),
            "state": text("province"), "zip_code": text("postal_code"),
            "country_code": text("country_code"),
        })
    };
    let (placed, updated) = (time(placed_us), if shipped { DAY_US } else { 0 });
    json!({
        "identifier": identifier, "status": if shipped { "Shipped" } else { "Created" },
        "total_amount_cents": product - discount + tax, "product_amount_cents": product,
        "tax_amount_cents": tax, "discount_amount_cents": discount,
        "shipping_amount_cents": 0, "shipping_tax_amount_cents": 0,
        "currency": part("currency"), "tags": ["exchange"],
        "created_at": placed, "updated_at": time(placed_us + updated),
        "items": items.iter().enumerate().map(line).collect::<Vec<_>>(),
        "customer": part("customer"), "shipping_address": address("shipping_address"),
        "billing_address": address("billing_address"),
        "transactions": [], "refunds": [], "discounts": [],
    })
}

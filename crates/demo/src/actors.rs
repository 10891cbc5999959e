//! How the actors do each action, and what they schedule next.

use std::{
    collections::{BTreeMap, BTreeSet},
    slice::from_ref,
    sync::Arc,
};

use anyhow::Context;
use domain::returns::carrier::CarrierEventKind;
use serde_json::{Value, json};
use sim::{RunningCarrier, SimulatedMerchant};

use crate::{
    DAY_US, HOUR_US,
    action::{Action, Resolution, Scheduled},
    api::{Api, Caller},
    format_time,
    messages::{ReturnMessage, ReturnedUnit},
    orders::{Draft, LineDraft, PlannedOrder, history_order, plan_day, shipping_time_us},
    random::{pick_word, random_for},
    sample_orders,
    stock::Stock,
};

/// The shoppers, the merchant, the carrier and the warehouse.
pub(crate) struct Actors {
    pub(crate) api: Api,
    pub(crate) merchant: SimulatedMerchant,
    /// Sells labels once the history is complete. Those of the history are issued at once.
    pub(crate) carrier: Arc<RunningCarrier>,
    pub(crate) stock: Stock,
    pub(crate) first_start_us: i64,
}

impl Actors {
    /// The order that an action publishes, if it publishes one.
    pub(crate) fn build_order(&self, action: &Action) -> Option<Value> {
        match action {
            Action::Order { number, placed_us } => {
                Some(history_order(*number, *placed_us, false, &self.stock).json())
            }
            Action::Ship { number, placed_us } => {
                Some(history_order(*number, *placed_us, true, &self.stock).json())
            }
            Action::SampleOrder { position, shipped } => {
                let draft =
                    sample_orders::draft(*position, *shipped, self.first_start_us, &self.stock);
                draft.map(|draft| draft.json())
            }
            Action::Exchange { body, identifier, placed_us, shipped } => {
                Some(build_exchange_order(body, identifier, *placed_us, *shipped))
            }
            Action::Day { .. }
            | Action::Return { .. }
            | Action::Cancel { .. }
            | Action::Move { .. }
            | Action::Refund { .. }
            | Action::Receive { .. }
            | Action::Incident(_) => None,
        }
    }

    /// Does an action at `at_us` and returns what follows. Orders were published before.
    pub(crate) async fn act(&self, at_us: i64, action: Action) -> anyhow::Result<Vec<Scheduled>> {
        match action {
            Action::Day { day } => Ok(self.begin_day(day)),
            Action::Order { number, placed_us } => {
                let ship = Action::Ship { number, placed_us };
                Ok(vec![ship.at(shipping_time_us(number, placed_us))])
            }
            Action::Ship { number, placed_us } => {
                Ok(plan_return(number, placed_us, at_us).into_iter().collect())
            }
            Action::Return { number, placed_us, resolution } => {
                let draft = history_order(number, placed_us, true, &self.stock);
                self.start_return(&draft, resolution, at_us).await
            }
            Action::Cancel { rma } => {
                let path = format!("/returns/{rma}/cancel");
                self.api.merchant.post(&path, &Value::Null).await.map(|_| Vec::new())
            }
            Action::Move { rma, event } => self.move_parcel(&rma, event).await,
            Action::Refund { message } => self.refund(&message, at_us).await,
            Action::Receive { message } => self.receive(&message).await,
            Action::Exchange { .. } | Action::SampleOrder { .. } => Ok(Vec::new()),
            Action::Incident(incident) => self.run_incident(incident, at_us).await,
        }
    }

    /// Schedules the orders of a day. Once a week the stock is filled up.
    fn begin_day(&self, day: i64) -> Vec<Scheduled> {
        if day % 7 == 0 {
            self.stock.restock(&self.merchant);
        }
        let order =
            |PlannedOrder { number, placed_us }| Action::Order { number, placed_us }.at(placed_us);
        let mut next: Vec<Scheduled> = plan_day(day).into_iter().map(order).collect();
        next.push(Action::Day { day: day + 1 }.at((day + 1) * DAY_US));
        next
    }

    async fn start_return(
        &self,
        draft: &Draft<'_>,
        resolution: Resolution,
        at_us: i64,
    ) -> anyhow::Result<Vec<Scheduled>> {
        let Some(request) = self.build_request(draft, resolution) else { return Ok(Vec::new()) };
        let started = self.api.merchant.post("/returns", &request).await?;
        let rma = started.get("rma_identifier").and_then(Value::as_str).unwrap_or_default();
        let cancel = Action::Cancel { rma: rma.to_owned() }.at(at_us + 7 * HOUR_US);
        Ok(Some(cancel).filter(|_| resolution == Resolution::Cancel).into_iter().collect())
    }

    /// The request of an order's shopper. None if nothing can be returned.
    fn build_request(&self, draft: &Draft<'_>, resolution: Resolution) -> Option<Value> {
        let mut random = random_for(&format!("return {}", draft.identifier));
        let lines = draft.lines.iter().enumerate();
        let returnable = |line: &LineDraft| line.quantity - line.canceled - line.waiting;
        let mut lines =
            lines.filter(|(_, line)| !line.tags.contains(&"final_sale") && returnable(line) > 0);
        let (position, line) = lines.next()?;
        let units = random.between(1, returnable(line));
        let mut items = vec![self.build_item(draft, position, units, resolution)];
        if let Some((position, _)) = lines.next().filter(|_| random.percent(25)) {
            items.push(self.build_item(draft, position, 1, Resolution::Refund));
        }
        let method = match draft.country.code {
            "US" if random.percent(25) => "express-returns",
            "DE" | "FR" | "ES" if random.percent(15) => "home-pickup",
            _ => "mail-back",
        };
        let mut request = json!({ "return_method": method, "items": items });
        let (key, who) = match resolution {
            Resolution::Gift => ("gift", json!({ "giftee_email": "gift@example.com" })),
            Resolution::Refund
            | Resolution::Exchange
            | Resolution::GiftCard
            | Resolution::Cancel => ("email", json!(draft.buyer.email)),
        };
        request.as_object_mut()?.insert(key.to_owned(), who);
        Some(request)
    }

    fn build_item(
        &self,
        draft: &Draft<'_>,
        position: usize,
        units: i64,
        resolution: Resolution,
    ) -> Value {
        let mut random = random_for(&format!("reason {} {position}", draft.identifier));
        let reasons =
            ["too_small", "too_large", "changed_mind", "not_as_described", "late", "other"];
        let mut item = json!({
            "order_identifier": draft.identifier,
            "order_line_item_identifier": draft.line_identifier(position),
            "quantity": units,
            "return_reason": pick_word(&mut random, &reasons),
            "resolution": if resolution == Resolution::GiftCard { "gift_card" } else { "refund" },
        });
        let sku = draft.lines.get(position).map(|line| line.article.sku.as_str());
        let others = self.stock.alternatives(sku.unwrap_or_default(), &self.merchant);
        let other = random.pick(&others).filter(|_| resolution == Resolution::Exchange);
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

    /// The carrier moves a parcel. It reports a label that it sold with a webhook. It does not know
    /// the labels of the history and those that it sold before the last start: events move these.
    pub(crate) async fn move_parcel(
        &self,
        rma: &str,
        event: CarrierEventKind,
    ) -> anyhow::Result<Vec<Scheduled>> {
        let mut is_reported = false;
        if let Some(status) = tracker_status(event)
            && self.carrier.purchase_count() > 0
        {
            for number in self.find_tracking_numbers(rma).await? {
                is_reported |= self.carrier.move_parcel(&number, status).await;
            }
        }
        if !is_reported {
            let body = json!({ "events": [{ "type": event.name(), "rma_identifier": rma }] });
            self.api.carrier.post("/carrier_events", &body).await?;
        }
        Ok(Vec::new())
    }

    async fn find_tracking_numbers(&self, rma: &str) -> anyhow::Result<BTreeSet<String>> {
        let found = self.api.merchant.get(&format!("/returns/{rma}")).await?;
        let units = found.get("items").and_then(Value::as_array).into_iter().flatten();
        let numbers = units.filter_map(|unit| unit.get("tracking_number")?.as_str());
        Ok(numbers.map(str::to_owned).collect())
    }

    /// The merchant pays, and publishes the refund with the order. Sometimes it forgets a unit.
    async fn refund(&self, message: &ReturnMessage, at_us: i64) -> anyhow::Result<Vec<Scheduled>> {
        let rma = self.api.merchant.get(&format!("/returns/{}", message.rma_identifier)).await?;
        if rma.get("status").is_some_and(|status| status == "REFUNDED") {
            // A visitor has already published the refund.
            return Ok(Vec::new());
        }
        let forgets = random_for(&format!("partly {}", message.order())).percent(12);
        let count = message.units_to_refund().count();
        let paid = if forgets && count > 1 && !message.is_visitors() { count - 1 } else { count };
        let units: Vec<&ReturnedUnit> = message.units_to_refund().take(paid).collect();
        let mut refund = build_refund(message, &units, at_us);
        let shipping = rma.pointer("/statement/promised/shipping_cents").and_then(Value::as_i64);
        add_to_total(&mut refund, shipping.unwrap_or(0));
        publish_refund(&self.api.merchant, message.order(), refund, at_us).await?;
        Ok(Vec::new())
    }

    /// The warehouse finds every unit in the parcel, or all except one.
    async fn receive(&self, message: &ReturnMessage) -> anyhow::Result<Vec<Scheduled>> {
        let mut random = random_for(&format!("receiving {}", message.order()));
        let is_incomplete = message.items.len() > 1 && random.percent(8) && !message.is_visitors();
        let count = message.items.len() - usize::from(is_incomplete);
        self.receive_units(message.items.iter().take(count), &message.rma_identifier).await?;
        let close = format!("/returns/{}/receiving/close", message.rma_identifier);
        self.api.warehouse.post(&close, &Value::Null).await.map(|_| Vec::new())
    }

    pub(crate) async fn receive_units(
        &self,
        units: impl Iterator<Item = &ReturnedUnit>,
        rma: &str,
    ) -> anyhow::Result<()> {
        let receipt = |(at, unit): (usize, &ReturnedUnit)| {
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

/// The status of the carrier's tracker after an event, if it has one.
fn tracker_status(event: CarrierEventKind) -> Option<&'static str> {
    match event {
        CarrierEventKind::Accepted | CarrierEventKind::InTransit => Some("in_transit"),
        CarrierEventKind::Delivered => Some("delivered"),
        CarrierEventKind::Failure => Some("failure"),
        CarrierEventKind::Returned => Some("return_to_sender"),
        CarrierEventKind::LabelCreated
        | CarrierEventKind::LabelVoided
        | CarrierEventKind::NotDroppedOff => None,
    }
}

/// Decides whether the shopper returns something, when, and for what.
fn plan_return(number: u32, placed_us: i64, shipped_us: i64) -> Option<Scheduled> {
    let mut random = random_for(&format!("thoughts {number}"));
    if !random.percent(32) {
        return None;
    }
    let resolution = match random.between(0, 99) {
        0..60 => Resolution::Refund,
        60..80 => Resolution::Exchange,
        80..90 => Resolution::GiftCard,
        90..95 => Resolution::Gift,
        _ => Resolution::Cancel,
    };
    let due_us = shipped_us + random.between(3 * 24, 22 * 24) * HOUR_US;
    Some(Action::Return { number, placed_us, resolution }.at(due_us))
}

/// Publishes an order again, with one more refund.
pub(crate) async fn publish_refund(
    merchant: &Caller,
    order: &str,
    refund: Value,
    at_us: i64,
) -> anyhow::Result<()> {
    let mut order = merchant.get(&format!("/orders/{order}")).await?;
    let refunds = order.get_mut("refunds").and_then(Value::as_array_mut);
    refunds.context("an order has refunds")?.push(refund);
    if let Some(fields) = order.as_object_mut() {
        fields.insert("updated_at".to_owned(), json!(format_time(at_us)));
    }
    merchant.publish(from_ref(&order)).await
}

/// A refund for units of a return, less the cost of return shipping.
pub(crate) fn build_refund(message: &ReturnMessage, units: &[&ReturnedUnit], at_us: i64) -> Value {
    let mut lines: BTreeMap<&str, i64> = BTreeMap::new();
    let mut amount = 0;
    for unit in units {
        *lines.entry(&unit.order_line_item_identifier).or_default() += 1;
        amount += unit.refund_financials.shopper_refund_amount_cents;
    }
    let number = message.rma_identifier.trim_start_matches("RMA-");
    let line = |(at, (line, quantity)): (usize, (&&str, &i64))| {
        json!({
            "identifier": format!("RF-{number}-{}", at + 1), "quantity": quantity,
            "order_item_identifier": line,
        })
    };
    json!({
        "identifier": format!("RF-{number}"),
        "total_refund_amount_cents": (amount - message.return_shipping_cost_cents).max(0),
        "refund_line_items": lines.iter().enumerate().map(line).collect::<Vec<_>>(),
        "created_at": format_time(at_us),
        "rma_identifier": message.rma_identifier,
    })
}

fn add_to_total(refund: &mut Value, cents: i64) {
    if let Some(total) = refund.get_mut("total_refund_amount_cents") {
        *total = json!(total.as_i64().unwrap_or(0) + cents);
    }
}

/// An exchange order as the merchant's own order.
fn build_exchange_order(body: &Value, identifier: &str, placed_us: i64, shipped: bool) -> Value {
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
    let updated_us = if shipped { placed_us + DAY_US } else { placed_us };
    json!({
        "identifier": identifier, "status": if shipped { "Shipped" } else { "Created" },
        "total_amount_cents": product - discount + tax, "product_amount_cents": product,
        "tax_amount_cents": tax, "discount_amount_cents": discount,
        "shipping_amount_cents": 0, "shipping_tax_amount_cents": 0,
        "currency": part("currency"), "tags": ["exchange"],
        "created_at": format_time(placed_us), "updated_at": format_time(updated_us),
        "items": items.iter().enumerate().map(line).collect::<Vec<_>>(),
        "customer": part("customer"), "shipping_address": address("shipping_address"),
        "billing_address": address("billing_address"),
        "transactions": [], "refunds": [], "discounts": [],
    })
}

//! What happens only once in a demo: announced shipments, drop-ship orders, and the problems that
//! operators have to solve.

use std::slice::from_ref;

use anyhow::Context;
use domain::{messages::kind::MessageKind, returns::carrier::CarrierEventKind};
use serde_json::{Value, json};
use sim::Behavior;

use crate::{
    DAY_US, HOUR_US,
    action::{Action, Incident, Scheduled},
    actors::{Actors, build_refund, publish_refund},
    api::Caller,
    messages::{ReturnMessage, ReturnedUnit},
    orders::{Draft, LineDraft},
    people::US,
    random::{pick_word, random_for},
};

/// Nothing follows from returns of orders with this prefix.
pub(crate) const STAGED_PREFIX: &str = "AC-19";

/// How many units an announced shipment has.
const UNITS: u32 = 4;
const SKUS: [&str; 4] = ["TEE-NAVY-M", "SCARF-GREY", "HARBOUR-SHIRT-MOSS-L", "TRAIL-SHOE-SLATE-42"];

/// Schedules all incidents of a demo that was first started at `first_start_us`.
pub(crate) fn plan_incidents(history_start_us: i64, first_start_us: i64) -> Vec<Scheduled> {
    let before = |days: i64, hours: i64| first_start_us - days * DAY_US + hours * HOUR_US;
    let at = |due_us: i64, incident: Incident| Action::Incident(incident).at(due_us);
    let mut all = vec![
        at(before(9, 0), Incident::OutageBegins),
        at(before(9, 2), Incident::Announced { number: 31 }),
        at(before(9, 3), Incident::Announced { number: 32 }),
        at(before(5, 0), Incident::OutageEnds),
        at(before(2, 0), Incident::Announced { number: 33 }),
        at(before(1, 0), Incident::Stray { number: 33 }),
        at(before(3, 1), Incident::Unmatched),
        at(before(2, 1), Incident::Conflict),
        at(before(2, 4), Incident::RefundedShort),
        at(before(1, 4), Incident::RefundedTwice),
        at(before(5, 1), Incident::PartlyRefunded),
        at(before(1, 1), Incident::PartlyReceived),
    ];
    for number in 0..14 {
        let at_us = history_start_us + i64::from(number) * 12 * DAY_US + DAY_US;
        all.push(at(at_us, Incident::Announced { number }));
        all.push(at(at_us + 5 * DAY_US, Incident::DropShip { number }));
    }
    all.push(at(before(0, -10), Incident::DropShip { number: 14 }));
    for number in 0..12 {
        let at_us = before(9, 18 * i64::from(number));
        all.push(at(at_us, Incident::OtherMerchant { number }));
    }
    all.retain(|scheduled| scheduled.due_us < first_start_us);
    all
}

impl Actors {
    pub(crate) async fn run_incident(
        &self,
        incident: Incident,
        at_us: i64,
    ) -> anyhow::Result<Vec<Scheduled>> {
        match incident {
            Incident::OutageBegins => {
                let outage = Behavior::status(500).of(MessageKind::InventoryReceipt);
                self.merchant.behave(&[outage])?;
            }
            Incident::OutageEnds => self.merchant.behave_normally(),
            Incident::Announced { number } => return self.announce(number, at_us).await,
            Incident::Received { number, unit } => {
                let plate = format!("LP-{number:03}-{unit}");
                self.scan(number, &plate, SKUS.get(usize::try_from(unit - 1)?).copied()).await?;
            }
            Incident::Stray { number } => {
                self.scan(number, "LP-STRAY-1", Some("RAIN-JACKET-PINE-S")).await?;
            }
            Incident::DropShip { number } => return self.place_drop_ship(number, at_us).await,
            Incident::DropShipEnds { number } => self.end_drop_ship(number).await?,
            Incident::Unmatched => self.refund_ambiguously(at_us).await?,
            Incident::Conflict => self.refund_too_much(at_us).await?,
            Incident::RefundedShort => self.refund_short(at_us).await?,
            Incident::RefundedTwice => self.refund_twice(at_us).await?,
            Incident::PartlyRefunded => self.refund_partly(at_us).await?,
            Incident::PartlyReceived => {
                let returns = self.stage_returns(4, 3, &[3], at_us).await?;
                let Some(first) = returns.first() else { return Ok(Vec::new()) };
                self.deliver(&first.rma_identifier).await?;
                self.receive_units(first.items.iter().take(1), &first.rma_identifier).await?;
            }
            Incident::OtherMerchant { number } => {
                self.return_to_other_merchant(number, at_us).await?;
            }
        }
        Ok(Vec::new())
    }

    async fn announce(&self, number: u32, at_us: i64) -> anyhow::Result<Vec<Scheduled>> {
        let detail = |(at, sku): (usize, &&str)| {
            json!({
                "line_identifier": (at + 1).to_string(), "sku": sku, "quantity": 1,
                "unit_identifier": format!("LP-{number:03}-{}", at + 1),
            })
        };
        let details: Vec<Value> = SKUS.iter().enumerate().map(detail).collect();
        let asn = json!({
            "program_identifier": "store-returns", "asn_number": format!("ASN-{number:03}"),
            "status": "shipped", "details_type": "unit",
            "from": { "identifier": "STORE-12", "type": "store" },
            "to": { "identifier": "31", "type": "warehouse" },
            "carrier": "ups", "cartons": [{ "identifier": "CTN-1", "details": details }],
        });
        self.api.merchant.post("/asns", &asn).await?;
        // One unit of the newest shipment is still on its way.
        let arrived = if number == 33 { UNITS - 1 } else { UNITS };
        let receive = |unit: u32| {
            let due_us = at_us + HOUR_US + i64::from(unit) * 4 * HOUR_US;
            Action::Incident(Incident::Received { number, unit }).at(due_us)
        };
        Ok((1..=arrived).map(receive).collect())
    }

    async fn scan(&self, number: u32, plate: &str, sku: Option<&str>) -> anyhow::Result<()> {
        let condition = pick_word(&mut random_for(plate), &["N", "A", "B"]);
        let receipt = json!({
            "asn_number": format!("ASN-{number:03}"), "unit_identifier": plate, "sku": sku,
            "condition": condition, "channel": "RTS", "user_login": "mkowalski",
        });
        self.api.warehouse.post("/receipts", &json!({ "receipts": [receipt] })).await.map(drop)
    }

    async fn place_drop_ship(&self, number: u32, at_us: i64) -> anyhow::Result<Vec<Scheduled>> {
        let sample = domain::samples::drop_ship_order_request();
        let sample = sample.replace("20417", &(3_000 + number).to_string());
        self.api.merchant.post("/drop_ship_orders", &serde_json::from_str(&sample)?).await?;
        let end = Action::Incident(Incident::DropShipEnds { number }).at(at_us + 20 * HOUR_US);
        // The newest stays open.
        Ok(Some(end).filter(|_| number < 14).into_iter().collect())
    }

    /// Some are shipped, some are canceled, some are both.
    async fn end_drop_ship(&self, number: u32) -> anyhow::Result<()> {
        let identifier = format!("DS-{}", 3_000 + number);
        let path = |rest: &str| format!("/drop_ship_orders/{identifier}/{rest}");
        let line = |line: u32, quantity: u32| json!({ "client_identifier": format!("{identifier}-{line}"), "quantity": quantity });
        let (canceled, shipped) = match number % 4 {
            0 => (Some(json!({ "reason": "inventory not found", "outcome": "rejected" })), None),
            1 => {
                let damaged = json!({ "reason": "inventory damaged", "items": [line(1, 1)] });
                (Some(damaged), Some(json!([line(1, 1), line(2, 1)])))
            }
            _ => (None, Some(json!([line(1, 2), line(2, 1)]))),
        };
        if let Some(canceled) = canceled {
            self.api.warehouse.post(&path("cancellations"), &canceled).await?;
        }
        if let Some(items) = shipped {
            let shipment = json!({
                "carrier": "UPS", "shipping_method": "STANDARD",
                "tracking_number": format!("1ZDEMO{number:05}"), "items": items,
            });
            self.api.warehouse.post(&path("shipments"), &shipment).await?;
        }
        Ok(())
    }

    async fn refund_ambiguously(&self, at_us: i64) -> anyhow::Result<()> {
        let returns = self.stage_returns(1, 2, &[1, 1], at_us).await?;
        if let Some(first) = returns.first() {
            let units: Vec<&ReturnedUnit> = first.items.iter().collect();
            let mut refund = build_refund(first, &units, at_us);
            if let Some(fields) = refund.as_object_mut() {
                fields.shift_remove("rma_identifier");
            }
            publish_refund(&self.api.merchant, first.order(), refund, at_us).await?;
        }
        Ok(())
    }

    async fn refund_too_much(&self, at_us: i64) -> anyhow::Result<()> {
        let returns = self.stage_returns(2, 2, &[1, 1], at_us).await?;
        if let Some(first) = returns.first() {
            let units: Vec<&ReturnedUnit> = returns.iter().flat_map(|it| &it.items).collect();
            let refund = build_refund(first, &units, at_us);
            publish_refund(&self.api.merchant, first.order(), refund, at_us).await?;
        }
        Ok(())
    }

    async fn refund_short(&self, at_us: i64) -> anyhow::Result<()> {
        let returns = self.stage_returns(5, 1, &[1], at_us).await?;
        let Some(message) = returns.first() else { return Ok(()) };
        let merchant = &self.api.merchant;
        let amount = load_promise(merchant, &message.rma_identifier).await? - 1;
        let refund = build_full_refund(message, amount, at_us);
        publish_refund(merchant, message.order(), refund, at_us).await
    }

    /// The second refund has an identifier of its own, and names the return but no units.
    async fn refund_twice(&self, at_us: i64) -> anyhow::Result<()> {
        let (merchant, draft) =
            (&self.api.other_merchant, self.draft_order("HP-5200".to_owned(), 1, at_us));
        merchant.publish(from_ref(&draft.json())).await?;
        let started = merchant.post("/returns", &build_return(&draft, 1)).await?;
        let message: ReturnMessage = serde_json::from_value(started)?;
        let amount = load_promise(merchant, &message.rma_identifier).await?;
        let refund = build_full_refund(&message, amount, at_us);
        let mut again = refund.clone();
        if let Some(fields) = again.as_object_mut() {
            let number = message.rma_identifier.trim_start_matches("RMA-");
            fields.insert("identifier".to_owned(), json!(format!("RF-{number}-AGAIN")));
            fields.insert("refund_line_items".to_owned(), json!([]));
        }
        publish_refund(merchant, message.order(), refund, at_us).await?;
        publish_refund(merchant, message.order(), again, at_us + HOUR_US / 60).await
    }

    async fn refund_partly(&self, at_us: i64) -> anyhow::Result<()> {
        let returns = self.stage_returns(3, 2, &[2], at_us).await?;
        let Some(message) = returns.first() else { return Ok(()) };
        let units: Vec<&ReturnedUnit> = message.items.iter().take(1).collect();
        let refund = build_refund(message, &units, at_us);
        publish_refund(&self.api.merchant, message.order(), refund, at_us).await?;
        self.deliver(&message.rma_identifier).await?;
        self.receive_units(units.into_iter(), &message.rma_identifier).await?;
        let close = format!("/returns/{}/receiving/close", message.rma_identifier);
        self.api.warehouse.post(&close, &Value::Null).await.map(drop)
    }

    async fn deliver(&self, rma: &str) -> anyhow::Result<()> {
        for event in [CarrierEventKind::InTransit, CarrierEventKind::Delivered] {
            self.move_parcel(rma, event).await?;
        }
        Ok(())
    }

    /// Publishes an order with one line of `quantity` units, and starts a return for each number
    /// of units.
    async fn stage_returns(
        &self,
        number: u32,
        quantity: i64,
        returns: &[i64],
        at_us: i64,
    ) -> anyhow::Result<Vec<ReturnMessage>> {
        let draft = self.draft_order(format!("{STAGED_PREFIX}{number:03}"), quantity, at_us);
        self.api.merchant.publish(from_ref(&draft.json())).await?;
        let mut all = Vec::new();
        for units in returns {
            let started = self.api.merchant.post("/returns", &build_return(&draft, *units)).await?;
            all.push(serde_json::from_value(started)?);
        }
        Ok(all)
    }

    fn draft_order(&self, identifier: String, quantity: i64, at_us: i64) -> Draft<'static> {
        let mut random = random_for(&identifier);
        let article = random.pick(&self.stock.articles).cloned();
        Draft {
            buyer: US.random_person(&mut random),
            identifier,
            country: &US,
            recipient: None,
            lines: article.map(|article| LineDraft::new(article, quantity)).into_iter().collect(),
            placed_us: at_us - 9 * DAY_US,
            shipped_us: Some(at_us - 8 * DAY_US),
            discount_percent: 0,
            tags: vec!["web"],
        }
    }

    async fn return_to_other_merchant(&self, number: u32, at_us: i64) -> anyhow::Result<()> {
        let draft = self.draft_order(format!("HP-{}", 5_100 + number), 1, at_us);
        self.api.other_merchant.publish(from_ref(&draft.json())).await?;
        self.api.other_merchant.post("/returns", &build_return(&draft, 1)).await.map(drop)
    }
}

/// What a return still pays.
async fn load_promise(merchant: &Caller, rma: &str) -> anyhow::Result<i64> {
    let rma = merchant.get(&format!("/returns/{rma}")).await?;
    let balance = rma.pointer("/statement/balance_cents").and_then(Value::as_i64);
    balance.context("a return has a statement")
}

/// A refund of this amount for all units of a return.
fn build_full_refund(message: &ReturnMessage, amount_cents: i64, at_us: i64) -> Value {
    let units: Vec<&ReturnedUnit> = message.items.iter().collect();
    let mut refund = build_refund(message, &units, at_us);
    if let Some(fields) = refund.as_object_mut() {
        fields.insert("total_refund_amount_cents".to_owned(), json!(amount_cents));
    }
    refund
}

/// The request for a return of units of an order's first line.
fn build_return(draft: &Draft<'_>, units: i64) -> Value {
    json!({
        "email": draft.buyer.email, "return_method": "mail-back",
        "items": [{
            "order_identifier": draft.identifier,
            "order_line_item_identifier": draft.line_identifier(0),
            "quantity": units, "return_reason": "changed_mind", "resolution": "refund",
        }],
    })
}

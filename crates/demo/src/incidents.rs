//! What happens once in a demo: goods announced to the warehouse, drop-ship orders, and the mishaps that operators
//! are there for.

use std::slice::from_ref;

use domain::messages::kind::MessageKind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim::Behavior;

use crate::{
    DAY_US, HOUR_US,
    action::Deed,
    actors::{Hands, Next, refund},
    messages::{Told, ToldUnit},
    orders::{Draft, LineDraft},
    people::US,
    random::{pick_word, random_for},
};

/// How the identifiers of orders begin whose returns nobody carries on with.
pub(crate) const STAGED: &str = "AC-19";

const UNITS: u32 = 4;
const SKUS: [&str; 4] = ["TEE-NAVY-M", "SCARF-GREY", "HARBOUR-SHIRT-MOSS-L", "TRAIL-SHOE-SLATE-42"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scene {
    /// The merchant's server refuses the receipts of goods, and does so no longer.
    OutageBegins,
    OutageEnds,
    /// Goods are announced, and received piece by piece.
    Announced {
        number: u32,
    },
    Received {
        number: u32,
        unit: u32,
    },
    /// A piece arrives that nobody announced.
    Stray {
        number: u32,
    },
    /// A drop-ship order is placed, and ends one way or another.
    DropShip {
        number: u32,
    },
    DropShipEnds {
        number: u32,
    },
    /// A refund that could pay for either of two returns.
    Unmatched,
    /// A refund that pays for more than its return has.
    Conflict,
    /// A return of which one unit is paid for and the other never arrives.
    PartlyRefunded,
    /// A return of which one unit is here and two are awaited.
    PartlyReceived,
    /// A shopper of the merchant whose server is down.
    Neighbours {
        number: u32,
    },
}

/// When everything happens, for a demo that was first started at `born_us`.
pub(crate) fn programme(begun_us: i64, born_us: i64) -> Next {
    let before = |days: i64, hours: i64| born_us - days * DAY_US + hours * HOUR_US;
    let mut all = vec![
        (before(9, 0), Scene::OutageBegins),
        (before(9, 2), Scene::Announced { number: 31 }),
        (before(9, 3), Scene::Announced { number: 32 }),
        (before(5, 0), Scene::OutageEnds),
        (before(2, 0), Scene::Announced { number: 33 }),
        (before(1, 0), Scene::Stray { number: 33 }),
        (before(3, 1), Scene::Unmatched),
        (before(2, 1), Scene::Conflict),
        (before(5, 1), Scene::PartlyRefunded),
        (before(1, 1), Scene::PartlyReceived),
    ];
    for number in 0..14 {
        let at_us = begun_us + i64::from(number) * 12 * DAY_US + DAY_US;
        all.push((at_us, Scene::Announced { number }));
        all.push((at_us + 5 * DAY_US, Scene::DropShip { number }));
    }
    all.push((before(0, -10), Scene::DropShip { number: 14 }));
    all.extend(
        (0..12).map(|number| (before(9, 18 * i64::from(number)), Scene::Neighbours { number })),
    );
    let late = |(at_us, _): &(i64, Scene)| *at_us < born_us;
    all.into_iter().filter(late).map(|(at_us, scene)| (at_us, Deed::Scene(scene))).collect()
}

impl Hands {
    pub(crate) async fn play(&self, scene: Scene, at_us: i64) -> anyhow::Result<Next> {
        match scene {
            Scene::OutageBegins => {
                let refuses =
                    Behavior { kind: Some(MessageKind::InventoryReceipt), ..Behavior::status(500) };
                self.merchant.behave(&[refuses])?;
            }
            Scene::OutageEnds => self.merchant.behave_normally(),
            Scene::Announced { number } => return self.announce(number, at_us).await,
            Scene::Received { number, unit } => {
                let plate = format!("LP-{number:03}-{unit}");
                self.scan(number, &plate, SKUS.get(usize::try_from(unit - 1)?).copied()).await?;
            }
            Scene::Stray { number } => {
                self.scan(number, "LP-STRAY-1", Some("RAIN-JACKET-PINE-S")).await?;
            }
            Scene::DropShip { number } => return self.place_drop_ship(number, at_us).await,
            Scene::DropShipEnds { number } => self.end_drop_ship(number).await?,
            Scene::Unmatched => self.refund_ambiguously(at_us).await?,
            Scene::Conflict => self.refund_too_much(at_us).await?,
            Scene::PartlyRefunded => self.refund_partly(at_us).await?,
            Scene::PartlyReceived => {
                let told = self.staged(4, 3, &[3], at_us).await?;
                let told = told.into_iter().next();
                let Some(told) = told else { return Ok(Vec::new()) };
                self.bring(&told.rma_identifier).await?;
                self.receive_units(told.items.iter().take(1), &told.rma_identifier).await?;
            }
            Scene::Neighbours { number } => self.neighbours(number, at_us).await?,
        }
        Ok(Vec::new())
    }

    async fn announce(&self, number: u32, at_us: i64) -> anyhow::Result<Next> {
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
        // Of the newest, one piece is still on its way.
        let here = if number == 33 { UNITS - 1 } else { UNITS };
        let received = |unit: u32| {
            let due_us = at_us + HOUR_US + i64::from(unit) * 4 * HOUR_US;
            (due_us, Deed::Scene(Scene::Received { number, unit }))
        };
        Ok((1..=here).map(received).collect())
    }

    async fn scan(&self, number: u32, plate: &str, sku: Option<&str>) -> anyhow::Result<()> {
        let condition = pick_word(&mut random_for(plate), &["N", "A", "B"]);
        let receipt = json!({
            "asn_number": format!("ASN-{number:03}"), "unit_identifier": plate, "sku": sku,
            "condition": condition, "channel": "RTS", "user_login": "mkowalski",
        });
        self.api.warehouse.post("/receipts", &json!({ "receipts": [receipt] })).await.map(drop)
    }

    async fn place_drop_ship(&self, number: u32, at_us: i64) -> anyhow::Result<Next> {
        let sample = domain::samples::drop_ship_order_request();
        let sample = sample.replace("20417", &(3_000 + number).to_string());
        self.api.merchant.post("/drop_ship_orders", &serde_json::from_str(&sample)?).await?;
        let end = Deed::Scene(Scene::DropShipEnds { number });
        // The newest is still open.
        Ok(Some((at_us + 20 * HOUR_US, end)).filter(|_| number < 14).into_iter().collect())
    }

    /// Some are shipped, some are cancelled, some are both.
    async fn end_drop_ship(&self, number: u32) -> anyhow::Result<()> {
        let identifier = format!("DS-{}", 3_000 + number);
        let path = |rest: &str| format!("/drop_ship_orders/{identifier}/{rest}");
        let line = |line: u32, quantity: u32| json!({ "client_identifier": format!("{identifier}-{line}"), "quantity": quantity });
        let (cancelled, shipped) = match number % 4 {
            0 => (Some(json!({ "reason": "inventory not found" })), None),
            1 => {
                let damaged = json!({ "reason": "inventory damaged", "items": [line(1, 1)] });
                (Some(damaged), Some(json!([line(1, 1), line(2, 1)])))
            }
            _ => (None, Some(json!([line(1, 2), line(2, 1)]))),
        };
        if let Some(cancelled) = cancelled {
            self.api.warehouse.post(&path("cancellations"), &cancelled).await?;
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
        let told = self.staged(1, 2, &[1, 1], at_us).await?;
        if let Some(first) = told.first() {
            let units: Vec<&ToldUnit> = first.items.iter().collect();
            let mut refund = refund(first, &units, at_us);
            if let Some(fields) = refund.as_object_mut() {
                fields.shift_remove("rma_identifier");
            }
            self.publish_refund(first.order(), refund, at_us).await?;
        }
        Ok(())
    }

    async fn refund_too_much(&self, at_us: i64) -> anyhow::Result<()> {
        let told = self.staged(2, 2, &[1, 1], at_us).await?;
        if let Some(first) = told.first() {
            let units: Vec<&ToldUnit> = told.iter().flat_map(|it| &it.items).collect();
            self.publish_refund(first.order(), refund(first, &units, at_us), at_us).await?;
        }
        Ok(())
    }

    async fn refund_partly(&self, at_us: i64) -> anyhow::Result<()> {
        let told = self.staged(3, 2, &[2], at_us).await?;
        let Some(told) = told.first() else { return Ok(()) };
        let first: Vec<&ToldUnit> = told.items.iter().take(1).collect();
        self.publish_refund(told.order(), refund(told, &first, at_us), at_us).await?;
        self.bring(&told.rma_identifier).await?;
        self.receive_units(first.into_iter(), &told.rma_identifier).await?;
        let close = format!("/returns/{}/receiving/close", told.rma_identifier);
        self.api.warehouse.post(&close, &Value::Null).await.map(drop)
    }

    async fn bring(&self, rma: &str) -> anyhow::Result<()> {
        for event in ["in_transit", "delivered"] {
            self.move_parcel(rma, event).await?;
        }
        Ok(())
    }

    /// An order of so many units with a return of each number of them.
    async fn staged(
        &self,
        number: u32,
        quantity: i64,
        returns: &[i64],
        at_us: i64,
    ) -> anyhow::Result<Vec<Told>> {
        let draft = self.plain_order(format!("{STAGED}{number:03}"), quantity, at_us);
        self.api.merchant.publish(from_ref(&draft.json())).await?;
        let mut all = Vec::new();
        for units in returns {
            let started = self.api.merchant.post("/returns", &wanted(&draft, *units)).await?;
            all.push(serde_json::from_value(started)?);
        }
        Ok(all)
    }

    fn plain_order(&self, identifier: String, quantity: i64, at_us: i64) -> Draft<'static> {
        let mut random = random_for(&identifier);
        let article = random.pick(&self.shelf.articles).cloned();
        Draft {
            buyer: US.somebody(&mut random),
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

    async fn neighbours(&self, number: u32, at_us: i64) -> anyhow::Result<()> {
        let draft = self.plain_order(format!("HP-{}", 5_100 + number), 1, at_us);
        self.api.neighbour.publish(from_ref(&draft.json())).await?;
        self.api.neighbour.post("/returns", &wanted(&draft, 1)).await.map(drop)
    }
}

/// A return of so many units of an order's first line.
fn wanted(draft: &Draft<'_>, units: i64) -> Value {
    json!({
        "email": draft.buyer.email, "return_method": "mail-back",
        "items": [{
            "order_identifier": draft.identifier,
            "order_line_item_identifier": draft.line_identifier(0),
            "quantity": units, "return_reason": "changed_mind", "resolution": "refund",
        }],
    })
}

//! What follows from what the merchant is told: the shopper sends the parcel, the carrier moves it, the merchant
//! pays, the warehouse receives.
//!
//! A return is told of whenever it changes, so what was set going already is remembered.

use std::collections::BTreeSet;

use domain::returns::carrier::CarrierEventKind;
use serde::{Deserialize, Serialize};

use crate::{HOUR_US, action::Deed, messages::Told, random::random_for};

/// What was set going for a return.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known(BTreeSet<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Sending,
    Paying,
    Arriving,
    Opening,
}

impl Known {
    /// Whether this was not set going before; it is now.
    fn begins(&mut self, step: Step) -> bool {
        self.0.insert(step)
    }
}

/// A time within these hours; visitors, who watch, wait for the least of them.
fn hours(told: &Told, what: &str, (least, most): (i64, i64)) -> i64 {
    if told.is_visitors() {
        return least * HOUR_US;
    }
    random_for(&format!("{what} {}", told.order())).between(least * 60, most * 60) * HOUR_US / 60
}

/// Whether a return of the history meets this fate; a visitor's never does.
fn fate(told: &Told, what: &str, percent: u64) -> bool {
    !told.is_visitors() && random_for(&format!("{what} {}", told.order())).percent(percent)
}

/// What is to be done now, each so long after `now_us`.
pub(crate) fn reactions(told: &Told, known: &mut Known, now_us: i64) -> Vec<(i64, Deed)> {
    let mut deeds = Vec::new();
    if told.status == "CANCELED" {
        return deeds;
    }
    let forgotten = fate(told, "forgotten", 6);
    if told.is_at("PRE_TRANSIT") && known.begins(Step::Sending) && !forgotten {
        send(told, now_us, &mut deeds);
    }
    let has_left = ["ACCEPTED", "TRANSIT", "DELIVERED"].into_iter().any(|at| told.is_at(at));
    let keeps = told.return_method == "customer-keep";
    let owes = told.status != "REFUNDED" && told.to_refund().next().is_some();
    if (has_left || keeps) && owes && known.begins(Step::Paying) {
        let due_us = now_us + hours(told, "paying", (2, 30));
        deeds.push((due_us, Deed::Refund { told: told.clone() }));
    }
    if told.is_at("TRANSIT") && known.begins(Step::Arriving) {
        let lost = fate(told, "lost", 2);
        let event = if lost { CarrierEventKind::Failure } else { CarrierEventKind::Delivered };
        deeds.push((now_us + hours(told, "arriving", (20, 90)), moved(told, event)));
    }
    let awaited = |place: &Option<String>| place.as_deref() == Some("PENDING");
    let awaited = told.items.iter().any(|unit| awaited(&unit.receiving_status));
    if told.is_at("DELIVERED") && awaited && known.begins(Step::Opening) {
        let due_us = now_us + hours(told, "opening", (4, 40));
        deeds.push((due_us, Deed::Receive { told: told.clone() }));
    }
    deeds
}

/// The parcel is handed over: at a counter or at the door it is accepted first.
fn send(told: &Told, now_us: i64, deeds: &mut Vec<(i64, Deed)>) {
    let due_us = now_us + hours(told, "sending", (3, 60));
    if told.return_method == "mail-back" {
        deeds.push((due_us, moved(told, CarrierEventKind::InTransit)));
    } else {
        deeds.push((due_us, moved(told, CarrierEventKind::Accepted)));
        deeds.push((due_us + 7 * HOUR_US, moved(told, CarrierEventKind::InTransit)));
    }
}

fn moved(told: &Told, event: CarrierEventKind) -> Deed {
    Deed::Move { rma: told.rma_identifier.clone(), event }
}

/// An exchange order is prepared at once, and shipped the next day.
pub(crate) fn fulfilment(
    body: &serde_json::Value,
    identifier: &str,
    now_us: i64,
) -> Vec<(i64, Deed)> {
    let only_cards = body
        .get("items")
        .and_then(serde_json::Value::as_array)
        .is_none_or(|items| items.iter().all(|item| item.get("product_identifier").is_none()));
    if only_cards {
        return Vec::new();
    }
    let publish = |shipped| Deed::Exchange {
        body: Box::new(body.clone()),
        identifier: identifier.to_owned(),
        placed_us: now_us,
        shipped,
    };
    let leaves_us = random_for(identifier).between(8, 30) * HOUR_US;
    vec![(now_us + HOUR_US / 2, publish(false)), (now_us + leaves_us, publish(true))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sample's return as one of a visitor's, with both units at `place`.
    fn at(place: &str, status: &str) -> Told {
        let mut told: Told = serde_json::from_str(domain::samples::rma_message()).unwrap();
        told.status = status.to_owned();
        for unit in &mut told.items {
            unit.order_identifier = "DEMO-1".to_owned();
            unit.package_tracking_status = Some(place.to_owned());
            unit.receiving_status = Some("PENDING".to_owned());
        }
        told
    }

    #[test]
    fn a_parcel_is_sent_paid_for_brought_and_received_each_once() {
        let mut known = Known::default();
        let mut told = |place, status| {
            let (deeds, again) = (
                reactions(&at(place, status), &mut known, 0),
                reactions(&at(place, status), &mut known, 0),
            );
            assert_eq!(again, [], "nothing is done twice");
            deeds
        };
        let moved = |event| moved(&at("", ""), event);

        let labelled = told("PRE_TRANSIT", "CREATED");
        assert_eq!(labelled, [(3 * HOUR_US, moved(CarrierEventKind::InTransit))]);
        let scanned = told("TRANSIT", "CREATED");
        let pays = Deed::Refund { told: at("TRANSIT", "CREATED") };
        let arrives = moved(CarrierEventKind::Delivered);
        assert_eq!(scanned, [(2 * HOUR_US, pays), (20 * HOUR_US, arrives)]);
        let delivered = told("DELIVERED", "REFUNDED");
        let opened = Deed::Receive { told: at("DELIVERED", "REFUNDED") };
        assert_eq!(delivered, [(4 * HOUR_US, opened)]);
    }

    #[test]
    fn nothing_follows_from_a_return_that_was_cancelled() {
        assert_eq!(reactions(&at("PRE_TRANSIT", "CANCELED"), &mut Known::default(), 0), []);
    }

    #[test]
    fn goods_are_shipped_and_gift_cards_are_not() {
        let goods = serde_json::from_str(domain::samples::exchange_order_message()).unwrap();
        assert_eq!(fulfilment(&goods, "EX-1", 0).len(), 2);
        let card = serde_json::json!({ "items": [{ "sku": "GIFT-CARD" }] });
        assert_eq!(fulfilment(&card, "EX-1", 0), []);
    }
}

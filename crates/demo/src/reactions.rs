//! What follows from a message to the merchant: the shopper sends the parcel, the carrier moves it,
//! the merchant pays, the warehouse receives.
//!
//! There is a message for every change of a return, so [`Progress`] records what is already
//! scheduled.

use std::{collections::BTreeSet, ops::RangeInclusive};

use domain::returns::carrier::CarrierEventKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    HOUR_US,
    action::{Action, Scheduled},
    messages::ReturnMessage,
    random::random_for,
};

/// The steps of a return that are already scheduled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress(BTreeSet<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Sending,
    Paying,
    Arriving,
    Opening,
}

impl Progress {
    /// Records the step. False if it was recorded before.
    fn start(&mut self, step: Step) -> bool {
        self.0.insert(step)
    }
}

/// A duration within these hours. Visitors are watching, so they wait for the shortest.
fn duration_us(message: &ReturnMessage, what: &str, hours: RangeInclusive<i64>) -> i64 {
    let (least, most) = hours.into_inner();
    if message.is_visitors() {
        return least * HOUR_US;
    }
    random_for(&format!("{what} {}", message.order())).between(least * 60, most * 60) * HOUR_US / 60
}

/// Whether this happens to a return. It never happens to a visitor's.
fn happens(message: &ReturnMessage, what: &str, percent: u64) -> bool {
    !message.is_visitors() && random_for(&format!("{what} {}", message.order())).percent(percent)
}

/// Schedules what follows from a message at `now_us`.
pub(crate) fn plan_reactions(
    message: &ReturnMessage,
    progress: &mut Progress,
    now_us: i64,
) -> Vec<Scheduled> {
    let mut next = Vec::new();
    if message.status == "CANCELED" {
        return next;
    }
    let after = |what: &str, hours| now_us + duration_us(message, what, hours);
    let is_forgotten = happens(message, "forgotten", 6);
    if message.has_tracking("PRE_TRANSIT") && progress.start(Step::Sending) && !is_forgotten {
        next.extend(plan_sending(message, after("sending", 3..=60)));
    }
    let has_left = ["ACCEPTED", "TRANSIT", "DELIVERED"];
    let has_left = has_left.into_iter().any(|status| message.has_tracking(status));
    let is_kept = message.return_method == "customer-keep";
    let is_unpaid = message.status != "REFUNDED" && message.units_to_refund().next().is_some();
    if (has_left || is_kept) && is_unpaid && progress.start(Step::Paying) {
        let refund = Action::Refund { message: message.clone() };
        next.push(refund.at(after("paying", 2..=30)));
    }
    if message.has_tracking("TRANSIT") && progress.start(Step::Arriving) {
        let is_lost = happens(message, "lost", 2);
        let event = if is_lost { CarrierEventKind::Failure } else { CarrierEventKind::Delivered };
        next.push(move_parcel(message, event).at(after("arriving", 20..=90)));
    }
    let is_expected = |status: &Option<String>| status.as_deref() == Some("PENDING");
    let is_expected = message.items.iter().any(|unit| is_expected(&unit.receiving_status));
    if message.has_tracking("DELIVERED") && is_expected && progress.start(Step::Opening) {
        let receive = Action::Receive { message: message.clone() };
        next.push(receive.at(after("opening", 4..=40)));
    }
    next
}

/// The shopper sends the parcel. At a counter or at the door it is accepted first.
fn plan_sending(message: &ReturnMessage, due_us: i64) -> Vec<Scheduled> {
    let in_transit = move_parcel(message, CarrierEventKind::InTransit);
    if message.return_method == "mail-back" {
        return vec![in_transit.at(due_us)];
    }
    let accepted = move_parcel(message, CarrierEventKind::Accepted);
    vec![accepted.at(due_us), in_transit.at(due_us + 7 * HOUR_US)]
}

fn move_parcel(message: &ReturnMessage, event: CarrierEventKind) -> Action {
    Action::Move { rma: message.rma_identifier.clone(), event }
}

/// Schedules an exchange order: it is published soon, and shipped the next day.
pub(crate) fn plan_fulfillment(body: &Value, identifier: &str, now_us: i64) -> Vec<Scheduled> {
    let has_only_gift_cards = body
        .get("items")
        .and_then(Value::as_array)
        .is_none_or(|items| items.iter().all(|item| item.get("product_identifier").is_none()));
    if has_only_gift_cards {
        return Vec::new();
    }
    let publish = |shipped| Action::Exchange {
        body: Box::new(body.clone()),
        identifier: identifier.to_owned(),
        placed_us: now_us,
        shipped,
    };
    let shipped_us = now_us + random_for(identifier).between(8, 30) * HOUR_US;
    vec![publish(false).at(now_us + HOUR_US / 2), publish(true).at(shipped_us)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The return of the sample as a visitor's, with this tracking status of both units.
    fn return_message(tracking: &str, status: &str) -> ReturnMessage {
        let mut message: ReturnMessage =
            serde_json::from_str(domain::samples::rma_message()).unwrap();
        message.status = status.to_owned();
        for unit in &mut message.items {
            unit.order_identifier = "DEMO-1".to_owned();
            unit.package_tracking_status = Some(tracking.to_owned());
            unit.receiving_status = Some("PENDING".to_owned());
        }
        message
    }

    #[test]
    fn a_parcel_is_sent_refunded_delivered_and_received_once() {
        let mut progress = Progress::default();
        let mut react = |tracking, status| {
            let message = return_message(tracking, status);
            let next = plan_reactions(&message, &mut progress, 0);
            let again = plan_reactions(&message, &mut progress, 0);
            assert_eq!(again, [], "nothing is done twice");
            next
        };
        let parcel = |event| move_parcel(&return_message("", ""), event);

        let labeled = react("PRE_TRANSIT", "CREATED");
        assert_eq!(labeled, [parcel(CarrierEventKind::InTransit).at(3 * HOUR_US)]);
        let scanned = react("TRANSIT", "CREATED");
        let refund = Action::Refund { message: return_message("TRANSIT", "CREATED") };
        let arrival = parcel(CarrierEventKind::Delivered);
        assert_eq!(scanned, [refund.at(2 * HOUR_US), arrival.at(20 * HOUR_US)]);
        let delivered = react("DELIVERED", "REFUNDED");
        let receive = Action::Receive { message: return_message("DELIVERED", "REFUNDED") };
        assert_eq!(delivered, [receive.at(4 * HOUR_US)]);
    }

    #[test]
    fn nothing_follows_from_a_canceled_return() {
        let message = return_message("PRE_TRANSIT", "CANCELED");
        assert_eq!(plan_reactions(&message, &mut Progress::default(), 0), []);
    }

    #[test]
    fn goods_are_shipped_and_gift_cards_are_not() {
        let goods = serde_json::from_str(domain::samples::exchange_order_message()).unwrap();
        assert_eq!(plan_fulfillment(&goods, "EX-1", 0).len(), 2);
        let card = serde_json::json!({ "items": [{ "sku": "GIFT-CARD" }] });
        assert_eq!(plan_fulfillment(&card, "EX-1", 0), []);
    }
}

//! The life of a drop-ship order: `(order, action) -> (order, the message owed)`.
//!
//! | action            | needs                           | order becomes       | owed         |
//! | ----------------- | ------------------------------- | ------------------- | ------------ |
//! | Ship              | as many open units of each line | (partially_)shipped | confirmation |
//! | Cancel, cancelled | as many open units of each line | the same, or below  | cancellation |
//! | Cancel, rejected  | the same, and none shipped      | the same, rejected  | cancellation |
//!
//! A cancellation is a partial one as long as units are open or were shipped. What has nothing open
//! any more is shipped when units of it were shipped, and otherwise what its last units became. To
//! cancel without naming lines is to cancel all that is open.
//!
//! An action has an identifier: the same one told again changes nothing and owes nothing, and is
//! refused when it is about other units. Nor does it change anything to cancel all that is open
//! once more.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::action::{
    CancellationOutcome, DropShipAction, DropShipCancelRequest, DropShipCancellation,
    DropShipDecision, DropShipItemQuantity, DropShipNotice, DropShipRefusal, DropShipShipRequest,
    DropShipment, DropShipmentItem,
};
use super::{DropShipItem, DropShipOrder, DropShipStatus};

/// An action, and what tells it from others.
#[derive(Clone, Copy, Debug)]
pub struct IdentifiedAction<'a> {
    /// The same for an action that is told again.
    pub identifier: &'a str,
    pub action: &'a DropShipAction,
    /// The first of as many numbers in a row as a shipment has items, and one more, that are
    /// nobody's `id` yet.
    pub first_id: i64,
}

/// Applies an action to `order`.
pub fn apply(
    order: &DropShipOrder,
    told: &IdentifiedAction<'_>,
    now: Timestamp,
) -> Result<DropShipDecision, DropShipRefusal> {
    // A clock that was set back does not take the order back.
    let now = now.max(order.updated_at);
    let mut next = order.clone();
    let owed = if is_repeated(order, told)? {
        None
    } else {
        match told.action {
            DropShipAction::Ship(request) => Some(ship(&mut next, told, request, now)?),
            DropShipAction::Cancel(request) => cancel(&mut next, told, request, now)?,
        }
    };
    if owed.is_some() {
        next.updated_at = now;
        next.messages_sent = order.messages_sent.saturating_add(1);
    }
    Ok(DropShipDecision { order: next, owed })
}

/// Whether the action is known. One with the same identifier about other units is refused.
fn is_repeated(
    order: &DropShipOrder,
    told: &IdentifiedAction<'_>,
) -> Result<bool, DropShipRefusal> {
    let is_same = match told.action {
        DropShipAction::Ship(request) => {
            let mut shipments = order.shipments.iter();
            let known = shipments.find(|known| known.action_identifier == told.identifier);
            let Some(known) = known else { return Ok(false) };
            let known = known.items.iter().map(|item| (&*item.client_identifier, item.quantity));
            known.collect::<BTreeSet<_>>() == quantities(&request.items)
        }
        DropShipAction::Cancel(request) => {
            let mut cancellations = order.cancellations.iter();
            let known = cancellations.find(|known| known.action_identifier == told.identifier);
            let Some(known) = known else { return Ok(false) };
            request.items.is_empty() || quantities(&known.items) == quantities(&request.items)
        }
    };
    let refusal = || DropShipRefusal::IdentifierUsed(told.identifier.to_owned());
    is_same.then_some(true).ok_or_else(refusal)
}

fn quantities(items: &[DropShipItemQuantity]) -> BTreeSet<(&str, i64)> {
    items.iter().map(|item| (&*item.client_identifier, item.quantity)).collect()
}

fn ship(
    order: &mut DropShipOrder,
    told: &IdentifiedAction<'_>,
    request: &DropShipShipRequest,
    now: Timestamp,
) -> Result<DropShipNotice, DropShipRefusal> {
    if order.is_closed() {
        return Err(DropShipRefusal::Closed(order.status));
    }
    if request.items.is_empty() {
        return Err(DropShipRefusal::Nothing);
    }
    settle(order, &request.items, DropShipStatus::Shipped)?;
    let ids = (1..).map(|place| told.first_id.saturating_add(place));
    let items = request.items.iter().zip(ids).map(|(item, id)| DropShipmentItem {
        id,
        client_identifier: item.client_identifier.clone(),
        quantity: item.quantity,
    });
    let shipping_method = request.shipping_method.as_deref();
    let shipping_method = shipping_method.unwrap_or(order.shipping_method.name()).to_owned();
    order.shipments.push(DropShipment {
        id: told.first_id,
        action_identifier: told.identifier.to_owned(),
        carrier: request.carrier.clone(),
        shipping_method,
        tracking_number: request.tracking_number.clone(),
        billed_weight: request.billed_weight,
        shipping_cost_cents: request.shipping_cost_cents,
        items: items.collect(),
        created_at: now,
    });
    Ok(DropShipNotice::Confirmation { shipment_id: told.first_id })
}

fn cancel(
    order: &mut DropShipOrder,
    told: &IdentifiedAction<'_>,
    DropShipCancelRequest { reason, outcome, items }: &DropShipCancelRequest,
    now: Timestamp,
) -> Result<Option<DropShipNotice>, DropShipRefusal> {
    if order.is_closed() {
        let is_rejected = order.status == DropShipStatus::Rejected;
        let is_same = is_rejected == (*outcome == CancellationOutcome::Rejected);
        // The order has a reason when its last open units were cancelled.
        let is_true = items.is_empty() && is_same && order.reject_reason.is_some();
        return if is_true { Ok(None) } else { Err(DropShipRefusal::Closed(order.status)) };
    }
    if *outcome == CancellationOutcome::Rejected && order.has_shipped() {
        return Err(DropShipRefusal::Shipped);
    }
    let items = if items.is_empty() { open_items(order) } else { items.clone() };
    settle(order, &items, outcome.status())?;
    order.cancellations.push(DropShipCancellation {
        action_identifier: told.identifier.to_owned(),
        reason: reason.clone(),
        items,
        created_at: now,
    });
    if order.is_closed() {
        order.reject_reason = Some(reason.clone());
    }
    Ok(Some(if order.is_closed() && !order.has_shipped() {
        DropShipNotice::Cancellation
    } else {
        DropShipNotice::PartialCancellation
    }))
}

/// Everything that is open.
fn open_items(order: &DropShipOrder) -> Vec<DropShipItemQuantity> {
    let open = order.order_items.iter().filter(|item| item.quantity_open() > 0);
    let open = open.map(|item| DropShipItemQuantity {
        client_identifier: item.client_identifier.clone(),
        quantity: item.quantity_open(),
    });
    open.collect()
}

/// Moves open units to what `becomes` of them. Of an order that is refused half way, nothing is
/// kept: the caller works on a copy.
fn settle(
    order: &mut DropShipOrder,
    items: &[DropShipItemQuantity],
    becomes: DropShipStatus,
) -> Result<(), DropShipRefusal> {
    for wanted in items {
        let named = |item: &&mut DropShipItem| item.client_identifier == wanted.client_identifier;
        let Some(item) = order.order_items.iter_mut().find(named) else {
            return Err(DropShipRefusal::UnknownItem(wanted.client_identifier.clone()));
        };
        let quantity_open = item.quantity_open();
        if !(1..=quantity_open).contains(&wanted.quantity) {
            let client_identifier = wanted.client_identifier.clone();
            return Err(DropShipRefusal::NotOpen { client_identifier, quantity_open });
        }
        let settled = match becomes {
            DropShipStatus::Shipped => &mut item.quantity_shipped,
            DropShipStatus::Cancelled
            | DropShipStatus::Rejected
            | DropShipStatus::Accepted
            | DropShipStatus::PartiallyShipped => &mut item.quantity_cancelled,
        };
        *settled = settled.saturating_add(wanted.quantity);
        item.status = status(item.quantity_open() == 0, item.quantity_shipped > 0, becomes);
    }
    order.status = status(order.is_closed(), order.has_shipped(), becomes);
    Ok(())
}

/// What has nothing open any more is shipped when units of it were, and otherwise what its last
/// units became.
const fn status(closed: bool, shipped: bool, becomes: DropShipStatus) -> DropShipStatus {
    match (closed, shipped) {
        (true, true) => DropShipStatus::Shipped,
        (true, false) => becomes,
        (false, true) => DropShipStatus::PartiallyShipped,
        (false, false) => DropShipStatus::Accepted,
    }
}

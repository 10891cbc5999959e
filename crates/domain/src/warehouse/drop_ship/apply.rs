//! The life of a drop-ship order: `(order, action) -> (order, the message owed)`.
//!
//! | action | needs                             | order becomes                | owed         |
//! | ------ | --------------------------------- | ---------------------------- | ------------ |
//! | Ship   | as many open units of each line   | partially_shipped or shipped | confirmation |
//! | Cancel | as many open units of each line   | the same, or cancelled       | cancellation |
//! | Reject | an open unit, and none shipped    | rejected                     | cancellation |
//!
//! A cancellation that leaves units open is a partial one. To cancel without naming lines is to
//! cancel all that is open.
//!
//! An action has an identifier: the same one told again changes nothing and owes nothing. Nor does
//! cancelling or rejecting what is cancelled or rejected as a whole already.

use jiff::Timestamp;

use super::action::{
    DropShipAction, DropShipCancelRequest, DropShipCancellation, DropShipDecision,
    DropShipItemQuantity, DropShipNotice, DropShipRefusal, DropShipShipRequest, DropShipment,
    DropShipmentItem,
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
    let owed = if is_known(order, told.identifier) {
        None
    } else {
        match told.action {
            DropShipAction::Ship(request) => Some(ship(&mut next, told, request, now)?),
            DropShipAction::Cancel(request) => cancel(&mut next, told, request, now)?,
            DropShipAction::Reject { reason } => reject(&mut next, told, reason, now)?,
        }
    };
    if owed.is_some() {
        next.updated_at = now;
        next.messages_sent = order.messages_sent.saturating_add(1);
    }
    Ok(DropShipDecision { order: next, owed })
}

fn is_known(order: &DropShipOrder, identifier: &str) -> bool {
    let shipments = order.shipments.iter().map(|shipment| &shipment.action_identifier);
    let cancellations = order.cancellations.iter().map(|it| &it.action_identifier);
    shipments.chain(cancellations).any(|known| known == identifier)
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
    order.shipments.push(DropShipment {
        id: told.first_id,
        action_identifier: told.identifier.to_owned(),
        carrier: request.carrier.clone(),
        shipping_method: request.shipping_method.unwrap_or(order.shipping_method),
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
    DropShipCancelRequest { reason, items }: &DropShipCancelRequest,
    now: Timestamp,
) -> Result<Option<DropShipNotice>, DropShipRefusal> {
    if order.is_closed() {
        let is_true = order.status == DropShipStatus::Cancelled && items.is_empty();
        return if is_true { Ok(None) } else { Err(DropShipRefusal::Closed(order.status)) };
    }
    let items = if items.is_empty() { open_items(order) } else { items.clone() };
    let cancellation = DropShipCancellation {
        action_identifier: told.identifier.to_owned(),
        reason: reason.clone(),
        items,
        created_at: now,
    };
    give_up(order, DropShipStatus::Cancelled, cancellation).map(Some)
}

fn reject(
    order: &mut DropShipOrder,
    told: &IdentifiedAction<'_>,
    reason: &str,
    now: Timestamp,
) -> Result<Option<DropShipNotice>, DropShipRefusal> {
    if order.status == DropShipStatus::Rejected {
        return Ok(None);
    }
    if order.is_closed() {
        return Err(DropShipRefusal::Closed(order.status));
    }
    if order.has_shipped() {
        return Err(DropShipRefusal::Shipped);
    }
    let cancellation = DropShipCancellation {
        action_identifier: told.identifier.to_owned(),
        reason: reason.to_owned(),
        items: open_items(order),
        created_at: now,
    };
    give_up(order, DropShipStatus::Rejected, cancellation).map(Some)
}

/// Cancels the items of `cancellation`, which get this status.
fn give_up(
    order: &mut DropShipOrder,
    status: DropShipStatus,
    cancellation: DropShipCancellation,
) -> Result<DropShipNotice, DropShipRefusal> {
    settle(order, &cancellation.items, status)?;
    let reason = cancellation.reason.clone();
    order.cancellations.push(cancellation);
    if !order.is_closed() {
        return Ok(DropShipNotice::PartialCancellation);
    }
    order.reject_reason = Some(reason);
    Ok(DropShipNotice::Cancellation)
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

/// What has nothing open any more is what its last units became.
const fn status(closed: bool, shipped: bool, becomes: DropShipStatus) -> DropShipStatus {
    match (closed, shipped) {
        (true, _) => becomes,
        (false, true) => DropShipStatus::PartiallyShipped,
        (false, false) => DropShipStatus::Accepted,
    }
}

//! Which mails a change of a return causes, and what they say.
//!
//! Mails about the return of a gift go to who got the gift and to no one else, and say nothing of
//! who bought it: neither an address nor the number of the order.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::{
    MailKind,
    content::{
        ITEMS_SHOWN_MAX, MailAmount, MailAmountKind, MailContent, MailItem, MailItemState,
        MailPayment,
    },
};
use crate::{
    money::statement::{PaidAmount, PaidKind, Statement},
    orders::erasure::ERASED_EMAIL,
    returns::{
        Resolution, ReturnMethod,
        quote::Quote,
        rma::{LabelState, ReceivingStatus, Rma, RmaEvent, RmaStatus, RmaUnit},
    },
};

/// A label that arrives sooner is the one that the confirmation promised.
const LABEL_EXPECTED: SignedDuration = SignedDuration::from_mins(2);

/// How long before the end of a label the shopper is reminded.
pub const REMINDER_BEFORE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A mail that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailOccasion {
    pub kind: MailKind,
    pub content: MailContent,
}

/// Who gets the mails about a return. No one if the address was erased.
pub fn recipient(rma: &Rma) -> Option<&str> {
    rma.giftee_email.as_deref().or(rma.email.as_deref()).filter(|email| *email != ERASED_EMAIL)
}

/// The mail about a return that has just started.
pub fn of_start(rma: &Rma) -> MailOccasion {
    let quote = Quote::of_return(rma);
    let is_gift = rma.gift_refund_only();
    let refund = if is_gift { MailAmountKind::GiftCard } else { MailAmountKind::Refund };
    let amounts = [
        (refund, quote.refund_cents),
        (MailAmountKind::GiftCard, quote.gift_card_cents),
        (MailAmountKind::Shipping, quote.shipping_refund_cents),
        (MailAmountKind::Fee, -quote.fee_cents()),
        (MailAmountKind::Bonus, quote.bonus_credit_cents),
    ];
    let mut amounts: Vec<MailAmount> = amounts
        .into_iter()
        .filter(|(_, amount_cents)| *amount_cents != 0)
        .map(|(kind, amount_cents)| MailAmount { kind, amount_cents })
        .collect();
    // An even exchange is about no amounts.
    if !amounts.is_empty() || quote.total_cents != 0 {
        amounts.push(MailAmount { kind: MailAmountKind::Total, amount_cents: quote.total_cents });
    }
    let content = MailContent {
        method: Some(rma.return_method),
        amounts,
        amount_cents: Some(quote.total_cents),
        ..describe(rma, planned_state)
    };
    MailOccasion { kind: MailKind::ReturnConfirmed, content }
}

/// The mails that an event causes: usually none or one.
pub fn of_event(before: &Rma, event: &RmaEvent, after: &Rma) -> Vec<MailOccasion> {
    let mut mails = Vec::new();
    let mut add = |kind: MailKind, content: MailContent| mails.push(MailOccasion { kind, content });
    if has_new_label(before, after) {
        add(MailKind::LabelReady, describe_label(after));
    }
    if !is_moving(before) && is_moving(after) {
        let numbers = after.units.iter().find_map(|unit| unit.tracking_number.clone());
        add(
            MailKind::ParcelSeen,
            MailContent { tracking_number: numbers, ..describe(after, none) },
        );
    }
    if !before.receiving_complete && after.receiving_complete {
        add(MailKind::Received, describe(after, received_state));
    }
    for paid in new_payments(before, after) {
        add(MailKind::RefundReported, describe_payment(after, &paid));
    }
    match event {
        RmaEvent::ExchangeFulfilled { exchange_order_identifier: order }
        | RmaEvent::ExchangePartShipped { exchange_order_identifier: order, .. } => {
            let is_shipped = |unit: &RmaUnit| {
                let order_of = unit.exchange.as_ref().filter(|it| it.fulfilled_at.is_some());
                unit.goods.resolution == Resolution::Exchange
                    && order_of.is_some_and(|it| it.exchange_order_identifier == *order)
            };
            let content = describe_some(after, is_shipped, planned_state);
            if !content.items.is_empty() {
                add(MailKind::ExchangeShipped, content);
            }
        }
        RmaEvent::ExchangeFailed { .. }
        | RmaEvent::ExchangePartCanceled { .. }
        | RmaEvent::ExchangeCanceled { .. } => {
            if let Some(content) = describe_failed_exchange(before, after) {
                add(MailKind::ExchangeRefunded, content);
            }
        }
        RmaEvent::Canceled => {
            // Without goods to send, there is no label either.
            let method = Some(after.return_method).filter(|it| *it == ReturnMethod::CustomerKeep);
            add(MailKind::Canceled, MailContent { method, ..describe(after, none) });
        }
        RmaEvent::LabelCreated { .. }
        | RmaEvent::LabelVoided { .. }
        | RmaEvent::LabelRenewed { .. }
        | RmaEvent::Scanned { .. }
        | RmaEvent::Received { .. }
        | RmaEvent::ReceiptCorrected { .. }
        | RmaEvent::WrongItemRejected(_)
        | RmaEvent::ReceivingClosed
        | RmaEvent::Refunded { .. }
        | RmaEvent::RefundedExtra { .. }
        | RmaEvent::DifferenceAccepted { .. }
        | RmaEvent::ExchangePlaced { .. } => (),
    }
    mails
}

/// When the shopper is to be reminded of the label. None if there is nothing to send.
pub fn reminder_due_at(rma: &Rma) -> Option<Timestamp> {
    let sends =
        rma.return_method != ReturnMethod::CustomerKeep && rma.status != RmaStatus::Canceled;
    let waits = sends && !is_moving(rma) && rma.units.iter().all(|unit| unit.receipt.is_none());
    let due = rma.labels_expire_at().checked_sub(REMINDER_BEFORE).ok();
    due.filter(|_| waits)
}

/// The reminder, if the shopper can still use the label.
pub fn of_reminder(rma: &Rma, now: Timestamp) -> Option<MailOccasion> {
    reminder_due_at(rma)?;
    let usable = rma.label_state(now) == LabelState::Usable;
    usable.then(|| MailOccasion { kind: MailKind::Reminder, content: describe_label(rma) })
}

fn describe_label(rma: &Rma) -> MailContent {
    MailContent {
        method: Some(rma.return_method),
        date: Some(rma.labels_expire_at()),
        ..describe(rma, none)
    }
}

/// Whether the first label of a request arrived that the shopper does not know of already.
fn has_new_label(before: &Rma, after: &Rma) -> bool {
    let count = |rma: &Rma| {
        let valid = rma.valid_labels();
        valid.filter(|label| label.generation == after.label_generation).count()
    };
    let is_late = after.updated_at.duration_since(after.created_at) > LABEL_EXPECTED;
    count(before) == 0 && count(after) > 0 && (after.label_generation > 1 || is_late)
}

/// Whether the carrier has some of the goods.
fn is_moving(rma: &Rma) -> bool {
    use crate::returns::rma::TrackingStatus;
    rma.units.iter().any(|unit| unit.tracking.is_some_and(TrackingStatus::is_handed_over))
}

/// What was paid in money or as a gift card since `before`.
fn new_payments(before: &Rma, after: &Rma) -> Vec<PaidAmount> {
    let known = Statement::of(before).paid;
    let is_paid_out = |paid: &PaidAmount| match paid.kind {
        PaidKind::Refund | PaidKind::GiftCard => paid.amount_cents > 0,
        PaidKind::ExchangeOrder => false,
    };
    let is_new = |paid: &PaidAmount| {
        known.iter().all(|it| (it.kind, &it.identifier) != (paid.kind, &paid.identifier))
    };
    let paid = Statement::of(after).paid.into_iter();
    paid.filter(|paid| is_paid_out(paid) && is_new(paid)).collect()
}

/// What the shopper gets because an exchange or a gift card failed, besides what was paid already.
/// Who got a gift gets no money. None if nothing is due for what failed, because it was rejected or
/// never arrived.
fn describe_failed_exchange(before: &Rma, after: &Rma) -> Option<MailContent> {
    let units = before.units.iter().zip(&after.units);
    let failed = units.filter(|(old, new)| old.goods.resolution != new.goods.resolution);
    if !failed.clone().any(|(_, unit)| after.owes_for(unit)) {
        return None;
    }
    let due = Quote::due(after);
    let refund_cents = due.refund_cents + due.shipping_refund_cents
        - due.fee_from_refund_cents
        - refunded_for_units(after);
    if refund_cents <= 0 {
        return None;
    }
    let mut chosen = failed.map(|(old, _)| old.goods.resolution).peekable();
    let had_cards = chosen.peek().is_some() && chosen.all(|it| it == Resolution::GiftCard);
    let is_gift = after.gift_refund_only();
    Some(MailContent {
        amount_cents: Some(refund_cents),
        paid_as: is_gift.then_some(MailPayment::GiftCard),
        instead_of: (had_cards && !is_gift).then_some(MailPayment::GiftCard),
        ..describe(after, none)
    })
}

/// What was refunded for units of a return, with what the merchant need not pay any more.
fn refunded_for_units(rma: &Rma) -> i64 {
    let of_units = rma.units.iter().filter_map(|unit| unit.refund.as_ref());
    let of_units: BTreeSet<&str> = of_units.map(|it| it.refund_identifier.as_str()).collect();
    let refunds = rma.refunds.iter().filter(|it| of_units.contains(it.refund_identifier.as_str()));
    refunds.map(|it| it.amount_cents.saturating_add(it.accepted_cents)).fold(0, i64::saturating_add)
}

fn describe_payment(rma: &Rma, paid: &PaidAmount) -> MailContent {
    let as_card = rma.gift_refund_only() || paid.kind == PaidKind::GiftCard;
    let (paid_as, kind) = if as_card {
        (MailPayment::GiftCard, MailAmountKind::GiftCard)
    } else {
        (MailPayment::OriginalPayment, MailAmountKind::Refund)
    };
    let is_paid = |unit: &RmaUnit| {
        let refund = unit.refund.as_ref().map(|it| &it.refund_identifier);
        let order = unit.exchange.as_ref().map(|it| &it.exchange_order_identifier);
        refund.or(order) == Some(&paid.identifier)
    };
    MailContent {
        paid_as: Some(paid_as),
        amount_cents: Some(paid.amount_cents),
        amounts: vec![MailAmount { kind, amount_cents: paid.amount_cents }],
        ..describe_some(rma, is_paid, none)
    }
}

/// What every mail about a return says, with all of its items.
fn describe(rma: &Rma, state: impl Fn(&RmaUnit) -> Option<MailItemState>) -> MailContent {
    describe_some(rma, |_| true, state)
}

fn describe_some(
    rma: &Rma,
    is_shown: impl Fn(&RmaUnit) -> bool,
    state: impl Fn(&RmaUnit) -> Option<MailItemState>,
) -> MailContent {
    let mut items: Vec<MailItem> = Vec::new();
    let mut more_items = 0;
    for unit in rma.units.iter().filter(|unit| is_shown(unit)) {
        let (title, state) = (&unit.goods.title, state(unit));
        if let Some(same) = items.iter_mut().find(|it| it.title == *title && it.state == state) {
            same.quantity += 1;
        } else if items.len() < ITEMS_SHOWN_MAX {
            items.push(MailItem { title: title.clone(), quantity: 1, state });
        } else {
            more_items += 1;
        }
    }
    let return_number = rma.rma_identifier.to_string();
    let first = rma.units.first().map(|unit| unit.goods.order_identifier.clone());
    let order_number = if rma.gift_refund_only() { Some(return_number.clone()) } else { first };
    MailContent {
        order_number,
        return_number: Some(return_number),
        items,
        more_items,
        currency: Some(rma.currency.clone()),
        ..MailContent::default()
    }
}

const fn none(_: &RmaUnit) -> Option<MailItemState> {
    None
}

/// The variant that replaces a unit: its name, or its SKU if the name is not known.
fn planned_state(unit: &RmaUnit) -> Option<MailItemState> {
    let sku = unit.goods.exchange_sku.as_ref()?;
    let variant = unit.goods.exchange_title.as_ref().unwrap_or(sku).clone();
    (unit.goods.resolution == Resolution::Exchange).then_some(MailItemState::Exchanged(variant))
}

fn received_state(unit: &RmaUnit) -> Option<MailItemState> {
    let reason = unit.receipt.as_ref().and_then(|receipt| receipt.reject_reason.clone());
    if let Some(reason) = reason {
        return Some(MailItemState::Rejected(reason));
    }
    match unit.receiving? {
        ReceivingStatus::Received => Some(MailItemState::Received),
        ReceivingStatus::NotReceived => Some(MailItemState::NotReceived),
        ReceivingStatus::Pending => None,
    }
}

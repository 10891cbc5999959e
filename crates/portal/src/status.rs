//! The page of a return: its progress, and what happens next.
//!
//! Everyone who knows the identifier of the return can open it, so it shows neither the shopper's
//! name nor an address. The label has both, and only the shopper may cancel: both need the pass for
//! the order, and the label needs the proof that it is the shopper's.

#[cfg(test)]
mod tests;

use askama::Template;
use domain::{
    exchanges::record::{ExchangeRecord, ExchangeState},
    merchants::{
        language::Language,
        locale::{format_date, format_last_day, format_money},
    },
    returns::{
        Resolution, ReturnMethod,
        rma::{
            LabelState, ReceivingStatus, Rma, RmaEvent, RmaStatus, RmaUnit, TrackingStatus,
            VoidReason, apply,
        },
    },
};
use jiff::Timestamp;

use crate::{
    proof::ProofCard,
    review::statement::ReturnStatement,
    visit::{PageFrame, PortalVisit},
    words::{Words, words_in},
};

#[derive(Template)]
#[template(path = "portal/status.html", whitespace = "minimize")]
pub(super) struct StatusPage<'a> {
    frame: PageFrame,
    number: String,
    started_on: String,
    address: String,
    /// Why the last action failed.
    problem: Option<&'static str>,
    notice: Option<&'static str>,
    next: &'static str,
    label: Option<LabelLink>,
    /// Asks for the proof that the shopper lacks for the label.
    proof: Option<ProofCard>,
    /// The last day of the label.
    label_until: Option<String>,
    tracking_numbers: Vec<&'a str>,
    steps: Vec<Step>,
    units: Vec<StatusUnit<'a>>,
    statement: ReturnStatement,
    cancel_consequences: &'static str,
    cancellable: bool,
    /// Whether the shopper can get a new label.
    renewable: bool,
    /// How the shopper gets one otherwise.
    renew_advice: Option<&'static str>,
    /// The page of the order, if the shopper may see it.
    order_address: Option<String>,
    /// The page that asks for the order.
    find_address: String,
    /// What the shopper could do after finding the order there.
    find_reason: Option<&'static str>,
}

/// What the state of the return allows.
#[derive(Clone, Copy)]
pub(super) struct PossibleActions {
    pub(super) cancellable: bool,
    pub(super) renewable: bool,
}

impl PossibleActions {
    pub(super) fn of(rma: &Rma, now: Timestamp) -> Self {
        let changes = |event: &RmaEvent| apply(rma, event, now).is_ok_and(|it| it.changed);
        let generation = rma.label_generation;
        let reason = VoidReason::Lost;
        Self {
            cancellable: changes(&RmaEvent::Canceled),
            renewable: changes(&RmaEvent::LabelRenewed { generation, reason }),
        }
    }
}

struct LabelLink {
    address: String,
    title: &'static str,
}

struct Step {
    text: &'static str,
    date: String,
    done: bool,
}

struct StatusUnit<'a> {
    title: &'a str,
    resolution: String,
    value: String,
}

/// Where the goods are, as far as it matters to the shopper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whereabouts {
    Kept,
    /// With the shopper, without a label or code.
    AwaitingLabel,
    /// With the shopper, ready to be sent.
    Ready,
    InTransit,
    Arrived,
    /// Lost by the carrier, or sent back to the shopper.
    Failed,
}

impl<'a> StatusPage<'a> {
    pub(super) fn new(
        visit: &PortalVisit,
        rma: &'a Rma,
        exchanges: &[ExchangeRecord],
        possible: PossibleActions,
        problem: Option<&'static str>,
    ) -> Self {
        let PossibleActions { cancellable, renewable } = possible;
        let (words, language) = (visit.words(), visit.language());
        let address = format!("/returns/{}", rma.rma_identifier);
        let goods = locate_goods(rma);
        let failed = exchanges.iter().any(|it| it.state == ExchangeState::Failed);
        let own_order = visit.shopper.as_ref().is_some_and(|shopper| shopper.may_change(rma));
        let label_state = rma.label_state(visit.web.app.world.now());
        let expired = label_state == LabelState::Expired;
        let label = link_label(rma, label_state, words);
        let has_label = label.is_some() && goods != Whereabouts::AwaitingLabel;
        let reason = reason_to_find(label.is_some(), cancellable, words);
        Self {
            number: (words.status.rma)(rma.rma_identifier.as_str()),
            started_on: (words.status.started_on)(&visit.format_date(rma.created_at)),
            address: visit.address_of(&address),
            problem,
            notice: if failed {
                Some(if rma.gift_refund_only() {
                    words.gifts.exchange_failed
                } else {
                    words.status.exchange_failed
                })
            } else {
                (expired && goods == Whereabouts::Ready).then_some(words.label.expired.text)
            },
            label_until: has_label.then(|| {
                (words.parcels.valid_until)(&format_last_day(language, rma.labels_expire_at()))
            }),
            next: next_step_text(rma, goods, words),
            label: label.filter(|_| own_order),
            proof: None,
            tracking_numbers: list_tracking_numbers(rma),
            steps: list_steps(language, rma, goods),
            units: rma.units.iter().map(|unit| describe_unit(language, rma, unit)).collect(),
            statement: ReturnStatement::new(language, rma),
            cancel_consequences: if rma.gift_refund_only() {
                words.gifts.cancel_consequences
            } else {
                words.status.cancel_consequences
            },
            cancellable: cancellable && own_order,
            renewable: renewable && own_order,
            renew_advice: None,
            find_address: visit.address_of(""),
            find_reason: reason.filter(|_| !own_order),
            order_address: own_order.then(|| visit.address_of("/return")),
            frame: visit.frame(words.status.title, &address),
        }
    }

    /// Whether the page has something that a shopper may have to prove themselves for.
    pub(super) const fn offers_label(&self) -> bool {
        self.label.is_some() || self.renewable
    }

    /// The page with advice instead of the offer of a new label.
    pub(super) fn with_renew_advice(self, advice: &'static str) -> Self {
        let renew_advice = self.renewable.then_some(advice);
        Self { renewable: false, renew_advice, ..self }
    }

    /// The page with the label, and with the offer of a new one, if no proof is needed for them.
    pub(super) fn with_proof(self, proof: Option<ProofCard>) -> Self {
        let Some(card) = proof else { return self };
        let advice = card.advice.filter(|_| self.label.is_some());
        let proof = Some(ProofCard { advice, ..card });
        Self { label: None, renewable: false, proof, ..self }
    }
}

fn locate_goods(rma: &Rma) -> Whereabouts {
    let any = |states: &[TrackingStatus]| {
        rma.units.iter().any(|unit| unit.tracking.is_some_and(|it| states.contains(&it)))
    };
    if rma.return_method == ReturnMethod::CustomerKeep {
        return Whereabouts::Kept;
    }
    if rma.units.iter().any(|unit| unit.receiving == Some(ReceivingStatus::Received))
        || any(&[TrackingStatus::Delivered])
    {
        Whereabouts::Arrived
    } else if any(&[TrackingStatus::Failure, TrackingStatus::Returned]) {
        Whereabouts::Failed
    } else if any(&[TrackingStatus::Accepted, TrackingStatus::Transit]) {
        Whereabouts::InTransit
    } else if rma.units.iter().any(|unit| unit.tracking_number.is_some()) {
        Whereabouts::Ready
    } else {
        Whereabouts::AwaitingLabel
    }
}

/// What a visitor without a pass for the order could do with one.
const fn reason_to_find(has_label: bool, cancellable: bool, words: &Words) -> Option<&'static str> {
    match (has_label, cancellable) {
        (true, true) => Some(words.status.find_order_first),
        (true, false) => Some(words.status.find_order_for_label),
        (false, true) => Some(words.status.find_order_to_cancel),
        (false, false) => None,
    }
}

/// Whether the shopper has everything and no goods are expected. A shopper can be paid while the
/// goods are still on their way.
pub(super) fn is_complete(rma: &Rma) -> bool {
    rma.status == RmaStatus::Refunded && !awaits_goods(rma, locate_goods(rma))
}

/// Whether the warehouse expects the goods.
fn awaits_goods(rma: &Rma, goods: Whereabouts) -> bool {
    let expected = rma.units.iter().any(|unit| unit.receiving == Some(ReceivingStatus::Pending));
    match goods {
        Whereabouts::AwaitingLabel | Whereabouts::Ready | Whereabouts::InTransit => expected,
        Whereabouts::Kept | Whereabouts::Arrived | Whereabouts::Failed => false,
    }
}

fn next_step_text(rma: &Rma, goods: Whereabouts, words: &Words) -> &'static str {
    let refund_text = if rma.gift_refund_only() {
        words.gifts.next_await_card
    } else {
        words.status.next_await_refund
    };
    let words = &words.status;
    match (rma.status, goods) {
        (RmaStatus::Canceled, _) => words.next_canceled,
        (_, Whereabouts::AwaitingLabel) => words.next_await_label,
        (_, Whereabouts::Ready) => match rma.return_method {
            ReturnMethod::MailBack | ReturnMethod::CustomerKeep => words.next_print_label,
            ReturnMethod::ExpressReturns => words.next_show_code,
            ReturnMethod::HomePickup => words.next_await_pickup,
        },
        (RmaStatus::Refunded, _) if !awaits_goods(rma, goods) => words.next_completed,
        (_, Whereabouts::Failed) => words.next_carrier_problem,
        (_, Whereabouts::InTransit) => words.next_in_transit,
        (_, Whereabouts::Kept | Whereabouts::Arrived) => refund_text,
    }
}

/// The link to the label or code, while the shopper needs it.
fn link_label(rma: &Rma, state: LabelState, words: &Words) -> Option<LabelLink> {
    let title = match rma.return_method {
        ReturnMethod::ExpressReturns => words.status.show_code,
        ReturnMethod::MailBack | ReturnMethod::CustomerKeep | ReturnMethod::HomePickup => {
            words.status.show_label
        }
    };
    let open = state == LabelState::Usable && rma.return_method != ReturnMethod::CustomerKeep;
    let address = format!("/labels/{}", rma.label_name());
    open.then_some(LabelLink { address, title })
}

fn list_tracking_numbers(rma: &Rma) -> Vec<&str> {
    let mut numbers: Vec<&str> =
        rma.units.iter().filter_map(|unit| unit.tracking_number.as_deref()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The steps of a return in order, with the known dates.
fn list_steps(language: Language, rma: &Rma, goods: Whereabouts) -> Vec<Step> {
    let words = &words_in(language).status;
    let step = |text: &'static str, done: bool, at: Option<Timestamp>| Step {
        text,
        date: at.filter(|_| done).map(|at| format_date(language, at)).unwrap_or_default(),
        done,
    };
    let mut steps = vec![step(words.started, true, Some(rma.created_at))];
    if rma.status == RmaStatus::Canceled {
        steps.push(step(words.canceled, true, Some(rma.updated_at)));
        return steps;
    }
    if rma.units.iter().any(RmaUnit::is_replaced) {
        let ordered = rma.units.iter().all(|unit| !unit.awaits_order());
        let placed = rma.units.iter().filter_map(|unit| Some(unit.exchange.as_ref()?.placed_at));
        steps.push(step(ordered_text(rma, words_in(language)), ordered, placed.max()));
    }
    let gone = matches!(goods, Whereabouts::InTransit | Whereabouts::Arrived | Whereabouts::Failed);
    match rma.return_method {
        ReturnMethod::CustomerKeep => (),
        ReturnMethod::MailBack => {
            let label_ready = gone || goods == Whereabouts::Ready;
            steps.push(step(words.label_ready, label_ready, None));
            steps.push(step(words.on_its_way, gone, None));
        }
        ReturnMethod::ExpressReturns => steps.push(step(words.dropped_off, gone, None)),
        ReturnMethod::HomePickup => steps.push(step(words.picked_up, gone, None)),
    }
    let awaited = awaits_goods(rma, goods);
    let received = rma.units.iter().filter_map(|unit| Some(unit.receipt.as_ref()?.received_at));
    let received = received.max();
    if awaited || goods == Whereabouts::Arrived {
        steps.push(step(words.arrived, !awaited, received));
    }
    let settled = rma.units.iter().filter_map(settled_at).max();
    let completed = rma.status == RmaStatus::Refunded && !awaited;
    steps.push(step(words.completed, completed, settled.max(received)));
    steps
}

/// The step at which the order of an exchange is placed, or a gift card is issued.
fn ordered_text(rma: &Rma, words: &Words) -> &'static str {
    let any = |resolution| rma.units.iter().any(|unit| unit.goods.resolution == resolution);
    match (any(Resolution::Exchange), any(Resolution::GiftCard)) {
        (true, false) => words.gifts.exchange_ordered,
        (false, true) => words.gifts.card_issued,
        (true, true) | (false, false) => words.status.ordered,
    }
}

fn settled_at(unit: &RmaUnit) -> Option<Timestamp> {
    match (&unit.refund, &unit.exchange) {
        (Some(refund), _) => Some(refund.refunded_at),
        (None, Some(exchange)) => Some(exchange.fulfilled_at.unwrap_or(exchange.placed_at)),
        (None, None) => None,
    }
}

/// A unit, and what the shopper gets or got for it.
fn describe_unit<'a>(language: Language, rma: &Rma, unit: &'a RmaUnit) -> StatusUnit<'a> {
    let words = words_in(language);
    let date = |at| format_date(language, at);
    let resolution = match (&unit.refund, &unit.exchange) {
        (Some(refund), _) if rma.gift_refund_only() => {
            (words.status.gift_card_issued_on)(&date(refund.refunded_at))
        }
        (Some(refund), _) => (words.status.refunded_on)(&date(refund.refunded_at)),
        (None, Some(order)) if unit.goods.resolution == Resolution::GiftCard => {
            (words.status.gift_card_issued_on)(&date(order.placed_at))
        }
        (None, Some(order)) if order.fulfilled_at.is_some() => {
            (words.status.exchange_shipped)(&order.exchange_order_identifier)
        }
        (None, Some(order)) => {
            let placed_on = date(order.placed_at);
            (words.status.exchange_placed)(&order.exchange_order_identifier, &placed_on)
        }
        (None, None) if unit.is_lapsed() => describe_lapsed(unit, words),
        (None, None) => match unit.goods.resolution {
            Resolution::Exchange => words.status.exchange_pending.to_owned(),
            Resolution::GiftCard => words.gifts.pending.to_owned(),
            Resolution::Refund if rma.gift_refund_only() => words.review.as_gift_card.to_owned(),
            Resolution::Refund => words.review.as_refund.to_owned(),
        },
    };
    let value = format_money(language, unit.goods.amounts.refund_cents(), &rma.currency);
    StatusUnit { title: &unit.goods.title, resolution, value }
}

/// Why nothing is due for a unit any more.
fn describe_lapsed(unit: &RmaUnit, words: &Words) -> String {
    let receipt = unit.receipt.as_ref();
    let reason = receipt.and_then(|receipt| receipt.reject_reason.as_deref());
    let not_received = || words.status.not_received.to_owned();
    reason.map_or_else(not_received, |reason| (words.status.rejected_because)(reason))
}

//! What became of a return, and what happens next. The page is for whoever knows the return's identifier, so
//! it names neither the shopper nor an address.

use askama::Template;
use domain::{
    exchanges::record::{ExchangeRecord, ExchangeState},
    returns::{
        Resolution, ReturnMethod,
        rma::{ReceivingStatus, Rma, RmaStatus, RmaUnit, TrackingStatus},
    },
};
use jiff::Timestamp;

use super::visit::{Frame, Visit};
use crate::words::Words;

#[derive(Template)]
#[template(path = "portal/status.html", whitespace = "minimize")]
pub(super) struct StatusPage<'a> {
    frame: Frame,
    number: String,
    started: String,
    address: String,
    /// What could not be done just now.
    problem: Option<&'static str>,
    notice: Option<&'static str>,
    next: &'static str,
    label: Option<(String, &'static str)>,
    tracking_numbers: Vec<&'a str>,
    steps: Vec<Step>,
    units: Vec<StatusUnit<'a>>,
    cancellable: bool,
    order: Option<String>,
}

struct Step {
    words: &'static str,
    date: String,
    done: bool,
}

struct StatusUnit<'a> {
    title: &'a str,
    gets: String,
    worth: String,
}

/// Where the goods are, as far as it matters to the shopper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goods {
    Kept,
    /// With the shopper, and there is no label or code yet.
    Unlabelled,
    /// With the shopper, ready to go.
    Ready,
    Away,
    Arrived,
    /// The carrier lost them, or brought them back.
    Astray,
}

impl<'a> StatusPage<'a> {
    pub(super) fn new(
        visit: &Visit,
        rma: &'a Rma,
        exchanges: &[ExchangeRecord],
        (cancellable, problem): (bool, Option<&'static str>),
    ) -> Self {
        let words = visit.words();
        let here = format!("/returns/{}", rma.rma_identifier);
        let goods = whereabouts(rma);
        let failed = exchanges.iter().any(|it| it.state == ExchangeState::Failed);
        let own_order = visit.shopper.as_ref().is_some_and(|shopper| {
            rma.units.iter().any(|unit| unit.goods.order_identifier == shopper.order_id)
        });
        Self {
            number: (words.status.rma)(rma.rma_identifier.as_str()),
            started: (words.status.started_on)(&visit.date(rma.created_at)),
            address: visit.at(&here),
            problem,
            notice: failed.then_some(words.status.exchange_failed),
            next: next(rma, goods, words),
            label: label(rma, goods, words),
            tracking_numbers: tracking_numbers(rma),
            steps: steps(visit, rma, goods),
            units: rma.units.iter().map(|unit| status_unit(visit, rma, unit)).collect(),
            cancellable,
            order: own_order.then(|| visit.at("/return")),
            frame: visit.frame(words.status.title, &here),
        }
    }
}

fn whereabouts(rma: &Rma) -> Goods {
    let any = |states: &[TrackingStatus]| {
        rma.units.iter().any(|unit| unit.tracking.is_some_and(|it| states.contains(&it)))
    };
    if rma.return_method == ReturnMethod::CustomerKeep {
        return Goods::Kept;
    }
    if rma.units.iter().any(|unit| unit.receiving == Some(ReceivingStatus::Received))
        || any(&[TrackingStatus::Delivered])
    {
        Goods::Arrived
    } else if any(&[TrackingStatus::Failure, TrackingStatus::Returned]) {
        Goods::Astray
    } else if any(&[TrackingStatus::Accepted, TrackingStatus::Transit]) {
        Goods::Away
    } else if rma.units.iter().any(|unit| unit.tracking_number.is_some()) {
        Goods::Ready
    } else {
        Goods::Unlabelled
    }
}

const fn next(rma: &Rma, goods: Goods, words: &Words) -> &'static str {
    let words = &words.status;
    match (rma.status, goods) {
        (RmaStatus::Canceled, _) => words.next_canceled,
        (_, Goods::Unlabelled) => words.next_await_label,
        (_, Goods::Ready) => match rma.return_method {
            ReturnMethod::MailBack | ReturnMethod::CustomerKeep => words.next_print_label,
            ReturnMethod::ExpressReturns => words.next_show_code,
            ReturnMethod::HomePickup => words.next_await_pickup,
        },
        (RmaStatus::Refunded, _) => words.next_completed,
        (_, Goods::Astray) => words.next_carrier_problem,
        (_, Goods::Away) => words.next_in_transit,
        (_, Goods::Kept | Goods::Arrived) => words.next_await_refund,
    }
}

/// Where the label or code is, while it is needed.
fn label(rma: &Rma, goods: Goods, words: &Words) -> Option<(String, &'static str)> {
    let needed = matches!(goods, Goods::Unlabelled | Goods::Ready);
    let title = match rma.return_method {
        ReturnMethod::ExpressReturns => words.status.show_code,
        ReturnMethod::MailBack | ReturnMethod::CustomerKeep | ReturnMethod::HomePickup => {
            words.status.show_label
        }
    };
    let open = needed && rma.status != RmaStatus::Canceled;
    open.then(|| (format!("/labels/{}", rma.rma_identifier), title))
}

fn tracking_numbers(rma: &Rma) -> Vec<&str> {
    let mut numbers: Vec<&str> =
        rma.units.iter().filter_map(|unit| unit.tracking_number.as_deref()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The steps of a return, in their order, with the days that are known.
fn steps(visit: &Visit, rma: &Rma, goods: Goods) -> Vec<Step> {
    let words = &visit.words().status;
    let step = |words: &'static str, done: bool, at: Option<Timestamp>| Step {
        words,
        date: at.filter(|_| done).map(|at| visit.date(at)).unwrap_or_default(),
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
        steps.push(step(words.ordered, ordered, placed.max()));
    }
    let gone = matches!(goods, Goods::Away | Goods::Arrived | Goods::Astray);
    match rma.return_method {
        ReturnMethod::CustomerKeep => (),
        ReturnMethod::MailBack => {
            let labelled = gone || goods == Goods::Ready;
            steps.push(step(words.label_ready, labelled, None));
            steps.push(step(words.on_its_way, gone, None));
        }
        ReturnMethod::ExpressReturns => steps.push(step(words.dropped_off, gone, None)),
        ReturnMethod::HomePickup => steps.push(step(words.picked_up, gone, None)),
    }
    if rma.return_method != ReturnMethod::CustomerKeep
        && (rma.managed_receiving || goods == Goods::Arrived)
    {
        let received = rma.units.iter().filter_map(|unit| Some(unit.receipt.as_ref()?.received_at));
        steps.push(step(words.arrived, goods == Goods::Arrived, received.max()));
    }
    let settled = rma.units.iter().filter_map(settled_at).max();
    steps.push(step(words.completed, rma.status == RmaStatus::Refunded, settled));
    steps
}

fn settled_at(unit: &RmaUnit) -> Option<Timestamp> {
    match (&unit.refund, &unit.exchange) {
        (Some(refund), _) => Some(refund.refunded_at),
        (None, Some(exchange)) => Some(exchange.fulfilled_at.unwrap_or(exchange.placed_at)),
        (None, None) => None,
    }
}

/// A unit, and what the shopper gets or got for it.
fn status_unit<'a>(visit: &Visit, rma: &Rma, unit: &'a RmaUnit) -> StatusUnit<'a> {
    let words = visit.words();
    let gets = match (&unit.refund, &unit.exchange) {
        (Some(refund), _) => (words.status.refunded_on)(&visit.date(refund.refunded_at)),
        (None, Some(order)) if order.fulfilled_at.is_some() => {
            (words.status.exchange_shipped)(&order.exchange_order_identifier)
        }
        (None, Some(order)) => (words.status.exchange_placed)(
            &order.exchange_order_identifier,
            &visit.date(order.placed_at),
        ),
        (None, None) if unit.awaits_order() => words.status.exchange_pending.to_owned(),
        (None, None) if rma.gift_refund_only() => words.review.as_gift_card.to_owned(),
        (None, None) => match unit.goods.resolution {
            Resolution::Refund | Resolution::Exchange => words.review.as_refund.to_owned(),
            Resolution::GiftCard => words.review.as_gift_card.to_owned(),
        },
    };
    let worth = visit.money(unit.goods.amounts.refund_cents(), &rma.currency);
    StatusUnit { title: &unit.goods.title, gets, worth }
}

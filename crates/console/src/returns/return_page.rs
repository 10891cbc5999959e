//! The page of one return.

#[cfg(test)]
mod tests;

use app::returns::return_story::{Availability, ReturnStory, journal_steps, timeline};
use askama::Template;
use domain::{
    exchanges::record::ExchangeRecord,
    orders::erasure::is_marked_as_erased,
    returns::{
        Resolution,
        rma::{Label, ReceivingStatus, Rma, RmaEvent, RmaUnit, TrackingStatus, VoidReason, apply},
    },
};

use super::{
    orders::{ReturnedOrder, returned_orders},
    shown_state::{ShownState, StateLinks},
    statement::StatementView,
};
use crate::{
    access::visitor::Visitor,
    core::{
        badge::{Badge, exchange_badge, return_badge},
        format::{TimeElement, format_money, to_sentence},
        frame::{Frame, Section},
        urls::{
            merchant_url, order_url, policy_url, return_retry_url, return_state_url, return_url,
        },
    },
    messages::lines::{AttemptLine, MessageLine},
};

#[derive(Template)]
#[template(path = "returns/return.html", whitespace = "minimize")]
pub(super) struct ReturnPage<'a> {
    frame: Frame<'a>,
    rma: &'a Rma,
    merchant: &'a str,
    merchant_url: String,
    status: Badge,
    created: TimeElement,
    updated: TimeElement,
    method: &'static str,
    orders: Vec<ReturnedOrder>,
    /// What the return shipment costs, which is no part of the statement.
    return_shipping: Option<String>,
    state_links: StateLinks,
    statement: StatementView,
    policy_url: String,
    items: Vec<ReturnedItem<'a>>,
    exchanges: Vec<ReturnExchange<'a>>,
    /// How many events of a long journal are not in the timeline.
    omitted_events: usize,
    steps: Vec<TimelineStep<'a>>,
    url: String,
    can_cancel: bool,
    /// Why it cannot be canceled.
    cancel_refusal: Option<String>,
    can_close: bool,
    labels: Vec<ReturnLabel<'a>>,
    label_action: LabelAction,
    reason_fault: Option<&'a str>,
}

/// What an operator can do about the label of a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelAction {
    Nothing,
    /// Request a label that never came again.
    RequestAgain,
    /// Request a new one instead of one that was issued.
    Renew,
}

/// A label of the carrier.
struct ReturnLabel<'a> {
    label: &'a Label,
    issued: TimeElement,
    cost: String,
    expires: Option<TimeElement>,
    state: &'static str,
}

impl<'a> ReturnLabel<'a> {
    fn of(label: &'a Label) -> Self {
        let cost = label.details.cost.as_ref();
        Self {
            label,
            issued: TimeElement(label.issued_at),
            cost: cost.map(|it| format_money(it.amount_cents, &it.currency)).unwrap_or_default(),
            expires: label.details.expires_at.map(TimeElement),
            state: match &label.void {
                None => "valid",
                Some(void) => match void.reason {
                    VoidReason::Lost => "void: lost",
                    VoidReason::Expired => "void: expired",
                    VoidReason::WrongSize => "void: wrong size",
                    VoidReason::Damaged => "void: not readable",
                    VoidReason::Carrier => "void: canceled by the carrier",
                    VoidReason::NotIssued => "void",
                },
            },
        }
    }
}

struct ReturnedItem<'a> {
    unit: &'a RmaUnit,
    order_url: String,
    code: &'a str,
    resolution: String,
    value: String,
    tracking: Option<Badge>,
    receiving: Option<Badge>,
    condition: &'static str,
    settlement: Badge,
    /// The refund or the exchange order that settled it.
    settled_by: String,
}

struct ReturnExchange<'a> {
    record: &'a ExchangeRecord,
    /// The exchange order, once the merchant has placed it.
    order: Option<ReturnedOrder>,
    state: Badge,
    credit: String,
    total: String,
}

struct TimelineStep<'a> {
    at: TimeElement,
    sentences: &'a [String],
    actor: Option<&'a str>,
    /// The state after it, if the return changed.
    state: Option<StepState>,
    message: Option<StepMessage>,
}

/// The state of the return after a step.
struct StepState {
    number: i64,
    url: String,
    /// Whether the page shows this state.
    is_shown: bool,
}

impl TimelineStep<'_> {
    fn is_shown(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.is_shown)
    }
}

/// The message that notified the merchant of a step.
struct StepMessage {
    line: MessageLine,
    retry_url: String,
    attempts: Vec<AttemptLine>,
}

/// The page with the return as it is shown. Past states have no actions.
pub(super) fn return_page<'a>(
    visitor: &'a Visitor,
    story: &'a ReturnStory,
    shown: ShownState<'a>,
    reason_fault: Option<&'a str>,
) -> ReturnPage<'a> {
    let ReturnStory { merchant, exchanges, steps, cancel, close_receiving, .. } = story;
    let ShownState { rma, links } = shown;
    let (merchant, is_newest) = (merchant.as_str(), links.past.is_none());
    let exchanges = exchanges.iter().filter(|_| is_newest);
    let cost = rma.return_shipping_cost_cents;
    ReturnPage {
        frame: Frame::new(visitor, Section::Returns, format!("Return {}", rma.rma_identifier)),
        merchant_url: merchant_url(merchant),
        status: return_badge(rma.status),
        created: TimeElement(rma.created_at),
        updated: TimeElement(rma.updated_at),
        method: rma.return_method.name(),
        orders: returned_orders(merchant, rma),
        return_shipping: (cost != 0).then(|| format_money(cost, &rma.currency)),
        statement: StatementView::of(rma),
        policy_url: policy_url(merchant, rma.policy_version),
        items: rma.units.iter().map(|unit| returned_item(merchant, rma, unit)).collect(),
        exchanges: exchanges.map(|it| return_exchange(merchant, it)).collect(),
        omitted_events: story.marks.len().saturating_sub(journal_steps::STEPS_MAX),
        steps: steps.iter().map(|step| timeline_step(rma, step, links.number)).collect(),
        url: return_url(rma.rma_identifier.as_str()),
        can_cancel: is_newest && *cancel == Availability::Yes,
        cancel_refusal: match cancel {
            Availability::No(why) if is_newest => Some(to_sentence(why)),
            Availability::Yes | Availability::Done | Availability::No(_) => None,
        },
        can_close: visitor.is_operator() && is_newest && *close_receiving == Availability::Yes,
        labels: rma.labels.iter().map(ReturnLabel::of).collect(),
        label_action: if is_newest { find_label_action(rma) } else { LabelAction::Nothing },
        state_links: links,
        reason_fault,
        rma,
        merchant,
    }
}

fn find_label_action(rma: &Rma) -> LabelAction {
    if is_marked_as_erased(rma) {
        // A label would have no sender.
        LabelAction::Nothing
    } else if can_renew(rma, VoidReason::Lost) {
        LabelAction::Renew
    } else if can_renew(rma, VoidReason::NotIssued) {
        LabelAction::RequestAgain
    } else {
        LabelAction::Nothing
    }
}

fn can_renew(rma: &Rma, reason: VoidReason) -> bool {
    let event = RmaEvent::LabelRenewed { generation: rma.label_generation, reason };
    apply(rma, &event, rma.updated_at).is_ok_and(|decision| decision.changed)
}

fn returned_item<'a>(merchant: &str, rma: &Rma, unit: &'a RmaUnit) -> ReturnedItem<'a> {
    let goods = &unit.goods;
    let resolution = match (goods.resolution, goods.exchange_sku.as_deref()) {
        (Resolution::Refund, _) => "Refund".to_owned(),
        (Resolution::Exchange, Some(sku)) => format!("Exchange for {sku}"),
        (Resolution::Exchange, None) => "Exchange".to_owned(),
        (Resolution::GiftCard, _) => "Gift card".to_owned(),
    };
    let refund = unit.refund.as_ref().map(|it| it.refund_identifier.clone());
    let order = unit.exchange.as_ref().map(|it| it.exchange_order_identifier.clone());
    ReturnedItem {
        unit,
        order_url: order_url(merchant, &goods.order_identifier),
        code: unit.code(),
        resolution,
        value: format_money(goods.amounts.refund_cents(), &rma.currency),
        tracking: unit.tracking.map(tracking_badge),
        receiving: unit.receiving.map(receiving_badge),
        condition: unit.receipt.as_ref().map(|it| it.condition.name()).unwrap_or_default(),
        settlement: if unit.is_settled() { Badge::good("Settled") } else { Badge::cool("Open") },
        settled_by: refund.or(order).unwrap_or_default(),
    }
}

const fn tracking_badge(tracking: TrackingStatus) -> Badge {
    match tracking {
        TrackingStatus::PreTransit => Badge::plain("Label created"),
        TrackingStatus::NotDroppedOff => Badge::warn("Not dropped off"),
        TrackingStatus::Accepted => Badge::cool("Accepted by carrier"),
        TrackingStatus::Transit => Badge::cool("In transit"),
        TrackingStatus::Failure => Badge::bad("Delivery failed"),
        TrackingStatus::Delivered => Badge::good("Delivered"),
        TrackingStatus::Returned => Badge::warn("Returned to shopper"),
    }
}

const fn receiving_badge(receiving: ReceivingStatus) -> Badge {
    match receiving {
        ReceivingStatus::Pending => Badge::plain("Expected"),
        ReceivingStatus::Received => Badge::good("Received"),
        ReceivingStatus::NotReceived => Badge::bad("Not received"),
    }
}

fn return_exchange<'a>(merchant: &str, record: &'a ExchangeRecord) -> ReturnExchange<'a> {
    let order = record.exchange_order_identifier.as_ref();
    let total = record.total_amount_cents.map(|cents| format_money(cents, &record.currency));
    ReturnExchange {
        order: order
            .map(|it| ReturnedOrder { url: order_url(merchant, it), identifier: it.clone() }),
        state: exchange_badge(record.state),
        credit: format_money(record.credit_cents, &record.currency),
        total: total.unwrap_or_default(),
        record,
    }
}

fn timeline_step<'a>(
    rma: &Rma,
    step: &'a timeline::TimelineStep,
    shown_number: i64,
) -> TimelineStep<'a> {
    let identifier = rma.rma_identifier.as_str();
    let message = step.message.as_ref().map(|sent| StepMessage {
        line: MessageLine::new(&sent.message),
        retry_url: return_retry_url(identifier, &sent.message.id),
        attempts: sent.attempts.iter().map(AttemptLine::new).collect(),
    });
    let state = step.number.map(|number| StepState {
        number,
        url: return_state_url(identifier, number),
        is_shown: number == shown_number,
    });
    TimelineStep {
        at: TimeElement(step.at),
        sentences: &step.events,
        actor: step.actor.as_deref(),
        state,
        message,
    }
}

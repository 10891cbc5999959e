//! Everything about one return, as a page shows it.

#[cfg(test)]
mod tests;

use app::returns::return_story::{Availability, ReturnStory, timeline::TimelineStep};
use askama::Template;
use domain::{
    exchanges::record::ExchangeRecord,
    returns::{
        Resolution,
        rma::{ReceivingStatus, Rma, RmaUnit, TrackingStatus},
    },
};

use super::list::order_links;
use crate::{
    access::visit::Visitor,
    core::{
        frame::{Frame, Section},
        lists::{AttemptLine, Badge, MessageLine, Moment, return_badge},
        problem::sentence,
        words::{money, path},
    },
    orders::{exchange_badge, policy_address},
};

#[derive(Template)]
#[template(path = "returns/return.html", whitespace = "minimize")]
pub(crate) struct ReturnPage<'a> {
    frame: Frame<'a>,
    rma: &'a Rma,
    merchant: &'a str,
    merchant_address: String,
    status: Badge,
    created: Moment,
    updated: Moment,
    method: &'static str,
    orders: Vec<(String, String)>,
    sums: Vec<(&'static str, String)>,
    policy_address: String,
    units: Vec<UnitShown<'a>>,
    exchanges: Vec<ExchangeShown<'a>>,
    steps: Vec<StepShown<'a>>,
    address: String,
    can_cancel: bool,
    /// Why it cannot be canceled, if it cannot.
    no_cancel: Option<String>,
    can_close: bool,
    /// What is wrong with the reason for canceling it.
    fault: Option<&'a str>,
}

struct UnitShown<'a> {
    unit: &'a RmaUnit,
    order_address: String,
    code: &'a str,
    resolution: String,
    worth: String,
    tracking: Option<Badge>,
    receiving: Option<Badge>,
    condition: &'static str,
    settled: Badge,
    settled_by: String,
}

struct ExchangeShown<'a> {
    record: &'a ExchangeRecord,
    /// Where the exchange order is shown, once the merchant named it.
    order: Option<(String, &'a str)>,
    state: Badge,
    credit: String,
    total: String,
}

struct StepShown<'a> {
    at: Moment,
    words: &'a [String],
    actor: Option<&'a str>,
    /// The message that told of it, where it is sent again, and how its tries went.
    message: Option<(MessageLine, String, Vec<AttemptLine>)>,
}

pub(crate) fn return_page<'a>(
    visitor: &'a Visitor,
    story: &'a ReturnStory,
    fault: Option<&'a str>,
) -> ReturnPage<'a> {
    let ReturnStory { merchant, rma, exchanges, steps, cancel, close_receiving } = story;
    let merchant = merchant.as_str();
    ReturnPage {
        frame: Frame::new(visitor, Section::Returns, format!("Return {}", rma.rma_identifier)),
        merchant_address: path(&["console", "merchants", merchant]),
        status: return_badge(rma.status),
        created: Moment(rma.created_at),
        updated: Moment(rma.updated_at),
        method: rma.return_method.name(),
        orders: order_links(merchant, rma),
        sums: sums(rma),
        policy_address: policy_address(merchant, rma.policy_version),
        units: rma.units.iter().map(|unit| unit_shown(merchant, rma, unit)).collect(),
        exchanges: exchanges.iter().map(|it| exchange_shown(merchant, it)).collect(),
        steps: steps.iter().map(|step| step_shown(rma, step)).collect(),
        address: path(&["console", "returns", rma.rma_identifier.as_str()]),
        can_cancel: *cancel == Availability::Yes,
        no_cancel: match cancel {
            Availability::No(why) => Some(sentence(why)),
            Availability::Yes | Availability::Done => None,
        },
        can_close: *close_receiving == Availability::Yes,
        fault,
        rma,
        merchant,
    }
}

/// What the return comes to.
fn sums(rma: &Rma) -> Vec<(&'static str, String)> {
    let worth = |resolution: Resolution| -> i64 {
        let units = rma.units.iter().filter(|unit| unit.goods.resolution == resolution);
        units.map(|unit| unit.goods.amounts.refund_cents()).sum()
    };
    let sums = [
        ("Money for units", worth(Resolution::Refund)),
        ("Exchanged units", worth(Resolution::Exchange)),
        ("Units for a gift card", worth(Resolution::GiftCard)),
        ("Fee", -rma.fee_cents),
        ("Bonus credit", rma.bonus_credit_amount_cents),
        ("Shipping cost of the return", rma.return_shipping_cost_cents),
    ];
    let shown = sums.into_iter().filter(|(_, cents)| *cents != 0);
    shown.map(|(name, cents)| (name, money(cents, &rma.currency))).collect()
}

fn unit_shown<'a>(merchant: &str, rma: &Rma, unit: &'a RmaUnit) -> UnitShown<'a> {
    let goods = &unit.goods;
    let wanted = goods.exchange_sku.as_deref();
    let resolution = match (goods.resolution, wanted) {
        (Resolution::Refund, _) => "Refund".to_owned(),
        (Resolution::Exchange, Some(sku)) => format!("Exchange for {sku}"),
        (Resolution::Exchange, None) => "Exchange".to_owned(),
        (Resolution::GiftCard, _) => "Gift card".to_owned(),
    };
    let refund = unit.refund.as_ref().map(|it| it.refund_identifier.clone());
    let order = unit.exchange.as_ref().map(|it| it.exchange_order_identifier.clone());
    UnitShown {
        unit,
        order_address: path(&["console", "orders", merchant, &goods.order_identifier]),
        code: unit.code(),
        resolution,
        worth: money(goods.amounts.refund_cents(), &rma.currency),
        tracking: unit.tracking.map(tracking_badge),
        receiving: unit.receiving.map(receiving_badge),
        condition: unit.receipt.as_ref().map(|it| it.condition.name()).unwrap_or_default(),
        settled: if unit.is_settled() {
            Badge { class: "good", words: "Settled" }
        } else {
            Badge { class: "cool", words: "Open" }
        },
        settled_by: refund.or(order).unwrap_or_default(),
    }
}

fn tracking_badge(tracking: TrackingStatus) -> Badge {
    let (class, words) = match tracking {
        TrackingStatus::PreTransit => ("", "Label made"),
        TrackingStatus::NotDroppedOff => ("warn", "Not dropped off"),
        TrackingStatus::Accepted => ("cool", "Handed over"),
        TrackingStatus::Transit => ("cool", "On its way"),
        TrackingStatus::Failure => ("bad", "Carrier failed"),
        TrackingStatus::Delivered => ("good", "Delivered"),
        TrackingStatus::Returned => ("warn", "Back at the shopper"),
    };
    Badge { class, words }
}

fn receiving_badge(receiving: ReceivingStatus) -> Badge {
    let (class, words) = match receiving {
        ReceivingStatus::Pending => ("", "Awaited"),
        ReceivingStatus::Received => ("good", "Received"),
        ReceivingStatus::NotReceived => ("bad", "Not received"),
    };
    Badge { class, words }
}

fn exchange_shown<'a>(merchant: &str, record: &'a ExchangeRecord) -> ExchangeShown<'a> {
    let named = record.exchange_order_identifier.as_deref();
    let total = record.total_amount_cents.map(|cents| money(cents, &record.currency));
    ExchangeShown {
        order: named.map(|it| (path(&["console", "orders", merchant, it]), it)),
        state: exchange_badge(record.state),
        credit: money(record.credit_cents, &record.currency),
        total: total.unwrap_or_default(),
        record,
    }
}

fn step_shown<'a>(rma: &Rma, step: &'a TimelineStep) -> StepShown<'a> {
    let message = step.telling.as_ref().map(|telling| {
        let (message, rma) = (&telling.message, rma.rma_identifier.as_str());
        let retry = path(&["console", "returns", rma, "retry", &message.id]);
        let attempts = telling.attempts.iter().map(AttemptLine::new).collect();
        (MessageLine::new(message), retry, attempts)
    });
    StepShown { at: Moment(step.at), words: &step.words, actor: step.actor.as_deref(), message }
}

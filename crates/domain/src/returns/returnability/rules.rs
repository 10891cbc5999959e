//! The rules, one function each: what it reads, and what it says.
//!
//! Most of them look at the line and its order, so they are asked once for a line and their
//! answers stand for each of its units; [`Goods`] holds those. The others look at the one unit.

use jiff::Timestamp;
use jiff::tz::Offset;

use super::{ReturnRule, RuleAnswer, RuleVerdict};
use crate::orders::order::{Order, OrderLine, OrderStatus};
use crate::returns::UnitAmounts;
use crate::returns::ledger::{LedgerUnit, UnitState};
use crate::returns::policy::{Policy, TagEffect, includes_country};
use crate::returns::quote::goods_accepted;
use crate::time;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// What there is to judge.
pub(super) struct Case<'a> {
    pub(super) order: &'a Order,
    pub(super) line: &'a OrderLine,
    pub(super) policy: &'a Policy,
    pub(super) now: Timestamp,
}

impl Case<'_> {
    pub(super) fn country(&self) -> &str {
        &self.order.shipping_address.country_code
    }
}

/// The answers that all units of a line share.
pub(super) struct Goods {
    status: RuleAnswer,
    shipped: String,
    window: RuleAnswer,
    tags: Vec<RuleAnswer>,
    country: RuleAnswer,
}

impl Goods {
    pub(super) fn of(case: &Case<'_>) -> Self {
        Self {
            status: order_status(case.order),
            shipped: shipped(case.line),
            window: window(case),
            tags: tags(case),
            country: country(case),
        }
    }

    /// A unit that is not shipped has no time to be returned in, and is nobody's yet.
    pub(super) fn answers_unshipped(&self) -> Vec<RuleAnswer> {
        let mut answers = vec![
            self.status.clone(),
            lasting(ReturnRule::Shipped, RuleVerdict::Refuses, self.shipped.clone()),
        ];
        answers.extend_from_slice(&self.tags);
        answers.push(self.country.clone());
        answers
    }

    pub(super) fn answers_shipped(&self, case: &Case<'_>, unit: &LedgerUnit) -> Vec<RuleAnswer> {
        let mut answers = vec![
            self.status.clone(),
            lasting(ReturnRule::Shipped, RuleVerdict::Allows, self.shipped.clone()),
            self.window.clone(),
        ];
        answers.extend_from_slice(&self.tags);
        answers.push(self.country.clone());
        answers.push(method(case, unit.amounts));
        answers.push(already_returned(&unit.state));
        answers.push(already_refunded(case.line, &unit.state));
        answers
    }
}

fn lasting(rule: ReturnRule, verdict: RuleVerdict, fact: String) -> RuleAnswer {
    RuleAnswer { rule, verdict, fact, changes_at: None, ended_at: None }
}

fn allows_if(allowed: bool) -> RuleVerdict {
    if allowed { RuleVerdict::Allows } else { RuleVerdict::Refuses }
}

fn order_status(order: &Order) -> RuleAnswer {
    let (verdict, status) = match order.status {
        OrderStatus::Created => (RuleVerdict::Allows, "Created"),
        OrderStatus::Shipped => (RuleVerdict::Allows, "Shipped"),
        OrderStatus::Cancelled => (RuleVerdict::Refuses, "Cancelled"),
    };
    lasting(ReturnRule::OrderStatus, verdict, format!("the order is {status}"))
}

fn shipped(line: &OrderLine) -> String {
    let shipped = format!("{} of {} units shipped", line.quantity_shipped, line.quantity);
    match line.quantity_canceled {
        0 => shipped,
        canceled => format!("{shipped}, {canceled} canceled"),
    }
}

/// The last day counts as a whole, and so does an end that was given as a date alone, which is
/// read as its midnight: a shopper who reads "until 30 April" comes on 30 April.
fn window(case: &Case<'_>) -> RuleAnswer {
    let (closes_at, fact) = match case.line.return_policy_end_date {
        Some(end) if time::micros(end).rem_euclid(DAY_US) == 0 => {
            (closes_after(end, 0), format!("the line can be returned until {}", date(end)))
        }
        Some(end) => (Some(end), format!("the line can be returned until {end}")),
        None => counted_window(case),
    };
    let open = closes_at.is_none_or(|closes_at| case.now < closes_at);
    let (changes_at, ended_at) = if open { (closes_at, None) } else { (None, closes_at) };
    RuleAnswer { rule: ReturnRule::Window, verdict: allows_if(open), fact, changes_at, ended_at }
}

fn counted_window(case: &Case<'_>) -> (Option<Timestamp>, String) {
    let (begin, start) = match case.line.shipped_date {
        Some(shipped) => ("shipped", shipped),
        None => ("ordered", case.order.created_at),
    };
    let (days, tag) = window_days(case);
    let closes_at = closes_after(start, days);
    let last_day = closes_at.and_then(|at| time::from_micros(time::micros(at) - DAY_US));
    let last_day = last_day.map_or_else(|| "no known day".to_owned(), date);
    let tag = tag.map(|tag| format!(" for the tag {tag}")).unwrap_or_default();
    let fact = format!("{begin} on {}, {days} days{tag} end on {last_day}", date(start));
    (closes_at, fact)
}

/// How many days there are, and the tag that says so.
fn window_days<'a>(case: &'a Case<'_>) -> (u32, Option<&'a str>) {
    let tags = rules(case).filter_map(|(_, tag, effect)| match effect {
        TagEffect::Window { days } => Some((days, Some(tag))),
        TagEffect::FinalSale
        | TagEffect::GiftCard
        | TagEffect::PickUpInStore
        | TagEffect::ThirdParty
        | TagEffect::CustomerService => None,
    });
    tags.min_by_key(|(days, _)| *days).unwrap_or((case.policy.window_days, None))
}

/// The first moment behind the day that is so many days later; nothing beyond the calendar.
fn closes_after(start: Timestamp, days: u32) -> Option<Timestamp> {
    let day = time::micros(start).div_euclid(DAY_US);
    let after = day.checked_add(i64::from(days))?.checked_add(1)?;
    time::from_micros(after.checked_mul(DAY_US)?)
}

fn date(time: Timestamp) -> String {
    Offset::UTC.to_datetime(time).date().to_string()
}

/// The tags that the policy has a rule for, with who has them.
fn rules<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'static str, &'a str, TagEffect)> {
    let line = case.policy.rules_for(&case.line.tags).map(|(tag, effect)| ("line", tag, effect));
    let order = case.policy.rules_for(&case.order.tags).map(|(tag, effect)| ("order", tag, effect));
    line.chain(order)
}

/// One answer for each rule that a tag speaks for, or one that there is none.
fn tags(case: &Case<'_>) -> Vec<RuleAnswer> {
    let mut answers: Vec<RuleAnswer> = Vec::new();
    for (owner, tag, effect) in rules(case) {
        let (rule, verdict) = match effect {
            TagEffect::FinalSale => (ReturnRule::FinalSale, RuleVerdict::Refuses),
            TagEffect::GiftCard => (ReturnRule::GiftCard, RuleVerdict::Refuses),
            TagEffect::PickUpInStore => (ReturnRule::PickUpInStore, RuleVerdict::Refuses),
            TagEffect::ThirdParty => (ReturnRule::ThirdParty, RuleVerdict::Refuses),
            TagEffect::CustomerService => (ReturnRule::CustomerService, RuleVerdict::Asks),
            TagEffect::Window { .. } => continue,
        };
        let fact = format!("the {owner} has the tag {tag}");
        match answers.iter_mut().find(|answer| answer.rule == rule) {
            Some(answer) => answer.fact = format!("{}; {fact}", answer.fact),
            None => answers.push(lasting(rule, verdict, fact)),
        }
    }
    if answers.is_empty() {
        let fact = "no tag of the line or the order stands against it".to_owned();
        answers.push(lasting(ReturnRule::Tags, RuleVerdict::Allows, fact));
    }
    answers
}

fn country(case: &Case<'_>) -> RuleAnswer {
    let allowed = includes_country(&case.policy.countries, case.country());
    let taken = if allowed { "are" } else { "are not" };
    let fact = format!("goods {taken} taken back from the country {}", case.country());
    lasting(ReturnRule::Country, allows_if(allowed), fact)
}

/// Without a way back, nothing can come back.
fn method(case: &Case<'_>, amounts: UnitAmounts) -> RuleAnswer {
    let mut accepted = Vec::new();
    let mut refused = Vec::new();
    for offer in &case.policy.methods {
        match goods_accepted(offer, case.country(), &[(case.line, amounts)]) {
            Ok(()) => accepted.push(offer.method.name()),
            Err(not_offered) => refused.push(not_offered.why),
        }
    }
    let fact = match (accepted.is_empty(), refused.is_empty()) {
        (false, _) => format!("can come back by {}", accepted.join(", ")),
        (true, false) => refused.join("; "),
        (true, true) => "the merchant offers no return method".to_owned(),
    };
    lasting(ReturnRule::Method, allows_if(!accepted.is_empty()), fact)
}

fn already_returned(state: &UnitState) -> RuleAnswer {
    let rma = match state {
        UnitState::Spent(by) => by.rma(),
        UnitState::Open | UnitState::RefundedOutside => None,
    };
    let fact = rma.map_or_else(|| "in no return".to_owned(), |rma| format!("in return {rma}"));
    lasting(ReturnRule::AlreadyReturned, allows_if(rma.is_none()), fact)
}

fn already_refunded(line: &OrderLine, state: &UnitState) -> RuleAnswer {
    let fact = match state {
        UnitState::Open => None,
        UnitState::RefundedOutside => {
            let quantity = line.quantity_refunded.unwrap_or_default();
            Some(format!("the order says that {quantity} units of the line are refunded"))
        }
        UnitState::Spent(by) => by.refund().map(|refund| format!("paid back in refund {refund}")),
    };
    let verdict = allows_if(fact.is_none());
    lasting(ReturnRule::AlreadyRefunded, verdict, fact.unwrap_or_else(|| "not refunded".to_owned()))
}

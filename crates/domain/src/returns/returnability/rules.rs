//! The rules, one function each.
//!
//! Most rules depend only on the line and its order, so they run once for a line and their answers
//! count for each of its units; [`LineAnswers`] has those. The others depend on the unit.

use jiff::Timestamp;
use jiff::tz::Offset;

use super::rule::{ReturnRule, RuleAnswer, RuleVerdict};
use crate::orders::order::{Order, OrderLine, OrderStatus};
use crate::returns::UnitAmounts;
use crate::returns::ledger::{LedgerUnit, UnitState};
use crate::returns::policy::{Policy, TagEffect, includes_country};
use crate::returns::quote::{ValuedLine, check_goods};
use crate::time;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// A line to judge, and what the rules need to know.
pub(super) struct LineCase<'a> {
    pub(super) order: &'a Order,
    pub(super) line: &'a OrderLine,
    pub(super) policy: &'a Policy,
    pub(super) now: Timestamp,
}

impl LineCase<'_> {
    pub(super) fn country(&self) -> &str {
        &self.order.shipping_address.country_code
    }
}

/// The answers that all units of a line share.
pub(super) struct LineAnswers {
    status: RuleAnswer,
    shipped: String,
    window: RuleAnswer,
    tags: Vec<RuleAnswer>,
    country: RuleAnswer,
}

impl LineAnswers {
    pub(super) fn of(case: &LineCase<'_>) -> Self {
        Self {
            status: judge_order_status(case.order),
            shipped: describe_shipped(case.line),
            window: judge_window(case),
            tags: judge_tags(case),
            country: judge_country(case),
        }
    }

    /// For a unit that is not shipped: it has no return window and is in no return.
    pub(super) fn for_unshipped(&self) -> Vec<RuleAnswer> {
        let mut answers = vec![
            self.status.clone(),
            lasting_answer(ReturnRule::Shipped, RuleVerdict::Refuses, self.shipped.clone()),
        ];
        answers.extend_from_slice(&self.tags);
        answers.push(self.country.clone());
        answers
    }

    pub(super) fn for_shipped(&self, case: &LineCase<'_>, unit: &LedgerUnit) -> Vec<RuleAnswer> {
        let mut answers = vec![
            self.status.clone(),
            lasting_answer(ReturnRule::Shipped, RuleVerdict::Allows, self.shipped.clone()),
            self.window.clone(),
        ];
        answers.extend_from_slice(&self.tags);
        answers.push(self.country.clone());
        answers.push(judge_method(case, unit.amounts));
        answers.push(judge_returned(&unit.state));
        answers.push(judge_refunded(case.line, &unit.state));
        answers
    }
}

/// An answer that does not change by itself.
fn lasting_answer(rule: ReturnRule, verdict: RuleVerdict, fact: String) -> RuleAnswer {
    RuleAnswer { rule, verdict, fact, changes_at: None, ended_at: None }
}

fn allows_if(allowed: bool) -> RuleVerdict {
    if allowed { RuleVerdict::Allows } else { RuleVerdict::Refuses }
}

fn judge_order_status(order: &Order) -> RuleAnswer {
    let (verdict, status) = match order.status {
        OrderStatus::Created => (RuleVerdict::Allows, "Created"),
        OrderStatus::Shipped => (RuleVerdict::Allows, "Shipped"),
        OrderStatus::Cancelled => (RuleVerdict::Refuses, "Cancelled"),
    };
    lasting_answer(ReturnRule::OrderStatus, verdict, format!("the order is {status}"))
}

fn describe_shipped(line: &OrderLine) -> String {
    let shipped = format!("{} of {} units shipped", line.quantity_shipped, line.quantity);
    match line.quantity_canceled {
        0 => shipped,
        canceled => format!("{shipped}, {canceled} canceled"),
    }
}

/// The last day counts as a whole day. So does an end that was sent as a date alone, which is read
/// as midnight: a shopper who reads "until April 30" returns the goods on April 30.
fn judge_window(case: &LineCase<'_>) -> RuleAnswer {
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

/// The window that the policy gives, counted from the day of shipping.
fn counted_window(case: &LineCase<'_>) -> (Option<Timestamp>, String) {
    let (begin, start) = match case.line.shipped_date {
        Some(shipped) => ("shipped", shipped),
        None => ("ordered", case.order.created_at),
    };
    let (days, tag) = window_days(case);
    let closes_at = closes_after(start, days);
    let last_day = closes_at.and_then(|at| time::from_micros(time::micros(at) - DAY_US));
    let tag = tag.map(|tag| format!(" for the tag {tag}")).unwrap_or_default();
    let end =
        last_day.map_or_else(|| "never ends".to_owned(), |day| format!("ends on {}", date(day)));
    let fact = format!("{begin} on {}; the {days}-day window{tag} {end}", date(start));
    (closes_at, fact)
}

/// How many days the window has, and the tag that says so.
fn window_days<'a>(case: &'a LineCase<'_>) -> (u32, Option<&'a str>) {
    let tags = tag_rules(case).filter_map(|(_, tag, effect)| match effect {
        TagEffect::Window { days } => Some((days, Some(tag))),
        TagEffect::FinalSale
        | TagEffect::GiftCard
        | TagEffect::PickUpInStore
        | TagEffect::ThirdParty
        | TagEffect::CustomerService => None,
    });
    tags.min_by_key(|(days, _)| *days).unwrap_or((case.policy.window_days, None))
}

/// The first moment after the day that is so many days later; None beyond the calendar.
fn closes_after(start: Timestamp, days: u32) -> Option<Timestamp> {
    let day = time::micros(start).div_euclid(DAY_US);
    let after = day.checked_add(i64::from(days))?.checked_add(1)?;
    time::from_micros(after.checked_mul(DAY_US)?)
}

fn date(time: Timestamp) -> String {
    Offset::UTC.to_datetime(time).date().to_string()
}

/// The tags that the policy has a rule for, and whether the line or the order has them.
fn tag_rules<'a>(
    case: &'a LineCase<'_>,
) -> impl Iterator<Item = (&'static str, &'a str, TagEffect)> {
    let line = case.policy.rules_for(&case.line.tags).map(|(tag, effect)| ("line", tag, effect));
    let order = case.policy.rules_for(&case.order.tags).map(|(tag, effect)| ("order", tag, effect));
    line.chain(order)
}

/// A gift card that was issued for a return is spent like money, so it is not refunded in money.
fn judge_gift_card(case: &LineCase<'_>) -> Option<RuleAnswer> {
    let sku = &case.policy.gift_card.as_ref()?.sku;
    let is_card = case.line.sku.as_ref() == Some(sku);
    let fact = format!("{sku} is the SKU of gift cards");
    is_card.then(|| lasting_answer(ReturnRule::GiftCard, RuleVerdict::Refuses, fact))
}

/// One answer for each rule that a tag refers to, or a single answer if there is none. The SKU of
/// gift cards counts like their tag.
fn judge_tags(case: &LineCase<'_>) -> Vec<RuleAnswer> {
    let mut answers: Vec<RuleAnswer> = judge_gift_card(case).into_iter().collect();
    for (owner, tag, effect) in tag_rules(case) {
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
            None => answers.push(lasting_answer(rule, verdict, fact)),
        }
    }
    if answers.is_empty() {
        let fact = "no tag of the line or the order prevents a return".to_owned();
        answers.push(lasting_answer(ReturnRule::Tags, RuleVerdict::Allows, fact));
    }
    answers
}

fn judge_country(case: &LineCase<'_>) -> RuleAnswer {
    let allowed = includes_country(&case.policy.countries, case.country());
    let accepted = if allowed { "accepted" } else { "not accepted" };
    let fact = format!("returns from the country {} are {accepted}", case.country());
    lasting_answer(ReturnRule::Country, allows_if(allowed), fact)
}

/// A unit that no method accepts cannot be returned.
fn judge_method(case: &LineCase<'_>, amounts: UnitAmounts) -> RuleAnswer {
    let mut accepted = Vec::new();
    let mut refused = Vec::new();
    for offer in &case.policy.methods {
        match check_goods(offer, case.country(), &[ValuedLine { line: case.line, amounts }]) {
            Ok(()) => accepted.push(offer.method.name()),
            Err(not_offered) => refused.push(not_offered.why),
        }
    }
    let fact = match (accepted.is_empty(), refused.is_empty()) {
        (false, _) => format!("can be returned by {}", accepted.join(", ")),
        (true, false) => refused.join("; "),
        (true, true) => "the merchant offers no return method".to_owned(),
    };
    lasting_answer(ReturnRule::Method, allows_if(!accepted.is_empty()), fact)
}

fn judge_returned(state: &UnitState) -> RuleAnswer {
    let rma = match state {
        UnitState::Spent(by) => by.rma(),
        UnitState::Open | UnitState::RefundedOutside => None,
    };
    let fact =
        rma.map_or_else(|| "not in a return".to_owned(), |rma| format!("already in return {rma}"));
    lasting_answer(ReturnRule::AlreadyReturned, allows_if(rma.is_none()), fact)
}

fn judge_refunded(line: &OrderLine, state: &UnitState) -> RuleAnswer {
    let fact = match state {
        UnitState::Open => None,
        UnitState::RefundedOutside => {
            let quantity = line.quantity_refunded.unwrap_or_default();
            Some(format!("the order reports {quantity} units of the line as refunded"))
        }
        UnitState::Spent(by) => by.refund().map(|refund| format!("already refunded in {refund}")),
    };
    let verdict = allows_if(fact.is_none());
    lasting_answer(
        ReturnRule::AlreadyRefunded,
        verdict,
        fact.unwrap_or_else(|| "not refunded".to_owned()),
    )
}

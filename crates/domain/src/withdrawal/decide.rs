//! From a statement of withdrawal to what follows from it.
//!
//! The rules of the merchant's policy do not limit the right of withdrawal: neither its window nor
//! its tags, countries and fees. Only the period and the exceptions of the law do.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::identifier::WithdrawalId;
use super::period::{refund_due_at, unshipped_units, withdrawal_period};
use super::record::{
    StatedItem, WithdrawalOutcome, WithdrawalRecord, WithdrawalStatement, WithdrawnItem,
    WithdrawnResult,
};
use super::terms::WithdrawalException;
use crate::merchants::merchant::MerchantSettings;
use crate::orders::order::{Order, OrderLine};
use crate::returns::ledger::{Ledger, SpentUnit, shipping_cents};
use crate::returns::money::LineTotals;
use crate::returns::policy::{Policy, includes_country};
use crate::returns::request::UNITS_MAX;
use crate::returns::rma::{NewRma, ReturnAmounts, Rma, RmaGoods};
use crate::returns::{ReturnMethod, identifier::RmaId};

/// The `return_reason` of a withdrawal.
pub const WITHDRAWAL_REASON: &str = "withdrawal";

/// What a withdrawal is decided on.
#[derive(Clone, Copy, Debug)]
pub struct WithdrawalContext<'a> {
    pub merchant: &'a str,
    pub order: &'a Order,
    pub ledger: &'a Ledger,
    /// For an exchange order: the order whose units were exchanged.
    pub original_order_identifier: Option<&'a str>,
    pub policy: &'a Policy,
    pub policy_version: i64,
    pub settings: MerchantSettings,
    pub now: Timestamp,
}

/// The identifiers that a withdrawal gets.
#[derive(Clone, Debug)]
pub struct WithdrawalIds {
    pub withdrawal: WithdrawalId,
    pub rma: RmaId,
}

/// A withdrawal to record, and the return that it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedWithdrawal {
    pub record: WithdrawalRecord,
    pub started: Option<Rma>,
    /// The ledger of the order, with what the withdrawal spends.
    pub ledger: Ledger,
}

/// Why a statement cannot be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementFault {
    /// It names nothing of the order.
    NoItems,
    /// It names more units than a return can have.
    TooManyUnits,
}

/// A line of the order, and how many of its units the shopper does not want.
struct StatedLine<'a> {
    stated: &'a StatedItem,
    line: &'a OrderLine,
    totals: LineTotals,
    exception: Option<WithdrawalException>,
}

/// Decides what follows from a statement.
pub fn decide_withdrawal(
    context: &WithdrawalContext<'_>,
    statement: &WithdrawalStatement,
    ids: WithdrawalIds,
) -> Result<DecidedWithdrawal, StatementFault> {
    let lines = find_lines(context, statement)?;
    let period = withdrawal_period(context.order, &context.policy.withdrawal);
    let in_time = period.includes(context.now);
    let mut ledger = context.ledger.clone();
    let (mut items, mut goods) = (Vec::new(), Vec::new());
    for line in &lines {
        let decided = decide_line(context, line, in_time, &mut ledger, &ids.rma);
        goods.extend(decided.spent.iter().map(|unit| goods_of(context, line.line, unit)));
        items.extend(decided.items);
    }
    let outcome = WithdrawalOutcome::of(&items);
    let is_effective =
        matches!(outcome, WithdrawalOutcome::Accepted | WithdrawalOutcome::PartlyAccepted);
    let starts_return = !goods.is_empty();
    let mut shipping_refund_cents = 0;
    if is_effective {
        let rma = starts_return.then_some(&ids.rma);
        (ledger, shipping_refund_cents) = refund_shipping(context, &lines, ledger, rma);
    }
    let started = starts_return.then(|| {
        let amounts = ReturnAmounts { shipping_refund_cents, ..ReturnAmounts::default() };
        Rma::open(new_rma(context, amounts, goods, &ids), context.now)
    });
    let record = WithdrawalRecord {
        withdrawal_identifier: ids.withdrawal,
        merchant: context.merchant.to_owned(),
        received_at: context.now,
        order_identifier: context.order.identifier.clone(),
        name: statement.name.clone(),
        email: statement.email.clone(),
        language: statement.language,
        text: statement.text.clone(),
        whole_order: is_whole_order(context.order, &lines),
        outcome,
        period,
        items,
        rma_identifier: started.as_ref().map(|rma| rma.rma_identifier.clone()),
        shipping_refund_cents,
        refund_due_at: refund_due_at(context.order, context.now).filter(|_| is_effective),
    };
    Ok(DecidedWithdrawal { record, started, ledger })
}

/// How many units of a line a shopper can withdraw from: all that were not canceled.
pub fn withdrawable_units(order: &Order, line: &OrderLine) -> i64 {
    line.quantity_shipped.max(0).saturating_add(unshipped_units(order, line))
}

/// The units of a line that are still to be shipped, without those that the merchant was already
/// asked to cancel.
fn cancelable_units(order: &Order, line: &OrderLine, ledger: &Ledger) -> i64 {
    let requested = ledger.awaiting_cancellation(line);
    unshipped_units(order, line).saturating_sub(requested).max(0)
}

fn find_lines<'a>(
    context: &WithdrawalContext<'a>,
    statement: &'a WithdrawalStatement,
) -> Result<Vec<StatedLine<'a>>, StatementFault> {
    let stated: HashMap<&str, &StatedItem> = statement
        .items
        .iter()
        .filter(|item| item.quantity > 0)
        .map(|item| (item.order_line_item_identifier.as_str(), item))
        .collect();
    let lines = context.order.items.iter().zip(context.ledger.line_totals(context.order));
    let lines = lines.filter_map(|(line, totals)| {
        let stated = stated.get(line.identifier.as_str())?;
        let exception = context.policy.withdrawal.exception_of(context.order, line);
        Some(StatedLine { stated, line, totals, exception })
    });
    let lines: Vec<StatedLine<'_>> = lines.collect();
    let units = |line: &StatedLine<'_>| stated_units(context.order, line);
    let total = lines.iter().map(units).fold(0_i64, i64::saturating_add);
    match total {
        0 => Err(StatementFault::NoItems),
        units if units > UNITS_MAX => Err(StatementFault::TooManyUnits),
        _ => Ok(lines),
    }
}

/// The units that the shopper names, as far as the line has them.
fn stated_units(order: &Order, StatedLine { stated, line, .. }: &StatedLine<'_>) -> i64 {
    stated.quantity.min(withdrawable_units(order, line))
}

/// What becomes of the units of a line.
struct DecidedLine {
    items: Vec<WithdrawnItem>,
    /// The units that come back.
    spent: Vec<SpentUnit>,
}

/// Decides on the units of a line: first on those that can come back, then on those that were not
/// shipped, and last on those that are settled: they were spent before.
fn decide_line(
    context: &WithdrawalContext<'_>,
    stated: &StatedLine<'_>,
    in_time: bool,
    ledger: &mut Ledger,
    rma: &RmaId,
) -> DecidedLine {
    let line = stated.line;
    let units = ledger.line_units(line, &stated.totals);
    let wanted = stated_units(context.order, stated);
    let open = i64::try_from(units.open().count()).unwrap_or(i64::MAX);
    let delivered = wanted.min(open);
    let unshipped = (wanted - delivered).min(cancelable_units(context.order, line, ledger));
    let settled = wanted - delivered - unshipped;
    let (shipped_result, unshipped_result) = results_for(stated, in_time);
    let spent = match shipped_result {
        WithdrawnResult::Return => {
            ledger.spend_units(&units, delivered, rma.as_str()).unwrap_or_default()
        }
        WithdrawnResult::Cancel
        | WithdrawnResult::Late
        | WithdrawnResult::Excepted
        | WithdrawnResult::Settled => Vec::new(),
    };
    if unshipped_result == WithdrawnResult::Cancel && unshipped > 0 {
        ledger.request_cancellation(line, unshipped);
    }
    let results = [
        (delivered, shipped_result),
        (unshipped, unshipped_result),
        (settled, WithdrawnResult::Settled),
    ];
    let results = results.into_iter().filter(|(quantity, _)| *quantity > 0);
    let items = results.map(|(quantity, result)| {
        let exception = stated.exception.filter(|_| result == WithdrawnResult::Excepted);
        WithdrawnItem {
            order_line_item_identifier: line.identifier.clone(),
            title: line.title.clone(),
            quantity,
            result,
            exception,
            legal_basis: exception.map(WithdrawalException::legal_basis),
        }
    });
    DecidedLine { items: items.collect(), spent }
}

/// What becomes of units that were shipped, and of those that were not.
fn results_for(stated: &StatedLine<'_>, in_time: bool) -> (WithdrawnResult, WithdrawnResult) {
    let effective = (
        if in_time { WithdrawnResult::Return } else { WithdrawnResult::Late },
        WithdrawnResult::Cancel,
    );
    match stated.exception {
        // The exception is for goods that were unsealed after delivery.
        Some(WithdrawalException::SealedHygiene) if stated.stated.is_sealed => effective,
        Some(WithdrawalException::SealedHygiene) => (WithdrawnResult::Excepted, effective.1),
        Some(
            WithdrawalException::MadeToOrder
            | WithdrawalException::Perishable
            | WithdrawalException::Digital,
        ) => (WithdrawnResult::Excepted, WithdrawnResult::Excepted),
        None => effective,
    }
}

fn is_whole_order(order: &Order, lines: &[StatedLine<'_>]) -> bool {
    let all: i64 = order.items.iter().map(|line| withdrawable_units(order, line)).sum();
    lines.iter().map(|line| stated_units(order, line)).sum::<i64>() == all
}

/// Refunds shipping if the shopper keeps nothing that could be withdrawn from: for goods that the
/// shopper keeps, it would have been paid anyway. Returns the ledger and the amount.
fn refund_shipping(
    context: &WithdrawalContext<'_>,
    stated: &[StatedLine<'_>],
    ledger: Ledger,
    rma: Option<&RmaId>,
) -> (Ledger, i64) {
    let (order, terms) = (context.order, &context.policy.withdrawal);
    let sealed = stated.iter().filter(|line| line.stated.is_sealed);
    let sealed: HashSet<&str> = sealed.map(|line| line.line.identifier.as_str()).collect();
    let has_right = |line: &OrderLine| match terms.exception_of(order, line) {
        None => true,
        Some(WithdrawalException::SealedHygiene) => sealed.contains(line.identifier.as_str()),
        Some(_) => false,
    };
    let mut lines = ledger.units(order).into_iter().zip(&order.items);
    let keeps_goods = lines.any(|(units, line)| {
        let is_kept = units.open().next().is_some() || cancelable_units(order, line, &ledger) > 0;
        is_kept && has_right(line)
    });
    let cents = shipping_cents(order).min(terms.standard_shipping_cents.unwrap_or(i64::MAX));
    if keeps_goods || cents <= 0 {
        return (ledger, 0);
    }
    match ledger.spend_shipping_of(cents, rma.map(RmaId::as_str)) {
        Ok(spent) => (spent, cents),
        Err(_) => (ledger, 0),
    }
}

/// How the goods come back: by mail if the merchant offers it, or else by the first method that
/// transports them from the shopper's country.
fn choose_method(context: &WithdrawalContext<'_>) -> ReturnMethod {
    let country = &context.order.shipping_address.country_code;
    let offers = context.policy.methods.iter();
    let offered = offers.filter(|offer| includes_country(&offer.countries, country));
    let mut methods: Vec<ReturnMethod> = offered.map(|offer| offer.method).collect();
    methods.retain(|method| *method != ReturnMethod::CustomerKeep);
    let mails_back = methods.contains(&ReturnMethod::MailBack);
    let first = methods.first().copied().filter(|_| !mails_back);
    first.unwrap_or(ReturnMethod::MailBack)
}

fn new_rma(
    context: &WithdrawalContext<'_>,
    amounts: ReturnAmounts,
    goods: Vec<RmaGoods>,
    ids: &WithdrawalIds,
) -> NewRma {
    NewRma {
        rma_identifier: ids.rma.clone(),
        return_method: choose_method(context),
        amounts,
        giftee_email: None,
        email: Some(context.order.customer.email.clone()),
        concept: context.order.concept.clone(),
        currency: context.order.currency.clone(),
        policy_version: context.policy_version,
        managed_receiving: context.settings.managed_receiving,
        refund_tolerance_cents: context.settings.refund_tolerance_cents,
        message_extensions: context.settings.message_extensions,
        withdrawal_identifier: Some(ids.withdrawal.clone()),
        goods,
    }
}

fn goods_of(context: &WithdrawalContext<'_>, line: &OrderLine, unit: &SpentUnit) -> RmaGoods {
    RmaGoods {
        original_order_identifier: context.original_order_identifier.map(str::to_owned),
        return_reason: WITHDRAWAL_REASON.to_owned(),
        ..RmaGoods::of_unit(context.order, line, unit.unit, unit.amounts)
    }
}

//! From what a shopper asks for to a return, or to every reason why not.
//!
//! The quote and the return itself both come from [`start`]: a quote is a return that nobody
//! stores. It reads the orders and their ledgers as they stand, spends the units in the ledgers,
//! and opens the return with what the units are worth now.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Resolution;
use super::identifier::RmaId;
use super::ledger::{Ledger, SpentUnit};
use super::policy::Policy;
use super::quote::{
    ChosenUnit, NotOffered, Quote, fees_and_bonus, method_offered, resolution_offered, shipping_due,
};
use super::request::{Fallback, ReturnItem, ReturnRequest};
use super::returnability::{ReturnRule, returnability};
use super::rma::{NewRma, Rma, RmaGoods};
use crate::orders::order::{Order, OrderLine, Variant};

/// What a return is decided on.
#[derive(Clone, Copy, Debug)]
pub struct StartContext<'a> {
    pub request: &'a ReturnRequest,
    /// The orders that the request names, as far as they are known, by their identifiers.
    pub orders: &'a BTreeMap<String, OrderContext>,
    pub policy: &'a Policy,
    pub policy_version: i64,
    pub managed_receiving: bool,
    pub now: Timestamp,
}

/// What is known of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderContext {
    pub order: Order,
    pub ledger: Ledger,
    /// If it is an exchange order: the order that it was exchanged for.
    pub original_order_identifier: Option<String>,
    /// Whether its units were exchanged before, which happens once.
    pub exchanged: bool,
    /// What the merchant just said of variants, by their `variant_identifier`. Nothing when it could
    /// not be asked: then what stands on the line counts.
    pub variants: BTreeMap<String, Vec<Variant>>,
}

impl OrderContext {
    /// The variants of a line, as far as anybody knows.
    fn variants_of<'a>(&'a self, line: &'a OrderLine) -> &'a [Variant] {
        self.variants.get(&line.variant_identifier).unwrap_or(&line.variants)
    }
}

/// A return that can begin, and what it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedReturn {
    pub rma: Rma,
    pub quote: Quote,
    /// The ledgers of its orders, with its units spent, by the identifiers of the orders.
    pub ledgers: BTreeMap<String, Ledger>,
}

/// Why a return cannot begin: one rule, and where in the request it spoke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Refused)]
pub struct ReturnRefusal {
    /// JSONPath in the request.
    #[schema(example = "$.items[0]")]
    pub field: String,
    /// The rule, by a name that it keeps.
    #[schema(example = "window")]
    pub rule: String,
    /// The reason, as a sentence for people.
    #[schema(example = "shipped on 2026-01-02, 30 days end on 2026-02-01")]
    pub message: String,
}

impl ReturnRefusal {
    fn at(field: String, rule: &str, message: impl Into<String>) -> Self {
        Self { field, rule: rule.to_owned(), message: message.into() }
    }

    fn item(position: usize, rule: &str, message: impl Into<String>) -> Self {
        Self::at(format!("$.items[{position}]"), rule, message)
    }

    fn offer(field: String, not_offered: NotOffered) -> Self {
        Self::at(field, not_offered.rule.name(), not_offered.why)
    }

    /// Whether the units were there, and somebody else was faster.
    pub fn is_taken(&self) -> bool {
        self.rule == ReturnRule::AlreadyReturned.name()
    }
}

/// Units of one line that the request asks for, found and spent.
struct Taken<'a> {
    position: usize,
    item: &'a ReturnItem,
    known: &'a OrderContext,
    line: &'a OrderLine,
    units: Vec<SpentUnit>,
}

impl<'a> Taken<'a> {
    fn chosen(&self) -> impl Iterator<Item = ChosenUnit<'a>> {
        let (line, item) = (self.line, self.item);
        self.units.iter().map(move |unit| ChosenUnit {
            line,
            amounts: unit.amounts,
            reason: &item.return_reason,
            resolution: item.resolution,
        })
    }
}

/// Begins a return, or says everything that keeps it from beginning.
pub fn start(
    basis: &StartContext<'_>,
    rma_identifier: RmaId,
) -> Result<StartedReturn, Vec<ReturnRefusal>> {
    let mut refused = Vec::new();
    let mut ledgers: BTreeMap<String, Ledger> = BTreeMap::new();
    let mut taken = Vec::new();
    let items: Vec<ReturnItem> =
        basis.request.items.iter().map(|item| as_it_can_be(basis, item)).collect();
    for (position, item) in items.iter().enumerate() {
        let found = found(basis, item, position).and_then(|(known, line)| {
            let order = &known.order;
            let ledger = ledgers.get(&order.identifier).unwrap_or(&known.ledger);
            let (ledger, units) = take(basis, item, (order, ledger), &rma_identifier)
                .map_err(|(rule, why)| ReturnRefusal::item(position, &rule, why))?;
            ledgers.insert(order.identifier.clone(), ledger);
            Ok(Taken { position, item, known, line, units })
        });
        match found {
            Ok(found) => taken.push(found),
            Err(refusal) => refused.push(refusal),
        }
    }
    refused.extend(not_together(&taken));
    refused.extend(not_offered(basis, &taken));
    refused.extend(taken.iter().filter_map(not_exchangeable));
    if !refused.is_empty() {
        return Err(refused);
    }
    let shipping = refund_shipping(basis, &taken, &mut ledgers, rma_identifier.as_str());
    let units: Vec<ChosenUnit<'_>> = taken.iter().flat_map(Taken::chosen).collect();
    let quote = fees_and_bonus(basis.policy, basis.request.return_method, &units, shipping);
    let rma = Rma::open(opening(basis, &taken, &quote, rma_identifier), basis.now);
    Ok(StartedReturn { rma, quote, ledgers })
}

/// An item as the shopper wants it now: what was chosen in advance, when the variant is gone.
fn as_it_can_be(basis: &StartContext<'_>, item: &ReturnItem) -> ReturnItem {
    let known = basis.orders.get(&item.order_identifier);
    let line = known.and_then(|it| line_of(&it.order, &item.order_line_item_identifier));
    let gone = known.zip(line).is_some_and(|(known, line)| is_gone(known, line, item));
    match item.fallback {
        Some(fallback) if gone => ReturnItem {
            resolution: match fallback {
                Fallback::Refund => Resolution::Refund,
                Fallback::GiftCard => Resolution::GiftCard,
            },
            exchange_sku: None,
            fallback: None,
            ..item.clone()
        },
        Some(_) | None => item.clone(),
    }
}

/// Whether the variant that is wanted is known to be sold out, or not to be one.
fn is_gone(known: &OrderContext, line: &OrderLine, item: &ReturnItem) -> bool {
    let variants = known.variants_of(line);
    let wanted = variants.iter().find(|it| it.sku.is_some() && it.sku == item.exchange_sku);
    let sold_out = |it: &Variant| it.quantity_in_stock.is_some_and(|stock| stock <= 0);
    item.resolution == Resolution::Exchange && !variants.is_empty() && wanted.is_none_or(sold_out)
}

fn line_of<'a>(order: &'a Order, identifier: &str) -> Option<&'a OrderLine> {
    order.items.iter().find(|line| line.identifier == identifier)
}

/// The order and line of an item, if they are the shopper's.
fn found<'a>(
    basis: &StartContext<'a>,
    item: &ReturnItem,
    position: usize,
) -> Result<(&'a OrderContext, &'a OrderLine), ReturnRefusal> {
    let Some(known) = basis.orders.get(&item.order_identifier) else {
        let why = format!("there is no order {}", item.order_identifier);
        let field = format!("$.items[{position}].order_identifier");
        return Err(ReturnRefusal::at(field, "order_known", why));
    };
    let order = &known.order;
    let is_shoppers = |email: &String| order.customer.email.eq_ignore_ascii_case(email.trim());
    if basis.request.gift.is_none() && !basis.request.email.as_ref().is_some_and(is_shoppers) {
        let why = "the order was placed with another e-mail address";
        return Err(ReturnRefusal::at("$.email".to_owned(), "same_shopper", why));
    }
    if let Some(line) = line_of(order, &item.order_line_item_identifier) {
        return Ok((known, line));
    }
    let (line, order) = (&item.order_line_item_identifier, &item.order_identifier);
    let field = format!("$.items[{position}].order_line_item_identifier");
    Err(ReturnRefusal::at(field, "line_known", format!("the order {order} has no line {line}")))
}

/// Spends the units of an item, if enough of them can be returned; the rule that speaks otherwise.
fn take(
    basis: &StartContext<'_>,
    item: &ReturnItem,
    (order, ledger): (&Order, &Ledger),
    rma: &RmaId,
) -> Result<(Ledger, Vec<SpentUnit>), (String, String)> {
    let lines = returnability(order, ledger, basis.policy, basis.now).lines;
    let line = lines.iter().find(|line| line.line_identifier == item.order_line_item_identifier);
    let units = line.map(|line| line.units.as_slice()).unwrap_or_default();
    let returnable = count(units.iter().filter(|unit| unit.returnable));
    if returnable < item.quantity {
        // Units that an earlier item of this request takes are in nobody's way.
        let spent = ledger.spent(&item.order_line_item_identifier);
        let own = |number: u32| {
            let is_own = |by: &SpentUnit| by.unit == number && by.by.rma() == Some(rma.as_str());
            spent.iter().any(is_own)
        };
        let mut others = units.iter().filter(|unit| !own(unit.unit));
        if let Some(answer) = others.find_map(|unit| unit.objections().next()) {
            return Err((answer.rule.name().to_owned(), answer.fact.clone()));
        }
        let taken = count(units.iter().filter(|unit| own(unit.unit)));
        let (asked, shipped) = (item.quantity + taken, returnable + taken);
        let why = format!("{asked} units were asked for, and {shipped} were shipped");
        return Err((ReturnRule::Shipped.name().to_owned(), why));
    }
    ledger
        .spend(order, &item.order_line_item_identifier, item.quantity, rma.as_str())
        .map_err(|refusal| (ReturnRule::AlreadyReturned.name().to_owned(), refusal.to_string()))
}

fn count<T>(units: impl Iterator<Item = T>) -> i64 {
    i64::try_from(units.count()).unwrap_or(i64::MAX)
}

/// Whether the orders can share a return: one shopper, one currency.
fn not_together(taken: &[Taken<'_>]) -> Vec<ReturnRefusal> {
    let Some(first) = taken.first() else { return Vec::new() };
    let mut refused = Vec::new();
    for (position, other) in taken.iter().enumerate().skip(1) {
        let (first, other) = (&first.known.order, &other.known.order);
        if !first.customer.email.eq_ignore_ascii_case(&other.customer.email) {
            let why = "the orders of one return must be one shopper's";
            refused.push(ReturnRefusal::item(position, "same_shopper", why));
        }
        if first.currency != other.currency {
            let why = "the orders of one return must be in one currency";
            refused.push(ReturnRefusal::item(position, "same_currency", why));
        }
    }
    refused
}

/// What the merchant does not offer for these units.
fn not_offered(basis: &StartContext<'_>, taken: &[Taken<'_>]) -> Vec<ReturnRefusal> {
    let Some(first) = taken.first() else { return Vec::new() };
    let mut refused = Vec::new();
    for found in taken {
        if let Some(unit) = found.chosen().next()
            && let Err(refusal) = resolution_offered(basis.policy, &unit)
        {
            let known = basis.policy.reason(unit.reason).is_some();
            let field = if known { "resolution" } else { "return_reason" };
            let field = format!("$.items[{}].{field}", found.position);
            refused.push(ReturnRefusal::offer(field, refusal));
        }
    }
    let units: Vec<ChosenUnit<'_>> = taken.iter().flat_map(Taken::chosen).collect();
    let country = &first.known.order.shipping_address.country_code;
    if let Err(refusal) = method_offered(basis.policy, basis.request.return_method, country, &units)
    {
        refused.push(ReturnRefusal::offer("$.return_method".to_owned(), refusal));
    }
    refused
}

/// Why the units cannot become a variant or a gift card, although that is on offer.
fn not_exchangeable(taken: &Taken<'_>) -> Option<ReturnRefusal> {
    let Taken { position, item, known, line, .. } = taken;
    if item.resolution == Resolution::Refund {
        return None;
    }
    if known.exchanged {
        let why = "units of this order were exchanged before, which happens once; a refund is \
                   possible";
        let field = format!("$.items[{position}].resolution");
        return Some(ReturnRefusal::at(field, "one_exchange_order", why));
    }
    is_gone(known, line, item).then(|| {
        let sku = item.exchange_sku.as_deref().unwrap_or_default();
        let field = format!("$.items[{position}].exchange_sku");
        ReturnRefusal::at(field, "variant_available", format!("{sku} is not to be had now"))
    })
}

/// Pays shipping back with the return where the policy says so, once for each order.
fn refund_shipping(
    basis: &StartContext<'_>,
    taken: &[Taken<'_>],
    ledgers: &mut BTreeMap<String, Ledger>,
    rma: &str,
) -> i64 {
    let mut total = 0_i64;
    for (order_id, ledger) in ledgers {
        let of_order = taken.iter().filter(|found| found.known.order.identifier == *order_id);
        let units: Vec<ChosenUnit<'_>> = of_order.flat_map(Taken::chosen).collect();
        let Some(OrderContext { order, .. }) = basis.orders.get(order_id) else { continue };
        if shipping_due(basis.policy, order, ledger, &units) > 0
            && let Ok((spent, cents)) = ledger.spend_shipping(order, rma)
        {
            *ledger = spent;
            total = total.saturating_add(cents);
        }
    }
    total
}

fn opening(basis: &StartContext<'_>, taken: &[Taken<'_>], quote: &Quote, rma: RmaId) -> NewRma {
    let request = basis.request;
    let concepts = taken
        .iter()
        .map(|found| found.line.concept.as_ref().or(found.known.order.concept.as_ref()));
    let mut concepts: Vec<Option<&String>> = concepts.collect();
    concepts.dedup();
    NewRma {
        rma_identifier: rma,
        return_method: request.return_method,
        return_shipping_cost_cents: quote.fee_cents(),
        fee_cents: quote.fee_cents(),
        bonus_credit_amount_cents: quote.bonus_credit_cents,
        giftee_email: request.gift.as_ref().map(|gift| gift.giftee_email.clone()),
        email: request.email.clone(),
        concept: match concepts.as_slice() {
            [Some(concept)] => Some((*concept).clone()),
            _ => None,
        },
        currency: taken.first().map(|it| it.known.order.currency.clone()).unwrap_or_default(),
        policy_version: basis.policy_version,
        managed_receiving: basis.managed_receiving,
        goods: taken.iter().flat_map(goods).collect(),
    }
}

fn goods(taken: &Taken<'_>) -> Vec<RmaGoods> {
    let Taken { item, known, line, units, .. } = taken;
    let wanted = item.exchange_sku.as_deref();
    let mut variants = known.variants_of(line).iter();
    let variant = variants.find(|it| it.sku.is_some() && it.sku.as_deref() == wanted);
    let goods = |unit: &SpentUnit| RmaGoods {
        order_identifier: known.order.identifier.clone(),
        original_order_identifier: known.original_order_identifier.clone(),
        order_line_item_identifier: line.identifier.clone(),
        unit_number: i64::from(unit.unit) + 1,
        sku: line.sku.clone(),
        upc: line.upc.clone(),
        title: line.title.clone(),
        return_reason: item.return_reason.clone(),
        resolution: item.resolution,
        exchange_sku: item.exchange_sku.clone(),
        exchange_price_cents: variant.and_then(|variant| variant.unit_price_amount_cents),
        fallback: item.fallback,
        amounts: unit.amounts,
    };
    units.iter().map(goods).collect()
}

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

use super::identifier::RmaId;
use super::ledger::{Ledger, SpentUnit};
use super::policy::Policy;
use super::quote::{
    ChosenUnit, NotOffered, Quote, fees_and_bonus, method_offered, resolution_offered, shipping_due,
};
use super::request::{ReturnItem, ReturnRequest};
use super::returnability::{Rule, returnability};
use super::rma::{Goods, Opening, Rma};
use crate::order::{Line, Order};

/// What a return is decided on.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    pub request: &'a ReturnRequest,
    /// The orders that the request names, as far as they are known, with their ledgers.
    pub orders: &'a BTreeMap<String, (Order, Ledger)>,
    pub policy: &'a Policy,
    pub policy_version: i64,
    pub managed_receiving: bool,
    pub now: Timestamp,
}

/// A return that can begin, and what it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    pub rma: Rma,
    pub quote: Quote,
    /// The ledgers of its orders, with its units spent, by the identifiers of the orders.
    pub ledgers: BTreeMap<String, Ledger>,
}

/// Why a return cannot begin: one rule, and where in the request it spoke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Refused {
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

impl Refused {
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
        self.rule == Rule::AlreadyReturned.name()
    }
}

/// Units of one line that the request asks for, found and spent.
struct Taken<'a> {
    item: &'a ReturnItem,
    order: &'a Order,
    line: &'a Line,
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
pub fn start(basis: &Basis<'_>, rma_identifier: RmaId) -> Result<Started, Vec<Refused>> {
    let mut refused = Vec::new();
    let mut ledgers: BTreeMap<String, Ledger> = BTreeMap::new();
    let mut taken = Vec::new();
    for (position, item) in basis.request.items.iter().enumerate() {
        let found = found(basis, item, position).and_then(|(order, line, before)| {
            let ledger = ledgers.get(&order.identifier).unwrap_or(before);
            let (ledger, units) = take(basis, item, (order, ledger), &rma_identifier)
                .map_err(|(rule, why)| Refused::item(position, &rule, why))?;
            ledgers.insert(order.identifier.clone(), ledger);
            Ok(Taken { item, order, line, units })
        });
        match found {
            Ok(found) => taken.push(found),
            Err(refusal) => refused.push(refusal),
        }
    }
    refused.extend(not_together(&taken));
    refused.extend(not_offered(basis, &taken));
    if !refused.is_empty() {
        return Err(refused);
    }
    let shipping = refund_shipping(basis, &taken, &mut ledgers, rma_identifier.as_str());
    let units: Vec<ChosenUnit<'_>> = taken.iter().flat_map(Taken::chosen).collect();
    let quote = fees_and_bonus(basis.policy, basis.request.return_method, &units, shipping);
    let rma = Rma::open(opening(basis, &taken, &quote, rma_identifier), basis.now);
    Ok(Started { rma, quote, ledgers })
}

/// The order and line of an item, if they are the shopper's.
fn found<'a>(
    basis: &Basis<'a>,
    item: &ReturnItem,
    position: usize,
) -> Result<(&'a Order, &'a Line, &'a Ledger), Refused> {
    let Some((order, ledger)) = basis.orders.get(&item.order_identifier) else {
        let why = format!("there is no order {}", item.order_identifier);
        let field = format!("$.items[{position}].order_identifier");
        return Err(Refused::at(field, "order_known", why));
    };
    let is_shoppers = |email: &String| order.customer.email.eq_ignore_ascii_case(email.trim());
    if basis.request.gift.is_none() && !basis.request.email.as_ref().is_some_and(is_shoppers) {
        let why = "the order was placed with another e-mail address";
        return Err(Refused::at("$.email".to_owned(), "same_shopper", why));
    }
    let line = order.items.iter().find(|line| line.identifier == item.order_line_item_identifier);
    if let Some(line) = line {
        return Ok((order, line, ledger));
    }
    let (line, order) = (&item.order_line_item_identifier, &item.order_identifier);
    let field = format!("$.items[{position}].order_line_item_identifier");
    Err(Refused::at(field, "line_known", format!("the order {order} has no line {line}")))
}

/// Spends the units of an item, if enough of them can be returned; the rule that speaks otherwise.
fn take(
    basis: &Basis<'_>,
    item: &ReturnItem,
    (order, ledger): (&Order, &Ledger),
    rma: &RmaId,
) -> Result<(Ledger, Vec<SpentUnit>), (String, String)> {
    let lines = returnability(order, ledger, basis.policy, basis.now).lines;
    let line = lines.iter().find(|line| line.line_identifier == item.order_line_item_identifier);
    let units = line.map(|line| line.units.as_slice()).unwrap_or_default();
    let returnable = units.iter().filter(|unit| unit.returnable).count();
    if i64::try_from(returnable).unwrap_or(i64::MAX) < item.quantity {
        let objection = units.iter().find_map(|unit| unit.objections().next());
        return Err(match objection {
            Some(answer) => (answer.rule.name().to_owned(), answer.fact.clone()),
            None => (
                Rule::Shipped.name().to_owned(),
                format!("{} units were asked for, and {returnable} were shipped", item.quantity),
            ),
        });
    }
    ledger
        .spend(order, &item.order_line_item_identifier, item.quantity, rma.as_str())
        .map_err(|refusal| (Rule::AlreadyReturned.name().to_owned(), refusal.to_string()))
}

/// Whether the orders can share a return: one shopper, one currency.
fn not_together(taken: &[Taken<'_>]) -> Vec<Refused> {
    let Some(first) = taken.first() else { return Vec::new() };
    let mut refused = Vec::new();
    for (position, other) in taken.iter().enumerate().skip(1) {
        let emails = [&first.order.customer.email, &other.order.customer.email];
        if !emails[0].eq_ignore_ascii_case(emails[1]) {
            let why = "the orders of one return must be one shopper's";
            refused.push(Refused::item(position, "same_shopper", why));
        }
        if first.order.currency != other.order.currency {
            let why = "the orders of one return must be in one currency";
            refused.push(Refused::item(position, "same_currency", why));
        }
    }
    refused
}

/// What the merchant does not offer for these units.
fn not_offered(basis: &Basis<'_>, taken: &[Taken<'_>]) -> Vec<Refused> {
    let Some(first) = taken.first() else { return Vec::new() };
    let mut refused = Vec::new();
    let position = |item: &ReturnItem| {
        basis.request.items.iter().position(|it| std::ptr::eq(it, item)).unwrap_or_default()
    };
    for found in taken {
        if let Some(unit) = found.chosen().next()
            && let Err(refusal) = resolution_offered(basis.policy, &unit)
        {
            let known = basis.policy.reason(unit.reason).is_some();
            let field = if known { "resolution" } else { "return_reason" };
            let field = format!("$.items[{}].{field}", position(found.item));
            refused.push(Refused::offer(field, refusal));
        }
    }
    let units: Vec<ChosenUnit<'_>> = taken.iter().flat_map(Taken::chosen).collect();
    let country = &first.order.shipping_address.country_code;
    if let Err(refusal) = method_offered(basis.policy, basis.request.return_method, country, &units)
    {
        refused.push(Refused::offer("$.return_method".to_owned(), refusal));
    }
    refused
}

/// Pays shipping back with the return where the policy says so, once for each order.
fn refund_shipping(
    basis: &Basis<'_>,
    taken: &[Taken<'_>],
    ledgers: &mut BTreeMap<String, Ledger>,
    rma: &str,
) -> i64 {
    let mut total = 0_i64;
    for (order_id, ledger) in ledgers {
        let of_order = taken.iter().filter(|found| found.order.identifier == *order_id);
        let units: Vec<ChosenUnit<'_>> = of_order.flat_map(Taken::chosen).collect();
        let Some((order, _)) = basis.orders.get(order_id) else { continue };
        if shipping_due(basis.policy, order, ledger, &units) > 0
            && let Ok((spent, cents)) = ledger.spend_shipping(order, rma)
        {
            *ledger = spent;
            total = total.saturating_add(cents);
        }
    }
    total
}

fn opening(basis: &Basis<'_>, taken: &[Taken<'_>], quote: &Quote, rma: RmaId) -> Opening {
    let request = basis.request;
    let concepts =
        taken.iter().map(|found| found.line.concept.as_ref().or(found.order.concept.as_ref()));
    let mut concepts: Vec<Option<&String>> = concepts.collect();
    concepts.dedup();
    Opening {
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
        currency: taken.first().map(|found| found.order.currency.clone()).unwrap_or_default(),
        policy_version: basis.policy_version,
        managed_receiving: basis.managed_receiving,
        goods: taken.iter().flat_map(goods).collect(),
    }
}

fn goods(taken: &Taken<'_>) -> Vec<Goods> {
    let Taken { item, order, line, units } = taken;
    let wanted = item.exchange_sku.as_deref();
    let variant = line.variants.iter().find(|it| it.sku.is_some() && it.sku.as_deref() == wanted);
    let goods = |unit: &SpentUnit| Goods {
        order_identifier: order.identifier.clone(),
        original_order_identifier: None,
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

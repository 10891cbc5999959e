//! From what a shopper requests to a return, or to every reason why not.
//!
//! Quotes and returns both come from [`start`]: a quote is a return that is not stored. It reads
//! the orders and their ledgers as they are now, spends the units in the ledgers, and opens the
//! return with what the units are worth at this moment.

mod orders;
mod refusal;
#[cfg(test)]
mod tests;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

pub use self::orders::OrderContext;
use self::orders::{IndexedLine, LineIndex};
pub use self::refusal::{ReturnRefusal, StartRule};
use self::wanted::{DecidedItem, apply_fallbacks};
use super::Resolution;
use super::identifier::RmaId;
use super::ledger::{Ledger, SpentUnit};
use super::policy::Policy;
use super::quote::{ChosenUnit, Quote, check_method, check_resolution, quote_return, shipping_due};
use super::request::{ReturnItem, ReturnRequest};
use super::returnability::{ReturnRule, check_line};
use super::rma::{NewRma, ReturnAmounts, Rma, RmaGoods};
use crate::merchants::merchant::MerchantSettings;
use crate::orders::order::{OrderLine, Variant};

/// What a return is decided on.
#[derive(Clone, Copy, Debug)]
pub struct StartContext<'a> {
    pub request: &'a ReturnRequest,
    /// The orders that the request names, as far as they exist, by their identifiers.
    pub orders: &'a BTreeMap<String, OrderContext>,
    pub policy: &'a Policy,
    pub policy_version: i64,
    pub settings: MerchantSettings,
    pub now: Timestamp,
}

/// A return that can start, and what it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedReturn {
    pub rma: Rma,
    pub quote: Quote,
    /// The ledgers of its orders, with its units spent, by the identifiers of the orders.
    pub ledgers: BTreeMap<String, Ledger>,
}

/// An item of the request, and its position there.
#[derive(Clone, Copy)]
struct RequestedItem<'a> {
    position: usize,
    item: &'a ReturnItem,
    /// The field that names its variant.
    sku_field: &'static str,
    /// How many units of that variant are in stock, if they are too few.
    shortage: Option<i64>,
}

impl RequestedItem<'_> {
    fn refuse(self, rule: StartRule, message: impl Into<String>) -> ReturnRefusal {
        ReturnRefusal::new(format!("$.items[{}]", self.position), rule, message)
    }

    fn field(self, key: &str) -> String {
        format!("$.items[{}].{key}", self.position)
    }
}

/// The units of an item that were spent for the return.
struct SpentItem<'a> {
    requested: RequestedItem<'a>,
    known: &'a OrderContext,
    line: &'a OrderLine,
    units: Vec<SpentUnit>,
}

impl<'a> SpentItem<'a> {
    fn chosen_units(&self) -> impl Iterator<Item = ChosenUnit<'a>> {
        let (line, item) = (self.line, self.requested.item);
        self.units.iter().map(move |unit| ChosenUnit {
            line,
            amounts: unit.amounts,
            reason: &item.return_reason,
            resolution: item.resolution,
            exchange_price_cents: self.exchange_price_cents(unit),
        })
    }

    /// The variant that the shopper gets instead, if it is known.
    fn variant(&self) -> Option<&'a Variant> {
        self.find_variant(self.requested.item.exchange_sku.as_deref()?)
    }

    fn find_variant(&self, sku: &str) -> Option<&'a Variant> {
        let mut variants = self.known.variants_of(self.line).iter();
        variants.find(|it| it.sku.as_deref() == Some(sku))
    }

    /// The merchant's name for that variant, if it has one.
    fn variant_title(&self) -> Option<String> {
        self.variant()?.title.clone().filter(|title| !title.trim().is_empty())
    }

    /// What a unit of the new variant costs, if that is known and not what this unit cost: units of
    /// a line can differ by a cent.
    fn exchange_price_cents(&self, unit: &SpentUnit) -> Option<i64> {
        let price = self.variant()?.unit_price_amount_cents?;
        let even = price == self.line.unit_price_amount_cents;
        Some(price).filter(|_| !even || unit.amounts.price_cents == price)
    }
}

/// Starts a return, or returns everything that prevents it.
pub fn start(
    context: &StartContext<'_>,
    rma_identifier: RmaId,
) -> Result<StartedReturn, Vec<ReturnRefusal>> {
    let mut refusals = Vec::new();
    let mut ledgers: BTreeMap<String, Ledger> = BTreeMap::new();
    let mut spent = Vec::new();
    let lines = LineIndex::new(context.orders);
    let items = apply_fallbacks(&lines, &context.request.items);
    for (position, DecidedItem { item, has_fallen_back, shortage }) in items.iter().enumerate() {
        let sku_field = if *has_fallen_back { "fallback_sku" } else { "exchange_sku" };
        let requested = RequestedItem { position, item, sku_field, shortage: *shortage };
        let spent_item = find_line(context, &lines, requested)
            .and_then(|found| spend_item(context, requested, found, &mut ledgers, &rma_identifier));
        match spent_item {
            Ok(item) => spent.push(item),
            Err(refusal) => refusals.push(refusal),
        }
    }
    refusals.extend(check_gift(context));
    refusals.extend(check_combination(&spent));
    refusals.extend(check_offers(context, &spent));
    let check = |item| check_exchange(context.policy, item);
    refusals.extend(spent.iter().filter_map(check));
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let shipping = refund_shipping(context, &spent, &mut ledgers, rma_identifier.as_str());
    let units: Vec<ChosenUnit<'_>> = spent.iter().flat_map(SpentItem::chosen_units).collect();
    let quote = quote_return(context.policy, context.request.return_method, &units, shipping);
    let rma = Rma::open(new_rma(context, &spent, &quote, rma_identifier), context.now);
    Ok(StartedReturn { rma, quote, ledgers })
}

/// The order and the line of an item, if they belong to the shopper.
fn find_line<'a>(
    context: &StartContext<'a>,
    lines: &LineIndex<'a>,
    requested: RequestedItem<'_>,
) -> Result<IndexedLine<'a>, ReturnRefusal> {
    let item = requested.item;
    let Some(OrderContext { order, .. }) = context.orders.get(&item.order_identifier) else {
        let why = format!("order {} does not exist", item.order_identifier);
        let field = requested.field("order_identifier");
        return Err(ReturnRefusal::new(field, StartRule::OrderKnown, why));
    };
    let is_shoppers = |email: &String| order.customer.email.eq_ignore_ascii_case(email.trim());
    if context.request.gift.is_none() && !context.request.email.as_ref().is_some_and(is_shoppers) {
        let why = "the order was placed with a different e-mail address";
        return Err(ReturnRefusal::new("$.email".to_owned(), StartRule::SameShopper, why));
    }
    lines.find(item).ok_or_else(|| {
        let (line, order) = (&item.order_line_item_identifier, &item.order_identifier);
        let field = requested.field("order_line_item_identifier");
        let why = format!("order {order} has no line {line}");
        ReturnRefusal::new(field, StartRule::LineKnown, why)
    })
}

/// Spends the units of an item in the ledger of their order, if enough of them can be returned.
fn spend_item<'a>(
    context: &StartContext<'_>,
    requested: RequestedItem<'a>,
    IndexedLine { known, line, totals }: IndexedLine<'a>,
    ledgers: &mut BTreeMap<String, Ledger>,
    rma: &RmaId,
) -> Result<SpentItem<'a>, ReturnRefusal> {
    let (item, order) = (requested.item, &known.order);
    let ledger = ledgers.entry(order.identifier.clone()).or_insert_with(|| known.ledger.clone());
    let open = ledger.line_units(line, &totals);
    let units = check_line(order, line, &open, context.policy, context.now).units;
    let returnable = count(units.iter().filter(|unit| unit.returnable));
    if returnable < item.quantity {
        // Units that an earlier item of this request spends do not count as objections.
        let spent = ledger.spent(&item.order_line_item_identifier);
        let own = |number: u32| {
            let is_own = |by: &SpentUnit| by.unit == number && by.by.rma() == Some(rma.as_str());
            spent.iter().any(is_own)
        };
        let mut others = units.iter().filter(|unit| !own(unit.unit));
        if let Some(answer) = others.find_map(|unit| unit.objections().next()) {
            return Err(requested.refuse(StartRule::Unit(answer.rule), answer.fact.clone()));
        }
        let earlier = count(units.iter().filter(|unit| own(unit.unit)));
        let (quantity, shipped) = (item.quantity + earlier, returnable + earlier);
        let why = format!("{quantity} units were requested, but only {shipped} were shipped");
        return Err(requested.refuse(StartRule::Unit(ReturnRule::Shipped), why));
    }
    let spent = ledger.spend_units(&open, item.quantity, rma.as_str());
    let units = spent.map_err(|refusal| {
        requested.refuse(StartRule::Unit(ReturnRule::AlreadyReturned), refusal.to_string())
    })?;
    Ok(SpentItem { requested, known, line, units })
}

fn count<T>(units: impl Iterator<Item = T>) -> i64 {
    i64::try_from(units.count()).unwrap_or(i64::MAX)
}

/// Why a gift cannot be returned.
fn check_gift(context: &StartContext<'_>) -> Option<ReturnRefusal> {
    let refused = context.request.gift.is_some() && !context.policy.gift_returns;
    let why = "returns of gifts are not offered";
    refused.then(|| ReturnRefusal::new("$.gift".to_owned(), StartRule::GiftReturns, why))
}

/// Why the orders cannot share a return: it has one shopper and one currency.
fn check_combination(spent: &[SpentItem<'_>]) -> Vec<ReturnRefusal> {
    let Some(first) = spent.first() else { return Vec::new() };
    let mut refusals = Vec::new();
    for SpentItem { requested, known, .. } in spent.iter().skip(1) {
        let (first, other) = (&first.known.order, &known.order);
        if !first.customer.email.eq_ignore_ascii_case(&other.customer.email) {
            let why = "all orders of a return must belong to the same shopper";
            refusals.push(requested.refuse(StartRule::SameShopper, why));
        }
        if first.currency != other.currency {
            let why = "all orders of a return must have the same currency";
            refusals.push(requested.refuse(StartRule::SameCurrency, why));
        }
    }
    refusals
}

/// What the merchant does not offer for these units.
fn check_offers(context: &StartContext<'_>, spent: &[SpentItem<'_>]) -> Vec<ReturnRefusal> {
    let mut refusals = Vec::new();
    for item in spent {
        if let Some(unit) = item.chosen_units().next()
            && let Err(not_offered) = check_resolution(context.policy, &unit)
        {
            let known = context.policy.reason(unit.reason).is_some();
            let field = if known { "resolution" } else { "return_reason" };
            refusals.push(ReturnRefusal::not_offered(item.requested.field(field), not_offered));
        }
    }
    let units: Vec<ChosenUnit<'_>> = spent.iter().flat_map(SpentItem::chosen_units).collect();
    let addresses = spent.iter().map(|item| &item.known.order.shipping_address);
    let countries: BTreeSet<&str> = addresses.map(|it| it.country_code.as_str()).collect();
    let method = context.request.return_method;
    let check = |country| check_method(context.policy, method, country, &units).err();
    // The same goods are checked for each country, so one refusal says enough.
    if let Some(not_offered) = countries.into_iter().find_map(check) {
        refusals.push(ReturnRefusal::not_offered("$.return_method".to_owned(), not_offered));
    }
    refusals
}

/// Why the units cannot be exchanged for a variant or a gift card, although that is offered.
fn check_exchange(policy: &Policy, spent: &SpentItem<'_>) -> Option<ReturnRefusal> {
    let SpentItem { requested, known, .. } = spent;
    let (item, field) = (requested.item, requested.sku_field);
    if item.resolution == Resolution::Refund {
        return None;
    }
    if known.exchanged {
        let why = "units of this order were already exchanged, which is possible only once; a \
                   refund is still possible";
        let field = requested.field("resolution");
        return Some(ReturnRefusal::new(field, StartRule::OneExchangeOrder, why));
    }
    let sku = item.exchange_sku.as_deref().filter(|_| item.resolution == Resolution::Exchange)?;
    if let Some(stock) = requested.shortage {
        let why = match stock {
            ..=0 => format!("{sku} is out of stock"),
            1 => format!("only one unit of {sku} is in stock"),
            _ => format!("only {stock} units of {sku} are in stock"),
        };
        let field = requested.field(field);
        return Some(ReturnRefusal::new(field, StartRule::VariantAvailable, why));
    }
    // A fallback at such a price could never be chosen, whether it is needed now or not.
    let fallback = item.fallback_sku.as_deref().map(|sku| (sku, "fallback_sku"));
    let mut named = std::iter::once((sku, field)).chain(fallback);
    named.find_map(|(sku, field)| {
        check_price(policy, spent, sku)
            .map(|why| ReturnRefusal::new(requested.field(field), StartRule::VariantPrice, why))
    })
}

/// Why a variant cannot be chosen because of its price.
fn check_price(policy: &Policy, spent: &SpentItem<'_>, sku: &str) -> Option<String> {
    let price = spent.find_variant(sku).and_then(|variant| variant.unit_price_amount_cents);
    let offered = policy.offers_price(spent.line.unit_price_amount_cents, price);
    (!offered).then(|| format!("{sku} has another price, and such exchanges are not offered"))
}

/// Refunds shipping with the return if the policy says so, once for each order. Returns the amount.
fn refund_shipping(
    context: &StartContext<'_>,
    spent: &[SpentItem<'_>],
    ledgers: &mut BTreeMap<String, Ledger>,
    rma: &str,
) -> i64 {
    let mut total = 0_i64;
    for (order_id, ledger) in ledgers {
        let of_order = spent.iter().filter(|item| item.known.order.identifier == *order_id);
        let units: Vec<ChosenUnit<'_>> = of_order.flat_map(SpentItem::chosen_units).collect();
        let Some(OrderContext { order, .. }) = context.orders.get(order_id) else { continue };
        if shipping_due(context.policy, order, ledger, &units) > 0
            && let Ok((next, cents)) = ledger.spend_shipping(order, rma)
        {
            *ledger = next;
            total = total.saturating_add(cents);
        }
    }
    total
}

fn new_rma(
    context: &StartContext<'_>,
    spent: &[SpentItem<'_>],
    quote: &Quote,
    rma_identifier: RmaId,
) -> NewRma {
    let request = context.request;
    let concepts =
        spent.iter().map(|it| it.line.concept.as_ref().or(it.known.order.concept.as_ref()));
    let mut concepts: Vec<Option<&String>> = concepts.collect();
    concepts.dedup();
    NewRma {
        rma_identifier,
        return_method: request.return_method,
        amounts: ReturnAmounts {
            return_shipping_cost_cents: quote.fee_cents(),
            fee_cents: quote.fee_cents(),
            gift_card_fee_cents: quote.fee_from_gift_card_cents,
            bonus_credit_amount_cents: quote.bonus_credit_cents,
            shipping_refund_cents: quote.shipping_refund_cents,
        },
        giftee_email: request.gift.as_ref().map(|gift| gift.giftee_email.clone()),
        email: request.email.clone(),
        concept: match concepts.as_slice() {
            [Some(concept)] => Some((*concept).clone()),
            _ => None,
        },
        currency: spent.first().map(|it| it.known.order.currency.clone()).unwrap_or_default(),
        policy_version: context.policy_version,
        managed_receiving: context.settings.managed_receiving,
        refund_tolerance_cents: context.settings.refund_tolerance_cents,
        message_extensions: context.settings.message_extensions,
        withdrawal_identifier: None,
        goods: spent.iter().flat_map(goods_of).collect(),
    }
}

fn goods_of(spent: &SpentItem<'_>) -> Vec<RmaGoods> {
    let SpentItem { requested: RequestedItem { item, .. }, known, line, units } = spent;
    let goods = units.iter().map(|unit| RmaGoods {
        original_order_identifier: known.original_order_identifier.clone(),
        return_reason: item.return_reason.clone(),
        resolution: item.resolution,
        exchange_sku: item.exchange_sku.clone(),
        exchange_price_cents: spent.exchange_price_cents(unit),
        exchange_title: spent.variant_title(),
        fallback: item.fallback,
        fallback_sku: item.fallback_sku.clone(),
        ..RmaGoods::of_unit(&known.order, line, unit.unit, unit.amounts)
    });
    goods.collect()
}

//! The return that a shopper selected in a form, and the fields that need another value.

use std::collections::{BTreeMap, BTreeSet};

use app::{
    AppError,
    exchanges::variants::LineVariants,
    orders::returnability::ReturnableOrder,
    returns::{check_request::check_request, shopper::Shopper},
};
use domain::{
    faults::{Faults, FieldError},
    orders::order::{Order, OrderLine},
    returns::{
        Resolution, ReturnMethod,
        request::{Fallback, Gift, ReturnItem, ReturnRequest},
        start::ReturnRefusal,
    },
};

use crate::{
    form::{LinePart, PortalForm},
    words::{Words, wording::refusal_text},
};

/// The element of the page that holds the lines.
const ITEMS: &str = "items";

/// Where the API reports an item that occurs twice.
const REPEATED: &str = ".order_line_item_identifier";

/// Where the API reports a fallback that is the wanted variant.
const FALLBACK: &str = ".fallback_sku";

/// A page lists at most this many problems.
const PROBLEMS_MAX: usize = 50;

/// Why a field needs another value, and the element of the page that holds the field.
pub(super) struct FieldProblem {
    pub(super) element: String,
    pub(super) text: &'static str,
}

/// The return that a shopper selected, and the part of the form that each of its items is from.
pub(super) struct Selection {
    pub(super) request: ReturnRequest,
    parts: Vec<LinePart>,
}

/// Reads the return from a form, or reports the fields that lack a value. There are none if the
/// shopper wants another variant and did not see the variants yet: that is the next step.
pub(super) fn read_selection(
    form: &PortalForm,
    shopper: &Shopper,
    returnable: &ReturnableOrder,
    words: &Words,
) -> Result<Selection, Vec<FieldProblem>> {
    let (order, policy) = (returnable.order(), &returnable.policy.policy);
    let (mut items, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut awaits_variants = false;
    let mut require = |element: String, text: &'static str| {
        if problems.len() < PROBLEMS_MAX {
            problems.push(FieldProblem { element, text });
        }
    };
    for (line, bought) in order.items.iter().enumerate() {
        for part in (0..form.part_count(line)).map(|part| LinePart { line, part }) {
            let quantity = form.part_quantity(part);
            if quantity == 0 {
                continue;
            }
            let item = read_item(form, part, quantity, &order.identifier, &bought.identifier);
            if item.return_reason.is_empty() {
                require(part.element("reason"), words.choose.need_reason);
            }
            if item.exchange_sku.as_ref().is_some_and(String::is_empty) {
                let reason = policy.reason(&item.return_reason);
                if reason.is_some_and(|reason| !reason.offers_exchange) {
                    require(part.element("get"), words.rules.exchange_offered);
                } else if form.part_text("variants_shown", part).is_empty() {
                    awaits_variants = true;
                } else {
                    require(part.element("variant"), words.choose.need_variant);
                }
            }
            items.push(item);
            parts.push(part);
        }
    }
    if items.is_empty() {
        require(ITEMS.to_owned(), words.choose.need_item);
    }
    let return_method = ReturnMethod::parse(form.text("method"));
    if return_method.is_none() {
        require("method".to_owned(), words.choose.need_method);
    }
    let giftee_email = form.text("giftee_email");
    if shopper.gift && !giftee_email.contains('@') {
        require("giftee_email".to_owned(), words.choose.need_email);
    }
    let return_method = match return_method {
        Some(method) if problems.is_empty() && !awaits_variants => method,
        Some(_) | None => return Err(problems),
    };
    let parcel_count = if return_method.has_parcels() { read_parcels(form) } else { 1 };
    let request = ReturnRequest {
        email: (!shopper.gift).then(|| order.customer.email.clone()),
        return_method,
        items,
        gift: shopper.gift.then(|| Gift { giftee_email: giftee_email.to_owned() }),
        language: None,
        parcel_count,
    };
    let selection = Selection { request, parts };
    let faults = check_request(&selection.request).err();
    let problems = faults.map_or_else(Vec::new, |it| selection.explain_faults(&it, words));
    if problems.is_empty() { Ok(selection) } else { Err(problems) }
}

/// How many packages the shopper sends: one, unless the form says otherwise. What is no number is
/// read as none, which is refused.
fn read_parcels(form: &PortalForm) -> i64 {
    match form.text("parcels") {
        "" => 1,
        count => count.parse().unwrap_or_default(),
    }
}

fn read_item(
    form: &PortalForm,
    part: LinePart,
    quantity: i64,
    order_id: &str,
    line_id: &str,
) -> ReturnItem {
    let resolution = Resolution::parse(form.part_text("get", part)).unwrap_or(Resolution::Refund);
    let is_exchange = resolution == Resolution::Exchange;
    let ChosenFallback { fallback, sku } = ChosenFallback::read(form, part);
    ReturnItem {
        order_identifier: order_id.to_owned(),
        order_line_item_identifier: line_id.to_owned(),
        quantity,
        return_reason: form.part_text("reason", part).to_owned(),
        resolution,
        exchange_sku: is_exchange.then(|| form.part_text("variant", part).to_owned()),
        fallback: is_exchange.then_some(fallback),
        fallback_sku: sku.filter(|_| is_exchange),
    }
}

/// What the shopper chose for a variant that sells out. The value of the field is the name of the
/// fallback, and the SKU after it if it is another variant: `variant:TEE-NAVY-L`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChosenFallback {
    pub(super) fallback: Fallback,
    pub(super) sku: Option<String>,
}

impl ChosenFallback {
    /// The refund, unless the form says otherwise.
    pub(super) fn read(form: &PortalForm, part: LinePart) -> Self {
        let refund = Self { fallback: Fallback::Refund, sku: None };
        let value = form.part_text("fallback", part);
        let (name, sku) = value.split_once(':').map_or((value, None), |(it, sku)| (it, Some(sku)));
        match (Fallback::parse(name), sku) {
            (Some(fallback @ (Fallback::Refund | Fallback::GiftCard)), None) => {
                Self { fallback, sku: None }
            }
            (Some(fallback @ Fallback::Variant), Some(sku)) if !sku.is_empty() => {
                Self { fallback, sku: Some(sku.to_owned()) }
            }
            (Some(_) | None, _) => refund,
        }
    }

    pub(super) fn field_value(&self) -> String {
        let name = self.fallback.name();
        self.sku.as_ref().map_or_else(|| name.to_owned(), |sku| format!("{name}:{sku}"))
    }
}

impl Selection {
    /// The lines of which the shopper wants another variant, with their positions.
    pub(super) fn exchanged_lines<'a>(&self, order: &'a Order) -> Vec<(usize, &'a OrderLine)> {
        let items = self.request.items.iter().zip(&self.parts);
        let exchanged = items.filter(|(item, _)| item.resolution == Resolution::Exchange);
        let positions: BTreeSet<usize> = exchanged.map(|(_, part)| part.line).collect();
        positions.into_iter().filter_map(|it| Some((it, order.items.get(it)?))).collect()
    }

    /// The parts with a variant that is not among `offered`, by the position of the line. Our own
    /// pages send none, unless the offer changed meanwhile.
    pub(super) fn find_unoffered(
        &self,
        offered: &BTreeMap<usize, Option<LineVariants>>,
        words: &Words,
    ) -> Vec<FieldProblem> {
        let mut problems = Vec::new();
        for (item, part) in self.request.items.iter().zip(&self.parts) {
            let Some(sku) = &item.exchange_sku else { continue };
            let listed = offered.get(&part.line).and_then(Option::as_ref);
            let listed = listed.map(|it| it.variants.as_slice()).unwrap_or_default();
            if listed.is_empty() {
                let text = words.choose.no_variants;
                problems.push(FieldProblem { element: part.element("get"), text });
                continue;
            }
            let named = [(Some(sku), "variant"), (item.fallback_sku.as_ref(), "fallback")];
            for (sku, field) in named {
                if sku.is_some_and(|sku| listed.iter().all(|variant| variant.sku != *sku)) {
                    let text = words.rules.variant_sold_out;
                    problems.push(FieldProblem { element: part.element(field), text });
                }
            }
        }
        problems.truncate(PROBLEMS_MAX);
        problems
    }

    /// The fields that the API would refuse, too. Our own pages offer no values beyond its bounds,
    /// except for many items, a long address and a fallback that is the wanted variant. Unlike in
    /// the API, two parts of a line may be equal.
    fn explain_faults(&self, faults: &Faults, words: &Words) -> Vec<FieldProblem> {
        let explain = |fault: &FieldError| {
            if fault.field.starts_with("$.gift") {
                let element = "giftee_email".to_owned();
                return FieldProblem { element, text: words.choose.need_email };
            }
            if fault.field == "$.parcel_count" {
                let element = "parcels".to_owned();
                return FieldProblem { element, text: words.parcels.need_count };
            }
            let element = self.element_of(&fault.field);
            if fault.field.ends_with(FALLBACK) {
                return FieldProblem { element, text: words.choose.need_other_fallback };
            }
            FieldProblem { element, text: words.choose.too_many_items }
        };
        let is_repeated = |fault: &&FieldError| fault.field.ends_with(REPEATED);
        let errors = faults.errors.iter().filter(|fault| !is_repeated(fault));
        errors.map(explain).take(PROBLEMS_MAX).collect()
    }

    /// Why a use case refused the return, at the fields where the shopper can choose otherwise. Any
    /// other error is returned as it is.
    pub(super) fn explain_refusal(
        &self,
        error: AppError,
        words: &Words,
    ) -> Result<Vec<FieldProblem>, AppError> {
        if matches!(error, AppError::Conflict(_)) {
            let text = words.rules.just_returned;
            return Ok(vec![FieldProblem { element: ITEMS.to_owned(), text }]);
        }
        let AppError::Refused(refused) = error else { return Err(error) };
        let mut problems: Vec<FieldProblem> = Vec::new();
        for ReturnRefusal { field, rule, .. } in &refused {
            let element = self.element_of(field);
            if problems.len() < PROBLEMS_MAX
                && !problems.iter().any(|problem| problem.element == element)
            {
                problems.push(FieldProblem { element, text: refusal_text(*rule, words) });
            }
        }
        Ok(problems)
    }

    /// The element of the page for a field of the request.
    fn element_of(&self, field: &str) -> String {
        if field == "$.return_method" {
            return "method".to_owned();
        }
        let item = field.strip_prefix("$.items[").and_then(|rest| rest.split_once(']'));
        let part = item.and_then(|(number, _)| self.parts.get(number.parse::<usize>().ok()?));
        match (part, item.map(|(_, rest)| rest)) {
            (Some(part), Some(".return_reason")) => part.element("reason"),
            (Some(part), Some(".resolution")) => part.element("get"),
            (Some(part), Some(".exchange_sku")) => part.element("variant"),
            (Some(part), Some(FALLBACK)) => part.element("fallback"),
            (Some(part), _) => part.element("quantity"),
            (None, _) => ITEMS.to_owned(),
        }
    }
}

/// The problem with the field that an element of the page holds.
pub(super) fn problem_at(problems: &[FieldProblem], element: &str) -> Option<&'static str> {
    problems.iter().find(|problem| problem.element == element).map(|problem| problem.text)
}

//! One line of the order: what it is, whether it can be returned, and what the shopper chose.

use app::returns::shopper::Shopper;
use domain::merchants::locale::{format_last_day, format_percent};
use domain::{
    exchanges::variants::VariantOffer,
    orders::order::{OrderLine, OrderStatus, VariantAttribute},
    returns::{
        Resolution,
        policy::{GiftCardOffer, Reason},
        returnability::{LineReturnability, ReturnRule, UnitReturnability},
    },
};

use super::offer::{ReturnOffer, is_available};
use crate::{
    form::{LinePart, PortalForm},
    selection::{FieldProblem, problem_at},
    visit::PortalVisit,
    words::wording::objection_text,
};

/// Up to this many units are a list to choose from. More are a field for a number.
const QUANTITIES_LISTED_MAX: usize = 20;

/// A line shows at most this many variants, because no shopper looks through more.
const VARIANTS_SHOWN_MAX: usize = 100;

/// Builds the lines of the page.
pub(super) struct LineBuilder<'a> {
    pub(super) visit: &'a PortalVisit,
    pub(super) offer: &'a ReturnOffer<'a>,
    pub(super) form: &'a PortalForm,
    pub(super) problems: &'a [FieldProblem],
    pub(super) shopper: &'a Shopper,
}

pub(super) struct LineCard {
    pub(super) position: usize,
    pub(super) title: String,
    /// The attributes of the variant, if the order names them.
    pub(super) details: String,
    pub(super) picture: String,
    pub(super) price: String,
    pub(super) return_by: Option<String>,
    /// Why none or only some of the units can be returned.
    pub(super) objections: Vec<String>,
    pub(super) parts: Vec<PartCard>,
    /// Whether the line can be split into more parts.
    pub(super) splittable: bool,
}

impl LineCard {
    /// Whether at least one unit can be returned.
    pub(super) fn is_returnable(&self) -> bool {
        !self.parts.is_empty()
    }
}

/// Units of a line that are returned together.
pub(super) struct PartCard {
    /// The end of the names of its fields.
    pub(super) field: String,
    /// The end of the identifiers of its elements.
    pub(super) id: String,
    /// Its heading, if the line has several parts.
    pub(super) heading: Option<String>,
    pub(super) quantity_max: usize,
    /// How many units are chosen, as the shopper entered it.
    pub(super) quantity: String,
    /// Zero and up, if there are not too many. A single unit is a check box.
    pub(super) quantities: Vec<QuantityOption>,
    pub(super) quantity_problem: Option<&'static str>,
    pub(super) reasons: Vec<FieldOption>,
    pub(super) reason_problem: Option<&'static str>,
    pub(super) resolutions: Vec<FieldOption>,
    pub(super) resolution_problem: Option<&'static str>,
    pub(super) variants: Vec<VariantCard>,
    pub(super) variant_problem: Option<&'static str>,
    pub(super) fallbacks: Vec<FieldOption>,
    pub(super) fallback_problem: Option<&'static str>,
}

impl PartCard {
    /// Whether there is just one unit, to be returned or not.
    pub(super) const fn is_single(&self) -> bool {
        self.quantity_max == 1
    }

    /// Whether the number of units is entered, because the list would be too long.
    pub(super) const fn is_entered(&self) -> bool {
        self.quantities.is_empty()
    }

    pub(super) fn is_selected(&self) -> bool {
        self.quantity.parse::<usize>().is_ok_and(|quantity| quantity > 0)
    }

    /// Whether the shopper wants another variant and has not chosen it.
    pub(super) fn awaits_variant(&self) -> bool {
        let exchange = Resolution::Exchange.name();
        let wants = |it: &FieldOption| it.value == exchange && it.chosen;
        self.is_selected()
            && self.resolutions.iter().any(wants)
            && !self.variants.is_empty()
            && !self.variants.iter().any(|variant| variant.chosen)
    }
}

pub(super) struct QuantityOption {
    pub(super) quantity: usize,
    pub(super) chosen: bool,
}

/// One of the values that a field can have.
pub(super) struct FieldOption {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) hint: String,
    pub(super) chosen: bool,
}

pub(super) struct VariantCard {
    pub(super) sku: String,
    pub(super) title: String,
    pub(super) details: String,
    pub(super) picture: String,
    pub(super) note: String,
    pub(super) sold_out: bool,
    pub(super) chosen: bool,
}

impl LineBuilder<'_> {
    pub(super) fn build(
        &self,
        position: usize,
        line: &OrderLine,
        returnability: &LineReturnability,
    ) -> LineCard {
        let open: Vec<&UnitReturnability> =
            returnability.units.iter().filter(|unit| unit.returnable).collect();
        let parts =
            if open.is_empty() { 0 } else { self.form.part_count(position).min(open.len()) };
        let part = |part| self.build_part(LinePart { line: position, part }, parts, &open);
        LineCard {
            position,
            title: line.title.clone(),
            details: own_details(line),
            picture: self.visit.picture_address(line.image_url.as_deref()),
            price: self.price_text(line, &open, returnability),
            return_by: self.return_by_text(&open),
            objections: self.list_objections(line, returnability),
            parts: (0..parts).map(part).collect(),
            splittable: parts > 0 && parts < open.len(),
        }
    }

    /// What the shopper paid for one unit, and gets back for it if it can be returned. Before a
    /// unit is shipped, only its price is known.
    fn price_text(
        &self,
        line: &OrderLine,
        open: &[&UnitReturnability],
        returnability: &LineReturnability,
    ) -> String {
        let refund = open.iter().find_map(|unit| unit.refund);
        let refund = refund.or_else(|| returnability.units.iter().find_map(|unit| unit.refund));
        let cents = refund.map_or(line.unit_price_amount_cents, |refund| refund.refund_cents);
        let amount = self.money(cents);
        if line.quantity > 1 { (self.visit.words().choose.price_each)(&amount) } else { amount }
    }

    fn return_by_text(&self, open: &[&UnitReturnability]) -> Option<String> {
        let end = open.iter().flat_map(|unit| &unit.rules).find_map(|rule| rule.changes_at)?;
        let day = format_last_day(self.visit.language(), end);
        Some((self.visit.words().choose.return_by)(&day))
    }

    fn list_objections(&self, line: &OrderLine, returnability: &LineReturnability) -> Vec<String> {
        let words = self.visit.words();
        let mut objections: Vec<String> = Vec::new();
        let mut add = |text: String| {
            if !objections.contains(&text) {
                objections.push(text);
            }
        };
        let order_canceled = self.offer.order.status == OrderStatus::Cancelled;
        let mut canceled = line.quantity_canceled;
        for unit in returnability.units.iter().filter(|unit| !unit.returnable) {
            for answer in unit.objections() {
                // Which units were canceled is not known, only how many of those not shipped.
                if answer.rule != ReturnRule::Shipped {
                    add(objection_text(answer, words, self.visit.language()));
                } else if canceled > 0 {
                    canceled -= 1;
                    add(words.rules.unit_canceled.to_owned());
                } else if !order_canceled {
                    add(words.rules.not_shipped.to_owned());
                }
            }
        }
        objections
    }

    fn build_part(&self, part: LinePart, parts: usize, open: &[&UnitReturnability]) -> PartCard {
        let form = self.form;
        let chosen: usize = form.part_text("quantity", part).parse().unwrap_or(0);
        let option = |quantity| QuantityOption { quantity, chosen: quantity == chosen };
        let listed = (0..=open.len()).filter(|_| open.len() <= QUANTITIES_LISTED_MAX);
        let problem = |name: &str| problem_at(self.problems, &part.element(name));
        let words = &self.visit.words().choose;
        PartCard {
            field: part.field_suffix(),
            id: part.element_suffix(),
            heading: (parts > 1).then(|| (words.selection)(&(part.part + 1).to_string())),
            quantity_max: open.len(),
            quantity: Some(chosen)
                .filter(|it| *it > 0)
                .map(|it| it.to_string())
                .unwrap_or_default(),
            quantities: listed.map(option).collect(),
            quantity_problem: problem("quantity"),
            reasons: self.list_reasons(form.part_text("reason", part)),
            reason_problem: problem("reason"),
            resolutions: self.list_resolutions(part, open, self.offers_exchange(part, open)),
            resolution_problem: problem("get"),
            variants: self.list_variants(part, open),
            variant_problem: problem("variant"),
            fallbacks: self.list_fallbacks(part, open),
            fallback_problem: problem("fallback"),
        }
    }

    fn list_reasons(&self, chosen: &str) -> Vec<FieldOption> {
        let language = self.visit.language();
        let option = |reason: &Reason| FieldOption {
            value: reason.code.clone(),
            label: reason.label_in(language).to_owned(),
            hint: String::new(),
            chosen: reason.code == chosen,
        };
        self.offer.returnability.reasons.iter().map(option).collect()
    }

    /// What a shopper can get for a unit. The recipient of a gift gets the refund as a gift card.
    fn list_resolutions(
        &self,
        part: LinePart,
        open: &[&UnitReturnability],
        offers_exchange: bool,
    ) -> Vec<FieldOption> {
        let words = &self.visit.words().choose;
        let chosen = Resolution::parse(self.form.part_text("get", part));
        let chosen = chosen.unwrap_or(Resolution::Refund);
        let option = |resolution: Resolution, label: &str, hint: String| FieldOption {
            value: resolution.name().to_owned(),
            label: label.to_owned(),
            hint,
            chosen: resolution == chosen,
        };
        let mut options = vec![if self.shopper.gift {
            option(Resolution::Refund, words.gift_card, words.gift_card_hint.to_owned())
        } else {
            option(Resolution::Refund, words.refund, words.refund_hint.to_owned())
        }];
        if offers_exchange {
            let hint = words.exchange_hint.to_owned();
            options.push(option(Resolution::Exchange, words.exchange, hint));
        }
        let offered = self.offers_gift_cards();
        let card = self.offer.policy.gift_card.as_ref().filter(|_| offered);
        if let Some(card) = card.filter(|_| open.iter().any(|unit| unit.gift_card)) {
            let hint = self.gift_card_hint(card);
            options.push(option(Resolution::GiftCard, words.gift_card, hint));
        }
        options
    }

    /// Whether the shopper can choose a gift card: only the buyer can, with proof.
    pub(super) fn offers_gift_cards(&self) -> bool {
        self.shopper.proven && !self.shopper.gift
    }

    fn gift_card_hint(&self, card: &GiftCardOffer) -> String {
        let words = &self.visit.words().choose;
        let percent = format_percent(self.visit.language(), card.bonus_per_mille);
        match (card.bonus_per_mille, card.bonus_max_cents) {
            (0, _) => words.gift_card_hint.to_owned(),
            (_, None) => (words.bonus)(&percent),
            (_, Some(max_cents)) => (words.bonus_up_to)(&percent, &self.money(max_cents)),
        }
    }

    /// Whether units can be exchanged. The variants are requested only when the shopper has chosen
    /// a reason; until then, any exchange that the policy offers is possible.
    fn offers_exchange(&self, part: LinePart, open: &[&UnitReturnability]) -> bool {
        match self.offer.variants.get(&part.line) {
            Some(listed) => listed.as_ref().is_some_and(is_available),
            None => open.iter().any(|unit| unit.exchange),
        }
    }

    /// The variants that a unit can be exchanged for. Empty if exchanges are not offered, the
    /// variants are not known or not requested, or all are sold out.
    pub(super) fn offered_variants(
        &self,
        part: LinePart,
        open: &[&UnitReturnability],
    ) -> &[VariantOffer] {
        let listed = self.offer.variants.get(&part.line).and_then(Option::as_ref);
        let listed = listed.filter(|it| open.iter().any(|unit| unit.exchange) && is_available(it));
        let listed = listed.map(|it| it.variants.as_slice()).unwrap_or_default();
        listed.get(..VARIANTS_SHOWN_MAX).unwrap_or(listed)
    }

    fn list_variants(&self, part: LinePart, open: &[&UnitReturnability]) -> Vec<VariantCard> {
        let chosen = self.form.part_text("variant", part);
        let card = |variant: &VariantOffer| VariantCard {
            sku: variant.sku.clone(),
            title: variant.title.clone(),
            details: attributes_text(&variant.attributes),
            picture: self.visit.picture_address(variant.image_url.as_deref()),
            note: self.price_note(variant, open),
            sold_out: !variant.in_stock,
            chosen: variant.in_stock && variant.sku == chosen,
        };
        self.offered_variants(part, open).iter().map(card).collect()
    }

    /// Whether a variant is in stock, and what its price means for the shopper.
    pub(super) fn price_note(&self, variant: &VariantOffer, open: &[&UnitReturnability]) -> String {
        let words = &self.visit.words().choose;
        if !variant.in_stock {
            return words.sold_out.to_owned();
        }
        if variant.even {
            return words.same_price.to_owned();
        }
        let returned = open.iter().find_map(|unit| unit.refund);
        let left = returned.map_or(0, |unit| {
            let new = unit.amounts.exchanged_for(variant.unit_price_amount_cents);
            unit.refund_cents.saturating_sub(new.refund_cents())
        });
        if left > 0 {
            (words.difference_back)(&self.money(left))
        } else {
            words.no_charge.to_owned()
        }
    }

    fn money(&self, cents: i64) -> String {
        self.visit.format_money(cents, &self.offer.order.currency)
    }
}

/// The attributes of the variant that was bought, if the order names them.
fn own_details(line: &OrderLine) -> String {
    let own = line.variants.iter().find(|it| it.sku.is_some() && it.sku == line.sku);
    own.map(|variant| attributes_text(&variant.attributes)).unwrap_or_default()
}

/// The attributes of a variant in one line: `Size L · Color Navy`.
pub(super) fn attributes_text(attributes: &[VariantAttribute]) -> String {
    let each = attributes.iter().map(|it| format!("{} {}", it.name, it.value));
    each.collect::<Vec<_>>().join(" · ")
}

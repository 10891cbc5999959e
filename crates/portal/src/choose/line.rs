//! One line of the order: what it is, whether it can come back, and what is chosen for it.

use domain::{
    exchanges::variants::VariantOffer,
    orders::order::{OrderLine, VariantAttribute},
    returns::{
        Resolution,
        policy::GiftCardOffer,
        request::Fallback,
        returnability::{LineReturnability, UnitReturnability},
    },
};

use super::{
    super::{
        selection::{Form, Place, Problem},
        visit::Visit,
        wording,
    },
    Offer, problem_at,
};
use crate::locale;

/// No line shows more variants than this: a shopper would not look through them.
const VARIANTS_SHOWN_MAX: usize = 100;

/// What all lines of the page are made from.
pub(super) struct Sheet<'a> {
    pub(super) visit: &'a Visit,
    pub(super) offer: &'a Offer,
    pub(super) form: &'a Form,
    pub(super) problems: &'a [Problem],
    pub(super) gift: bool,
}

pub(super) struct ChooseLine {
    pub(super) position: usize,
    pub(super) title: String,
    /// What tells it from other variants, where the order says.
    pub(super) details: String,
    pub(super) picture: String,
    pub(super) price: String,
    pub(super) until: Option<String>,
    /// Why nothing of it, or not all of it, can come back.
    pub(super) objections: Vec<String>,
    pub(super) parts: Vec<Part>,
    /// Whether another part can be chosen.
    pub(super) splittable: bool,
}

impl ChooseLine {
    /// Whether some of it can come back.
    pub(super) fn is_open(&self) -> bool {
        !self.parts.is_empty()
    }
}

/// Pieces of a line that come back together.
pub(super) struct Part {
    /// What the fields of this part end in, and its elements.
    pub(super) field: String,
    pub(super) id: String,
    /// What it is called when there are several.
    pub(super) heading: Option<String>,
    /// The numbers of pieces to choose from, each with whether it is chosen. One piece is a yes or no.
    pub(super) quantities: Vec<(usize, bool)>,
    pub(super) quantity_problem: Option<&'static str>,
    pub(super) reasons: Vec<Item>,
    pub(super) reason_problem: Option<&'static str>,
    pub(super) wants: Vec<Item>,
    pub(super) want_problem: Option<&'static str>,
    pub(super) variants: Vec<VariantCard>,
    pub(super) variant_problem: Option<&'static str>,
    pub(super) fallbacks: Vec<Item>,
}

impl Part {
    /// Whether there is one piece, which comes back or not.
    pub(super) fn is_single(&self) -> bool {
        self.quantities.len() == 2
    }

    pub(super) fn is_taken(&self) -> bool {
        self.quantities.iter().any(|(number, chosen)| *number > 0 && *chosen)
    }
}

/// One of several things to choose.
pub(super) struct Item {
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

impl Sheet<'_> {
    pub(super) fn line(
        &self,
        position: usize,
        line: &OrderLine,
        judged: &LineReturnability,
    ) -> ChooseLine {
        let open: Vec<&UnitReturnability> =
            judged.units.iter().filter(|unit| unit.returnable).collect();
        let parts = if open.is_empty() { 0 } else { self.form.parts(position).min(open.len()) };
        let part = |part| self.part(Place { line: position, part }, parts, line, &open);
        ChooseLine {
            position,
            title: line.title.clone(),
            details: own_details(line),
            picture: self.visit.picture(line.image_url.as_deref()),
            price: self.price(line, &open),
            until: self.until(&open),
            objections: self.objections(judged),
            parts: (0..parts).map(part).collect(),
            splittable: parts > 0 && parts < open.len(),
        }
    }

    /// What one piece is paid back for, or was sold for when it cannot come back.
    fn price(&self, line: &OrderLine, open: &[&UnitReturnability]) -> String {
        let refund = open.iter().find_map(|unit| unit.refund);
        let cents = refund.map_or(line.unit_price_amount_cents, |refund| refund.refund_cents);
        let amount = self.visit.money(cents, &self.offer.order.currency);
        if line.quantity > 1 { (self.visit.words().choose.price_each)(&amount) } else { amount }
    }

    fn until(&self, open: &[&UnitReturnability]) -> Option<String> {
        let end = open.iter().flat_map(|unit| &unit.rules).find_map(|rule| rule.changes_at)?;
        let day = locale::last_day(self.visit.language(), end);
        Some((self.visit.words().choose.return_by)(&day))
    }

    fn objections(&self, judged: &LineReturnability) -> Vec<String> {
        let mut objections: Vec<String> = Vec::new();
        for unit in judged.units.iter().filter(|unit| !unit.returnable) {
            for answer in unit.objections() {
                let words = wording::objection(answer, self.visit.words(), self.visit.language());
                if !objections.contains(&words) {
                    objections.push(words);
                }
            }
        }
        objections
    }

    fn part(
        &self,
        place: Place,
        parts: usize,
        line: &OrderLine,
        open: &[&UnitReturnability],
    ) -> Part {
        let form = self.form;
        let asked: usize = form.of("quantity", place).parse().unwrap_or(0);
        let problem = |name: &str| problem_at(self.problems, &place.element(name));
        let words = &self.visit.words().choose;
        let variants = self.variants(place, line, open);
        Part {
            field: format!("{}.{}", place.line, place.part),
            id: format!("{}-{}", place.line, place.part),
            heading: (parts > 1).then(|| (words.selection)(&(place.part + 1).to_string())),
            quantities: (0..=open.len()).map(|number| (number, number == asked)).collect(),
            quantity_problem: problem("quantity"),
            reasons: self.reasons(form.of("reason", place)),
            reason_problem: problem("reason"),
            wants: self.wants(form.of("get", place), open, !variants.is_empty()),
            want_problem: problem("get"),
            fallbacks: self.fallbacks(form.of("fallback", place), open),
            variants,
            variant_problem: problem("variant"),
        }
    }

    fn reasons(&self, chosen: &str) -> Vec<Item> {
        let language = self.visit.language();
        let reason = |reason: &domain::returns::policy::Reason| Item {
            value: reason.code.clone(),
            label: reason.label_in(language).to_owned(),
            hint: String::new(),
            chosen: reason.code == chosen,
        };
        self.offer.judged.reasons.iter().map(reason).collect()
    }

    /// What a shopper can have for a piece. Whoever got it as a gift has its money on a card.
    fn wants(&self, chosen: &str, open: &[&UnitReturnability], variants: bool) -> Vec<Item> {
        let words = &self.visit.words().choose;
        let chosen = Resolution::parse(chosen).unwrap_or(Resolution::Refund);
        let want = |resolution: Resolution, label: &str, hint: String| Item {
            value: resolution.name().to_owned(),
            label: label.to_owned(),
            hint,
            chosen: resolution == chosen,
        };
        let card_hint = words.gift_card_hint.to_owned();
        let mut wants = vec![if self.gift {
            want(Resolution::Refund, words.gift_card, card_hint)
        } else {
            want(Resolution::Refund, words.refund, words.refund_hint.to_owned())
        }];
        if variants {
            wants.push(want(Resolution::Exchange, words.exchange, words.exchange_hint.to_owned()));
        }
        let card = self.offer.policy.gift_card.as_ref().filter(|_| !self.gift);
        if let Some(card) = card.filter(|_| open.iter().any(|unit| unit.gift_card)) {
            wants.push(want(Resolution::GiftCard, words.gift_card, self.bonus(card)));
        }
        wants
    }

    fn bonus(&self, card: &GiftCardOffer) -> String {
        let words = &self.visit.words().choose;
        let percent = locale::percent(self.visit.language(), card.bonus_per_mille);
        match (card.bonus_per_mille, card.bonus_max_cents) {
            (0, _) => words.gift_card_hint.to_owned(),
            (_, None) => (words.bonus)(&percent),
            (_, Some(most)) => {
                (words.bonus_up_to)(&percent, &self.visit.money(most, &self.offer.order.currency))
            }
        }
    }

    fn fallbacks(&self, chosen: &str, open: &[&UnitReturnability]) -> Vec<Item> {
        let words = &self.visit.words().choose;
        let chosen = Fallback::parse(chosen).unwrap_or(Fallback::Refund);
        let money = if self.gift { words.gift_card } else { words.refund };
        let mut all = vec![(Fallback::Refund, money)];
        if !self.gift && open.iter().any(|unit| unit.gift_card) {
            all.push((Fallback::GiftCard, words.gift_card));
        }
        let option = |(fallback, label): (Fallback, &str)| Item {
            value: fallback.name().to_owned(),
            label: label.to_owned(),
            hint: String::new(),
            chosen: fallback == chosen,
        };
        all.into_iter().map(option).collect()
    }

    /// What a piece can be exchanged for, if it can; nothing when nobody knows, or all is sold out.
    fn variants(
        &self,
        place: Place,
        line: &OrderLine,
        open: &[&UnitReturnability],
    ) -> Vec<VariantCard> {
        let listed = self.offer.variants.get(place.line).and_then(Option::as_ref);
        let listed = listed.filter(|_| open.iter().any(|unit| unit.exchange));
        let listed = listed.map(|it| it.variants.as_slice()).unwrap_or_default();
        if !listed.iter().any(|variant| variant.in_stock) {
            return Vec::new();
        }
        let chosen = self.form.of("variant", place);
        let card = |variant: &VariantOffer| VariantCard {
            sku: variant.sku.clone(),
            title: variant.title.clone(),
            details: attributes(&variant.attributes),
            picture: self.visit.picture(variant.image_url.as_deref()),
            note: self.note(variant, line),
            sold_out: !variant.in_stock,
            chosen: variant.in_stock && variant.sku == chosen,
        };
        listed.iter().take(VARIANTS_SHOWN_MAX).map(card).collect()
    }

    /// Whether a variant is to be had, and what it costs beside what was bought.
    fn note(&self, variant: &VariantOffer, line: &OrderLine) -> String {
        let words = &self.visit.words().choose;
        if !variant.in_stock {
            return words.sold_out.to_owned();
        }
        let own = line.unit_price_amount_cents;
        let more = variant.unit_price_amount_cents.map_or(0, |price| price.saturating_sub(own));
        let apart = |cents| self.visit.money(cents, &self.offer.order.currency);
        match more {
            0 => words.same_price.to_owned(),
            1.. => (words.costs_more)(&apart(more)),
            _ => (words.costs_less)(&apart(more.saturating_neg())),
        }
    }
}

/// What the order says of the variant that was bought.
fn own_details(line: &OrderLine) -> String {
    let own = line.variants.iter().find(|it| it.sku.is_some() && it.sku == line.sku);
    own.map(|variant| attributes(&variant.attributes)).unwrap_or_default()
}

/// Properties of a variant in one line: `Size L · Colour Navy`.
fn attributes(attributes: &[VariantAttribute]) -> String {
    let each = attributes.iter().map(|it| format!("{} {}", it.name, it.value));
    each.collect::<Vec<_>>().join(" · ")
}

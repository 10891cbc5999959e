//! What a shopper gets if the wanted variant sells out before the return is confirmed: one list
//! with the refund, the gift card and the other variants, so that no choice depends on another.

use domain::{
    exchanges::variants::VariantOffer,
    returns::{request::Fallback, returnability::UnitReturnability},
};

use super::line::{FieldOption, LineBuilder, attributes_text};
use crate::{form::LinePart, selection::ChosenFallback};

impl LineBuilder<'_> {
    /// Everything that can be chosen in advance. A single entry is no choice.
    pub(super) fn list_fallbacks(
        &self,
        part: LinePart,
        open: &[&UnitReturnability],
    ) -> Vec<FieldOption> {
        let words = &self.visit.words().choose;
        let chosen = ChosenFallback::read(self.form, part);
        let option = |fallback: ChosenFallback, label: String| FieldOption {
            value: fallback.field_value(),
            label,
            hint: String::new(),
            chosen: fallback == chosen,
        };
        let money = |fallback: Fallback, label: &str| {
            option(ChosenFallback { fallback, sku: None }, label.to_owned())
        };
        let refund = if self.shopper.gift { words.gift_card } else { words.refund };
        let mut options = vec![money(Fallback::Refund, refund)];
        if self.offers_gift_cards() && open.iter().any(|unit| unit.gift_card) {
            options.push(money(Fallback::GiftCard, words.gift_card));
        }
        let in_stock: Vec<&VariantOffer> =
            self.offered_variants(part, open).iter().filter(|it| it.in_stock).collect();
        // The only variant is the one that sells out.
        if in_stock.len() > 1 {
            options.extend(in_stock.into_iter().map(|variant| {
                let fallback = Fallback::Variant;
                let chosen = ChosenFallback { fallback, sku: Some(variant.sku.clone()) };
                option(chosen, self.variant_label(variant, open))
            }));
        }
        options
    }

    /// A variant in one line, with what its price means for the shopper if it is another.
    fn variant_label(&self, variant: &VariantOffer, open: &[&UnitReturnability]) -> String {
        let details = attributes_text(&variant.attributes);
        let note = if variant.even { String::new() } else { self.price_note(variant, open) };
        let parts = [variant.title.clone(), details, note];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" · ")
    }
}

//! What a return pays, row by row. The page before the shopper confirms and the page of the return
//! show the same.

use domain::returns::quote::Quote;

use crate::visit::PortalVisit;

/// A part of the refund.
pub(super) struct AmountRow {
    pub(super) label: &'static str,
    pub(super) amount: String,
}

/// The parts of the refund, without those that are zero.
pub(super) fn list_amounts(
    visit: &PortalVisit,
    quote: &Quote,
    currency: &str,
    is_gift: bool,
) -> Vec<AmountRow> {
    let words = &visit.words().review;
    let refund = if is_gift { words.gift_card } else { words.refund };
    let rows = [
        (refund, quote.refund_cents),
        (words.gift_card, quote.gift_card_cents),
        (words.shipping, quote.shipping_refund_cents),
        (words.fee, -quote.fee_cents()),
        (words.bonus, quote.bonus_credit_cents),
    ];
    let rows = rows.into_iter().filter(|(_, cents)| *cents != 0);
    rows.map(|(label, cents)| AmountRow { label, amount: visit.format_money(cents, currency) })
        .collect()
}

//! The page that shows the refund before the shopper confirms the return.

pub(super) mod statement;

use std::collections::{BTreeMap, HashMap};

use app::{exchanges::variants::LineVariants, returns::start_return::QuotedReturn};
use askama::Template;
use domain::returns::{
    Resolution, ReturnMethod,
    policy::{Policy, RefundAt},
    rma::{Rma, RmaUnit},
};

use crate::{
    form::PortalForm,
    visit::{PageFrame, PortalVisit},
    words::{TitledText, Words, wording::method_text},
};
use statement::{AmountRow, ReturnStatement};

/// The fields that this page adds.
const OWN_FIELDS: [&str; 2] = ["key", "total"];

#[derive(Template)]
#[template(path = "portal/review.html", whitespace = "minimize")]
pub(super) struct ReviewPage<'a> {
    frame: PageFrame,
    fields: Vec<&'a (String, String)>,
    /// Makes a second confirmation of the same page harmless.
    key: String,
    units: Vec<ReviewUnit<'a>>,
    rows: Vec<AmountRow>,
    total: String,
    total_cents: i64,
    /// Whether the shopper saw a different total before.
    changed: bool,
    changed_text: &'static str,
    exchanged: Option<String>,
    method: TitledText,
    /// How many packages there are, if there are several.
    parcels: Option<String>,
    refund_timing: &'static str,
}

struct ReviewUnit<'a> {
    title: &'a str,
    reason: &'a str,
    resolution: String,
    price: String,
    discount: String,
    tax: String,
    value: String,
}

impl<'a> ReviewPage<'a> {
    pub(super) fn new(
        visit: &PortalVisit,
        form: &'a PortalForm,
        begun: &'a QuotedReturn,
        variants: &BTreeMap<usize, Option<LineVariants>>,
        policy: &'a Policy,
    ) -> Self {
        let QuotedReturn { rma, quote } = begun;
        let words = visit.words();
        let titles = index_titles(variants);
        let money = |cents: i64| visit.format_money(cents, &rma.currency);
        let unit = |unit: &'a RmaUnit| {
            let code = unit.goods.return_reason.as_str();
            ReviewUnit {
                title: &unit.goods.title,
                reason: policy.reason(code).map_or("", |it| it.label_in(visit.language())),
                resolution: resolution_text(words, unit, rma.gift_refund_only(), &titles),
                price: money(unit.goods.amounts.price_cents),
                discount: money(-unit.goods.amounts.discount_cents),
                tax: money(unit.goods.amounts.tax_cents),
                value: money(unit.goods.amounts.refund_cents()),
            }
        };
        let statement = ReturnStatement::new(visit.language(), rma);
        let gift = rma.gift_refund_only();
        let exchanged_text = if gift { words.gifts.exchanged } else { words.review.exchanged };
        let exchanged = Some(quote.exchange_cents).filter(|cents| *cents != 0);
        Self {
            frame: visit.frame(words.review.title, "/review").with_form(form),
            fields: form
                .fields()
                .iter()
                .filter(|(name, _)| !OWN_FIELDS.contains(&name.as_str()))
                .collect(),
            key: visit.web.app.world.readable::<20>(),
            units: rma.units.iter().map(unit).collect(),
            rows: statement.components,
            total: statement.total,
            total_cents: quote.total_cents,
            changed: false,
            changed_text: if gift { words.gifts.changed } else { words.review.changed },
            exchanged: exchanged.map(|cents| exchanged_text(&money(cents))),
            method: method_text(rma.return_method, words),
            parcels: (rma.parcel_count > 1)
                .then(|| (words.parcels.sent_in)(&rma.parcel_count.to_string())),
            refund_timing: timing_text(rma, policy.refund_at, words),
        }
    }
}

impl ReviewPage<'_> {
    /// Says that the refund has changed since the shopper saw it.
    pub(super) fn mark_changed(self) -> Self {
        Self { changed: true, ..self }
    }
}

/// The merchant's names for variants, by SKU.
fn index_titles(variants: &BTreeMap<usize, Option<LineVariants>>) -> HashMap<&str, &str> {
    let listed = variants.values().flatten().flat_map(|listed| &listed.variants);
    listed.map(|variant| (variant.sku.as_str(), variant.title.as_str())).collect()
}

/// When the shopper gets the refund, or the gift card for a gift.
fn timing_text(rma: &Rma, refund_at: RefundAt, words: &Words) -> &'static str {
    match (rma.return_method, refund_at, rma.gift_refund_only()) {
        (ReturnMethod::CustomerKeep, _, _) => "",
        (_, RefundAt::CarrierScan, false) => words.review.refund_on_scan,
        (_, RefundAt::CarrierScan, true) => words.gifts.card_on_scan,
        (_, RefundAt::Receipt, false) => words.review.refund_on_receipt,
        (_, RefundAt::Receipt, true) => words.gifts.card_on_receipt,
    }
}

/// What the shopper gets for a unit: a gift card for a gift. A variant has the merchant's name for
/// it, if that is known.
fn resolution_text(
    words: &Words,
    unit: &RmaUnit,
    gift: bool,
    titles: &HashMap<&str, &str>,
) -> String {
    let words = &words.review;
    match (unit.goods.resolution, &unit.goods.exchange_sku) {
        (Resolution::Exchange, Some(sku)) => {
            (words.as_exchange)(titles.get(sku.as_str()).copied().unwrap_or(sku))
        }
        (Resolution::GiftCard, _) => words.as_gift_card.to_owned(),
        (Resolution::Refund | Resolution::Exchange, _) if gift => words.as_gift_card.to_owned(),
        (Resolution::Refund | Resolution::Exchange, _) => words.as_refund.to_owned(),
    }
}

//! What the return comes to, before it is confirmed.

use app::{exchanges::variants::LineVariants, returns::start_return::Begun};
use askama::Template;
use domain::returns::{
    Resolution, ReturnMethod,
    policy::{Policy, RefundAt},
    quote::Quote,
    rma::RmaUnit,
};

use super::{
    selection::Form,
    visit::{Frame, Visit},
    wording,
};
use crate::words::TitledText;

/// The fields that this page adds itself.
const OWN: [&str; 2] = ["key", "total"];

#[derive(Template)]
#[template(path = "portal/review.html", whitespace = "minimize")]
pub(super) struct Review<'a> {
    frame: Frame,
    fields: Vec<&'a (String, String)>,
    /// Confirming twice is confirming once.
    key: String,
    units: Vec<ReviewUnit<'a>>,
    rows: Vec<(&'static str, String)>,
    total: String,
    total_cents: i64,
    /// Whether the shopper saw another total before.
    changed: bool,
    exchanged: Option<String>,
    way: TitledText,
    paid: &'static str,
}

struct ReviewUnit<'a> {
    title: &'a str,
    reason: &'a str,
    gets: String,
    price: String,
    discount: String,
    tax: String,
    worth: String,
}

impl<'a> Review<'a> {
    pub(super) fn new(
        visit: &Visit,
        form: &'a Form,
        begun: &'a Begun,
        (variants, policy): (&[Option<LineVariants>], &'a Policy),
    ) -> Self {
        let Begun { rma, quote } = begun;
        let words = visit.words();
        let money = |cents: i64| visit.money(cents, &rma.currency);
        let unit = |unit: &'a RmaUnit| {
            let code = unit.goods.return_reason.as_str();
            ReviewUnit {
                title: &unit.goods.title,
                reason: policy.reason(code).map_or("", |it| it.label_in(visit.language())),
                gets: gets(visit, unit, variants),
                price: money(unit.goods.amounts.price_cents),
                discount: money(-unit.goods.amounts.discount_cents),
                tax: money(unit.goods.amounts.tax_cents),
                worth: money(unit.goods.amounts.refund_cents()),
            }
        };
        let exchanged = Some(quote.exchange_cents).filter(|cents| *cents != 0);
        Self {
            frame: visit.frame(words.review.title, "/review").after(form),
            fields: form.0.iter().filter(|(name, _)| !OWN.contains(&name.as_str())).collect(),
            key: visit.web.app.world.readable::<20>(),
            units: rma.units.iter().map(unit).collect(),
            rows: rows(visit, quote, &rma.currency, rma.gift_refund_only()),
            total: money(quote.total_cents),
            total_cents: quote.total_cents,
            changed: false,
            exchanged: exchanged.map(|cents| (words.review.exchanged)(&money(cents))),
            way: wording::method(rma.return_method, words),
            paid: match (rma.return_method, policy.refund_at) {
                (ReturnMethod::CustomerKeep, _) => "",
                (_, RefundAt::CarrierScan) => words.review.refund_on_scan,
                (_, RefundAt::Receipt) => words.review.refund_on_receipt,
            },
        }
    }
}

impl Review<'_> {
    /// The page again, because what it says is new.
    pub(super) fn changed(self) -> Self {
        Self { changed: true, ..self }
    }
}

/// The parts of what the shopper gets, without those that are nothing.
fn rows(
    visit: &Visit,
    quote: &Quote,
    currency: &str,
    is_gift: bool,
) -> Vec<(&'static str, String)> {
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
    rows.map(|(words, cents)| (words, visit.money(cents, currency))).collect()
}

/// What the shopper gets for a unit. A variant is called as the merchant calls it, where that is known.
fn gets(visit: &Visit, unit: &RmaUnit, variants: &[Option<LineVariants>]) -> String {
    let words = &visit.words().review;
    match (unit.goods.resolution, &unit.goods.exchange_sku) {
        (Resolution::Exchange, Some(sku)) => {
            let mut listed = variants.iter().flatten().flat_map(|listed| &listed.variants);
            let title = listed.find(|variant| variant.sku == *sku).map(|it| it.title.as_str());
            (words.as_exchange)(title.unwrap_or(sku))
        }
        (Resolution::GiftCard, _) => words.as_gift_card.to_owned(),
        (Resolution::Refund | Resolution::Exchange, _) => words.as_refund.to_owned(),
    }
}

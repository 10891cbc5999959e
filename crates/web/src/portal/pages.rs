//! What the pages of the portal show.

use app::{start_return::Begun, variants::LineVariants};
use askama::Template;
use domain::{
    order::{Line, Order},
    returns::{
        Resolution, ReturnMethod,
        policy::Reason,
        returnability::{LineReturnability, Returnability, UnitReturnability},
        rma::Rma,
    },
};

use super::{
    choice::Form,
    money::amount,
    timeline::{Step, timeline},
};
use crate::assets::assets;

/// What every page has.
pub(super) struct Frame {
    merchant: String,
    merchant_name: String,
    title: &'static str,
    base_style: String,
    portal_style: String,
    icon: String,
}

impl Frame {
    pub(super) fn new(merchant: &str, merchant_name: &str, title: &'static str) -> Self {
        Self {
            merchant: merchant.to_owned(),
            merchant_name: merchant_name.to_owned(),
            title,
            base_style: assets().base_style.address(),
            portal_style: assets().portal_style.address(),
            icon: assets().icon.address(),
        }
    }
}

/// Where a shopper says which order it is.
#[derive(Template)]
#[template(path = "portal/find.html", whitespace = "minimize")]
pub(super) struct Find<'a> {
    pub(super) frame: Frame,
    pub(super) problem: Option<&'a str>,
    pub(super) order_number: &'a str,
    pub(super) gift: bool,
}

/// Where a shopper chooses what comes back.
#[derive(Template)]
#[template(path = "portal/choose.html", whitespace = "minimize")]
pub(super) struct Choose<'a> {
    pub(super) frame: Frame,
    pub(super) problem: Option<&'a str>,
    order: &'a Order,
    gift: bool,
    lines: Vec<ChooseLine<'a>>,
    reasons: &'a [Reason],
    methods: Vec<(ReturnMethod, &'static str)>,
    any: bool,
}

struct ChooseLine<'a> {
    position: usize,
    line: &'a Line,
    /// The numbers of units that can be chosen, from 0.
    quantities: Vec<usize>,
    each: String,
    until: Option<String>,
    /// Why nothing of it, or not all of it, can come back.
    objections: Vec<String>,
    gift_card: bool,
    variants: Vec<(String, String)>,
}

impl<'a> Choose<'a> {
    pub(super) fn new(
        frame: Frame,
        order: &'a Order,
        gift: bool,
        (judged, variants): (&'a Returnability, &[Option<LineVariants>]),
    ) -> Self {
        let lines = order.items.iter().zip(&judged.lines).enumerate();
        let lines: Vec<ChooseLine<'a>> = lines
            .map(|(position, (line, answer))| {
                let known = variants.get(position).and_then(Option::as_ref);
                choose_line((position, line), answer, known, &order.currency)
            })
            .collect();
        let mut methods: Vec<(ReturnMethod, &'static str)> = Vec::new();
        let units = judged.lines.iter().flat_map(|line| &line.units);
        for offered in units.flat_map(|unit| &unit.methods) {
            if !methods.iter().any(|(known, _)| *known == offered.method) {
                methods.push((offered.method, method_words(offered.method)));
            }
        }
        let any = lines.iter().any(|line| line.quantities.len() > 1);
        let reasons = judged.reasons.as_slice();
        Self { frame, problem: None, order, gift, lines, reasons, methods, any }
    }
}

fn choose_line<'a>(
    (position, line): (usize, &'a Line),
    answer: &LineReturnability,
    variants: Option<&LineVariants>,
    currency: &str,
) -> ChooseLine<'a> {
    let open: Vec<_> = answer.units.iter().filter(|unit| unit.returnable).collect();
    let first = open.first().and_then(|unit| unit.refund);
    let until = open.iter().flat_map(|unit| &unit.rules).find_map(|rule| rule.changes_at);
    let mut objections: Vec<String> = Vec::new();
    let refused = answer.units.iter().filter(|unit| !unit.returnable);
    for rule in refused.flat_map(UnitReturnability::objections) {
        if !objections.contains(&rule.fact) {
            objections.push(rule.fact.clone());
        }
    }
    let exchange = open.iter().any(|unit| unit.exchange);
    let offers = variants.filter(|_| exchange).map(|it| it.variants.as_slice());
    let offers = offers.unwrap_or_default().iter().filter(|offer| offer.in_stock);
    ChooseLine {
        position,
        line,
        quantities: (0..=open.len()).collect(),
        each: first.map(|refund| amount(refund.refund_cents, currency)).unwrap_or_default(),
        until: until.map(|until| until.strftime("%-d %B %Y").to_string()),
        objections,
        gift_card: open.iter().any(|unit| unit.gift_card),
        variants: offers.map(|offer| (offer.sku.clone(), offer.title.clone())).collect(),
    }
}

const fn method_words(method: ReturnMethod) -> &'static str {
    match method {
        ReturnMethod::MailBack => "Send a parcel with a label that you print",
        ReturnMethod::ExpressReturns => "Hand it over at a drop-off point, without a box",
        ReturnMethod::CustomerKeep => "Keep it; nothing needs to come back",
        ReturnMethod::HomePickup => "Have it collected at your door",
    }
}

/// What the return comes to, before it is confirmed.
#[derive(Template)]
#[template(path = "portal/review.html", whitespace = "minimize")]
pub(super) struct Review<'a> {
    pub(super) frame: Frame,
    fields: &'a [(String, String)],
    units: Vec<ReviewUnit<'a>>,
    rows: Vec<(&'static str, String)>,
    total: String,
    method: &'static str,
}

struct ReviewUnit<'a> {
    title: &'a str,
    gets: String,
    price: String,
    discount: String,
    tax: String,
    worth: String,
}

impl<'a> Review<'a> {
    pub(super) fn new(frame: Frame, form: &'a Form, begun: &'a Begun) -> Self {
        let Begun { rma, quote } = begun;
        let money = |cents: i64| amount(cents, &rma.currency);
        let unit = |unit: &'a domain::returns::rma::Unit| ReviewUnit {
            title: &unit.goods.title,
            gets: gets(unit),
            price: money(unit.goods.amounts.price_cents),
            discount: money(-unit.goods.amounts.discount_cents),
            tax: money(unit.goods.amounts.tax_cents),
            worth: money(unit.goods.amounts.refund_cents()),
        };
        let rows = [
            ("Refund", quote.refund_cents),
            ("Gift card", quote.gift_card_cents),
            ("Exchanged", quote.exchange_cents),
            ("Shipping", quote.shipping_refund_cents),
            ("Return fee", -quote.fee_cents()),
            ("Bonus credit", quote.bonus_credit_cents),
        ];
        let rows = rows.into_iter().filter(|(_, cents)| *cents != 0);
        Self {
            frame,
            fields: &form.0,
            units: rma.units.iter().map(unit).collect(),
            rows: rows.map(|(words, cents)| (words, money(cents))).collect(),
            total: money(quote.total_cents),
            method: method_words(rma.return_method),
        }
    }
}

fn gets(unit: &domain::returns::rma::Unit) -> String {
    match (unit.goods.resolution, &unit.goods.exchange_sku) {
        (Resolution::Exchange, Some(sku)) => format!("exchanged for {sku}"),
        (Resolution::GiftCard, _) => "as a gift card".to_owned(),
        (Resolution::Refund | Resolution::Exchange, _) => "refunded".to_owned(),
    }
}

/// What became of a return.
#[derive(Template)]
#[template(path = "portal/status.html", whitespace = "minimize")]
pub(super) struct StatusPage<'a> {
    pub(super) frame: Frame,
    rma: &'a Rma,
    steps: Vec<Step>,
    units: Vec<(&'a str, String, String)>,
    label: bool,
    cancellable: bool,
    pub(super) problem: Option<String>,
}

impl<'a> StatusPage<'a> {
    pub(super) fn new(frame: Frame, rma: &'a Rma, cancellable: bool) -> Self {
        let unit = |unit: &'a domain::returns::rma::Unit| {
            let worth = amount(unit.goods.amounts.refund_cents(), &rma.currency);
            (unit.goods.title.as_str(), gets(unit), worth)
        };
        Self {
            frame,
            rma,
            steps: timeline(rma),
            units: rma.units.iter().map(unit).collect(),
            label: rma.return_method != ReturnMethod::CustomerKeep,
            cancellable,
            problem: None,
        }
    }
}

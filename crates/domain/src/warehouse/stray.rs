//! Strays: goods that came without the label of their return, and what can find it.
//!
//! A return that awaits units is stored with [keys](keys_of_return): its articles, its orders, and
//! the people that the goods were sent to. Whatever is known about a stray becomes keys of the same
//! form, and [`rank`] orders the returns that are found by them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::gtin::{is_same_code, normalize_code};
use crate::orders::order::PostalAddress;
use crate::returns::receipt::Receipt;
use crate::returns::rma::{ReceivingStatus, Rma, RmaUnit};

/// A stray has at most this many proposals: each has a key of its own, from 1 to 9.
pub const PROPOSALS_MAX: usize = 9;

/// So many units of a return make it findable. One of thousands of units has enough other keys.
const UNITS_WITH_KEYS_MAX: usize = 500;

/// What a worker reads on the slip in a parcel. Empty if it is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlipDetails {
    /// The number of the order, or of the return.
    pub number: String,
    pub name: String,
    pub postal_code: String,
}

/// What a stray and a return have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StraySign {
    ReturnNumber,
    TrackingNumber,
    SerialNumber,
    OrderNumber,
    NameAndPostalCode,
    Article,
}

impl StraySign {
    /// Its weight. An article alone is weaker than anything that names the return.
    pub const fn weight(self) -> u32 {
        match self {
            Self::ReturnNumber => 500,
            Self::TrackingNumber => 400,
            Self::SerialNumber => 200,
            Self::OrderNumber => 150,
            Self::NameAndPostalCode => 100,
            Self::Article => 60,
        }
    }

    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::ReturnNumber => "its number is on the parcel or the slip",
            Self::TrackingNumber => "same tracking number",
            Self::SerialNumber => "same serial number",
            Self::OrderNumber => "same order number",
            Self::NameAndPostalCode => "same name and postal code",
            Self::Article => "same product",
        }
    }
}

/// The key of an article.
pub fn article_key(code: &str) -> String {
    format!("article {}", normalize_code(code))
}

/// The key of an order.
pub fn order_key(number: &str) -> String {
    format!("order {}", number.trim().to_uppercase())
}

/// The key of a person: the parts of the name in any order, and the postal code. None if one of
/// them has no letters or digits.
pub fn person_key(name: &str, postal_code: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_alphanumeric();
    let lower = name.to_lowercase();
    let parts: BTreeSet<&str> =
        lower.split(|letter| !is_plain(letter)).filter(|it| !it.is_empty()).collect();
    let code: String = postal_code.to_uppercase().chars().filter(|it| is_plain(*it)).collect();
    let parts: Vec<&str> = parts.into_iter().collect();
    (!parts.is_empty() && !code.is_empty()).then(|| format!("person {} {code}", parts.join(" ")))
}

/// What finds a return that awaits units. Empty if it awaits none.
pub fn keys_of_return(rma: &Rma, recipients: &[&PostalAddress]) -> BTreeSet<String> {
    if !awaits_units(rma) {
        return BTreeSet::new();
    }
    let mut keys = BTreeSet::new();
    for unit in rma.units.iter().filter(|unit| is_awaited(unit)).take(UNITS_WITH_KEYS_MAX) {
        let goods = &unit.goods;
        keys.insert(order_key(&goods.order_identifier));
        keys.extend([&goods.sku, &goods.upc].into_iter().flatten().map(|code| article_key(code)));
    }
    keys.extend(recipients.iter().filter_map(|it| person_key(&it.name, &it.zip_code)));
    keys
}

/// Whether the warehouse awaits a unit of the return.
pub fn awaits_units(rma: &Rma) -> bool {
    rma.units.iter().any(is_awaited)
}

fn is_awaited(unit: &RmaUnit) -> bool {
    unit.receiving == Some(ReceivingStatus::Pending)
}

/// Whether a unit that came late can still be this one. The merchant has not paid for it.
fn is_missed(unit: &RmaUnit) -> bool {
    unit.is_given_up() && unit.refund.is_none()
}

/// A line of a return that a stray could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayProposal {
    pub line_identifier: String,
    pub article: String,
    /// How many units of the line are awaited, or missed.
    pub awaited: usize,
    /// Whether receiving was closed without them.
    pub is_late: bool,
    /// Why it could be, the strongest reason first.
    pub signs: Vec<StraySign>,
}

impl StrayProposal {
    /// The line of a return that a scanned unit could be, if the return was found by `signs`. None
    /// if it awaits no unit, and receiving was not closed without one.
    pub fn of(rma: &Rma, scanned: &Receipt, signs: &BTreeSet<StraySign>) -> Option<Self> {
        let codes = || [&scanned.sku, &scanned.upc].into_iter().flatten();
        let is_article = |unit: &&RmaUnit| {
            let own = [&unit.goods.sku, &unit.goods.upc].into_iter().flatten();
            own.into_iter().any(|own| codes().any(|code| is_same_code(own, code)))
        };
        let is_open = |unit: &RmaUnit| is_awaited(unit) || is_missed(unit);
        let mut awaited = rma.units.iter().filter(|unit| is_open(unit));
        let same = awaited.clone().find(is_article);
        let unit = same.or_else(|| awaited.next())?;
        let line = &unit.goods.order_line_item_identifier;
        let of_line = |it: &&RmaUnit| is_open(it) && it.goods.order_line_item_identifier == *line;
        let mut signs: Vec<StraySign> =
            signs.iter().copied().filter(|it| *it != StraySign::Article).collect();
        signs.extend(same.map(|_| StraySign::Article));
        Some(Self {
            line_identifier: line.clone(),
            article: unit.goods.title.clone(),
            awaited: rma.units.iter().filter(of_line).count(),
            is_late: is_missed(unit),
            signs,
        })
    }

    fn weight(&self) -> u32 {
        self.signs.iter().map(|sign| sign.weight()).sum()
    }
}

/// The likeliest proposals first, and no more than a person can choose from.
pub fn rank<T>(proposals: &mut Vec<T>, proposal: impl Fn(&T) -> &StrayProposal) {
    proposals.retain(|it| !proposal(it).signs.is_empty());
    proposals.sort_by_key(|it| Reverse(proposal(it).weight()));
    proposals.truncate(PROPOSALS_MAX);
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::returns::rma::RefundMade;
    use crate::samples;

    fn scanned(sku: &str) -> Receipt {
        Receipt { sku: Some(sku.to_owned()), upc: None, ..samples::asn_receipt() }
    }

    #[test]
    fn a_person_is_found_however_the_name_is_written() {
        let key = person_key("Dana  WHITFIELD", "07105-1234");
        assert_eq!(key, person_key("whitfield, dana", "071051234"));
        assert_ne!(key, person_key("Dana Whitfield", "07106"));
        assert_eq!(person_key("-", "07105"), None);
        assert_eq!(person_key("Dana", " "), None);
    }

    #[test]
    fn a_return_is_found_by_what_it_awaits() {
        let rma = samples::rma();
        let keys = keys_of_return(&rma, &[]);
        assert!(keys.contains("order ORD-100472"), "{keys:?}");
        assert!(keys.contains("article TEE-NAVY-M"), "{keys:?}");
        assert!(keys.contains(&article_key("0012345678905")), "{keys:?}");
        let mut done = rma;
        for unit in &mut done.units {
            unit.receiving = Some(ReceivingStatus::Received);
        }
        assert!(keys_of_return(&done, &[]).is_empty());
    }

    #[test]
    fn a_unit_that_receiving_was_closed_without_is_proposed_until_it_is_refunded() {
        let mut rma = samples::rma();
        for unit in &mut rma.units {
            (unit.receiving, unit.receipt) = (Some(ReceivingStatus::NotReceived), None);
        }
        let named = BTreeSet::from([StraySign::ReturnNumber]);
        let propose = |rma: &Rma| StrayProposal::of(rma, &scanned("TEE-NAVY-M"), &named);

        let proposal = propose(&rma).unwrap();
        assert_eq!((proposal.awaited, proposal.is_late), (2, true));
        for unit in &mut rma.units {
            let refund_identifier = "RF-1".to_owned();
            unit.refund =
                Some(RefundMade { refund_identifier, refunded_at: Timestamp::UNIX_EPOCH });
        }
        assert_eq!(propose(&rma), None);
    }

    #[test]
    fn what_names_the_return_weighs_more_than_its_article() {
        let rma = samples::rma();
        let signs = |signs: &[StraySign]| signs.iter().copied().collect::<BTreeSet<_>>();
        let tracked =
            StrayProposal::of(&rma, &scanned("MUG"), &signs(&[StraySign::TrackingNumber])).unwrap();
        let article = signs(&[StraySign::Article]);
        let fitting = StrayProposal::of(&rma, &scanned("TEE-NAVY-M"), &article).unwrap();
        let other = StrayProposal::of(&rma, &scanned("MUG"), &article).unwrap();
        assert_eq!(tracked.signs, [StraySign::TrackingNumber]);
        let mut found = vec![other, fitting.clone(), tracked.clone()];
        rank(&mut found, |it| it);
        assert_eq!(found, [tracked, fitting], "what has nothing in common is not proposed");
    }
}

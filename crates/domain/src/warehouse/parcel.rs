//! A parcel on the bench: what it should contain, and what a scanned code means for it.
//!
//! | code                                              | meaning                              |
//! | ------------------------------------------------- | ------------------------------------ |
//! | license plate of a unit that was received from it | received: nothing changes            |
//! | symbol with the serial number of such a unit      | received (in a return)               |
//! | license plate that a line announces               | expected, or received                |
//! | serial number of a unit that a line announces     | expected, or received                |
//! | article of a line that still expects units        | expected                             |
//! | article of lines that announce single units       | units: which of them is it?          |
//! | article whose units were all received             | full: a question                     |
//! | anything else                                     | unexpected: a question               |
//!
//! An article is identified by its SKU, UPC or ASIN, and in a return also by its line. A GS1 symbol
//! identifies it by the article number in it. The result of a scan is not decided here: a unit
//! becomes a receipt, and the return or [`receiving`](super::receiving) decides about it.

mod receipt;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;

pub use self::receipt::{GradedUnit, UnexpectedCode};
use super::asn::{AsnLine, AsnStatus};
use super::gtin::is_same_code;
use super::receiving::AsnState;
use super::scanned_code::ScannedCode;
use crate::identifier::MerchantId;
use crate::returns::receipt::Condition;
use crate::returns::rma::{Rma, RmaStatus, RmaUnit};

/// What a parcel should contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// Its merchant, or the platform while the merchant is unknown.
    pub merchant: MerchantId,
    /// The identifier of the return, the number of the ASN, or the scanned code.
    pub number: String,
    pub kind: ParcelKind,
    pub lines: Vec<ExpectedLine>,
    /// Why nothing can be received from it, as text.
    pub refusal: Option<&'static str>,
    /// What was received from it, by license plate. Complete for a return, empty for an ASN.
    pub here: BTreeMap<String, ReceivedItem>,
    /// The carton of the ASN that was scanned, if it was opened by one.
    pub carton: Option<String>,
    /// The tracking number that was scanned, if it was opened by one.
    pub tracking_number: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParcelKind {
    /// A shopper's return.
    Return,
    /// Goods that a merchant announced.
    Announced,
    /// A parcel that was not announced.
    Unknown,
}

/// A unit that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedItem {
    /// The line of the order.
    pub line_identifier: String,
    pub article: String,
    pub condition: Condition,
    pub channel: Option<String>,
    /// Why it was rejected, if it was.
    pub reject_reason: Option<String>,
    pub at: Timestamp,
}

/// Units of one line that should be in the parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedLine {
    pub line_identifier: String,
    /// The program of the ASN, because several programs can use the same number.
    pub program: Option<String>,
    pub title: Option<String>,
    pub sku: Option<String>,
    pub upc: Option<String>,
    pub asin: Option<String>,
    /// The license plate, if the line announces a single unit.
    pub plate: Option<String>,
    /// The merchant's own identifier of that unit.
    pub own: Option<String>,
    /// The serial number of that unit.
    pub serial: Option<String>,
    /// The carton that the ASN announces the line in.
    pub carton: Option<String>,
    pub quantity: i64,
    pub received: i64,
}

/// What a scanned code means for a parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeMeaning<'a> {
    /// A unit that is still expected.
    Expected(&'a ExpectedLine),
    /// This unit was already received.
    Received(Option<&'a ExpectedLine>),
    /// All units of this article were already received.
    Full(&'a ExpectedLine),
    /// One of these units; the article alone does not identify it.
    Units(Vec<&'a ExpectedLine>),
    /// Something that the parcel should not contain.
    Unexpected,
}

impl ExpectedLine {
    pub fn awaited(&self) -> i64 {
        self.quantity.saturating_sub(self.received).max(0)
    }

    /// The name of the article: its title or its code.
    pub fn article(&self) -> &str {
        let codes = [&self.title, &self.sku, &self.upc].into_iter();
        codes.flatten().next().map_or(&self.line_identifier, String::as_str)
    }

    fn is_piece(&self, scanned: &ScannedCode) -> bool {
        let code = scanned.code();
        let is_named = [&self.plate, &self.own].into_iter().flatten().any(|known| known == code);
        is_named || self.serial.as_deref().is_some_and(|it| self.has_serial(it, scanned))
    }

    /// Whether the serial number was scanned, alone or in a symbol of the same article.
    fn has_serial(&self, serial: &str, scanned: &ScannedCode) -> bool {
        match (scanned.gtin(), &self.upc) {
            (Some(gtin), Some(upc)) => scanned.serial() == Some(serial) && is_same_code(upc, gtin),
            (Some(_), None) => false,
            (None, _) => scanned.code() == serial,
        }
    }

    fn is_article(&self, code: &str) -> bool {
        self.sku.as_deref().is_some_and(|sku| is_same_code(sku, code))
            || self.upc.as_deref().is_some_and(|upc| is_same_code(upc, code))
            || self.asin.as_deref().is_some_and(|asin| asin.eq_ignore_ascii_case(code))
    }
}

impl Parcel {
    /// A parcel that was not announced. Each of its units is a question.
    pub fn unknown(number: &str) -> Self {
        Self {
            merchant: MerchantId::platform(),
            number: number.to_owned(),
            kind: ParcelKind::Unknown,
            lines: Vec::new(),
            refusal: None,
            here: BTreeMap::new(),
            carton: None,
            tracking_number: None,
        }
    }

    pub fn of_return(merchant: &MerchantId, rma: &Rma) -> Self {
        let mut lines: Vec<ExpectedLine> = Vec::new();
        for unit in &rma.units {
            let same = |line: &&mut ExpectedLine| is_of(unit, line);
            let received = i64::from(unit.receipt.is_some());
            match lines.iter_mut().find(same) {
                Some(line) => {
                    line.quantity += 1;
                    line.received += received;
                }
                None => lines.push(expected(unit, received)),
            }
        }
        let here = rma.units.iter().filter_map(|unit| {
            let receipt = unit.receipt.as_ref()?;
            let article = unit.goods.title.clone();
            let here = ReceivedItem {
                line_identifier: unit.goods.order_line_item_identifier.clone(),
                article,
                condition: receipt.condition,
                channel: receipt.channel.clone(),
                reject_reason: receipt.reject_reason.clone(),
                at: receipt.received_at,
            };
            Some((receipt.receipt_identifier.clone(), here))
        });
        Self {
            merchant: merchant.clone(),
            number: rma.rma_identifier.to_string(),
            kind: ParcelKind::Return,
            refusal: refusal_of(rma),
            here: here.collect(),
            lines,
            carton: None,
            tracking_number: None,
        }
    }

    /// The goods that a merchant announced under one number, for one program or several.
    pub fn of_asns(merchant: &MerchantId, number: &str, asns: &[AsnState]) -> Self {
        let cancelled = asns.iter().all(|state| state.asn.status == AsnStatus::Cancelled);
        let live = asns.iter().filter(|it| cancelled || it.asn.status != AsnStatus::Cancelled);
        let shared = asns.len() > 1;
        let lines = live.flat_map(|state| {
            let program = shared.then(|| state.asn.program_identifier.clone());
            state.asn.lines().map(move |line| announced(state, &line, program.clone()))
        });
        Self {
            merchant: merchant.clone(),
            number: number.to_owned(),
            kind: ParcelKind::Announced,
            lines: lines.collect(),
            refusal: cancelled.then_some("its merchant cancelled it"),
            here: BTreeMap::new(),
            carton: None,
            tracking_number: None,
        }
    }

    /// How many units are still expected.
    pub fn awaited(&self) -> i64 {
        self.lines.iter().map(ExpectedLine::awaited).sum()
    }

    /// What a scan means for the parcel.
    pub fn meaning(&self, scan: &str) -> CodeMeaning<'_> {
        let scanned = ScannedCode::parse(scan);
        let code = scanned.code();
        let unit_key = scanned.unit_key();
        if self.here.contains_key(code) || unit_key.is_some_and(|it| self.here.contains_key(&it)) {
            return CodeMeaning::Received(None);
        }
        if let Some(piece) = self.lines.iter().find(|line| line.is_piece(&scanned)) {
            let here = piece.awaited() == 0;
            return if here {
                CodeMeaning::Received(Some(piece))
            } else {
                CodeMeaning::Expected(piece)
            };
        }
        let by_line = self.kind == ParcelKind::Return;
        let same = |line: &&ExpectedLine| {
            line.is_article(code) || (by_line && line.line_identifier == code)
        };
        let all: Vec<&ExpectedLine> = self.lines.iter().filter(same).collect();
        let mut awaiting = all.iter().copied().filter(|line| line.awaited() > 0);
        let Some(first) = all.first() else { return CodeMeaning::Unexpected };
        if let Some(line) = awaiting.clone().find(|line| line.plate.is_none()) {
            return CodeMeaning::Expected(line);
        }
        match awaiting.next() {
            Some(piece) => CodeMeaning::Units(std::iter::once(piece).chain(awaiting).collect()),
            None => CodeMeaning::Full(first),
        }
    }
}

fn is_of(unit: &RmaUnit, line: &ExpectedLine) -> bool {
    let goods = &unit.goods;
    line.line_identifier == goods.order_line_item_identifier
        && line.sku == goods.sku
        && line.upc == goods.upc
        && line.title.as_deref() == Some(&goods.title)
}

fn expected(unit: &RmaUnit, received: i64) -> ExpectedLine {
    let goods = &unit.goods;
    ExpectedLine {
        line_identifier: goods.order_line_item_identifier.clone(),
        program: None,
        title: Some(goods.title.clone()),
        sku: goods.sku.clone(),
        upc: goods.upc.clone(),
        asin: None,
        plate: None,
        own: None,
        serial: None,
        carton: None,
        quantity: 1,
        received,
    }
}

fn announced(state: &AsnState, line: &AsnLine<'_>, program: Option<String>) -> ExpectedLine {
    let detail = line.detail;
    ExpectedLine {
        line_identifier: detail.line_identifier.clone(),
        program,
        title: None,
        sku: Some(detail.sku.clone()),
        upc: detail.upc.clone(),
        asin: detail.asin.clone(),
        plate: detail.unit_identifier.clone(),
        own: detail.client_unit_identifier.clone(),
        serial: detail.serial_number.clone(),
        carton: line.carton.identifier.clone(),
        quantity: detail.quantity,
        received: detail.quantity.saturating_sub(state.awaited(detail)),
    }
}

/// Why no unit of a return can be received.
fn refusal_of(rma: &Rma) -> Option<&'static str> {
    let never = rma.units.iter().all(|unit| unit.receiving.is_none());
    let done = rma.units.iter().all(|unit| unit.receipt.is_some());
    if rma.status == RmaStatus::Canceled {
        Some("the return was canceled")
    } else if never {
        Some("its merchant receives the goods itself")
    } else if rma.receiving_complete && !done {
        Some("its receiving was closed")
    } else {
        None
    }
}

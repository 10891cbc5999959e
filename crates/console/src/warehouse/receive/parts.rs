//! The parts of the bench's pages: scan field, packing list, links and recent scans.

use app::warehouse::{
    bench_goods::BenchGoods,
    parcel_search::MatchingParcel,
    stray_search::ReturnProposal,
    workbench::{ScannedUnit, UnitLocation},
};
use domain::{
    identifier::MerchantId,
    returns::receipt::Condition,
    warehouse::parcel::{ExpectedLine, Parcel, ParcelKind},
};
use jiff::Timestamp;

use super::state::{BenchState, CodeKind};
use crate::core::{
    format::{format_count, to_sentence},
    urls::plate_url,
};

/// More lines than this do not help a person at a bench.
const LINES_MAX: usize = 40;

/// The field for all scans.
pub(super) struct ScanField {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) button: &'static str,
    pub(super) hint: &'static str,
}

impl ScanField {
    pub(super) const fn parcel() -> Self {
        let hint =
            "The tracking number on the label, the number of the return or ASN, or a carton.";
        Self { name: "parcel", label: "Scan a parcel", button: "Open", hint }
    }

    pub(super) const fn unit(label: &'static str) -> Self {
        let hint = "Its license plate, serial number, SKU or barcode. The code of another parcel \
                    opens that parcel.";
        Self { name: "unit", label, button: "Continue", hint }
    }
}

/// The expected content of a parcel.
pub(super) struct PackingList<'a> {
    pub(super) found: &'a MatchingParcel,
    pub(super) lines: Vec<&'a ExpectedLine>,
    /// How many units are expected and received.
    pub(super) quantity: i64,
    pub(super) received: i64,
    /// How many lines are not listed.
    pub(super) omitted: usize,
    /// The line of the current unit.
    pub(super) current: Option<&'a str>,
}

impl<'a> PackingList<'a> {
    /// The lines of the carton, if one was scanned. If there are too many lines, those that are
    /// still open go first.
    pub(super) fn new(found: &'a MatchingParcel) -> Self {
        let carton = &found.parcel.carton;
        let is_here = |line: &&ExpectedLine| carton.is_none() || line.carton == *carton;
        let mut lines: Vec<&ExpectedLine> = found.parcel.lines.iter().filter(is_here).collect();
        let all = lines.len();
        let quantity = lines.iter().map(|line| line.quantity).sum();
        let received = lines.iter().map(|line| line.received).sum();
        if lines.len() > LINES_MAX {
            lines.sort_by_key(|line| line.awaited() == 0);
            lines.truncate(LINES_MAX);
        }
        let omitted = all.saturating_sub(lines.len());
        Self { found, lines, quantity, received, omitted, current: None }
    }

    pub(super) const fn kind(&self) -> &'static str {
        match self.found.parcel.kind {
            ParcelKind::Return => "Return",
            ParcelKind::Announced => "ASN",
            ParcelKind::Unknown => "Unknown parcel",
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.found.parcel.kind == ParcelKind::Unknown
    }

    /// Lines with missing units.
    pub(super) fn missing(&self) -> impl Iterator<Item = &&ExpectedLine> {
        self.lines.iter().filter(|line| line.awaited() > 0)
    }

    pub(super) fn is_current(&self, line: &ExpectedLine) -> bool {
        self.current == Some(line.line_identifier.as_str())
    }
}

/// The codes of a line, except for the one that is its name.
pub(super) fn other_codes(line: &ExpectedLine) -> String {
    let all = [&line.plate, &line.own, &line.sku, &line.upc, &line.serial];
    let other = all.into_iter().flatten().map(String::as_str).filter(|it| *it != line.article());
    other.collect::<Vec<_>>().join(" · ")
}

/// A link to a possible next step.
pub(super) struct BenchLink {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) detail: String,
}

impl BenchLink {
    /// One of several parcels with the same code.
    pub(super) fn parcel(state: &BenchState, found: &MatchingParcel) -> Self {
        let parcel = &found.parcel;
        let expected = match parcel.awaited() {
            0 => "no units expected".to_owned(),
            count => format!("{} expected", format_count(count, "unit", "units")),
        };
        Self {
            url: state.at_other_parcel(&parcel.number, parcel.merchant.as_str()).url(),
            title: format!("{} of {}", parcel.number, found.merchant_name),
            detail: expected,
        }
    }

    /// The parcel that a unit belongs to.
    pub(super) fn elsewhere(state: &BenchState, elsewhere: &UnitLocation, code: &str) -> Self {
        let there = state.at_other_parcel(&elsewhere.asn_number, elsewhere.merchant.as_str());
        let (relation, url) = if elsewhere.received {
            ("Already received for", there.url())
        } else {
            ("Belongs to", there.with_unit(code).url())
        };
        let title = format!("{relation} {}", elsewhere.asn_number);
        Self { url, title, detail: elsewhere.merchant_name.clone() }
    }

    /// One of several units of the same product.
    pub(super) fn unit(state: &BenchState, line: &ExpectedLine) -> Self {
        let title = line.plate.clone().unwrap_or_default();
        let url = state.with_unit(&title).url();
        Self { url, title, detail: line.article().to_owned() }
    }

    pub(super) fn set_aside(state: &BenchState, code: &str, kind: CodeKind) -> Self {
        let (title, detail) = match kind {
            CodeKind::Unit => ("Set aside by license plate", "The code identifies this unit."),
            CodeKind::Product => ("Set aside by SKU or UPC", "The code identifies the product."),
        };
        let url = state.with_unit_set_aside(code, kind).url();
        Self { url, title: title.to_owned(), detail: detail.to_owned() }
    }
}

/// A condition that a unit can be given, and the channel that follows from it.
pub(super) struct ConditionKey {
    pub(super) condition: Condition,
    pub(super) channel: String,
}

/// The conditions, each with the channel that was entered or else the proposed one.
pub(super) fn condition_keys(state: &BenchState, goods: &BenchGoods) -> Vec<ConditionKey> {
    let channel = |condition| match state.channel.as_str() {
        "" => goods.channel(condition),
        entered => entered.to_owned(),
    };
    let keys = Condition::ALL.into_iter();
    keys.map(|condition| ConditionKey { condition, channel: channel(condition) }).collect()
}

/// The address of a picture that is shown at the bench.
pub(super) fn picture_url(merchant: &MerchantId, token: &str) -> String {
    format!("/console/pictures/{merchant}/{token}")
}

/// A return that a unit could belong to.
pub(super) struct ReturnChoice {
    /// The key that chooses it.
    pub(super) key: usize,
    pub(super) rma: String,
    pub(super) title: String,
    pub(super) detail: String,
}

impl ReturnChoice {
    pub(super) fn new(proposal: &ReturnProposal, key: usize) -> Self {
        let rma = proposal.rma_identifier.to_string();
        let signs: Vec<&str> = proposal.line.signs.iter().map(|sign| sign.words()).collect();
        let (article, reasons) = (&proposal.line.article, signs.join(", "));
        let title = format!("{article}, {rma} of {}", proposal.merchant_name);
        Self { key, rma, title, detail: to_sentence(&reasons) }
    }
}

/// A row in the list of recent scans.
pub(super) struct RecentScan {
    pub(super) article: String,
    pub(super) plate: String,
    pub(super) condition: Condition,
    pub(super) at: Timestamp,
    pub(super) state: ScanState,
    /// Where its receipt can be corrected, while that is possible.
    pub(super) correct_url: Option<String>,
    /// Where its license plate can be printed.
    pub(super) plate_url: String,
}

/// What became of a scanned unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanState {
    Received,
    Rejected,
    Exception,
}

impl ScanState {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Received => "Received",
            Self::Rejected => "Rejected",
            Self::Exception => "Exception",
        }
    }

    /// Its class in the style sheet.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Received => "good",
            Self::Rejected => "bad",
            Self::Exception => "warn",
        }
    }
}

impl RecentScan {
    pub(super) fn time(&self) -> String {
        self.at.strftime("%H:%M:%S").to_string()
    }
}

pub(super) fn recent_scans(
    state: &BenchState,
    parcel: &Parcel,
    scans: &[ScannedUnit],
) -> Vec<RecentScan> {
    let correct_url = |it: &ScannedUnit| state.with_correction(&it.unit_identifier).url();
    let row = |it: &ScannedUnit| RecentScan {
        article: it.article.clone(),
        plate: it.unit_identifier.clone(),
        condition: it.condition,
        at: it.at,
        state: match (&it.question, &it.reject_reason) {
            (Some(_), _) => ScanState::Exception,
            (None, Some(_)) => ScanState::Rejected,
            (None, None) => ScanState::Received,
        },
        correct_url: it.correctable.then(|| correct_url(it)),
        plate_url: plate_url(parcel.merchant.as_str(), &it.unit_identifier),
    };
    scans.iter().map(row).collect()
}

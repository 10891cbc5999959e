//! The parts of the bench's pages: scan field, packing list, links and feedback.

use app::warehouse::{
    bench_goods::BenchGoods,
    parcel_search::MatchingParcel,
    stray_search::ReturnProposal,
    workbench::{ScannedUnit, UnitLocation},
};
use domain::{
    identifier::MerchantId,
    returns::receipt::Condition,
    warehouse::{
        parcel::{ExpectedLine, Parcel, ParcelKind},
        unit::{ExceptionKind, MatchSign, ReceivingCandidate},
    },
};
use jiff::Timestamp;

use super::result::BenchResult;
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
    pub(super) fn new((proposal, key): (&ReturnProposal, usize)) -> Self {
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

/// The result of the last action.
pub(super) struct Feedback {
    pub(super) good: bool,
    pub(super) title: &'static str,
    pub(super) text: String,
    /// The lines that an exception could belong to, best match first.
    pub(super) proposals: Vec<Proposal>,
    /// The license plate of that exception.
    pub(super) plate: String,
}

pub(super) struct Proposal {
    pub(super) position: usize,
    pub(super) title: String,
    pub(super) detail: String,
}

impl Feedback {
    fn new(good: bool, title: &'static str, text: impl Into<String>) -> Self {
        Self { good, title, text: text.into(), proposals: Vec::new(), plate: String::new() }
    }
}

/// The feedback for a result; `scans` are the recent scans, newest first.
pub(super) fn describe_result(
    result: Option<BenchResult>,
    parcel: &Parcel,
    scans: &[ScannedUnit],
) -> Option<Feedback> {
    let newest = scans.first();
    Some(match result? {
        BenchResult::Received | BenchResult::Recognized => {
            let unit = newest.map(|it| {
                let (article, condition) = (&it.article, it.condition);
                format!("{article} · {} {}", condition.name(), condition.description())
            });
            Feedback::new(true, "Received", unit.unwrap_or_default())
        }
        BenchResult::AlreadyReceived => Feedback::new(
            false,
            "Already received",
            "This unit was scanned before. It counts once, and nothing changed.",
        ),
        BenchResult::AlreadyUsed => Feedback::new(
            false,
            "Already counted",
            "This form was sent before. The unit counts once, with the first condition.",
        ),
        BenchResult::AlreadyResolved => Feedback::new(
            false,
            "Already resolved",
            "Another person resolved this exception in the meantime. Nothing changed.",
        ),
        BenchResult::SetAside => describe_exception(parcel, newest),
        BenchResult::Closed => Feedback::new(
            true,
            "Parcel closed",
            "No more units are expected. Missing units were reported to the merchant.",
        ),
        BenchResult::Matched => Feedback::new(
            true,
            "Matched and received",
            "The unit counts on the return that you chose.",
        ),
        BenchResult::Rejected => {
            let reason = newest.and_then(|it| it.reject_reason.clone()).unwrap_or_default();
            Feedback::new(true, "Rejected", format!("{reason}. The merchant is told."))
        }
        BenchResult::Corrected => Feedback::new(
            true,
            "Corrected",
            "The new receipt replaces the old one, and the merchant is told.",
        ),
        BenchResult::TakenBack => Feedback::new(
            true,
            "Taken back",
            "The unit does not count as received, and the merchant is told.",
        ),
        BenchResult::NotCorrectable => Feedback::new(
            false,
            "Cannot be corrected",
            "A receipt can be corrected for ten minutes, and not after its refund. Put the unit \
             aside and ask the office.",
        ),
        BenchResult::NotACondition | BenchResult::ConditionMissing | BenchResult::NotAReason => {
            return None;
        }
    })
}

fn describe_exception(parcel: &Parcel, newest: Option<&ScannedUnit>) -> Feedback {
    let question = newest.and_then(|it| it.question.as_ref());
    let why = question.map(|it| exception_reason(parcel.kind, it.kind)).unwrap_or_default();
    let candidates = question.map(|it| it.candidates.as_slice()).unwrap_or_default();
    let proposals = candidates.iter().enumerate();
    Feedback {
        proposals: proposals.map(|(position, it)| proposal(position, it)).collect(),
        plate: newest.map(|it| it.unit_identifier.clone()).unwrap_or_default(),
        ..Feedback::new(
            false,
            "Set aside",
            format!("{why} It is not counted. Put it on the shelf for exceptions."),
        )
    }
}

const fn exception_reason(parcel: ParcelKind, kind: ExceptionKind) -> &'static str {
    match (kind, parcel) {
        (ExceptionKind::Overage, _) => "More units arrived than were announced.",
        (ExceptionKind::UnknownUnit, _) => "This ASN does not announce it.",
        (ExceptionKind::WrongSku, _) => "It is not the announced SKU.",
        (ExceptionKind::UnknownAsn, ParcelKind::Return) => "It is not part of this return.",
        (ExceptionKind::UnknownAsn, ParcelKind::Announced) => "This ASN expects no units.",
        (ExceptionKind::UnknownAsn, ParcelKind::Unknown) => "This parcel was not announced.",
        (ExceptionKind::AlreadyReceivedElsewhere, _) => {
            "It was already received for another parcel, rejected or shipped."
        }
    }
}

fn proposal(position: usize, candidate: &ReceivingCandidate) -> Proposal {
    let signs: Vec<&str> = candidate.why.iter().map(|sign| sign_label(*sign)).collect();
    let ReceivingCandidate { asn_number, line_identifier, sku, awaited, .. } = candidate;
    Proposal {
        position,
        title: format!("{sku}, line {line_identifier} of {asn_number}"),
        detail: format!("{awaited} expected, {}", signs.join(", ")),
    }
}

const fn sign_label(sign: MatchSign) -> &'static str {
    match sign {
        MatchSign::SameUnitIdentifier => "same license plate",
        MatchSign::SameClientUnitIdentifier => "same unit number of the merchant",
        MatchSign::SameSerialNumber => "same serial number",
        MatchSign::SameLine => "same line",
        MatchSign::SameSku => "same SKU",
        MatchSign::SameUpc => "same UPC",
        MatchSign::SameAsin => "same ASIN",
        MatchSign::SameTrackingNumber => "same tracking number",
        MatchSign::SameCarton => "same carton",
    }
}

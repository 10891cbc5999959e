//! What the pages of the bench show, in words.

use app::warehouse::workbench::{MatchingParcel, ScannedUnit};
use domain::{
    returns::receipt::Condition,
    warehouse::{
        parcel::{ExpectedLine, Parcel, ParcelKind},
        unit::{ExceptionKind, MatchSign, ReceivingCandidate},
    },
};
use jiff::Timestamp;

use super::state::{Place, Said};

/// More lines than this are not read by anybody who stands at a bench.
const LINES_MAX: usize = 40;

/// The field that everything is scanned into.
pub(super) struct Scan {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) button: &'static str,
    pub(super) hint: &'static str,
}

impl Scan {
    pub(super) const fn unit(label: &'static str) -> Self {
        let hint = "Its license plate, SKU or UPC. Another parcel’s code opens that parcel.";
        Self { name: "unit", label, button: "Take", hint }
    }
}

/// What a parcel should hold.
pub(super) struct Sheet<'a> {
    pub(super) found: &'a MatchingParcel,
    pub(super) lines: Vec<&'a ExpectedLine>,
    /// How many lines are not shown.
    pub(super) unseen: usize,
    /// The line of the unit in the hand.
    pub(super) current: Option<&'a str>,
}

impl<'a> Sheet<'a> {
    /// Of very many lines, those that still await units go first.
    pub(super) fn new(found: &'a MatchingParcel) -> Self {
        let all = &found.parcel.lines;
        let mut lines: Vec<&ExpectedLine> = all.iter().collect();
        if lines.len() > LINES_MAX {
            lines.sort_by_key(|line| line.awaited() == 0);
            lines.truncate(LINES_MAX);
        }
        let unseen = all.len().saturating_sub(lines.len());
        Self { found, lines, unseen, current: None }
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

    pub(super) fn quantity(&self) -> i64 {
        self.found.parcel.lines.iter().map(|line| line.quantity).sum()
    }

    pub(super) fn received(&self) -> i64 {
        self.found.parcel.lines.iter().map(|line| line.received).sum()
    }

    /// Lines of which something is missing.
    pub(super) fn missing(&self) -> impl Iterator<Item = &&ExpectedLine> {
        self.lines.iter().filter(|line| line.awaited() > 0)
    }

    pub(super) fn is_current(&self, line: &ExpectedLine) -> bool {
        self.current == Some(line.line_identifier.as_str())
    }
}

/// The codes that a line is known by, besides what it is called.
pub(super) fn codes(line: &ExpectedLine) -> String {
    let all = [&line.plate, &line.own, &line.sku, &line.upc];
    let other = all.into_iter().flatten().map(String::as_str).filter(|it| *it != line.article());
    other.collect::<Vec<_>>().join(" · ")
}

/// A way to go on.
pub(super) struct Choice {
    pub(super) address: String,
    pub(super) title: String,
    pub(super) detail: String,
}

impl Choice {
    pub(super) fn parcel(place: &Place, found: &MatchingParcel) -> Self {
        let parcel = &found.parcel;
        let awaited = match parcel.awaited() {
            0 => "nothing awaited".to_owned(),
            1 => "1 unit awaited".to_owned(),
            several => format!("{several} units awaited"),
        };
        Self {
            address: place.at_other(&parcel.number, parcel.merchant.as_str()).address(),
            title: format!("{} of {}", parcel.number, found.merchant_name),
            detail: awaited,
        }
    }

    pub(super) fn piece(place: &Place, line: &ExpectedLine) -> Self {
        let title = line.plate.clone().unwrap_or_default();
        let address = place.with_unit(&title).address();
        Self { address, title, detail: line.article().to_owned() }
    }

    pub(super) fn keep(place: &Place, code: &str, way: &str) -> Self {
        let kept = Place { keep: way.to_owned(), ..place.with_unit(code) };
        let (title, detail) = if way == "piece" {
            ("Keep this piece for the office", "The code is its own license plate.")
        } else {
            ("Keep it for the office", "The code is that of the article: a SKU or UPC.")
        };
        Self { address: kept.address(), title: title.to_owned(), detail: detail.to_owned() }
    }
}

/// A scan in the list of the last ones.
pub(super) struct Row {
    pub(super) article: String,
    pub(super) plate: String,
    pub(super) condition: Condition,
    pub(super) at: Timestamp,
    pub(super) is_question: bool,
}

impl Row {
    pub(super) fn time(&self) -> String {
        self.at.strftime("%H:%M:%S").to_string()
    }
}

pub(super) fn rows(seen: &[ScannedUnit]) -> Vec<Row> {
    let row = |it: &ScannedUnit| Row {
        article: it.article.clone(),
        plate: it.unit_identifier.clone(),
        condition: it.condition,
        at: it.at,
        is_question: it.question.is_some(),
    };
    seen.iter().map(row).collect()
}

/// What became of the last thing that was done.
pub(super) struct Feedback {
    pub(super) good: bool,
    pub(super) title: &'static str,
    pub(super) words: String,
    /// Which line the unit in question could be, the likeliest first.
    pub(super) proposals: Vec<Proposal>,
    /// The license plate of that unit.
    pub(super) plate: String,
}

pub(super) struct Proposal {
    pub(super) position: usize,
    pub(super) title: String,
    pub(super) detail: String,
}

pub(super) fn feedback(
    said: Option<Said>,
    parcel: &Parcel,
    seen: &[ScannedUnit],
) -> Option<Feedback> {
    let newest = seen.first();
    let told = |good, title, words: &str| Feedback {
        good,
        title,
        words: words.to_owned(),
        proposals: Vec::new(),
        plate: String::new(),
    };
    Some(match said? {
        Said::Received | Said::Recognised => {
            let unit = newest.map(|it| {
                let (article, condition) = (&it.article, it.condition);
                format!("{article} · {} {}", condition.name(), condition.words())
            });
            told(true, "Received", &unit.unwrap_or_default())
        }
        Said::Again => {
            let words = "This unit was received before. It counts once, and nothing changed.";
            told(false, "Scanned before", words)
        }
        Said::Used => {
            let words =
                "This form was sent before. The unit counts once, with what was said first.";
            told(false, "Counted before", words)
        }
        Said::Decided => {
            let words = "Somebody decided about this unit meanwhile. Nothing changed.";
            told(false, "Decided already", words)
        }
        Said::Asked => asked(parcel, newest),
        Said::Closed => {
            let words = "Nothing more is awaited. What is missing is told to the merchant.";
            told(true, "Closed", words)
        }
        Said::NoCondition | Said::First => return None,
    })
}

fn asked(parcel: &Parcel, newest: Option<&ScannedUnit>) -> Feedback {
    let question = newest.and_then(|it| it.question.as_ref());
    let why = question.map(|it| reason(parcel.kind, it.kind)).unwrap_or_default();
    let candidates = question.map(|it| it.candidates.as_slice()).unwrap_or_default();
    Feedback {
        good: false,
        title: "Kept for the office",
        words: format!("{why} It is not counted. Put it on the shelf for questions."),
        proposals: candidates.iter().enumerate().map(proposal).collect(),
        plate: newest.map(|it| it.unit_identifier.clone()).unwrap_or_default(),
    }
}

const fn reason(parcel: ParcelKind, kind: ExceptionKind) -> &'static str {
    match (kind, parcel) {
        (ExceptionKind::Overage, _) => "More came than was announced.",
        (ExceptionKind::UnknownUnit, _) => "This ASN does not announce it.",
        (ExceptionKind::WrongSku, _) => "It is another article than was announced.",
        (ExceptionKind::UnknownAsn, ParcelKind::Return) => "It is not part of this return.",
        (ExceptionKind::UnknownAsn, ParcelKind::Announced) => "This ASN awaits nothing.",
        (ExceptionKind::UnknownAsn, ParcelKind::Unknown) => "Nobody announced this parcel.",
        (ExceptionKind::AlreadyReceivedElsewhere, _) => {
            "It was received for another parcel, refused, or has left."
        }
    }
}

fn proposal((position, candidate): (usize, &ReceivingCandidate)) -> Proposal {
    let signs: Vec<&str> = candidate.why.iter().map(|sign| words(*sign)).collect();
    let ReceivingCandidate { asn_number, line_identifier, sku, awaited, .. } = candidate;
    Proposal {
        position,
        title: format!("It is {sku}, line {line_identifier} of {asn_number}"),
        detail: format!("{awaited} awaited, {}", signs.join(", ")),
    }
}

const fn words(sign: MatchSign) -> &'static str {
    match sign {
        MatchSign::SameUnitIdentifier => "same license plate",
        MatchSign::SameClientUnitIdentifier => "same identifier of the merchant",
        MatchSign::SameSerialNumber => "same serial number",
        MatchSign::SameLine => "same line",
        MatchSign::SameSku => "same SKU",
        MatchSign::SameUpc => "same UPC",
        MatchSign::SameTrackingNumber => "same tracking number",
        MatchSign::SameCarton => "same carton",
    }
}

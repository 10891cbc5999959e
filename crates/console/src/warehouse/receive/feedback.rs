//! What the bench says about the last action.

use app::warehouse::workbench::ScannedUnit;
use domain::warehouse::{
    parcel::{Parcel, ParcelKind},
    unit::{ExceptionKind, MatchSign, ReceivingCandidate},
};

use super::result::BenchResult;

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
            Feedback::new(true, "Rejected", format!("{reason}. The merchant is notified."))
        }
        BenchResult::Corrected => Feedback::new(
            true,
            "Corrected",
            "The new receipt replaces the old one, and the merchant is notified.",
        ),
        BenchResult::TakenBack => Feedback::new(
            true,
            "Taken back",
            "The unit does not count as received, and the merchant is notified.",
        ),
        BenchResult::NotCorrectable => Feedback::new(
            false,
            "Cannot be corrected",
            "Nothing changed. A receipt can be corrected for ten minutes, and not after its refund. \
             Put the unit aside and ask the office.",
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

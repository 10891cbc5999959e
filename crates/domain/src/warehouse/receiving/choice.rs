//! Chooses between ASNs with the same number: which of them a scanned unit belongs to.

use super::place::{is_piece, place};
use super::{AsnState, UnitScan, license_plate};
use crate::returns::receipt::Receipt;
use crate::warehouse::asn::AsnStatus;
use crate::warehouse::unit::{ExceptionKind, UnitRecord};

/// How well an ASN matches a scanned unit. A greater one matches better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AsnFit {
    /// No line matches, the ASN was canceled, or it belongs to another program.
    Foreign,
    /// A line announces this very unit, but as another article.
    Doubtful,
    /// A line matches, but all of its units are here.
    Full,
    /// A line that matches awaits a unit.
    Awaited,
    /// A line announces this very unit.
    Announced,
}

/// Which of several ASNs, or of their merchants, a scanned unit belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsnChoice {
    /// None matches.
    None,
    /// The one at this position.
    One(usize),
    /// Several match equally well, so the scan does not say which one is meant.
    Ambiguous,
}

/// How well the ASN matches a unit that was scanned as `receipt_identifier`.
pub fn fit(state: &AsnState, receipt: &Receipt, receipt_identifier: &str) -> AsnFit {
    let asn = &state.asn;
    let is_other = |program: &String| *program != asn.program_identifier;
    let is_foreign = receipt.program_identifier.as_ref().is_some_and(is_other);
    if is_foreign || asn.status == AsnStatus::Cancelled {
        return AsnFit::Foreign;
    }
    let plate = license_plate(Some(state), receipt, receipt_identifier);
    let scan = UnitScan { unit_identifier: plate, receipt };
    let is_announced = asn.lines().any(|line| is_piece(line.detail, &scan));
    match (place(state, &UnitRecord::new(plate), &scan), is_announced) {
        // A unit that is scanned again still belongs to the ASN that announced it.
        (Ok(_) | Err(ExceptionKind::Overage), true) => AsnFit::Announced,
        (Ok(_), false) => AsnFit::Awaited,
        (Err(ExceptionKind::Overage), false) => AsnFit::Full,
        (Err(_), true) => AsnFit::Doubtful,
        (Err(_), false) => AsnFit::Foreign,
    }
}

/// The one that matches best.
pub fn choose(fits: impl Iterator<Item = AsnFit>) -> AsnChoice {
    let mut best = (AsnFit::Foreign, AsnChoice::None);
    for (position, fit) in fits.enumerate() {
        if fit > best.0 {
            best = (fit, AsnChoice::One(position));
        } else if fit == best.0 && fit != AsnFit::Foreign {
            best.1 = AsnChoice::Ambiguous;
        }
    }
    best.1
}

//! Finds the line that a scanned unit is.

use super::{AsnState, UnitScan, is_of_return_of};
use crate::returns::receipt::Receipt;
use crate::warehouse::asn::{AsnDetail, AsnLine, DetailsType};
use crate::warehouse::gtin::is_same_code;
use crate::warehouse::unit::{ExceptionKind, UnitRecord};

/// The line of the unit, or why there is none. A line that the warehouse names goes first, then
/// the line that announces this very piece, then any line of its SKU that still awaits a unit.
pub(super) fn place<'a>(
    state: &'a AsnState,
    unit: &UnitRecord,
    scan: &UnitScan<'_>,
) -> Result<AsnLine<'a>, ExceptionKind> {
    let asn = &state.asn;
    let announced_elsewhere = unit.announcement.as_ref().is_some_and(|known| {
        known.asn_number != asn.asn_number || known.program_identifier != asn.program_identifier
    });
    if announced_elsewhere {
        return Err(ExceptionKind::UnknownUnit);
    }
    let piece = asn.lines().find(|line| is_piece(line.detail, scan));
    let line = match (scan.receipt.line_identifier.as_deref(), piece) {
        (Some(named), piece) => {
            let contradicted = piece.is_some_and(|line| line.detail.line_identifier != named);
            asn.line(named).filter(|_| !contradicted).ok_or(ExceptionKind::UnknownUnit)?
        }
        (None, Some(piece)) => piece,
        (None, None) => match asn.details_type {
            DetailsType::Unit => return Err(ExceptionKind::UnknownUnit),
            DetailsType::Sku => by_code(state, unit, scan.receipt)?,
        },
    };
    if !fits(line.detail, scan.receipt) {
        return Err(ExceptionKind::WrongSku);
    }
    if state.awaited(line.detail) == 0 {
        return Err(ExceptionKind::Overage);
    }
    Ok(line)
}

/// Whether the line announces this very piece.
pub(super) fn is_piece(detail: &AsnDetail, scan: &UnitScan<'_>) -> bool {
    let own = scan.receipt.client_unit_identifier.as_deref();
    let announced = detail.unit_identifier.as_deref();
    let announced_own = detail.client_unit_identifier.as_deref();
    announced.is_some_and(|unit| unit == scan.unit_identifier || Some(unit) == own)
        || (announced_own.is_some() && announced_own == own)
}

/// Whether the codes that were scanned are the line's.
fn fits(detail: &AsnDetail, receipt: &Receipt) -> bool {
    if let Some(sku) = &receipt.sku {
        return *sku == detail.sku;
    }
    match ((&receipt.upc, &detail.upc), (&receipt.asin, &detail.asin)) {
        ((Some(upc), Some(announced)), _) => is_same_code(upc, announced),
        (_, (Some(asin), Some(announced))) => asin.eq_ignore_ascii_case(announced),
        ((None, _) | (_, None), (None, _) | (_, None)) => true,
    }
}

/// A line of the scanned article: one that awaits a unit rather than one that does not, and one
/// of the same carton rather than of another. A unit that was received for a return before is none
/// of another return, whichever lines await one.
fn by_code<'a>(
    state: &'a AsnState,
    unit: &UnitRecord,
    receipt: &Receipt,
) -> Result<AsnLine<'a>, ExceptionKind> {
    let same = |line: &AsnLine<'_>| match (&receipt.sku, &receipt.upc, &receipt.asin) {
        (Some(sku), _, _) => line.detail.sku == *sku,
        (None, Some(upc), _) => {
            line.detail.upc.as_ref().is_some_and(|announced| is_same_code(upc, announced))
        }
        (None, None, Some(asin)) => {
            let announced = line.detail.asin.as_ref();
            announced.is_some_and(|announced| asin.eq_ignore_ascii_case(announced))
        }
        (None, None, None) => false,
    };
    if receipt.sku.is_none() && receipt.upc.is_none() && receipt.asin.is_none() {
        return Err(ExceptionKind::UnknownUnit);
    }
    let rank = |line: &AsnLine<'_>| {
        let same_carton = receipt.carton_identifier.is_some()
            && line.carton.identifier == receipt.carton_identifier;
        (!is_of_return_of(line, unit), state.awaited(line.detail) == 0, !same_carton)
    };
    state.asn.lines().filter(same).min_by_key(rank).ok_or(ExceptionKind::WrongSku)
}

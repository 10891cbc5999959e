//! Which lines a unit could be that does not fit: the likeliest first, each with what speaks for
//! it.

use std::cmp::Reverse;

use super::{AsnState, ReceivingContext, UnitScan};
use crate::warehouse::asn::{AsnLine, AsnStatus};
use crate::warehouse::gtin::is_same_code;
use crate::warehouse::unit::{MatchSign, ReceivingCandidate};

/// A question has at most this many candidates.
pub(super) const CANDIDATES_MAX: usize = 10;

/// The lines that still await a unit and have something in common with the scanned one.
pub(super) fn candidates(
    scene: &ReceivingContext<'_>,
    scan: &UnitScan<'_>,
) -> Vec<ReceivingCandidate> {
    let states = scene.asn.into_iter().chain(scene.others);
    let awaiting = states.filter(|state| state.asn.status != AsnStatus::Cancelled);
    let mut found: Vec<(u32, ReceivingCandidate)> = awaiting
        .flat_map(|state| state.asn.lines().filter_map(|line| candidate(state, &line, scan)))
        .collect();
    // Stable: equals stay in the order of the ASN, and the scanned ASN goes before others.
    found.sort_by_key(|(weight, _)| Reverse(*weight));
    found.truncate(CANDIDATES_MAX);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

fn candidate(
    state: &AsnState,
    line: &AsnLine<'_>,
    scan: &UnitScan<'_>,
) -> Option<(u32, ReceivingCandidate)> {
    let awaited = state.awaited(line.detail);
    let why = signs(line, scan);
    if awaited == 0 || why.is_empty() {
        return None;
    }
    let weight = why.iter().map(|sign| sign.weight()).sum();
    let candidate = ReceivingCandidate {
        asn_number: line.asn.asn_number.clone(),
        line_identifier: line.detail.line_identifier.clone(),
        sku: line.detail.sku.clone(),
        awaited,
        why,
    };
    Some((weight, candidate))
}

/// What the line and the unit have in common, the strongest first.
fn signs(line: &AsnLine<'_>, scan: &UnitScan<'_>) -> Vec<MatchSign> {
    let (detail, receipt) = (line.detail, scan.receipt);
    let same = |announced: Option<&str>, scanned: Option<&str>| {
        announced.is_some() && announced == scanned
    };
    let same_code = |(announced, scanned): (&str, &str)| is_same_code(announced, scanned);
    let same_asin = |(announced, scanned): (&str, &str)| announced.eq_ignore_ascii_case(scanned);
    let named_here = receipt.asn_number.as_deref() == Some(line.asn.asn_number.as_str());
    let plate = detail.unit_identifier.as_deref();
    let own = receipt.client_unit_identifier.as_deref();
    let found = [
        (
            MatchSign::SameUnitIdentifier,
            same(plate, Some(scan.unit_identifier)) || same(plate, own),
        ),
        (MatchSign::SameClientUnitIdentifier, same(detail.client_unit_identifier.as_deref(), own)),
        (
            MatchSign::SameSerialNumber,
            same(detail.serial_number.as_deref(), receipt.serial_number.as_deref()),
        ),
        (
            MatchSign::SameLine,
            named_here && same(Some(&detail.line_identifier), receipt.line_identifier.as_deref()),
        ),
        (MatchSign::SameSku, same(Some(&detail.sku), receipt.sku.as_deref())),
        (
            MatchSign::SameUpc,
            detail.upc.as_deref().zip(receipt.upc.as_deref()).is_some_and(same_code),
        ),
        (
            MatchSign::SameAsin,
            detail.asin.as_deref().zip(receipt.asin.as_deref()).is_some_and(same_asin),
        ),
        (
            MatchSign::SameTrackingNumber,
            same(line.asn.tracking_number.as_deref(), receipt.tracking_number.as_deref()),
        ),
        (
            MatchSign::SameCarton,
            same(line.carton.identifier.as_deref(), receipt.carton_identifier.as_deref()),
        ),
    ];
    found.into_iter().filter_map(|(sign, holds)| holds.then_some(sign)).collect()
}

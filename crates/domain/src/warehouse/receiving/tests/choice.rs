//! ASNs that share a number.

use serde_json::json;

use super::{build_receipt, quantities};
use crate::warehouse::asn::AsnStatus;
use crate::warehouse::receiving::{AsnChoice, AsnFit, choose, fit};

#[test]
fn an_asn_matches_by_its_lines_and_by_its_program() {
    let mut state = quantities("ASN-1");
    let fit_of = |state: &_, fields| fit(state, &build_receipt(&fields), "R-1");
    assert_eq!(fit_of(&state, json!({ "sku": "A" })), AsnFit::Awaited);
    assert_eq!(fit_of(&state, json!({ "sku": "C" })), AsnFit::Foreign);
    assert_eq!(fit_of(&state, json!({ "sku": "A", "line_identifier": "3" })), AsnFit::Foreign);
    assert_eq!(fit_of(&state, json!({ "sku": "A", "program_identifier": "p" })), AsnFit::Awaited);
    assert_eq!(fit_of(&state, json!({ "sku": "A", "program_identifier": "q" })), AsnFit::Foreign);
    state.asn.cartons[1].details[1].unit_identifier = Some("LP-1".to_owned());
    let announced = json!({ "unit_identifier": "LP-1", "sku": "B" });
    assert_eq!(fit_of(&state, announced.clone()), AsnFit::Announced);
    let another = json!({ "unit_identifier": "LP-1", "sku": "A" });
    assert_eq!(fit_of(&state, another), AsnFit::Doubtful);
    state.received.insert("3".to_owned(), 1);
    assert_eq!(fit_of(&state, announced.clone()), AsnFit::Announced, "it is scanned again");
    assert_eq!(fit_of(&state, json!({ "unit_identifier": "X", "sku": "B" })), AsnFit::Full);
    state.asn.status = AsnStatus::Cancelled;
    assert_eq!(fit_of(&state, announced), AsnFit::Foreign);
}

#[test]
fn the_best_match_is_chosen_unless_there_are_two() {
    let chosen = |fits: &[AsnFit]| choose(fits.iter().copied());
    assert_eq!(chosen(&[]), AsnChoice::None);
    assert_eq!(chosen(&[AsnFit::Foreign, AsnFit::Foreign]), AsnChoice::None);
    assert_eq!(chosen(&[AsnFit::Full, AsnFit::Awaited, AsnFit::Full]), AsnChoice::One(1));
    assert_eq!(chosen(&[AsnFit::Awaited, AsnFit::Awaited]), AsnChoice::Ambiguous);
    let three = [AsnFit::Awaited, AsnFit::Awaited, AsnFit::Announced];
    assert_eq!(chosen(&three), AsnChoice::One(2));
}

//! Scans at the dock, and what becomes of them.

mod answers;
mod choice;
mod properties;
mod returned;

use serde_json::{Value, json};

use super::*;
use crate::json as document;
use crate::returns::rma;
use crate::samples;
use crate::warehouse::asn::{InboundAsn, read_asn};
use crate::warehouse::asn_number::AsnNumber;
use crate::warehouse::unit::{MatchSign, ReceivingCandidate};

pub(super) fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_772_700_000 + second).unwrap()
}

/// The sample's ASN, with two pieces: LP-0093321 (TEE-NAVY-M) and LP-0093322 (CAP-SAND).
fn pieces() -> AsnState {
    samples::inbound_asn()
}

/// An ASN of quantities: line 1 of two A in carton C-1, line 2 of one A in C-2, line 3 of one B.
fn quantities(number: &str) -> AsnState {
    let line = |line: &str, sku: &str, quantity: i64| {
        json!({"line_identifier": line, "sku": sku, "upc": format!("upc-{sku}"),
               "quantity": quantity})
    };
    let asn = json!({
        "program_identifier": "p", "asn_number": number, "status": "shipped",
        "details_type": "sku", "from": {"identifier": "1", "type": "store"},
        "to": {"identifier": "2", "type": "warehouse"}, "tracking_number": "1Z9",
        "cartons": [
            {"identifier": "C-1", "details": [line("1", "A", 2)]},
            {"identifier": "C-2", "details": [line("2", "A", 1), line("3", "B", 1)]},
        ],
    });
    let asn = read_asn(&document::parse(asn.to_string().as_bytes()).unwrap()).unwrap();
    AsnState::announced(asn, number.to_owned(), time(0))
}

/// A receipt of these fields.
fn build_receipt(fields: &Value) -> Receipt {
    let mut receipt = json!({"condition": "A", "channel": "RTS", "user_login": "mkowalski"});
    receipt.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(receipt).unwrap()
}

/// What a scan of these fields comes to.
fn scanned(state: &AsnState, fields: &Value) -> ReceivingDecision {
    scanned_as(&ReceivingContext { asn: Some(state), others: &[], unit: None }, fields)
}

fn scanned_as(scene: &ReceivingContext<'_>, fields: &Value) -> ReceivingDecision {
    let mut receipt = build_receipt(fields);
    let number = scene.asn.map(|state| state.asn.asn_number.to_string());
    receipt.asn_number = receipt.asn_number.or(number);
    let unit_identifier = license_plate(scene.asn, &receipt, "R-1");
    receive(scene, &UnitScan { unit_identifier, receipt: &receipt }, time(60))
}

fn accepted(decision: ReceivingDecision) -> Acceptance {
    match decision {
        ReceivingDecision::Accepted(acceptance) => *acceptance,
        ReceivingDecision::Repeat => panic!("a repeat"),
        ReceivingDecision::Exception(unit) => panic!("{:?}", unit.questions.last()),
    }
}

/// The unit in question, which must be one.
fn excepted(decision: ReceivingDecision) -> UnitRecord {
    match decision {
        ReceivingDecision::Exception(unit) => *unit,
        ReceivingDecision::Repeat => panic!("a repeat"),
        ReceivingDecision::Accepted(acceptance) => panic!("{:?}", acceptance.line_identifier),
    }
}

fn kind(decision: ReceivingDecision) -> ExceptionKind {
    excepted(decision).questions.last().unwrap().kind
}

fn line_of(decision: ReceivingDecision) -> String {
    accepted(decision).line_identifier.unwrap()
}

fn candidates_of(decision: ReceivingDecision) -> Vec<ReceivingCandidate> {
    excepted(decision).questions.pop().unwrap().candidates
}

fn lines(candidates: &[ReceivingCandidate]) -> Vec<(&str, &str)> {
    let named = candidates.iter();
    named.map(|it| (it.asn_number.as_str(), it.line_identifier.as_str())).collect()
}

#[test]
fn a_piece_is_known_by_its_license_plate_its_own_identifier_or_its_line() {
    for fields in [
        json!({"unit_identifier": "LP-0093321"}),
        json!({"unit_identifier": "LP-77", "client_unit_identifier": "HP-55012"}),
        json!({"unit_identifier": "LP-77", "client_unit_identifier": "LP-0093321"}),
        json!({"line_identifier": "1"}),
        json!({"unit_identifier": "LP-77", "line_identifier": "1", "sku": "TEE-NAVY-M"}),
    ] {
        assert_eq!(line_of(scanned(&pieces(), &fields)), "1", "{fields}");
    }
}

#[test]
fn a_unit_has_a_license_plate_whatever_was_scanned() {
    let state = pieces();
    let plate =
        |fields: &Value| license_plate(Some(&state), &build_receipt(fields), "R-1").to_owned();

    assert_eq!(plate(&json!({"unit_identifier": "LP-7", "line_identifier": "1"})), "LP-7");
    assert_eq!(plate(&json!({"line_identifier": "1"})), "LP-0093321");
    assert_eq!(plate(&json!({"client_unit_identifier": "HP-1"})), "HP-1");
    assert_eq!(plate(&json!({})), "R-1");
}

#[test]
fn a_quantity_is_counted_down_in_its_carton_first() {
    let mut state = quantities("A-1");
    let mut next = |plate: &str, carton: &str| {
        let fields = json!({"unit_identifier": plate, "sku": "A", "carton_identifier": carton});
        let acceptance = accepted(scanned(&state, &fields));
        state.count(&acceptance);
        acceptance.line_identifier.unwrap()
    };

    assert_eq!(next("U-1", "C-2"), "2");
    assert_eq!(next("U-2", "C-2"), "1");
    assert_eq!(next("U-3", "C-9"), "1");
    let fourth = json!({"unit_identifier": "U-4", "sku": "A"});
    assert_eq!(kind(scanned(&state, &fourth)), ExceptionKind::Overage);
    assert_eq!(line_of(scanned(&state, &json!({"unit_identifier": "U-5", "upc": "upc-B"}))), "3");
}

#[test]
fn the_same_scan_again_changes_nothing() {
    let state = pieces();
    let fields = json!({"unit_identifier": "LP-0093321"});
    let acceptance = accepted(scanned(&state, &fields));

    let known = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&acceptance.unit) };
    assert_eq!(scanned_as(&known, &fields), ReceivingDecision::Repeat);
}

#[test]
fn what_does_not_fit_is_a_question_of_its_kind() {
    let (pieces, quantities) = (pieces(), quantities("A-1"));
    let of_pieces = |fields: Value| kind(scanned(&pieces, &fields));
    let of_quantities = |fields: Value| kind(scanned(&quantities, &fields));

    assert_eq!(of_pieces(json!({"unit_identifier": "X"})), ExceptionKind::UnknownUnit);
    assert_eq!(of_pieces(json!({"line_identifier": "9"})), ExceptionKind::UnknownUnit);
    assert_eq!(
        of_pieces(json!({"unit_identifier": "LP-0093322", "line_identifier": "1"})),
        ExceptionKind::UnknownUnit,
        "the plate is of another line"
    );
    assert_eq!(
        of_pieces(json!({"unit_identifier": "LP-0093321", "sku": "CAP-SAND"})),
        ExceptionKind::WrongSku
    );
    assert_eq!(
        of_pieces(json!({"unit_identifier": "LP-0093321", "upc": "9"})),
        ExceptionKind::WrongSku
    );
    assert_eq!(of_quantities(json!({"sku": "Z"})), ExceptionKind::WrongSku);
    assert_eq!(of_quantities(json!({"upc": "Z"})), ExceptionKind::WrongSku);
    assert_eq!(of_quantities(json!({})), ExceptionKind::UnknownUnit);
}

#[test]
fn goods_for_no_asn_or_a_cancelled_one_are_a_question() {
    let mut cancelled = quantities("A-1");
    cancelled.asn.status = AsnStatus::Cancelled;
    let fields = json!({"unit_identifier": "U-1", "sku": "A", "asn_number": "A-9"});
    let nothing = ReceivingContext { asn: None, others: &[], unit: None };

    assert_eq!(kind(scanned(&cancelled, &fields)), ExceptionKind::UnknownAsn);
    assert_eq!(kind(scanned_as(&nothing, &fields)), ExceptionKind::UnknownAsn);
}

#[test]
fn a_unit_that_came_with_another_asn_cannot_come_again() {
    let unit =
        accepted(scanned(&quantities("A-1"), &json!({"unit_identifier": "U-1", "sku": "A"})));
    let other = quantities("A-2");
    let scene = ReceivingContext { asn: Some(&other), others: &[], unit: Some(&unit.unit) };

    let fields = json!({"unit_identifier": "U-1", "sku": "A"});
    let asked = excepted(scanned_as(&scene, &fields));

    assert_eq!(asked.questions[0].kind, ExceptionKind::AlreadyReceivedElsewhere);
    assert_eq!(asked.receipt, unit.unit.receipt);
    let again = ReceivingContext { unit: Some(&asked), ..scene };
    assert_eq!(scanned_as(&again, &fields), ReceivingDecision::Repeat, "it is asked once");
}

#[test]
fn what_was_refused_or_leaves_is_told_as_such_whatever_else_does_not_fit() {
    let state = quantities("A-1");
    let mut refused = UnitRecord::new("U-1");
    refused.reject_reason = Some("not ours".to_owned());
    let leaving = UnitEvent::Packed { asn_number: AsnNumber::parse("S-1").unwrap() };
    let leaving = apply(&UnitRecord::new("U-1"), &leaving, time(0)).unwrap().unit;

    for unit in [refused, leaving] {
        let scene = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&unit) };
        let decision = scanned_as(&scene, &json!({"unit_identifier": "U-1", "sku": "Z"}));
        assert_eq!(kind(decision), ExceptionKind::AlreadyReceivedElsewhere);
    }
}

#[test]
fn a_unit_that_another_asn_announces_is_not_taken_for_any_of_its_sku() {
    let mut unit = UnitRecord::new("U-1");
    unit.announcement = samples::received_unit().announcement;
    let state = quantities("A-1");
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&unit) };

    let decision = scanned_as(&scene, &json!({"unit_identifier": "U-1", "sku": "A"}));

    assert_eq!(kind(decision), ExceptionKind::UnknownUnit);
}

#[test]
fn an_open_question_answers_itself_when_the_asn_comes() {
    let fields = json!({"unit_identifier": "U-1", "sku": "B", "asn_number": "A-1"});
    let nothing = ReceivingContext { asn: None, others: &[], unit: None };
    let asked = excepted(scanned_as(&nothing, &fields));
    let state = quantities("A-1");
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&asked) };

    let acceptance = accepted(scanned_as(&scene, &fields));

    assert_eq!(acceptance.line_identifier.as_deref(), Some("3"));
    assert!(acceptance.unit.questions[0].answer.is_some());
}

#[test]
fn candidates_are_lines_with_something_in_common_the_likeliest_first() {
    let (state, others) = (quantities("A-1"), [pieces(), quantities("A-2")]);
    let scene = ReceivingContext { asn: Some(&state), others: &others, unit: None };
    let fields = json!({
        "unit_identifier": "U-1", "sku": "Z", "upc": "upc-B", "carton_identifier": "C-2",
        "serial_number": "SN-20114",
    });

    let candidates = candidates_of(scanned_as(&scene, &fields));

    assert_eq!(
        lines(&candidates),
        [("ASN-20260301-7", "1"), ("A-1", "3"), ("A-2", "3"), ("A-1", "2"), ("A-2", "2")]
    );
    assert_eq!(candidates[0].why, [MatchSign::SameSerialNumber]);
    assert_eq!(candidates[1].why, [MatchSign::SameUpc, MatchSign::SameCarton]);
    assert_eq!((candidates[1].awaited, candidates[1].sku.as_str()), (1, "B"));
}

#[test]
fn lines_that_await_nothing_are_no_candidates_and_ten_are_enough() {
    let mut state = pieces();
    let first = accepted(scanned(&state, &json!({"unit_identifier": "LP-0093321"})));
    state.count(&first);
    let second =
        json!({"unit_identifier": "LP-8", "line_identifier": "1", "carton_identifier": "CTN-1"});

    let decision = scanned(&state, &second);
    assert_eq!(kind(decision.clone()), ExceptionKind::Overage);
    assert_eq!(lines(&candidates_of(decision)), [("ASN-20260301-7", "2")]);

    let others: Vec<AsnState> = (0..20).map(|number| quantities(&format!("A-{number}"))).collect();
    let scene = ReceivingContext { asn: None, others: &others, unit: None };
    let fields = json!({"unit_identifier": "U", "sku": "A", "asn_number": "X"});
    assert_eq!(candidates_of(scanned_as(&scene, &fields)).len(), candidates::CANDIDATES_MAX);
}

#[test]
fn an_asn_is_updated_only_while_nothing_was_received() {
    let mut state = pieces();
    let mut update = state.asn.clone();
    update.concept = None;
    let mut other = update.clone();
    other.asn_number = AsnNumber::parse("A-2").unwrap();

    let replace = |state: &AsnState, asn: &InboundAsn, fingerprint: &str| {
        state.replaced(asn.clone(), fingerprint.to_owned())
    };

    let replaced = replace(&state, &update, "other").unwrap();
    assert_eq!((replaced.state.asn, replaced.changed), (update.clone(), true));
    assert_eq!(replace(&state, &other, "other"), Err(AsnRefusal::OtherAsn));

    state.count(&accepted(scanned(&state, &json!({"line_identifier": "1"}))));
    assert_eq!(replace(&state, &update, "other"), Err(AsnRefusal::Received));
    let same = replace(&state, &state.asn, &state.fingerprint).unwrap();
    assert!(!same.changed, "the same again does no harm");
}

#[test]
fn a_unit_that_belongs_to_a_return_is_received_for_it() {
    let mut state = pieces();
    let unit = accepted(scanned(&state, &json!({"line_identifier": "1"})));
    let rma_identifier = RmaId::parse("RMA-7K3Q-9XWD-2M4T").unwrap();

    let line = state.asn.line("1").unwrap();
    assert_eq!(return_of(&line), Some(rma_identifier));
    let event = return_event(&line, &unit, &samples::rma()).unwrap();
    assert!(rma::apply(&samples::rma(), &event, time(90)).is_ok(), "{event:?}");

    let event = return_event(&state.asn.line("2").unwrap(), &unit, &samples::rma()).unwrap();
    let RmaEvent::Received { line, sku, .. } = event else { panic!("{event:?}") };
    assert_eq!((line, sku.as_deref()), (None, Some("CAP-SAND")));
    state.asn.cartons[0].reference.as_mut().unwrap().kind = ReferenceType::ForwardOrder;
    assert_eq!(return_of(&state.asn.line("1").unwrap()), None);
}

#[test]
fn a_line_that_two_orders_of_a_return_have_is_that_of_the_announced_article() {
    let mut state = pieces();
    let unit = accepted(scanned(&state, &json!({"line_identifier": "1"})));
    let mut rma = Rma::open(samples::rma_opening(), time(0));
    let line = rma.units[0].goods.order_line_item_identifier.clone();
    rma.units.truncate(2);
    for (unit, sku) in rma.units.iter_mut().zip(["CAP-SAND", "TEE-NAVY-M"]) {
        unit.goods.order_line_item_identifier.clone_from(&line);
        unit.goods.sku = Some(sku.to_owned());
    }
    state.asn.cartons[0].details[0].reference_line_identifier = Some(line);

    let receipts = |state: &AsnState| {
        let event = return_event(&state.asn.line("1").unwrap(), &unit, &rma).unwrap();
        let rma = rma::apply(&rma, &event, time(90)).unwrap().rma;
        rma.units.iter().map(|unit| unit.receipt.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(receipts(&state), [false, true]);
    // The warehouse may have a name of its own for the article: the line counts.
    state.asn.cartons[0].details[0].sku = "WH-17".to_owned();
    assert_eq!(receipts(&state), [true, false]);
}

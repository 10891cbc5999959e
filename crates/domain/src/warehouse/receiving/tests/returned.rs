//! Units that were received for their return before they are scanned for their ASN.

use super::*;
use crate::warehouse::GoodsReference;

const RETURNS: [&str; 2] = ["RMA-7K3Q-9XWD-2M4T", "RMA-0000-0000-0001"];

fn reference(identifier: &str) -> GoodsReference {
    let identifier = identifier.to_owned();
    GoodsReference { kind: ReferenceType::Rma, identifier, alternate_identifier: None }
}

/// An ASN of quantities, whose cartons refer to these returns.
fn of_returns(number: &str, references: [&str; 2]) -> AsnState {
    let mut state = quantities(number);
    for (carton, identifier) in state.asn.cartons.iter_mut().zip(references) {
        carton.reference = Some(reference(identifier));
    }
    state
}

/// A unit that was received for a return.
fn returned(plate: &str, rma: &str) -> UnitRecord {
    let scanned = build_receipt(&json!({"unit_identifier": plate}));
    let rma = RmaId::parse(rma).unwrap();
    let received = ReturnedUnit { rma: &rma, line_identifier: "7", scanned: &scanned };
    receive_for_return(&UnitRecord::new(plate), received, time(30)).unwrap()
}

fn scanned_after(state: &AsnState, unit: &UnitRecord, fields: &Value) -> ReceivingDecision {
    scanned_as(&ReceivingContext { asn: Some(state), others: &[], unit: Some(unit) }, fields)
}

#[test]
fn a_unit_of_a_quantity_counts_in_the_carton_of_its_return_however_that_is_written() {
    let [first, second] = RETURNS;
    let fields = json!({"unit_identifier": "U-1", "sku": "A"});
    for spelling in [second, "rma-0000-0000-0001", "RMA000000000001"] {
        let state = of_returns("A-1", [first, spelling]);

        let acceptance = accepted(scanned_after(&state, &returned("U-1", second), &fields));

        assert_eq!(acceptance.line_identifier.as_deref(), Some("2"), "{spelling}");
        assert_eq!(acceptance.unit.receipt.as_ref().unwrap().asn_number, "A-1");
        assert_eq!(acceptance.unit.times_told(), 1, "its return was told in its own message");
        let again = scanned_after(&state, &acceptance.unit, &fields);
        assert_eq!(again, ReceivingDecision::Repeat);
        let other = of_returns("A-2", RETURNS);
        let elsewhere = scanned_after(&other, &acceptance.unit, &fields);
        assert_eq!(kind(elsewhere), ExceptionKind::AlreadyReceivedElsewhere, "it counts once");
    }
}

#[test]
fn an_announced_unit_counts_for_its_return_however_that_is_written() {
    let mut state = pieces();
    let fields = json!({"unit_identifier": "LP-0093321"});
    for spelling in ["rma-7k3q-9xwd-2m4t", "7K3Q9XWD2M4T"] {
        state.asn.cartons[0].reference = Some(reference(spelling));
        let mut unit = returned("LP-0093321", RETURNS[0]);
        let announcement = Announcement::of(&state.asn.line("1").unwrap(), time(0));
        unit.announcement = Some(announcement);

        assert_eq!(line_of(scanned_after(&state, &unit, &fields)), "1", "{spelling}");
    }
}

#[test]
fn what_was_found_when_a_unit_came_for_its_return_and_since_then_stays() {
    let state = of_returns("A-1", RETURNS);
    let scanned = build_receipt(&json!({"unit_identifier": "U-1", "reject_reason": "stained"}));
    let rma = RmaId::parse(RETURNS[1]).unwrap();
    let received = ReturnedUnit { rma: &rma, line_identifier: "7", scanned: &scanned };
    let mut unit = receive_for_return(&UnitRecord::new("U-1"), received, time(30)).unwrap();
    unit.location_identifier = Some("SHELF-7".to_owned());

    let again = json!({"unit_identifier": "U-1", "sku": "A", "channel": "RTV"});
    let acceptance = accepted(scanned_after(&state, &unit, &again));

    let UnitRecord { receipt, channel, location_identifier, .. } = acceptance.unit;
    let receipt = receipt.unwrap();
    assert_eq!(receipt.asn_number, "A-1");
    assert_eq!(receipt.scanned, scanned);
    assert_eq!(
        (channel.as_deref(), location_identifier.as_deref()),
        (Some("RTS"), Some("SHELF-7"))
    );
}

#[test]
fn a_unit_does_not_count_on_lines_of_other_returns_or_of_none() {
    let (state, fields) = (of_returns("A-1", RETURNS), json!({"sku": "A"}));
    let stranger = returned("R-1", "RMA-0000-0000-0002");
    let fitting = returned("R-1", RETURNS[1]);
    let full = {
        let mut state = state.clone();
        state.received.insert("2".to_owned(), 1);
        state
    };

    for (state, unit) in [(&state, &stranger), (&quantities("A-1"), &fitting), (&full, &fitting)] {
        let decision = scanned_after(state, unit, &fields);
        assert_eq!(kind(decision), ExceptionKind::AlreadyReceivedElsewhere);
    }
}

#[test]
fn an_operator_matches_a_unit_to_a_line_of_its_return_only() {
    let state = of_returns("A-1", RETURNS);
    let scene = |unit| ReceivingContext { asn: Some(&state), others: &[], unit: Some(unit) };
    let unit = returned("U-1", RETURNS[1]);
    let asked = excepted(scanned_after(&state, &unit, &json!({"unit_identifier": "U-1"})));
    let matching = |line: &str| ReceivingAnswer::Match {
        asn_number: AsnNumber::parse("A-1").unwrap(),
        line_identifier: line.to_owned(),
    };

    let refused = answer(&scene(&asked), "A-1", &matching("1"), time(90));
    assert_eq!(refused, Err(AnswerRefusal::Spent));
    let answered = answer(&scene(&asked), "A-1", &matching("3"), time(90)).unwrap();
    let AnswerDecision::Accepted(acceptance) = answered else { panic!("{answered:?}") };
    assert_eq!(acceptance.unit.receipt.unwrap().line_identifier.as_deref(), Some("3"));
}

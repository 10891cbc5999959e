//! What operators decide about units that do not fit.

use super::*;

fn matching(asn: &str, line: &str) -> ReceivingAnswer {
    ReceivingAnswer::Match {
        asn_number: AsnNumber::parse(asn).unwrap(),
        line_identifier: line.to_owned(),
    }
}

fn rejecting() -> ReceivingAnswer {
    ReceivingAnswer::Reject { reason: "not ours".to_owned() }
}

/// A unit of an unknown SKU, scanned for `state`.
fn stray(state: &AsnState) -> UnitRecord {
    excepted(scanned(state, &json!({"unit_identifier": "U-1", "sku": "Z"})))
}

fn decide(
    state: &AsnState,
    unit: &UnitRecord,
    choice: &ReceivingAnswer,
) -> Result<AnswerDecision, AnswerRefusal> {
    let scene = ReceivingContext { asn: Some(state), others: &[], unit: Some(unit) };
    answer(&scene, "A-1", choice, time(90))
}

fn accepted_by(state: &AsnState, unit: &UnitRecord, choice: &ReceivingAnswer) -> Acceptance {
    match decide(state, unit, choice).unwrap() {
        AnswerDecision::Accepted(acceptance) => *acceptance,
        other @ (AnswerDecision::Unchanged | AnswerDecision::Rejected(_)) => panic!("{other:?}"),
    }
}

#[test]
fn a_stray_unit_is_matched_to_a_line() {
    let mut state = quantities("A-1");
    let unit = stray(&state);

    let acceptance = accepted_by(&state, &unit, &matching("A-1", "3"));

    state.count(&acceptance);
    assert_eq!(state.awaited(state.asn.line("3").unwrap().detail), 0);
    let receipt = acceptance.unit.receipt.as_ref().unwrap();
    assert_eq!(
        (receipt.asn_number.as_str(), receipt.line_identifier.as_deref()),
        ("A-1", Some("3"))
    );
    assert_eq!(acceptance.unit.announcement.as_ref().unwrap().sku, "B");
    assert_eq!(
        decide(&state, &acceptance.unit, &matching("A-1", "3")),
        Ok(AnswerDecision::Unchanged),
        "decided twice, it counts once"
    );
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&acceptance.unit) };
    let again = scanned_as(&scene, &json!({"unit_identifier": "U-1", "sku": "Z"}));
    assert_eq!(again, ReceivingDecision::Repeat);
}

#[test]
fn a_stray_unit_is_matched_to_a_line_of_another_asn() {
    let (state, others) = (quantities("A-1"), [quantities("A-2")]);
    let unit = stray(&state);
    let scene = ReceivingContext { asn: Some(&state), others: &others, unit: Some(&unit) };

    let answered = answer(&scene, "A-1", &matching("A-2", "3"), time(90)).unwrap();

    let AnswerDecision::Accepted(acceptance) = answered else { panic!("{answered:?}") };
    assert_eq!(acceptance.unit.receipt.as_ref().unwrap().asn_number, "A-2");
}

#[test]
fn a_stray_unit_is_accepted_as_surplus_and_counts_on_no_line() {
    let mut state = quantities("A-1");

    let acceptance = accepted_by(&state, &stray(&state), &ReceivingAnswer::Surplus);
    state.count(&acceptance);

    assert_eq!(acceptance.line_identifier, None);
    assert!(acceptance.unit.is_here());
    assert_eq!((state.here, state.told, state.is_untouched()), (1, 1, false));
    assert!(state.asn.lines().all(|line| state.awaited(line.detail) == line.detail.quantity));
}

#[test]
fn a_stray_unit_is_rejected_with_a_reason() {
    let state = quantities("A-1");

    let answered = decide(&state, &stray(&state), &rejecting()).unwrap();

    let AnswerDecision::Rejected(unit) = answered else { panic!("{answered:?}") };
    assert_eq!(unit.reject_reason.as_deref(), Some("not ours"));
    assert_eq!(decide(&state, &unit, &rejecting()), Ok(AnswerDecision::Unchanged));
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&unit) };
    let again = scanned_as(&scene, &json!({"unit_identifier": "U-1", "sku": "Z"}));
    assert_eq!(again, ReceivingDecision::Repeat);
}

#[test]
fn nothing_is_decided_otherwise_a_second_time() {
    let state = quantities("A-1");
    let unit = accepted_by(&state, &stray(&state), &ReceivingAnswer::Surplus).unit;

    assert_eq!(
        decide(&state, &unit, &rejecting()),
        Err(AnswerRefusal::Unit(UnitRefusal::AnsweredOtherwise))
    );
}

#[test]
fn only_a_line_that_awaits_a_unit_can_be_chosen() {
    let mut state = quantities("A-1");
    let unit = stray(&state);
    let number = AsnNumber::parse("A-1").unwrap();

    assert_eq!(
        decide(&state, &unit, &matching("A-1", "9")),
        Err(AnswerRefusal::NoLine(number.clone(), "9".to_owned()))
    );
    state.count(&accepted(scanned(&state, &json!({"unit_identifier": "U-2", "sku": "B"}))));
    assert_eq!(
        decide(&state, &unit, &matching("A-1", "3")),
        Err(AnswerRefusal::LineFull(number, "3".to_owned()))
    );
}

#[test]
fn only_a_question_can_be_answered() {
    let state = quantities("A-1");
    let nothing_asked = AnswerRefusal::Unit(UnitRefusal::NoQuestion("A-1".to_owned()));
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: None };

    assert_eq!(
        answer(&scene, "A-1", &ReceivingAnswer::Surplus, time(0)),
        Err(nothing_asked.clone())
    );
    assert_eq!(
        decide(&state, &UnitRecord::new("U-1"), &ReceivingAnswer::Surplus),
        Err(nothing_asked)
    );
}

#[test]
fn a_unit_that_is_here_already_never_counts_again() {
    let first = quantities("A-2");
    let unit = accepted(scanned(&first, &json!({"unit_identifier": "U-1", "sku": "A"}))).unit;
    let state = quantities("A-1");
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: Some(&unit) };
    let unit = excepted(scanned_as(&scene, &json!({"unit_identifier": "U-1", "sku": "A"})));

    assert_eq!(decide(&state, &unit, &matching("A-1", "1")), Err(AnswerRefusal::Spent));
    assert_eq!(decide(&state, &unit, &ReceivingAnswer::Surplus), Err(AnswerRefusal::Spent));
    let Ok(AnswerDecision::Rejected(unit)) = decide(&state, &unit, &rejecting()) else { panic!() };
    assert!(unit.is_here(), "the second scan is rejected, not the unit");
}

#[test]
fn every_refusal_says_what_is_in_the_way() {
    let number = || AsnNumber::parse("A-1").unwrap();
    let sentences = [
        (AnswerRefusal::Spent.to_string(), "the unit was received, rejected or shipped already"),
        (AnswerRefusal::NoLine(number(), "9".to_owned()).to_string(), "the ASN A-1 has no line 9"),
        (
            AnswerRefusal::LineFull(number(), "3".to_owned()).to_string(),
            "line 3 of the ASN A-1 awaits no more units",
        ),
        (
            AnswerRefusal::from(UnitRefusal::NoQuestion("A-1".to_owned())).to_string(),
            "nothing was asked about the unit for the ASN A-1",
        ),
        (AsnRefusal::Received.to_string(), "units of the ASN were received already"),
        (AsnRefusal::OtherAsn.to_string(), "the update names another ASN or program"),
    ];
    for (sentence, expected) in sentences {
        assert_eq!(sentence, expected);
    }
}

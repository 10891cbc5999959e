//! The story of a unit, told as its table of events.

mod changes;
mod properties;

use super::*;
use crate::samples;

pub(super) fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_772_700_000 + second).unwrap()
}

fn number(text: &str) -> AsnNumber {
    AsnNumber::parse(text).unwrap()
}

fn packed(asn: &str) -> UnitEvent {
    UnitEvent::Packed { asn_number: number(asn) }
}

fn unpacked(asn: &str) -> UnitEvent {
    UnitEvent::Unpacked { asn_number: number(asn) }
}

fn shipped(asn: &str) -> UnitEvent {
    UnitEvent::Shipped { asn_number: number(asn) }
}

fn graded(condition: Condition) -> UnitEvent {
    let by = ChangedBy { reason: None, user_login: Some("mkowalski".to_owned()) };
    UnitEvent::Graded { condition, by }
}

fn moved(location: &str) -> UnitEvent {
    let location_identifier = Some(location.to_owned());
    UnitEvent::Moved { location_identifier, channel: None, by: ChangedBy::default() }
}

fn received(asn: &str) -> UnitEvent {
    UnitEvent::Received(Box::new(WarehouseUnitReceipt {
        asn_number: asn.to_owned(),
        line_identifier: Some("1".to_owned()),
        received_at: time(0),
        scanned: samples::asn_receipt(),
    }))
}

fn question(asn: &str) -> ReceivingQuestion {
    ReceivingQuestion {
        asn_number: asn.to_owned(),
        kind: ExceptionKind::UnknownUnit,
        raised_at: time(0),
        scanned: samples::asn_receipt(),
        candidates: Vec::new(),
        answer: None,
    }
}

fn questioned(asn: &str) -> UnitEvent {
    UnitEvent::Questioned(Box::new(question(asn)))
}

fn answered(asn: &str, answer: ReceivingAnswer) -> UnitEvent {
    UnitEvent::Answered { asn_number: asn.to_owned(), answer }
}

fn rejecting() -> ReceivingAnswer {
    ReceivingAnswer::Reject { reason: "not ours".to_owned() }
}

/// The unit after `events`, each of which must change it.
fn after(unit: &UnitRecord, events: &[UnitEvent]) -> UnitRecord {
    let mut unit = unit.clone();
    for event in events {
        let decision = apply(&unit, event, time(60)).unwrap();
        assert!(decision.changed, "{event:?}");
        unit = decision.unit;
    }
    unit
}

fn refusal(unit: &UnitRecord, event: &UnitEvent) -> UnitRefusal {
    apply(unit, event, time(60)).unwrap_err()
}

fn unknown() -> UnitRecord {
    UnitRecord::new("LP-1")
}

#[test]
fn a_unit_is_announced_received_graded_moved_and_shipped() {
    let unit = samples::received_unit();

    let unit = after(&unit, &[graded(Condition::C), moved("B-2"), packed("S-1"), shipped("S-1")]);

    let story = serde_json::to_value(&unit.story).unwrap();
    let events: Vec<_> =
        story.as_array().unwrap().iter().map(|step| step["happened"]["event"].clone()).collect();
    assert_eq!(events, ["announced", "received", "graded", "moved", "packed", "shipped"]);
    assert_eq!(unit.condition, Some(Condition::C));
    assert_eq!(unit.location_identifier.as_deref(), Some("B-2"));
    assert!(unit.has_left() && !unit.is_here());
    assert!(unit.story.windows(2).all(|pair| pair[0].at <= pair[1].at));
    let stored = serde_json::to_string(&unit).unwrap();
    assert_eq!(serde_json::from_str::<UnitRecord>(&stored).unwrap(), unit);
}

#[test]
fn a_unit_leaves_once() {
    let pending = after(&unknown(), &[packed("S-1")]);
    assert_eq!(refusal(&pending, &packed("S-2")), UnitRefusal::Leaves(number("S-1")));
    assert_eq!(refusal(&pending, &shipped("S-2")), UnitRefusal::Leaves(number("S-1")));

    let gone = after(&pending, &[shipped("S-1")]);
    assert_eq!(refusal(&gone, &packed("S-2")), UnitRefusal::Leaves(number("S-1")));
    assert_eq!(refusal(&gone, &unpacked("S-1")), UnitRefusal::HasLeft(number("S-1")));
    assert_eq!(refusal(&gone, &graded(Condition::A)), UnitRefusal::HasLeft(number("S-1")));
    assert_eq!(refusal(&gone, &received("A-1")), UnitRefusal::Leaves(number("S-1")));
}

#[test]
fn a_unit_of_a_canceled_shipment_may_leave_with_another() {
    let freed = after(&unknown(), &[packed("S-1"), unpacked("S-1")]);

    assert_eq!(freed.departure, None);
    assert!(after(&freed, &[shipped("S-2")]).has_left());
    assert!(!apply(&freed, &unpacked("S-1"), time(90)).unwrap().changed);
    let elsewhere = after(&freed, &[packed("S-2")]);
    assert!(!apply(&elsewhere, &unpacked("S-1"), time(90)).unwrap().changed);
}

#[test]
fn what_is_not_here_is_neither_graded_nor_moved() {
    assert_eq!(refusal(&unknown(), &graded(Condition::A)), UnitRefusal::NotHere);
    assert_eq!(refusal(&unknown(), &moved("A-1")), UnitRefusal::NotHere);
}

#[test]
fn a_unit_is_received_once() {
    let here = after(&unknown(), &[received("A-1")]);

    assert!(!apply(&here, &received("A-1"), time(90)).unwrap().changed);
    assert_eq!(refusal(&here, &received("A-2")), UnitRefusal::ReceivedElsewhere("A-1".to_owned()));
}

#[test]
fn a_unit_in_doubt_leaves_only_when_somebody_decided() {
    let doubtful = after(&unknown(), &[questioned("A-1")]);
    assert_eq!(refusal(&doubtful, &packed("S-1")), UnitRefusal::InDoubt);

    let rejected = after(&doubtful, &[answered("A-1", rejecting())]);

    assert_eq!(rejected.reject_reason.as_deref(), Some("not ours"));
    assert_eq!(refusal(&rejected, &received("A-1")), UnitRefusal::Rejected);
    assert!(after(&rejected, &[shipped("S-1")]).has_left(), "it may be sent back");
}

#[test]
fn a_question_is_asked_once_and_answered_once() {
    let asked = after(&unknown(), &[questioned("A-1")]);
    assert!(!apply(&asked, &questioned("A-1"), time(90)).unwrap().changed);
    assert_eq!(
        refusal(&asked, &answered("A-2", ReceivingAnswer::Surplus)),
        UnitRefusal::NoQuestion("A-2".to_owned())
    );

    let decided = after(&asked, &[answered("A-1", rejecting())]);

    assert!(!apply(&decided, &answered("A-1", rejecting()), time(90)).unwrap().changed);
    assert_eq!(
        refusal(&decided, &answered("A-1", ReceivingAnswer::Surplus)),
        UnitRefusal::AnsweredOtherwise
    );
}

#[test]
fn a_rejected_second_scan_leaves_a_unit_where_it_is() {
    let unit = after(&unknown(), &[received("A-1"), questioned("A-2")]);

    let unit = after(&unit, &[answered("A-2", rejecting())]);

    assert!(unit.is_here());
    assert_eq!(unit.reject_reason, None);
}

#[test]
fn only_the_asn_that_announced_a_unit_announces_it_anew() {
    let announcement = samples::received_unit().announcement.unwrap();
    let announced = |edit: fn(&mut Announcement)| {
        let mut announcement = announcement.clone();
        edit(&mut announcement);
        UnitEvent::Announced(Box::new(announcement))
    };

    let unit = after(&unknown(), &[announced(|_| ())]);

    assert!(!apply(&unit, &announced(|_| ()), time(90)).unwrap().changed);
    assert!(apply(&unit, &announced(|it| it.sku = "B".to_owned()), time(90)).unwrap().changed);
    assert_eq!(
        refusal(&unit, &announced(|it| it.asn_number = AsnNumber::parse("A-2").unwrap())),
        UnitRefusal::AnnouncedElsewhere(number("ASN-20260301-7"))
    );
}

#[test]
fn a_clock_that_was_set_back_does_not_take_a_story_back() {
    let unit = after(&unknown(), &[received("A-1")]);

    let unit = apply(&unit, &moved("B-2"), time(-500)).unwrap().unit;

    assert_eq!(unit.story.iter().map(|step| step.at).collect::<Vec<_>>(), [time(60), time(60)]);
}

#[test]
fn an_operators_answer_is_read_as_it_is_written() {
    let matching =
        ReceivingAnswer::Match { asn_number: number("A-1"), line_identifier: "2".to_owned() };
    for answer in [matching, ReceivingAnswer::Surplus, rejecting()] {
        let written = serde_json::to_string(&answer).unwrap();
        let document = crate::json::parse(written.as_bytes()).unwrap();
        assert_eq!(read_answer(&document), Ok(answer), "{written}");
    }
}

#[test]
fn everything_wrong_with_an_answer_is_told_at_once() {
    let fields = |text: &str| {
        let faults = read_answer(&crate::json::parse(text.as_bytes()).unwrap()).unwrap_err();
        faults.errors.into_iter().map(|error| error.field).collect::<Vec<_>>()
    };

    assert_eq!(fields("{}"), ["$.action"]);
    assert_eq!(fields(r#"{"action":"keep"}"#), ["$.action"]);
    assert_eq!(fields(r#"{"action":"match"}"#), ["$.asn_number", "$.line_identifier"]);
    assert_eq!(fields(r#"{"action":"surplus","reason":"x"}"#), ["$.reason"]);
    assert_eq!(fields(r#"{"action":"reject","reason":""}"#), ["$.reason"]);
}

#[test]
fn every_refusal_says_what_is_in_the_way() {
    let sentences = [
        (UnitRefusal::AnnouncedElsewhere(number("A-1")), "the unit was announced by the ASN A-1"),
        (
            UnitRefusal::ReceivedElsewhere("A-1".to_owned()),
            "the unit was received against the ASN A-1",
        ),
        (UnitRefusal::Rejected, "the unit was rejected"),
        (UnitRefusal::NotHere, "the unit is not in the warehouse"),
        (UnitRefusal::Leaves(number("S-1")), "the unit leaves with the shipment S-1"),
        (UnitRefusal::HasLeft(number("S-1")), "the unit has left with the shipment S-1"),
        (UnitRefusal::InDoubt, "an operator has to decide first what the unit is"),
        (UnitRefusal::AnsweredOtherwise, "an operator decided otherwise about the unit"),
    ];
    for (refusal, expected) in sentences {
        assert_eq!(refusal.to_string(), expected);
    }
}

/// The unit after one more event in this second.
fn then(unit: &UnitRecord, event: &UnitEvent, second: i64) -> UnitRecord {
    apply(unit, event, time(second)).unwrap().unit
}

fn questioned_at(asn: &str, second: i64) -> UnitEvent {
    UnitEvent::Questioned(Box::new(ReceivingQuestion { raised_at: time(second), ..question(asn) }))
}

#[test]
fn operators_are_asked_about_a_unit_since_its_oldest_open_question() {
    let mut unit = unknown();
    assert_eq!(unit.asked_since(), None);

    unit = then(&unit, &questioned_at("A", 1), 1);
    unit = then(&unit, &questioned_at("B", 2), 2);
    assert_eq!(unit.asked_since(), Some(time(1)));
    unit = then(&unit, &answered("A", rejecting()), 3);
    assert_eq!(unit.asked_since(), Some(time(2)));
    unit = then(&unit, &answered("B", ReceivingAnswer::Surplus), 4);
    assert_eq!(unit.asked_since(), None);
}

#[test]
fn a_receipt_settles_what_was_doubtful_before_it_and_nothing_that_comes_after() {
    let mut unit = then(&unknown(), &questioned_at("A", 1), 1);
    unit = then(&unit, &received("B"), 2);
    assert_eq!(unit.asked_since(), None);

    // Even when the clock was set back meanwhile.
    unit = then(&unit, &questioned_at("C", 0), 3);
    assert_eq!(unit.asked_since(), Some(time(0)));
    unit = then(&unit, &shipped("S-1"), 4);
    assert_eq!(unit.asked_since(), Some(time(0)), "it left, and the question stays");
}

#[test]
fn a_unit_that_was_asked_about_elsewhere_becomes_one_with_its_own_record() {
    let announced = UnitRecord {
        receipt: None,
        story: samples::received_unit().story[..1].to_vec(),
        ..samples::received_unit()
    };
    let stray = then(&unknown(), &questioned_at("typo", 1), 1);

    let joined = announced.joined(&stray);

    assert_eq!(joined.announcement, announced.announcement);
    assert_eq!(joined.questions, stray.questions);
    assert_eq!(joined.story.len(), 2);
    assert!(joined.story.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(joined.joined(&stray), joined, "told again, it changes nothing");
}

//! What the warehouse changes about units that it has.

use serde_json::{Value, json};

use super::*;

fn read(fields: &Value) -> Result<UnitChange, Vec<String>> {
    let text = fields.to_string();
    let read = read_unit_change(&crate::json::parse(text.as_bytes()).unwrap());
    read.map_err(|faults| faults.errors.into_iter().map(|error| error.field).collect())
}

#[test]
fn a_change_tells_any_of_condition_channel_and_location() {
    let unit = samples::received_unit();
    let change = read(&json!({
        "condition": "C", "channel": "OUTLET", "location_identifier": "B-2", "reason": "a stain",
        "user_login": "mkowalski",
    }));
    let change = change.unwrap();

    let changed = change_unit(&unit, &change, time(60)).unwrap();

    assert!(changed.changed);
    let now = &changed.unit;
    assert_eq!((now.condition, now.channel.as_deref()), (Some(Condition::C), Some("OUTLET")));
    assert_eq!(now.location_identifier.as_deref(), Some("B-2"));
    let story = serde_json::to_value(&now.story[unit.story.len()..]).unwrap();
    let told = json!([
        { "event": "graded", "condition": "C", "reason": "a stain", "user_login": "mkowalski" },
        { "event": "moved", "location_identifier": "B-2", "channel": "OUTLET", "reason": "a stain",
          "user_login": "mkowalski" },
    ]);
    assert_eq!(story[0]["happened"], told[0]);
    assert_eq!(story[1]["happened"], told[1]);
    assert!(!change_unit(now, &change, time(90)).unwrap().changed, "told again, it is known");
}

#[test]
fn what_is_true_already_is_not_told_beside_what_is_not() {
    let unit = samples::received_unit();
    let place = unit.location_identifier.clone();
    let change = json!({ "location_identifier": place, "channel": "OUTLET" });

    let changed = change_unit(&unit, &read(&change).unwrap(), time(60)).unwrap().unit;

    let last = serde_json::to_value(changed.story.last().unwrap()).unwrap();
    assert_eq!(last["happened"]["channel"], "OUTLET");
    assert_eq!(last["happened"].get("location_identifier"), None);
    assert_eq!(changed.location_identifier, place);
}

#[test]
fn only_a_unit_that_is_here_changes_and_all_of_a_change_or_nothing() {
    let change = read(&json!({ "condition": "C", "channel": "OUTLET" })).unwrap();
    assert_eq!(change_unit(&unknown(), &change, time(60)), Err(UnitRefusal::NotHere));

    let packed = after(&samples::received_unit(), &[packed("S-1")]);
    assert!(change_unit(&packed, &change, time(60)).unwrap().changed, "it is still here");
    let gone = after(&packed, &[shipped("S-1")]);
    let left = UnitRefusal::HasLeft(number("S-1"));
    assert_eq!(change_unit(&gone, &change, time(60)), Err(left));
}

#[test]
fn everything_wrong_with_a_change_is_told_at_once() {
    assert_eq!(read(&json!({})), Err(vec!["$.condition".to_owned()]));
    assert_eq!(read(&json!({ "reason": "x" })), Err(vec!["$.condition".to_owned()]));
    let many = read(&json!({ "condition": "Z", "channel": 1, "colour": "red" })).unwrap_err();
    assert_eq!(many, ["$.condition", "$.channel", "$.colour"]);
}

#[test]
fn a_record_and_what_happened_since_are_the_unit() {
    let before = samples::received_unit();
    let events = [graded(Condition::X), moved("B-2"), packed("S-1"), unpacked("S-1")];
    let events = [&events[..], &[packed("S-2"), shipped("S-2")]].concat();

    for count in 0..=events.len() {
        let now = after(&before, &events[..count]);
        let since = now.story[before.story.len()..].to_vec();
        assert_eq!(before.clone().resumed(since), now);
    }
}

#[test]
fn a_question_is_open_again_when_the_receipt_that_answered_it_is_removed() {
    let matching =
        ReceivingAnswer::Match { asn_number: number("A-2"), line_identifier: "1".to_owned() };
    let asked = after(&unknown(), &[questioned("A-1"), questioned("A-3")]);
    let matched = [answered("A-3", rejecting()), answered("A-1", matching), received("A-2")];
    let unit = after(&asked, &matched);
    assert_eq!(unit.open_questions().count(), 0);
    let removed = UnitEvent::Corrected { corrected: None, by: ChangedBy::default() };

    let unit = after(&unit, &[removed]);

    let open: Vec<&str> = unit.open_questions().map(|it| it.asn_number.as_str()).collect();
    assert_eq!(open, ["A-1"], "what was decided otherwise stays decided");
    assert!(unit.is_in_doubt());
}

#[test]
fn a_receipt_and_its_correction_are_told_unless_the_unit_belongs_to_a_return() {
    // Without its separators, the number of this ASN is as long as the code of a return.
    for (number, times) in [("ASN-20260301-7", 2), ("RMA-7K3Q-9XWD-2M4T", 0)] {
        let removed = UnitEvent::Corrected { corrected: None, by: ChangedBy::default() };
        let unit = after(&unknown(), &[received(number), removed]);
        assert_eq!(unit.times_told(), times, "{number}");
    }
}

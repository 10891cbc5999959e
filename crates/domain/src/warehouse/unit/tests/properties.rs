//! What holds of every unit, whatever happens to it and in whatever order.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn any_event() -> impl Strategy<Value = UnitEvent> {
    let asn = || select(&["A-1", "A-2"][..]);
    let shipment = || select(&["S-1", "S-2"][..]);
    let announcement = samples::received_unit().announcement.unwrap();
    let answer = prop_oneof![
        Just(ReceivingAnswer::Surplus),
        Just(rejecting()),
        asn().prop_map(|asn| ReceivingAnswer::Match {
            asn_number: number(asn),
            line_identifier: "1".to_owned()
        }),
    ];
    prop_oneof![
        asn().prop_map(move |asn| {
            let asn_number = number(asn);
            UnitEvent::Announced(Box::new(Announcement { asn_number, ..announcement.clone() }))
        }),
        asn().prop_map(questioned),
        (asn(), answer).prop_map(|(asn, answer)| answered(asn, answer)),
        asn().prop_map(received),
        select(&Condition::ALL[..]).prop_map(graded),
        select(&["B-1", "B-2"][..]).prop_map(moved),
        shipment().prop_map(packed),
        shipment().prop_map(unpacked),
        shipment().prop_map(shipped),
    ]
}

/// How often something of that name stands in the story.
fn times(unit: &UnitRecord, event: &str) -> usize {
    let story = serde_json::to_value(&unit.story).unwrap();
    let steps = story.as_array().unwrap().iter();
    steps.filter(|step| step["happened"]["event"] == event).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn there_is_one_truth_about_a_unit_and_its_story_tells_it(
        events in prop::collection::vec(any_event(), 0..24),
    ) {
        let mut unit = unknown();
        for event in &events {
            let Ok(first) = apply(&unit, event, time(60)) else { continue };
            prop_assert_eq!(first.changed, first.unit != unit);
            prop_assert_eq!(first.unit.story.len() - unit.story.len(), usize::from(first.changed));
            let second = apply(&first.unit, event, time(90)).expect("accepted once, and again");
            prop_assert!(!second.changed);
            prop_assert_eq!(&second.unit, &first.unit);
            prop_assert!(!unit.has_left() || first.unit.has_left(), "what left is gone");
            prop_assert!(unit.receipt.is_none() || first.unit.receipt == unit.receipt);
            unit = first.unit;
        }

        prop_assert_eq!(times(&unit, "received"), usize::from(unit.receipt.is_some()));
        prop_assert_eq!(times(&unit, "shipped"), usize::from(unit.has_left()));
        prop_assert_eq!(times(&unit, "questioned"), unit.questions.len());
        prop_assert_eq!(
            times(&unit, "answered"),
            unit.questions.iter().filter(|question| question.answer.is_some()).count()
        );
        let reserved = times(&unit, "packed") - times(&unit, "unpacked");
        prop_assert!(reserved <= 1);
        prop_assert!(unit.receipt.is_none() || unit.reject_reason.is_none());
    }
}

//! What holds of every sequence of scans, answers and shipments.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::returns::receipt::Condition;
use crate::warehouse::unit::{ChangedBy, StoryEvent, apply};

const PLATES: [&str; 5] = ["U-1", "U-2", "U-3", "U-4", "U-5"];

/// Something that happens in the warehouse.
#[derive(Clone, Debug)]
enum Step {
    Scan { asn: usize, plate: &'static str, sku: &'static str },
    Answer { asn: usize, plate: &'static str, answer: ReceivingAnswer },
    Unit { plate: &'static str, event: UnitEvent },
}

fn any_step() -> impl Strategy<Value = Step> {
    let plate = || select(&PLATES[..]);
    let asn_number = |number: usize| AsnNumber::parse(&format!("A-{number}")).unwrap();
    let answer = prop_oneof![
        Just(ReceivingAnswer::Surplus),
        Just(ReceivingAnswer::Reject { reason: "no".to_owned() }),
        (0..2_usize, select(&["1", "2", "3"][..])).prop_map(move |(asn, line)| {
            ReceivingAnswer::Match { asn_number: asn_number(asn), line_identifier: line.to_owned() }
        }),
    ];
    let event = (select(&["S-1", "S-2"][..]), 0..6_u8).prop_map(|(number, which)| {
        let asn_number = AsnNumber::parse(number).unwrap();
        let by = ChangedBy { reason: None, user_login: None };
        match which {
            0 => UnitEvent::Packed { asn_number },
            1 => UnitEvent::Unpacked { asn_number },
            2 => UnitEvent::Shipped { asn_number },
            3 => UnitEvent::Graded { condition: Condition::X, by },
            4 => {
                UnitEvent::Moved { location_identifier: Some(number.to_owned()), channel: None, by }
            }
            _ => {
                UnitEvent::Moved { location_identifier: None, channel: Some(number.to_owned()), by }
            }
        }
    });
    prop_oneof![
        4 => (0..3_usize, plate(), select(&["A", "B", "Z"][..]))
            .prop_map(|(asn, plate, sku)| Step::Scan { asn, plate, sku }),
        2 => (0..3_usize, plate(), answer)
            .prop_map(|(asn, plate, answer)| Step::Answer { asn, plate, answer }),
        2 => (plate(), event).prop_map(|(plate, event)| Step::Unit { plate, event }),
    ]
}

/// Two ASNs, a third number that nobody announced, and what is known of the units.
#[derive(Clone, Debug, PartialEq)]
struct Warehouse {
    asns: Vec<AsnState>,
    units: BTreeMap<String, UnitRecord>,
}

impl Warehouse {
    fn new() -> Self {
        Self { asns: vec![quantities("A-0"), quantities("A-1")], units: BTreeMap::new() }
    }

    fn accept(&mut self, acceptance: Acceptance) {
        let number = acceptance.unit.receipt.as_ref().unwrap().asn_number.clone();
        let named = |state: &&mut AsnState| state.asn.asn_number.as_str() == number;
        if let Some(state) = self.asns.iter_mut().find(named) {
            state.count(&acceptance);
        }
        self.keep(acceptance.unit);
    }

    fn keep(&mut self, unit: UnitRecord) {
        self.units.insert(unit.unit_identifier.clone(), unit);
    }

    fn take(&mut self, step: &Step) {
        let before = self.clone();
        match step {
            Step::Scan { asn, plate, sku } => {
                let fields = json!({
                    "unit_identifier": plate, "sku": sku, "asn_number": format!("A-{asn}"),
                });
                let scene = before.scene(*asn, plate);
                match scanned_as(&scene, &fields) {
                    ReceivingDecision::Accepted(acceptance) => self.accept(*acceptance),
                    ReceivingDecision::Repeat => (),
                    ReceivingDecision::Exception(unit) => self.keep(*unit),
                }
            }
            Step::Answer { asn, plate, answer: choice } => {
                let scene = before.scene(*asn, plate);
                match answer(&scene, &format!("A-{asn}"), choice, time(90)) {
                    Ok(AnswerDecision::Accepted(acceptance)) => self.accept(*acceptance),
                    Ok(AnswerDecision::Rejected(unit)) => self.keep(*unit),
                    Ok(AnswerDecision::Unchanged) | Err(_) => (),
                }
            }
            Step::Unit { plate, event } => {
                let unit = self.units.get(*plate).cloned();
                let unit = unit.unwrap_or_else(|| UnitRecord::new(plate));
                if let Ok(decision) = apply(&unit, event, time(90)) {
                    self.keep(decision.unit);
                }
            }
        }
    }

    fn scene(&self, asn: usize, plate: &str) -> ReceivingContext<'_> {
        ReceivingContext {
            asn: self.asns.get(asn),
            others: &self.asns,
            unit: self.units.get(plate),
        }
    }

    /// Asserts that what the ASNs count is what the units' records say, each unit once.
    fn check(&self) -> Result<(), TestCaseError> {
        let receipts = || self.units.values().filter_map(|unit| unit.receipt.as_ref());
        for state in &self.asns {
            let number = state.asn.asn_number.as_str();
            let ours = || receipts().filter(|receipt| receipt.asn_number == number);
            prop_assert_eq!(state.here, i64::try_from(ours().count()).unwrap());
            prop_assert_eq!(state.told, state.here);
            for line in state.asn.lines() {
                let id = line.detail.line_identifier.as_str();
                let on_line = ours().filter(|it| it.line_identifier.as_deref() == Some(id));
                let count = i64::try_from(on_line.count()).unwrap();
                prop_assert!(count <= line.detail.quantity);
                prop_assert_eq!(state.awaited(line.detail), line.detail.quantity - count);
            }
        }
        for unit in self.units.values() {
            check_unit(unit)?;
        }
        Ok(())
    }
}

/// Asserts that the record of a unit and its story say the same.
fn check_unit(unit: &UnitRecord) -> Result<(), TestCaseError> {
    let told = |wanted: fn(&StoryEvent) -> bool| {
        unit.story.iter().filter(|step| wanted(&step.happened)).count()
    };
    prop_assert_eq!(
        told(|it| matches!(it, StoryEvent::Received { .. })),
        usize::from(unit.receipt.is_some())
    );
    prop_assert_eq!(
        told(|it| matches!(it, StoryEvent::Shipped { .. })),
        usize::from(unit.has_left())
    );
    let (mut condition, mut place, mut channel) = (None, None, None);
    for step in &unit.story {
        match &step.happened {
            StoryEvent::Received { .. } => {
                let scanned = &unit.receipt.as_ref().unwrap().scanned;
                condition = Some(scanned.condition);
                place.clone_from(&scanned.location_identifier);
                channel.clone_from(&scanned.channel);
            }
            StoryEvent::Graded { condition: graded, .. } => condition = Some(*graded),
            StoryEvent::Moved { location_identifier, channel: assigned, .. } => {
                place = location_identifier.clone().or(place);
                channel = assigned.clone().or(channel);
            }
            StoryEvent::Announced { .. }
            | StoryEvent::Questioned { .. }
            | StoryEvent::Answered { .. }
            // No correction happens in these histories.
            | StoryEvent::Corrected { .. }
            | StoryEvent::Packed { .. }
            | StoryEvent::Unpacked { .. }
            | StoryEvent::Shipped { .. } => (),
        }
    }
    prop_assert_eq!(unit.condition, condition);
    prop_assert_eq!(&unit.location_identifier, &place);
    prop_assert_eq!(&unit.channel, &channel);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn scans_repeats_answers_and_shipments_keep_one_truth_about_every_unit(
        steps in prop::collection::vec(any_step(), 0..40),
    ) {
        let mut warehouse = Warehouse::new();
        for step in &steps {
            warehouse.take(step);
            warehouse.check()?;
            let once = warehouse.clone();
            warehouse.take(step);
            prop_assert_eq!(&warehouse, &once, "told twice: {:?}", step);
        }
    }

    /// No scan is lost: it counts, or it is a question, or it was one of both before.
    #[test]
    fn every_scanned_unit_is_known_afterwards(
        steps in prop::collection::vec(any_step(), 0..40),
    ) {
        let mut warehouse = Warehouse::new();
        for step in &steps {
            warehouse.take(step);
            if let Step::Scan { asn, plate, .. } = step {
                let unit = &warehouse.units[*plate];
                let number = format!("A-{asn}");
                let received = unit.receipt.as_ref().is_some_and(|it| it.asn_number == number);
                prop_assert!(received || unit.question(&number).is_some());
            }
        }
    }
}

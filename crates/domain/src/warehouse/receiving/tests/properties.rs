//! What holds of every sequence of scans, answers and shipments.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::warehouse::unit::apply;

const PLATES: [&str; 5] = ["U-1", "U-2", "U-3", "U-4", "U-5"];

/// Something that happens in the warehouse.
#[derive(Clone, Debug)]
enum Step {
    Scan { asn: usize, plate: &'static str, sku: &'static str },
    Answer { asn: usize, plate: &'static str, answer: Answer },
    Unit { plate: &'static str, event: UnitEvent },
}

fn any_step() -> impl Strategy<Value = Step> {
    let plate = || select(&PLATES[..]);
    let asn_number = |number: usize| AsnNumber::parse(&format!("A-{number}")).unwrap();
    let answer = prop_oneof![
        Just(Answer::Surplus),
        Just(Answer::Reject { reason: "no".to_owned() }),
        (0..2_usize, select(&["1", "2", "3"][..])).prop_map(move |(asn, line)| Answer::Match {
            asn_number: asn_number(asn),
            line_identifier: line.to_owned()
        }),
    ];
    let event = (select(&["S-1", "S-2"][..]), 0..3_u8).prop_map(|(number, which)| {
        let asn_number = AsnNumber::parse(number).unwrap();
        match which {
            0 => UnitEvent::Packed { asn_number },
            1 => UnitEvent::Unpacked { asn_number },
            _ => UnitEvent::Shipped { asn_number },
        }
    });
    prop_oneof![
        4 => (0..3_usize, plate(), select(&["A", "B", "Z"][..]))
            .prop_map(|(asn, plate, sku)| Step::Scan { asn, plate, sku }),
        2 => (0..3_usize, plate(), answer)
            .prop_map(|(asn, plate, answer)| Step::Answer { asn, plate, answer }),
        1 => (plate(), event).prop_map(|(plate, event)| Step::Unit { plate, event }),
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
                    Decision::Accepted(acceptance) => self.accept(*acceptance),
                    Decision::Repeat => (),
                    Decision::Exception(unit) => self.keep(*unit),
                }
            }
            Step::Answer { asn, plate, answer: choice } => {
                let scene = before.scene(*asn, plate);
                match answer(&scene, &format!("A-{asn}"), choice, time(90)) {
                    Ok(Answered::Accepted(acceptance)) => self.accept(*acceptance),
                    Ok(Answered::Rejected(unit)) => self.keep(*unit),
                    Ok(Answered::Unchanged) | Err(_) => (),
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

    fn scene(&self, asn: usize, plate: &str) -> Scene<'_> {
        Scene { asn: self.asns.get(asn), others: &self.asns, unit: self.units.get(plate) }
    }

    /// Asserts that every unit is counted where its record says, once, and nowhere else.
    fn check(&self) -> Result<(), TestCaseError> {
        for state in &self.asns {
            for line in state.asn.lines() {
                let received = state.received.get(&line.detail.line_identifier);
                let count = received.map_or(0, |units| i64::try_from(units.len()).unwrap());
                prop_assert!(count <= line.detail.quantity);
                prop_assert_eq!(state.awaited(line.detail), line.detail.quantity - count);
            }
        }
        for plate in PLATES {
            let receipt = self.units.get(plate).and_then(|unit| unit.receipt.as_ref());
            let mut counted = Vec::new();
            for state in &self.asns {
                let number = state.asn.asn_number.to_string();
                let lines = state.received.iter().filter(|(_, units)| units.contains(plate));
                counted.extend(lines.map(|(line, _)| (number.clone(), Some(line.clone()))));
                counted.extend(state.surplus.contains(plate).then_some((number, None)));
            }
            let known = self.asns.iter().map(|state| state.asn.asn_number.as_str());
            let told = receipt
                .filter(|receipt| known.into_iter().any(|number| number == receipt.asn_number))
                .map(|receipt| (receipt.asn_number.clone(), receipt.line_identifier.clone()));
            prop_assert_eq!(counted, told.into_iter().collect::<Vec<_>>());
        }
        Ok(())
    }
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

//! How shipments go on, and what befalls their units.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::warehouse::unit::{UnitRecord, apply};

fn pending() -> Shipment {
    judge(&sample()).unwrap()
}

fn to(status: ShipmentStatus) -> ShipmentChange {
    ShipmentChange { ship_date: None, status: Some(status) }
}

fn dated(second: i64) -> ShipmentChange {
    ShipmentChange { ship_date: Some(time(second)), status: None }
}

/// The shipment after changes that must be.
fn after(changes: &[ShipmentChange]) -> Shipment {
    changes.iter().fold(pending(), |shipment, it| {
        let decision = change(shipment.clone(), it, time(60)).unwrap();
        assert!(decision.changed, "{it:?}");
        decision.shipment
    })
}

#[test]
fn a_shipment_goes_from_pending_to_shipped_to_delivered_or_is_canceled_before() {
    use ShipmentStatus::{Canceled, Delivered, Pending, Shipped};
    let reached = [
        (Pending, after(&[])),
        (Shipped, after(&[to(Shipped)])),
        (Delivered, after(&[to(Shipped), to(Delivered)])),
        (Canceled, after(&[to(Canceled)])),
    ];
    let possible = [(Pending, Shipped), (Pending, Canceled), (Shipped, Delivered)];

    for (status, shipment) in reached {
        for next in ShipmentStatus::ALL {
            let outcome = change(shipment.clone(), &to(next), time(90));
            if status == next {
                assert!(!outcome.unwrap().changed, "{status:?} twice");
            } else if possible.contains(&(status, next)) {
                assert_eq!(outcome.unwrap().shipment.status, next);
            } else {
                assert_eq!(outcome, Err(ShipmentRefusal::Status(status, next)));
            }
        }
    }
}

#[test]
fn the_date_changes_until_the_shipment_has_ended() {
    let shipped = after(&[dated(1), to(ShipmentStatus::Shipped), dated(2)]);
    assert_eq!((shipped.ship_date, shipped.announcements), (time(2), 4));
    assert_eq!(shipped.updated_at, time(60));

    let canceled = after(&[to(ShipmentStatus::Canceled)]);
    let refusal = change(canceled.clone(), &dated(3), time(60)).unwrap_err();
    assert_eq!(refusal, ShipmentRefusal::Ended(ShipmentStatus::Canceled));
    assert_eq!(refusal.to_string(), "the ship_date of a canceled shipment stands");
}

#[test]
fn half_a_change_is_not_made() {
    let both = ShipmentChange { ship_date: Some(time(9)), status: Some(ShipmentStatus::Delivered) };

    let refusal = change(pending(), &both, time(60)).unwrap_err();

    assert_eq!(refusal.to_string(), "a pending shipment cannot become delivered");
}

#[test]
fn a_change_is_read_with_all_its_faults() {
    let judge = |text: &str| {
        let faults = read_change(&document::parse(text.as_bytes()).unwrap()).unwrap_err();
        faults.errors.into_iter().map(|error| (error.field, error.code)).collect::<Vec<_>>()
    };

    assert_eq!(judge("{}"), told("$.ship_date | $.status", FaultCode::MissingField));
    assert_eq!(
        judge(r#"{"status":"lost","ship_date":7,"carrier":"x"}"#),
        [
            ("$.ship_date".to_owned(), FaultCode::InvalidType),
            ("$.status".to_owned(), FaultCode::Invalid),
            ("$.carrier".to_owned(), FaultCode::Invalid),
        ]
    );
}

#[test]
fn units_are_set_aside_leave_and_are_free_again_with_their_shipment() {
    let befallen = |shipment: &Shipment, unit: &UnitRecord| {
        apply(unit, &shipment.unit_event(), time(90)).unwrap().unit
    };
    let unit = befallen(&after(&[]), &samples::received_unit());
    assert!(unit.is_here() && unit.departure.is_some());

    assert_eq!(befallen(&after(&[to(ShipmentStatus::Canceled)]), &unit).departure, None);
    let gone = befallen(&after(&[to(ShipmentStatus::Shipped)]), &unit);
    assert!(gone.has_left());
    let delivered = after(&[to(ShipmentStatus::Shipped), to(ShipmentStatus::Delivered)]);
    assert_eq!(befallen(&delivered, &gone), gone);
}

#[test]
fn what_is_known_of_a_unit_completes_its_line() {
    let unit = samples::received_unit();
    let whole = pending().cartons[0].details[0].clone();
    let mut detail = whole.required_only();

    detail.complete(&unit);

    assert_eq!(detail, whole);
    detail.upc = Some("another".to_owned());
    detail.complete(&unit);
    assert_eq!(detail.upc.as_deref(), Some("another"), "what was sent stands");
}

#[test]
fn the_return_that_a_unit_was_received_for_is_not_its_asn() {
    let mut unit = samples::received_unit();
    unit.receipt.as_mut().unwrap().asn_number = "RMA-7K3Q-9XWD-2M4T".to_owned();
    let mut detail = pending().cartons[0].details[0].required_only();

    detail.complete(&unit);

    assert_eq!(detail.inbound_received_asn, None);
}

fn any_change() -> impl Strategy<Value = ShipmentChange> {
    let date = prop::option::of((0..3_i64).prop_map(time));
    let status = prop::option::of(select(&ShipmentStatus::ALL[..]));
    (date, status).prop_map(|(ship_date, status)| ShipmentChange { ship_date, status })
}

proptest! {
    #[test]
    fn a_change_told_twice_changes_nothing_the_second_time(
        changes in prop::collection::vec(any_change(), 0..8),
    ) {
        let mut shipment = pending();
        for it in &changes {
            let Ok(first) = change(shipment.clone(), it, time(60)) else { continue };
            let grown = first.shipment.announcements - shipment.announcements;
            prop_assert_eq!(grown, i64::from(first.changed));
            let second = change(first.shipment.clone(), it, time(90));
            let second = second.expect("accepted once, and again");
            prop_assert!(!second.changed);
            prop_assert_eq!(&second.shipment, &first.shipment);
            shipment = first.shipment;
        }
    }
}

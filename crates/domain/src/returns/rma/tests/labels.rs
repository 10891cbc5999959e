//! Labels: replaced, canceled, expired.

use jiff::SignedDuration;

use super::*;

fn renewed(generation: i64, reason: VoidReason) -> RmaEvent {
    RmaEvent::LabelRenewed { generation, reason }
}

fn voided(number: &str) -> RmaEvent {
    RmaEvent::LabelVoided { tracking_number: Some(number.to_owned()), generation: None }
}

fn scan_of(number: &str, scan: CarrierScan) -> RmaEvent {
    RmaEvent::Scanned { scan, tracking_number: Some(number.to_owned()), lines: Vec::new() }
}

#[test]
fn a_new_label_replaces_one_that_the_shopper_lost() {
    let rma = change(&mailed(&["1", "2"]), &label("OLD", &[]));
    let rma = change(&rma, &renewed(1, VoidReason::Lost));
    assert_eq!(rma.label_generation, 2);
    assert!(rma.units.iter().all(|it| it.tracking_number.is_none() && it.tracking.is_none()));
    assert_eq!(rma.labels[0].void.as_ref().unwrap().reason, VoidReason::Lost);

    let rma = change(&rma, &label("NEW", &[]));
    assert!(rma.units.iter().all(|it| it.tracking_number.as_deref() == Some("NEW")));
    assert_eq!(rma.valid_labels().map(|it| it.generation).collect::<Vec<_>>(), [2]);
}

#[test]
fn what_arrives_late_from_a_void_label_changes_nothing() {
    let rma = change(&mailed(&["1"]), &label("OLD", &[]));
    let rma = change(&rma, &renewed(1, VoidReason::WrongSize));
    let late = RmaEvent::LabelCreated {
        tracking_number: "ANOTHER".to_owned(),
        lines: Vec::new(),
        generation: Some(1),
        details: Box::default(),
    };
    for event in [
        renewed(1, VoidReason::Lost),
        late,
        label("OLD", &[]),
        scan_of("OLD", CarrierScan::InTransit),
    ] {
        assert_unchanged(&rma, &event);
    }
    let rma = change(&rma, &label("NEW", &[]));
    assert_unchanged(&rma, &scan_of("OLD", CarrierScan::Delivered));
    assert_unchanged(&rma, &voided("OLD"));
    let rma = change(&rma, &scan_of("NEW", CarrierScan::InTransit));
    assert_eq!(rma.units[0].tracking, Some(TrackingStatus::Transit));
}

#[test]
fn a_label_cannot_end_while_goods_travel_with_it() {
    let rma = change(&mailed(&["1"]), &label("1Z9", &[]));
    let rma = change(&rma, &scan_of("1Z9", CarrierScan::Accepted));
    assert_eq!(refusal(&rma, &renewed(1, VoidReason::Lost)), RmaRefusal::LabelUsed);
    assert_eq!(refusal(&rma, &voided("1Z9")), RmaRefusal::LabelUsed);
}

#[test]
fn a_new_label_is_requested_only_instead_of_one_that_was_issued() {
    let rma = mailed(&["1"]);
    assert_eq!(refusal(&rma, &renewed(1, VoidReason::Lost)), RmaRefusal::NoLabel);
    let rma = change(&rma, &label("1Z9", &[]));
    assert_eq!(refusal(&rma, &renewed(2, VoidReason::Lost)), RmaRefusal::UnknownGeneration(2));
}

#[test]
fn a_label_that_was_never_issued_is_requested_again() {
    let rma = change(&mailed(&["1"]), &renewed(1, VoidReason::NotIssued));
    assert_eq!(rma.label_generation, 2);
    assert!(rma.labels.is_empty());

    let late = label("OLD", &[]);
    let RmaEvent::LabelCreated { tracking_number, lines, details, .. } = late else { panic!() };
    assert_unchanged(
        &rma,
        &RmaEvent::LabelCreated { tracking_number, lines, details, generation: Some(1) },
    );
    let rma = change(&rma, &label("NEW", &[]));
    assert_eq!(refusal(&rma, &renewed(2, VoidReason::NotIssued)), RmaRefusal::HasLabel);

    let canceled = change(&rma, &voided("NEW"));
    assert_eq!(change(&canceled, &renewed(2, VoidReason::NotIssued)).label_generation, 3);
}

#[test]
fn a_label_is_used_when_the_carrier_has_its_own_parcel() {
    let rma = change(&mailed(&["1", "2"]), &label("A", &["1"]));
    let rma = change(&rma, &label("B", &["2"]));
    let first_sent = change(&rma, &scan_of("A", CarrierScan::InTransit));
    assert_eq!(first_sent.label_state(time(100)), LabelState::Usable);
    let open: Vec<&str> = first_sent.open_labels().map(|it| it.tracking_number.as_str()).collect();
    assert_eq!(open, ["B"]);

    let both_sent = change(&first_sent, &scan_of("B", CarrierScan::InTransit));
    assert_eq!(both_sent.label_state(time(100)), LabelState::Used);
    assert_eq!(both_sent.open_labels().count(), 0);
}

#[test]
fn a_unit_without_a_number_travels_with_its_neighbors() {
    use TrackingStatus::{PreTransit, Transit};
    let state = |parcel_count: i64, units: [(Option<&str>, TrackingStatus); 2]| {
        let mut rma = Rma { parcel_count, ..mailed(&["1", "2"]) };
        for (unit, (number, tracking)) in rma.units.iter_mut().zip(units) {
            unit.tracking_number = number.map(str::to_owned);
            unit.tracking = Some(tracking);
        }
        rma.label_state(time(100))
    };
    for (units, in_one_parcel, in_two_parcels) in [
        ([(None, Transit), (None, PreTransit)], LabelState::Used, LabelState::Usable),
        ([(None, PreTransit), (Some("A"), Transit)], LabelState::Used, LabelState::Usable),
        ([(Some("A"), PreTransit), (None, Transit)], LabelState::Used, LabelState::Usable),
        ([(Some("A"), Transit), (Some("A"), PreTransit)], LabelState::Used, LabelState::Used),
        ([(Some("A"), Transit), (Some("B"), PreTransit)], LabelState::Usable, LabelState::Usable),
        ([(None, PreTransit), (Some("A"), PreTransit)], LabelState::Usable, LabelState::Usable),
    ] {
        assert_eq!(state(1, units), in_one_parcel, "{units:?}");
        assert_eq!(state(2, units), in_two_parcels, "{units:?}");
    }
}

#[test]
fn a_label_that_the_carrier_canceled_is_replaced_by_the_next_one() {
    let rma = change(&mailed(&["1", "2"]), &label("A", &["1"]));
    let rma = change(&rma, &label("B", &["2"]));
    let rma = change(&rma, &voided("A"));
    assert_eq!(rma.units[0].tracking_number, None);
    assert_eq!(rma.units[1].tracking_number.as_deref(), Some("B"));
    assert_eq!(refusal(&rma, &voided("C")), RmaRefusal::UnknownParcel("C".to_owned()));

    let rma = change(&rma, &label("C", &["1"]));
    assert_eq!(rma.units[0].tracking_number.as_deref(), Some("C"));
    assert_eq!(rma.valid_labels().count(), 2);
}

#[test]
fn a_canceled_label_is_replaced_while_its_goods_are_awaited() {
    let day = |days: i64| time(0).checked_add(SignedDuration::from_hours(24 * days)).unwrap();
    let rma = change(&mailed(&["1", "2"]), &label("A", &[]));
    assert!(!rma.needs_another_label(day(1)), "it has one");
    let canceled = change(&rma, &voided("A"));
    assert!(canceled.needs_another_label(day(1)));
    assert!(!canceled.needs_another_label(day(LABEL_DAYS + 1)));
    let asked_again = apply(&rma, &renewed(1, VoidReason::Lost), day(20)).unwrap().rma;
    let issued_again = apply(&asked_again, &label("B", &[]), day(21)).unwrap().rma;
    let canceled_again = apply(&issued_again, &voided("B"), day(22)).unwrap().rma;
    assert!(canceled_again.needs_another_label(day(LABEL_DAYS + 1)), "the shopper asked again");

    let partly = change(&canceled, &refunded("RF-1", &[("1", 1)]));
    assert!(partly.needs_another_label(day(1)));
    let finished = change(&partly, &refunded("RF-2", &[("2", 1)]));
    assert_eq!(finished.status, RmaStatus::Refunded);
    assert!(!finished.needs_another_label(day(1)));
}

#[test]
fn an_expired_label_that_the_carrier_cancels_is_not_replaced() {
    let issued = |expires_at: i64| RmaEvent::LabelCreated {
        tracking_number: "A".to_owned(),
        lines: Vec::new(),
        generation: None,
        details: LabelDetails { expires_at: Some(time(expires_at)), ..LabelDetails::default() }
            .into(),
    };
    let after_void = |expires_at: i64| {
        let rma = change(&mailed(&["1"]), &issued(expires_at));
        apply(&rma, &voided("A"), time(500)).unwrap().rma
    };
    assert!(after_void(501).needs_another_label(time(500)));
    assert!(!after_void(499).needs_another_label(time(500)));
}

#[test]
fn documents_may_follow_the_number_of_a_label_and_are_then_kept() {
    let document = |sha256: &str| LabelDocument {
        purpose: DocumentPurpose::Label,
        format: DocumentFormat::Pdf,
        sha256: sha256.to_owned(),
        bytes: 5,
    };
    let with = |sha256: &str| RmaEvent::LabelCreated {
        tracking_number: "1Z9".to_owned(),
        lines: Vec::new(),
        generation: Some(1),
        details: LabelDetails { documents: vec![document(sha256)], ..LabelDetails::default() }
            .into(),
    };
    let rma = change(&mailed(&["1"]), &label("1Z9", &[]));
    let rma = change(&rma, &with("a"));
    assert_eq!(rma.labels[0].details.documents, [document("a")]);
    assert_unchanged(&rma, &with("b"));
    assert_unchanged(&rma, &label("1Z9", &[]));
}

#[test]
fn the_carrier_says_when_a_label_expires_and_a_new_one_has_its_own_time() {
    let issued = RmaEvent::LabelCreated {
        tracking_number: "1Z9".to_owned(),
        lines: Vec::new(),
        generation: None,
        details: LabelDetails { expires_at: Some(time(500)), ..LabelDetails::default() }.into(),
    };
    let rma = change(&mailed(&["1"]), &issued);
    assert_eq!(rma.label_state(time(500)), LabelState::Usable);
    assert_eq!(rma.label_state(time(501)), LabelState::Expired);
    let rma = change(&rma, &renewed(1, VoidReason::Expired));
    assert_eq!(rma.label_state(time(501)), LabelState::Usable);
}

#[test]
fn a_return_keeps_a_bounded_number_of_labels() {
    let mut rma = mailed(&["1"]);
    for number in 0..500 {
        let number = format!("L-{number}");
        rma = change(&rma, &label(&number, &[]));
        rma = change(&rma, &voided(&number));
    }
    assert_eq!(refusal(&rma, &label("L-500", &[])), RmaRefusal::TooManyLabels);
}

fn label_of_parcel(number: &str, parcel: i64) -> RmaEvent {
    RmaEvent::LabelCreated {
        tracking_number: number.to_owned(),
        lines: Vec::new(),
        generation: None,
        details: LabelDetails { parcel: Some(parcel), ..LabelDetails::default() }.into(),
    }
}

#[test]
fn each_parcel_has_its_label_and_its_units() {
    let rma = Rma { parcel_count: 2, ..mailed(&["1", "2", "3"]) };
    assert_eq!(rma.parcels_without_label(), [1, 2]);

    let rma = change(&rma, &label_of_parcel("SECOND", 2));
    assert_eq!(rma.parcels_without_label(), [1]);
    let rma = change(&rma, &label_of_parcel("FIRST", 1));

    let numbers = rma.units.iter().map(|unit| unit.tracking_number.as_deref().unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), ["FIRST", "FIRST", "SECOND"]);
    assert!(rma.parcels_without_label().is_empty());
    assert_eq!(rma.only_parcel(2).units, rma.units[2..]);
    assert_unchanged(&rma, &label_of_parcel("FIRST", 1));
    let again = refusal(&rma, &label_of_parcel("THIRD", 1));
    assert_eq!(again, RmaRefusal::Labeled("FIRST".to_owned()));
    assert_eq!(refusal(&rma, &label_of_parcel("THIRD", 3)), RmaRefusal::NoSuchParcel(2));

    let rma = change(&rma, &scan_of("SECOND", CarrierScan::Delivered));
    let delivered = rma.units.iter().map(|unit| unit.tracking == Some(TrackingStatus::Delivered));
    assert_eq!(delivered.collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn units_are_spread_evenly_and_no_parcel_is_empty() {
    for units in 1..40 {
        let lines = vec!["1"; units];
        for parcel_count in 1..=i64::try_from(units).unwrap().min(20) {
            let rma = Rma { parcel_count, ..mailed(&lines) };
            let sizes: Vec<usize> =
                (1..=parcel_count).map(|it| rma.only_parcel(it).units.len()).collect();
            assert_eq!(sizes.iter().sum::<usize>(), units);
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(*least > 0 && most - least <= 1, "{sizes:?}");
        }
    }
}

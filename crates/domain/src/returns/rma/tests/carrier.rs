//! Labels and scans.

use super::*;

fn of_parcel(scan: CarrierScan, number: &str, lines: &[&str]) -> RmaEvent {
    RmaEvent::Scanned { scan, tracking_number: Some(number.to_owned()), lines: owned(lines) }
}

#[test]
fn a_label_gives_the_units_a_tracking_number() {
    let rma = change(&mailed(&["1", "2"]), &label("1Z9", &[]));

    assert_eq!(trackings(&rma), [Some(TrackingStatus::PreTransit); 2]);
    assert!(rma.units.iter().all(|unit| unit.tracking_number.as_deref() == Some("1Z9")));
    assert_eq!(rma.status, RmaStatus::Created);
    assert_unchanged(&rma, &label("1Z9", &[]));
}

#[test]
fn each_parcel_has_its_label_and_the_other_units_get_the_next_one() {
    let rma = change(&mailed(&["1", "2", "3"]), &label("P-1", &["1"]));
    let rma = change(&rma, &label("P-2", &[]));

    let numbers: Vec<Option<&str>> =
        rma.units.iter().map(|unit| unit.tracking_number.as_deref()).collect();
    assert_eq!(numbers, [Some("P-1"), Some("P-2"), Some("P-2")]);
    assert_unchanged(&rma, &label("P-1", &["1"]));
    assert_unchanged(&rma, &label("P-2", &[]));
}

#[test]
fn the_first_label_is_kept_and_another_is_refused() {
    let rma = change(&mailed(&["1"]), &label("P-1", &[]));

    assert_eq!(refusal(&rma, &label("P-2", &[])), RmaRefusal::Labeled("P-1".to_owned()));
}

#[test]
fn a_label_after_the_scan_still_sets_the_number() {
    let rma = change(&mailed(&["1"]), &scan(CarrierScan::InTransit));
    let rma = change(&rma, &label("P-1", &[]));

    assert_eq!(trackings(&rma), [Some(TrackingStatus::Transit)]);
    assert_eq!(rma.units[0].tracking_number.as_deref(), Some("P-1"));
}

/// What can follow each state, spelled out as in the table of the module.
fn successors(from: Option<TrackingStatus>) -> Vec<TrackingStatus> {
    use TrackingStatus::{
        Accepted, Delivered, Failure, NotDroppedOff, PreTransit, Returned, Transit,
    };
    match from {
        None => TrackingStatus::ALL.to_vec(),
        Some(PreTransit) => {
            vec![NotDroppedOff, Accepted, Transit, Failure, Delivered, Returned]
        }
        Some(NotDroppedOff) => vec![Accepted, Transit, Failure, Delivered, Returned],
        Some(Accepted) => vec![Transit, Failure, Delivered, Returned],
        Some(Transit) => vec![Failure, Delivered, Returned],
        Some(Failure) => vec![Delivered, Returned],
        Some(Delivered | Returned) => Vec::new(),
    }
}

#[test]
fn tracking_moves_exactly_as_in_its_table() {
    let states = TrackingStatus::ALL.map(Some).into_iter().chain([None]);
    for from in states {
        let allowed: Vec<TrackingStatus> =
            TrackingStatus::ALL.into_iter().filter(|next| next.follows(from)).collect();
        assert_eq!(allowed, successors(from), "{from:?}");
    }
}

#[test]
fn every_scan_moves_units_forward_and_late_ones_change_nothing() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    for first in CarrierScan::ALL {
        let rma = change(&open(ReturnMethod::ExpressReturns, goods.clone()), &scan(first));
        assert_eq!(trackings(&rma), [Some(first.tracking())]);
        for second in CarrierScan::ALL {
            if successors(Some(first.tracking())).contains(&second.tracking()) {
                let rma = change(&rma, &scan(second));
                assert_eq!(trackings(&rma), [Some(second.tracking())]);
            } else {
                assert_unchanged(&rma, &scan(second));
            }
        }
    }
}

#[test]
fn a_scan_moves_only_the_parcel_and_the_lines_that_it_names() {
    let rma = change(&mailed(&["1", "2", "3"]), &label("P-1", &["1", "2"]));

    let rma = change(&rma, &of_parcel(CarrierScan::InTransit, "P-1", &[]));
    assert_eq!(
        trackings(&rma),
        [Some(TrackingStatus::Transit), Some(TrackingStatus::Transit), None]
    );

    let rma = change(&rma, &of_parcel(CarrierScan::Delivered, "P-1", &["2"]));
    assert_eq!(
        trackings(&rma),
        [Some(TrackingStatus::Transit), Some(TrackingStatus::Delivered), None]
    );

    let line = RmaEvent::Scanned {
        scan: CarrierScan::Accepted,
        tracking_number: None,
        lines: owned(&["3"]),
    };
    assert_eq!(trackings(&change(&rma, &line))[2], Some(TrackingStatus::Accepted));
}

#[test]
fn a_scan_of_an_unknown_parcel_or_line_is_refused() {
    let rma = change(&mailed(&["1", "2"]), &label("P-1", &["1"]));

    assert_eq!(
        refusal(&rma, &of_parcel(CarrierScan::InTransit, "P-2", &[])),
        RmaRefusal::UnknownParcel("P-2".to_owned())
    );
    assert_eq!(
        refusal(&rma, &of_parcel(CarrierScan::InTransit, "P-1", &["1", "2"])),
        RmaRefusal::UnknownLine("2".to_owned()),
        "the line is not in that parcel"
    );
    assert_eq!(refusal(&rma, &label("P-2", &["9"])), RmaRefusal::UnknownLine("9".to_owned()));
}

#[test]
fn only_goods_for_a_drop_off_point_can_miss_it() {
    let missed = scan(CarrierScan::NotDroppedOff);

    assert_eq!(refusal(&mailed(&["1"]), &missed), RmaRefusal::NotExpressReturns);
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let rma = change(&open(ReturnMethod::ExpressReturns, goods), &missed);
    let rma = change(&rma, &scan(CarrierScan::Accepted));
    assert_eq!(trackings(&rma), [Some(TrackingStatus::Accepted)], "the shopper came later");
}

#[test]
fn goods_that_a_shopper_keeps_are_never_shipped() {
    let rma = open(ReturnMethod::CustomerKeep, vec![goods(ORDER, "1", Resolution::Refund)]);

    for event in [label("P-1", &[]), scan(CarrierScan::Accepted), scan(CarrierScan::NotDroppedOff)]
    {
        assert_eq!(refusal(&rma, &event), RmaRefusal::Kept);
    }
}

#[test]
fn a_refunded_return_is_still_tracked() {
    let rma = change(&mailed(&["1"]), &scan(CarrierScan::InTransit));
    let rma = change(&rma, &refunded("RF-1", &[("1", 1)]));
    assert_eq!(rma.status, RmaStatus::Refunded);

    let rma = change(&rma, &scan(CarrierScan::Delivered));

    assert_eq!(
        (rma.status, trackings(&rma)),
        (RmaStatus::Refunded, vec![Some(TrackingStatus::Delivered)])
    );
}

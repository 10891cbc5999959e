//! What is true of every return, whatever happens to it and in whatever order.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const ORDERS: [&str; 2] = [ORDER, "B-2"];
const LINES: [&str; 3] = ["1", "2", "3"];

fn text(from: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(from).prop_map(str::to_owned)
}

fn some_lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(&LINES), 0..3)
}

fn any_goods() -> impl Strategy<Value = RmaGoods> {
    (select(&ORDERS[..]), select(&LINES[..]), select(&Resolution::ALL[..]))
        .prop_map(|(order, line, resolution)| goods(order, line, resolution))
}

fn any_rma() -> impl Strategy<Value = Rma> {
    let goods = prop::collection::vec(any_goods(), 1..7);
    let method = select(&ReturnMethod::ALL[..]);
    (method, any::<bool>(), goods)
        .prop_map(|(method, managed, goods)| Rma::open(new_rma(method, managed, goods), time(0)))
}

fn any_correction() -> impl Strategy<Value = RmaEvent> {
    let corrected = (select(&Condition::ALL[..]), prop::option::of(text(&["stained"])));
    let corrected = corrected.prop_map(|(condition, reject_reason)| CorrectedReceipt {
        condition,
        channel: None,
        reject_reason,
    });
    (text(&["LP-1", "LP-2", "LP-3"]), prop::option::of(corrected)).prop_map(
        |(receipt_identifier, corrected)| RmaEvent::ReceiptCorrected {
            receipt_identifier,
            corrected,
        },
    )
}

fn any_label_event() -> impl Strategy<Value = RmaEvent> {
    let number = || text(&["P-1", "P-2"]);
    prop_oneof![
        (number(), some_lines())
            .prop_map(|(tracking_number, lines)| RmaEvent::label(tracking_number, lines)),
        (prop::option::of(number()), prop::option::of(1..4_i64)).prop_map(
            |(tracking_number, generation)| RmaEvent::LabelVoided { tracking_number, generation }
        ),
        (1..4_i64, select([&VoidReason::OF_SHOPPERS[..], &[VoidReason::NotIssued]].concat()))
            .prop_map(|(generation, reason)| RmaEvent::LabelRenewed { generation, reason }),
    ]
}

fn any_receipt() -> impl Strategy<Value = RmaEvent> {
    (
        text(&["LP-1", "LP-2", "LP-3"]),
        prop::option::of(text(&LINES)),
        prop::option::of(text(&["SKU-1", "SKU-2"])),
        select(&Condition::ALL[..]),
        prop::option::of(text(&["stained"])),
        any::<bool>(),
    )
        .prop_map(|(receipt_identifier, line, sku, condition, reject_reason, assigned)| {
            RmaEvent::Received {
                receipt_identifier,
                line,
                sku,
                condition,
                reject_reason,
                channel: None,
                assigned,
            }
        })
}

fn any_event() -> impl Strategy<Value = RmaEvent> {
    let number = || text(&["P-1", "P-2"]);
    let order = || text(&ORDERS);
    let exchange = || text(&["EX-1", "EX-2"]);
    let quantity = (text(&LINES), -1..4_i64).prop_map(|(order_line_item_identifier, quantity)| {
        LineQuantity { order_line_item_identifier, quantity }
    });
    prop_oneof![
        any_label_event(),
        (select(&CarrierScan::ALL[..]), prop::option::of(number()), some_lines()).prop_map(
            |(scan, tracking_number, lines)| RmaEvent::Scanned { scan, tracking_number, lines }
        ),
        any_receipt(),
        Just(RmaEvent::ReceivingClosed),
        any_correction(),
        (text(&["RF-1", "RF-2"]), order(), prop::collection::vec(quantity, 0..4), 0..9_000_i64)
            .prop_map(|(refund_identifier, order_identifier, lines, amount_cents)| {
                RmaEvent::Refunded {
                    refund_identifier,
                    order_identifier,
                    lines,
                    amount_cents,
                    accepted_cents: 0,
                }
            }),
        text(&["RF-3", "RF-4"]).prop_map(|refund_identifier| RmaEvent::RefundedExtra {
            refund_identifier,
            amount_cents: 595,
            accepted_cents: 0,
        }),
        Just(RmaEvent::Canceled),
        (order(), exchange()).prop_map(|(order_identifier, exchange_order_identifier)| {
            RmaEvent::ExchangePlaced { order_identifier, exchange_order_identifier }
        }),
        exchange().prop_map(|exchange_order_identifier| RmaEvent::ExchangeFulfilled {
            exchange_order_identifier
        }),
        order().prop_map(|order_identifier| RmaEvent::ExchangeFailed { order_identifier }),
        exchange().prop_map(|exchange_order_identifier| RmaEvent::ExchangeCanceled {
            exchange_order_identifier
        }),
    ]
}

fn any_history() -> impl Strategy<Value = Vec<RmaEvent>> {
    prop::collection::vec(any_event(), 0..24)
}

/// The return after every event of `history` that was not refused.
fn apply_all(rma: &Rma, history: &[RmaEvent]) -> Rma {
    let mut rma = rma.clone();
    for event in history {
        if let Ok(decision) = apply(&rma, event, time(60)) {
            rma = decision.rma;
        }
    }
    rma
}

/// The rank of a status; it never decreases.
fn progress(status: RmaStatus) -> u8 {
    match status {
        RmaStatus::PendingExchange => 0,
        RmaStatus::Created => 1,
        RmaStatus::PartialRefund => 2,
        RmaStatus::Refunded | RmaStatus::Canceled => 3,
    }
}

/// Whether the status is the one that the units require, spelled out independently.
fn is_consistent(rma: &Rma) -> bool {
    let settled = |unit: &RmaUnit| match unit.goods.resolution {
        Resolution::Refund => unit.refund.is_some(),
        Resolution::GiftCard => unit.exchange.is_some(),
        Resolution::Exchange => {
            unit.exchange.clone().is_some_and(|order| order.fulfilled_at.is_some())
        }
    };
    let replaced = |unit: &RmaUnit| unit.goods.resolution != Resolution::Refund;
    let has_moved =
        |unit: &RmaUnit| unit.receipt.is_some() || unit.refund.is_some() || unit.exchange.is_some();
    let all_settled = rma.units.iter().all(settled);
    let pending = rma.units.iter().any(|unit| replaced(unit) && unit.exchange.is_none());
    let missing = receivings(rma).contains(&Some(ReceivingStatus::NotReceived));
    match rma.status {
        RmaStatus::Refunded => all_settled,
        RmaStatus::PendingExchange => pending,
        RmaStatus::PartialRefund => !all_settled && !pending && rma.receiving_complete && missing,
        RmaStatus::Created => !(all_settled || pending || rma.receiving_complete && missing),
        RmaStatus::Canceled => !pending && !rma.units.iter().any(has_moved),
    }
}

/// Whether receiving is complete exactly if no unit is pending, spelled out independently.
fn is_complete_when_nothing_is_pending(rma: &Rma) -> bool {
    let statuses = receivings(rma);
    let expected = statuses.contains(&Some(ReceivingStatus::Pending));
    rma.receiving_complete != expected
}

/// Asserts that nothing moved backward from `unit` to `next`.
fn check_forward(unit: &RmaUnit, next: &RmaUnit) -> Result<(), TestCaseError> {
    let moved = |next: TrackingStatus| next.follows(unit.tracking) || Some(next) == unit.tracking;
    // A label can end as long as nothing moved with it.
    let unmoved =
        matches!(unit.tracking, Some(TrackingStatus::PreTransit | TrackingStatus::NotDroppedOff));
    let ended = unmoved && next.tracking_number.is_none() && unit.tracking_number.is_some();
    prop_assert!(next.tracking.map_or(unit.tracking.is_none() || ended, moved));
    let kept = next.tracking_number == unit.tracking_number;
    prop_assert!(unit.tracking_number.is_none() || kept || ended);
    let late = unit.is_given_up() && unit.refund.is_none() && next.receipt.is_some();
    prop_assert!(
        next.receiving == unit.receiving
            || next.receiving.is_some_and(|next| next.follows(unit.receiving))
            || late
    );
    let rejected = next.receipt.as_ref().is_some_and(|receipt| receipt.reject_reason.is_some());
    let arrived = next.receipt.is_some() && !rejected;
    prop_assert_eq!(arrived, next.receiving == Some(ReceivingStatus::Received));
    prop_assert!(!rejected || next.receiving == Some(ReceivingStatus::NotReceived));
    prop_assert!(unit.receipt.is_none() || next.receipt == unit.receipt);
    prop_assert!(unit.refund.is_none() || next.refund == unit.refund);
    let order = |unit: &RmaUnit| unit.exchange.clone().map(|order| order.exchange_order_identifier);
    // A canceled order becomes a refund; nothing else removes an order.
    let canceled = next.exchange.is_none() && next.goods.resolution == Resolution::Refund;
    prop_assert!(unit.exchange.is_none() || order(next) == order(unit) || canceled);
    prop_assert!(!unit.is_settled() || next.is_settled());
    prop_assert_eq!(next.goods.amounts, unit.goods.amounts);
    Ok(())
}

/// Applies one event of a history, and checks what must be true of every step.
fn check_step(rma: &Rma, event: &RmaEvent) -> Result<Rma, TestCaseError> {
    let Ok(decision) = apply(rma, event, time(60)) else {
        return Ok(rma.clone());
    };
    let next = decision.rma;
    prop_assert_eq!(next.messages_sent - rma.messages_sent, i64::from(decision.changed));
    prop_assert_eq!(decision.changed, next != *rma);
    prop_assert!(is_consistent(&next), "{:?}", next);
    prop_assert!(is_complete_when_nothing_is_pending(&next), "{:?}", next);
    let corrects = matches!(event, RmaEvent::ReceiptCorrected { .. });
    let assigns = matches!(event, RmaEvent::Received { assigned: true, .. });
    let forward = next.status == rma.status || progress(next.status) > progress(rma.status);
    prop_assert!(forward || corrects || assigns, "from {:?} to {:?}", rma.status, next.status);
    prop_assert_eq!(next.units.len(), rma.units.len());
    for (unit, next) in rma.units.iter().zip(&next.units) {
        if corrects {
            // A correction changes the receipt, and nothing else about the unit.
            let uncorrected = RmaUnit {
                receiving: next.receiving,
                receipt: next.receipt.clone(),
                ..unit.clone()
            };
            prop_assert_eq!(&uncorrected, next);
            prop_assert_eq!(next.receiving.is_none(), unit.receiving.is_none());
            let received = Some(ReceivingStatus::Received);
            let is_free = unit.refund.is_none() || unit.receiving != received;
            prop_assert!(is_free || next.receiving == received, "it is received and paid for");
        } else {
            check_forward(unit, next)?;
        }
    }
    Ok(next)
}

/// Units to refund, and payments for units in any groups.
fn any_grouping() -> impl Strategy<Value = (Vec<&'static str>, Vec<(usize, &'static str)>)> {
    let units = prop::collection::vec(select(&LINES[..]), 1..9);
    let payments = prop::collection::vec((0..4_usize, select(&LINES[..])), 0..12);
    (units, payments)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_repeated_event_changes_nothing(
        rma in any_rma(), history in any_history(), last in any_event(),
    ) {
        let rma = apply_all(&rma, &history);
        if let Ok(first) = apply(&rma, &last, time(60)) {
            let second = apply(&first.rma, &last, time(90)).expect("accepted once, accepted again");
            prop_assert_eq!(&second.rma, &first.rma);
            prop_assert!(!second.changed);
            prop_assert_eq!(second.unplaced, first.unplaced);
        }
    }

    #[test]
    fn a_return_only_moves_forward_and_agrees_with_its_units(
        rma in any_rma(), history in any_history(),
    ) {
        prop_assert!(is_consistent(&rma));
        let mut rma = rma;
        for event in &history {
            rma = check_step(&rma, event)?;
        }
        let stored = serde_json::to_string(&rma).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rma>(&stored).unwrap(), rma);
    }

    /// What was paid for, and what could not be assigned, depends on the units and not on how the
    /// merchant grouped them into refunds.
    #[test]
    fn refunds_in_any_grouping_end_in_the_same_state((units, payments) in any_grouping()) {
        let rma = mailed(&units);
        let outcome = |groups: &[Vec<(&str, i64)>]| {
            let mut rma = rma.clone();
            let mut unplaced = 0;
            for (number, group) in groups.iter().enumerate() {
                let event = refunded(&format!("RF-{number}"), group);
                let decision = apply(&rma, &event, time(60)).unwrap();
                unplaced += decision.unplaced.iter().map(|line| line.quantity).sum::<i64>();
                rma = decision.rma;
            }
            let paid: Vec<bool> = rma.units.iter().map(|unit| unit.refund.is_some()).collect();
            (rma.status, paid, unplaced)
        };
        let mut groups = vec![Vec::new(); 4];
        for (group, line) in &payments {
            groups[*group].push((*line, 1));
        }
        let singly: Vec<Vec<(&str, i64)>> =
            payments.iter().rev().map(|(_, line)| vec![(*line, 1)]).collect();
        let at_once = vec![payments.iter().map(|(_, line)| (*line, 1)).collect()];

        prop_assert_eq!(outcome(&groups), outcome(&singly));
        prop_assert_eq!(outcome(&groups), outcome(&at_once));
    }

    #[test]
    fn scans_in_any_order_end_in_the_same_state(
        scans in Just(vec![CarrierScan::Accepted, CarrierScan::InTransit, CarrierScan::Delivered]).prop_shuffle(),
    ) {
        let history: Vec<RmaEvent> = scans.into_iter().map(scan).collect();

        let rma = apply_all(&mailed(&["1", "2"]), &history);

        prop_assert_eq!(trackings(&rma), [Some(TrackingStatus::Delivered); 2]);
    }
}

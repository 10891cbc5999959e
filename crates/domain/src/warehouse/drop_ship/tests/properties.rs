//! What holds of every drop-ship order, whatever is done about it.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn any_action() -> impl Strategy<Value = DropShipAction> {
    let quantity = (select(&["1", "2", "3"][..]), -1..3_i64);
    let quantities = || prop::collection::vec(quantity.clone(), 0..3);
    prop_oneof![
        4 => quantities().prop_map(|quantities| ship(&quantities)),
        3 => quantities().prop_map(|quantities| cancel(&quantities)),
        1 => Just(reject()),
    ]
}

/// Asserts that quantities and statuses of an order agree, in words of their own.
fn check(order: &DropShipOrder) -> Result<(), TestCaseError> {
    let sum = |of: fn(&DropShipItem) -> i64| order.order_items.iter().map(of).sum::<i64>();
    let shipped: i64 =
        order.shipments.iter().flat_map(|it| &it.items).map(|item| item.quantity).sum();
    let cancelled: i64 =
        order.cancellations.iter().flat_map(|it| &it.items).map(|item| item.quantity).sum();
    prop_assert_eq!(sum(|item| item.quantity_shipped), shipped);
    prop_assert_eq!(sum(|item| item.quantity_cancelled), cancelled);
    let mut lines = Vec::new();
    for item in &order.order_items {
        let open = item.quantity_open();
        let parts = [item.quantity_shipped, item.quantity_cancelled, open];
        prop_assert!(parts.iter().all(|part| *part >= 0));
        prop_assert_eq!(parts.iter().sum::<i64>(), item.quantity);
        lines.push((item.status, open, item.quantity_shipped, item.quantity_cancelled));
    }
    lines.push((order.status, sum(DropShipItem::quantity_open), shipped, cancelled));
    for (status, open, shipped, cancelled) in lines {
        let agrees = match status {
            DropShipStatus::Accepted => open > 0 && shipped == 0,
            DropShipStatus::PartiallyShipped => open > 0 && shipped > 0,
            DropShipStatus::Shipped => open == 0 && shipped > 0,
            DropShipStatus::Cancelled | DropShipStatus::Rejected => {
                open == 0 && cancelled > 0 && shipped == 0
            }
        };
        prop_assert!(agrees, "{status:?}: {open} open, {shipped} shipped, {cancelled} cancelled");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn shipped_cancelled_and_open_are_what_was_ordered(
        quantities in prop::collection::vec(1..5_i64, 1..4),
        actions in prop::collection::vec((0..6_u8, any_action()), 0..12),
    ) {
        let mut order = sample_order();
        let sample = order.order_items.remove(0);
        order.order_items = (1..).zip(&quantities).map(|(number, quantity)| DropShipItem {
            client_identifier: format!("DS-20417-{number}"),
            quantity: *quantity,
            ..sample.clone()
        }).collect();
        check(&order)?;
        for (identifier, action) in &actions {
            let identifier = identifier.to_string();
            let Ok(first) = act(&order, &identifier, action) else { continue };
            check(&first.order)?;
            prop_assert_eq!(first.owed.is_some(), first.order != order);
            if let Some(owed) = first.owed {
                prop_assert!(message(&first.order, owed).is_some());
                prop_assert_eq!(owed == DropShipNotice::Cancellation, first.order.is_closed()
                    && first.order.shipments.is_empty());
            }
            let second = act(&first.order, &identifier, action).expect("accepted once, and again");
            prop_assert_eq!(second.owed, None);
            prop_assert_eq!(&second.order, &first.order);
            order = first.order;
        }
        let stored = serde_json::to_string(&order).unwrap();
        prop_assert_eq!(serde_json::from_str::<DropShipOrder>(&stored).unwrap(), order);
    }
}

//! An order that the warehouse ships for a merchant, in part.

use super::{document, time};
use crate::warehouse::drop_ship::{
    self, CancellationOutcome, DropShipAction, DropShipCancelRequest, DropShipNotice,
    DropShipOrder, IdentifiedAction, read_cancellation, read_drop_ship_order, read_shipping,
};

/// A drop-ship order in which every field occurs that can be sent.
pub fn drop_ship_order_request() -> &'static str {
    include_str!("drop_ship_order.json")
}

/// A request to ship units of it.
pub fn drop_ship_shipment_request() -> &'static str {
    include_str!("drop_ship_shipment.json")
}

/// A request to cancel units of it.
pub fn drop_ship_cancellation_request() -> &'static str {
    include_str!("drop_ship_cancellation.json")
}

/// The message that confirms the shipment.
pub fn drop_shipment_confirmation_message() -> &'static str {
    include_str!("drop_shipment_confirmation.json")
}

/// The message that the order is cancelled before anything of it was shipped.
pub fn drop_shipment_cancellation_message() -> &'static str {
    include_str!("drop_shipment_cancellation.json")
}

/// The message that units of the order are cancelled.
pub fn drop_shipment_partial_cancellation_message() -> &'static str {
    include_str!("drop_shipment_partial_cancellation.json")
}

/// The drop-ship order of the sample, with nothing done about it.
pub fn drop_ship_order() -> DropShipOrder {
    let context =
        drop_ship::DropShipReadContext { first_id: 51_001, now: time("2026-03-04T08:00:00Z") };
    let order = read_drop_ship_order(&document(drop_ship_order_request()), &context);
    order.expect("the sample's order is acceptable")
}

/// What becomes of the order: one unit is cancelled, and one shipped. The order after each of
/// these, with the message that is owed then.
pub fn drop_ship_story() -> Vec<(DropShipOrder, Option<DropShipNotice>)> {
    let cancellation = read_cancellation(&document(drop_ship_cancellation_request()));
    let shipping = read_shipping(&document(drop_ship_shipment_request()));
    act_on(&[
        ("2026-03-05T09:00:00Z", cancellation.expect("the sample's request is acceptable")),
        ("2026-03-05T12:00:00Z", shipping.expect("the sample's request is acceptable")),
    ])
}

/// The order that is cancelled as a whole, with the message that is owed then.
pub fn drop_ship_cancelled() -> Vec<(DropShipOrder, Option<DropShipNotice>)> {
    let all = DropShipCancelRequest {
        reason: "inventory not found".to_owned(),
        outcome: CancellationOutcome::Cancelled,
        items: Vec::new(),
    };
    act_on(&[("2026-03-05T15:00:00Z", DropShipAction::Cancel(all))])
}

fn act_on(actions: &[(&str, DropShipAction)]) -> Vec<(DropShipOrder, Option<DropShipNotice>)> {
    let mut order = drop_ship_order();
    let mut story = Vec::new();
    for ((at, action), first_id) in actions.iter().zip([51_101, 51_201]) {
        let told = IdentifiedAction { identifier: at, action, first_id };
        let decision = drop_ship::apply(&order, &told, time(at));
        let decision = decision.expect("the sample's actions are possible");
        order = decision.order;
        story.push((order.clone(), decision.owed));
    }
    story
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::tests::{assert_all_present, assert_all_sent, assert_written};
    use super::*;
    use crate::warehouse::drop_ship::{
        CancellationAddress, CancellationItem, CancellationOrder, ConfirmationItem,
        ConfirmationShipment, DropShipAddress, DropShipItem, DropShipItemQuantity,
        DropShipShipRequest, PartialCancellationItem, PartialCancellationOrder,
    };

    fn value(sample: &str) -> Value {
        serde_json::from_str(sample).unwrap()
    }

    #[test]
    fn the_sample_drop_ship_requests_have_every_field_that_can_be_sent() {
        let order = &value(drop_ship_order_request())["order"];
        let of_order = [
            "id",
            "status",
            "reject_reason",
            "shipments",
            "cancellations",
            "created_at",
            "updated_at",
            "messages_sent",
        ];
        let of_item = ["id", "quantity_shipped", "quantity_cancelled", "status"];
        let shipping = value(drop_ship_shipment_request());
        let cancellation = value(drop_ship_cancellation_request());

        assert_all_sent::<DropShipOrder>(order, &of_order);
        assert_all_sent::<DropShipItem>(&order["order_items"][0], &of_item);
        assert_all_sent::<DropShipAddress>(&order["billing_address"], &["id"]);
        assert_all_present::<DropShipShipRequest>(&shipping);
        assert_all_present::<DropShipItemQuantity>(&shipping["items"][0]);
        assert_all_present::<DropShipCancelRequest>(&cancellation);
    }

    #[test]
    fn the_messages_about_the_drop_ship_order_are_the_samples_and_have_every_field() {
        let samples = [
            drop_shipment_partial_cancellation_message(),
            drop_shipment_confirmation_message(),
            drop_shipment_cancellation_message(),
        ];

        for ((order, owed), sample) in
            drop_ship_story().iter().chain(&drop_ship_cancelled()).zip(samples)
        {
            assert_written(&drop_ship::message(order, owed.unwrap()).unwrap(), sample);
        }

        let [partial, confirmation, cancellation] = samples.map(value);
        assert_all_present::<PartialCancellationOrder<'_>>(&partial["order"]);
        assert_all_present::<PartialCancellationItem<'_>>(&partial["order"]["order_items"][0]);
        assert_all_present::<ConfirmationShipment<'_>>(&confirmation["shipment"]);
        assert_all_present::<ConfirmationItem<'_>>(&confirmation["shipment"]["shipment_items"][0]);
        assert_all_present::<CancellationOrder<'_>>(&cancellation["order"]);
        assert_all_present::<CancellationItem<'_>>(&cancellation["order"]["order_items"][0]);
        assert_all_present::<CancellationAddress<'_>>(&cancellation["order"]["billing_address"]);
    }
}

//! Label requests of the return of the sample.

use super::*;
use crate::returns::rma::LabelVoid;
use crate::returns::test_orders::{empty_order, order_line};
use crate::samples;

fn return_address() -> PostalAddress {
    PostalAddress {
        name: "Acme Returns".to_owned(),
        street1: "2 Dock Road".to_owned(),
        street2: None,
        city: "Reno".to_owned(),
        state: "NV".to_owned(),
        zip_code: "89502".to_owned(),
        country_code: "US".to_owned(),
        phone: None,
    }
}

/// The order of the sample's return, whose line weighs `weight`.
fn order(weight: Option<f64>) -> Order {
    let mut order = empty_order();
    order.identifier = "ORD-100472".to_owned();
    order.items = vec![OrderLine { weight, ..order_line("ORD-100472-1", 2, [9_000, 720, 500]) }];
    order
}

fn build(rma: &Rma, order: &Order, weight_unit: WeightUnit) -> LabelRequest {
    LabelRequest::new(&LabelRequestContext {
        merchant: &MerchantId::parse("acme").unwrap(),
        rma,
        orders: &[order],
        return_address: &return_address(),
        weight_unit,
        requested_at: rma.created_at,
    })
}

#[test]
fn units_of_a_line_are_one_item_with_their_value_and_weight_together() {
    let request = build(&samples::rma(), &order(Some(0.18)), WeightUnit::Kilograms);

    let item = &request.items[0];
    assert_eq!(request.items.len(), 1);
    assert_eq!((item.quantity, item.weight_grams), (2, Some(360)));
    let units = samples::rma().units;
    assert_eq!(item.value_cents, units.iter().map(value_cents).sum::<i64>());
}

#[test]
fn a_line_without_a_weight_has_none_in_the_request() {
    let request = build(&samples::rma(), &order(None), WeightUnit::Grams);

    assert_eq!(request.items[0].weight_grams, None);
    let written = serde_json::to_value(&request).unwrap();
    assert!(written["items"][0].get("weight_grams").is_none(), "{written}");
}

#[test]
fn the_recipient_of_a_gift_is_the_sender_and_the_buyers_telephone_stays_private() {
    let (mut rma, mut order) = (samples::rma(), order(None));
    order.shipping_address.phone = None;
    order.customer.phone = Some("+1 503 555 0100".to_owned());
    rma.giftee_email = Some("robin.ames@example.com".to_owned());

    let gift = build(&rma, &order, WeightUnit::Grams);
    assert_eq!(gift.sender.email.as_deref(), Some("robin.ames@example.com"));
    assert_eq!(gift.sender.address.phone, None);

    rma.giftee_email = None;
    let own = build(&rma, &order, WeightUnit::Grams);
    assert_eq!(own.sender.email.as_deref(), Some("dana.whitfield@example.com"));
    assert_eq!(own.sender.address.phone.as_deref(), Some("+1 503 555 0100"));
    assert_eq!(own.recipient.address, return_address());
}

#[test]
fn only_a_drop_off_point_is_shown_a_code_and_what_is_kept_needs_no_label() {
    for method in ReturnMethod::ALL {
        let formats = wanted_formats(method);
        let wants_code = formats.contains(&LabelFormat::Qr);
        assert_eq!(wants_code, method == ReturnMethod::ExpressReturns, "{method:?}");
        assert_eq!(formats.is_empty(), method == ReturnMethod::CustomerKeep, "{method:?}");
    }
}

#[test]
fn a_request_is_read_back_as_it_was_written_even_if_its_order_is_gone() {
    let rma = samples::rma();
    let mut context_order = order(Some(1.0));
    context_order.identifier = "another".to_owned();
    let request = build(&rma, &context_order, WeightUnit::Pounds);

    assert_eq!(request.sender.address, PostalAddress::default());
    assert_eq!(request.items[0].weight_grams, None);
    let written = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<LabelRequest>(&written).unwrap(), request);
}

#[test]
fn a_label_that_is_wanted_again_has_the_next_generation_and_its_reason() {
    let opened = Rma { labels: Vec::new(), ..samples::rma() };
    let first = build(&opened, &order(None), WeightUnit::Grams);
    assert_eq!((first.generation, first.reason), (1, None));

    let mut rma = samples::rma();
    let void = LabelVoid { at: rma.created_at, reason: VoidReason::Lost };
    rma.labels[0].void = Some(void);
    rma.label_generation = 2;
    let again = build(&rma, &order(None), WeightUnit::Grams);
    assert_eq!((again.generation, again.reason), (2, Some(VoidReason::Lost)));

    rma.label_generation = 3;
    let never_issued = build(&rma, &order(None), WeightUnit::Grams);
    assert_eq!(never_issued.reason, None, "it is that of a label before the last");
    rma.labels[0].void = Some(LabelVoid { at: rma.created_at, reason: VoidReason::Carrier });
    rma.label_generation = 2;
    assert_eq!(build(&rma, &order(None), WeightUnit::Grams).reason, None);
}

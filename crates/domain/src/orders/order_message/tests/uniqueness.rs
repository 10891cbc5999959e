//! Identifiers that must be unique, and the two keys of the shopper.

use super::*;

/// The sample as a different order, with its own refunds.
fn another(number: usize) -> Value {
    edit_order(|order| {
        order["identifier"] = json!(format!("ORD-{number}"));
        order["refunds"][0]["identifier"] = json!(format!("RF-{number}"));
    })
}

#[test]
fn an_order_occurs_once_in_a_message() {
    let twice = [
        another(1),
        another(2),
        edit_order(|order| {
            order["identifier"] = json!("ORD-1");
            order["refunds"] = json!([]);
        }),
    ];

    assert_eq!(errors_in(&twice), [invalid("$.returns_portal_order.orders[2].identifier")]);
}

#[test]
fn orders_without_a_readable_identifier_are_not_the_same() {
    let nameless = |number| {
        let mut order = another(number);
        order["identifier"] = json!("");
        order
    };

    assert_eq!(
        errors_in(&[nameless(1), nameless(2)]),
        [invalid("@.identifier"), invalid("$.returns_portal_order.orders[1].identifier")]
    );
}

#[test]
fn a_line_identifier_is_unique_in_an_order() {
    let order = edit_order(|order| {
        let line = order["items"][0].clone();
        order["items"] = json!([line, line, line]);
        for item in order["items"].as_array_mut().unwrap().iter_mut().skip(1) {
            item["quantity_shipped"] = json!(0);
            item["product_amount_cents"] = json!(0);
            item["quantity_refunded"] = json!(0);
        }
    });

    assert_eq!(
        errors_in(&[order]),
        [invalid("@.items[1].identifier"), invalid("@.items[2].identifier")]
    );
}

#[test]
fn refunds_and_their_lines_are_unique_in_an_order() {
    let order = edit_order(|order| {
        let mut refund = order["refunds"][0].clone();
        order["refunds"].as_array_mut().unwrap().push(refund.clone());
        refund["identifier"] = json!("RF-9");
        refund["refund_line_items"][0]["quantity"] = json!(0);
        order["refunds"].as_array_mut().unwrap().push(refund);
    });

    assert_eq!(
        errors_in(&[order]),
        [
            invalid("@.refunds[1].identifier"),
            invalid("@.refunds[1].refund_line_items[0].identifier"),
            invalid("@.refunds[2].refund_line_items[0].identifier"),
        ]
    );
}

#[test]
fn a_refund_belongs_to_one_order_of_a_message() {
    let mut second = another(2);
    second["refunds"][0]["identifier"] = json!("RF-1");

    assert_eq!(
        errors_in(&[another(1), second]),
        [invalid("$.returns_portal_order.orders[1].refunds[0].identifier")]
    );
    assert_eq!(errors_in(&[another(1), another(2)]), [], "their lines may share identifiers");
}

#[test]
fn the_shopper_may_be_sent_under_the_other_key() {
    let renamed = |customer: Value| {
        edit_order(|order| {
            order.as_object_mut().unwrap().remove("customer");
            order["the service"] = customer;
        })
    };

    let reading =
        read_value(&message_of(&[renamed(sample_order()["customer"].clone())]), true).unwrap();
    assert_eq!(reading.warnings, []);
    assert_eq!(reading.orders[0].order.customer.identifier, "CUS-5512");
    assert_eq!(
        errors_in(&[renamed(json!({ "email": "dana" }))]),
        [missing("@['the service'].identifier"), invalid("@['the service'].email")]
    );
    assert_eq!(errors_in(&[renamed(Value::Null)]), [missing("@['the service']")]);
}

#[test]
fn the_shopper_must_not_be_sent_under_both_keys() {
    let both = |alias: Value| edit_order(|order| order["the service"] = alias);

    let expected = [invalid("@['the service']")];
    assert_eq!(errors_in(&[both(sample_order()["customer"].clone())]), expected);
    assert_eq!(errors_in(&[both(Value::Null)]), expected);
}

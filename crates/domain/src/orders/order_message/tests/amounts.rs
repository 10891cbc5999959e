//! The rules over quantities and amounts of money.

use super::*;

#[test]
fn amounts_are_neither_negative_nor_beyond_the_limit() {
    let order = edit_order(|order| {
        order["shipping_amount_cents"] = json!(-1);
        order["items"][0]["tax_amount_cents"] = json!(-720);
        order["items"][0]["variants"][0]["unit_price_amount_cents"] = json!(-1);
        order["transactions"][0]["amount_cents"] = json!(10_000_000_000_001_i64);
        order["refunds"][0]["total_refund_amount_cents"] = json!(-4610);
        order["discounts"][0]["amount_cents"] = json!(-500);
    });

    assert_eq!(
        errors_in(&[order]),
        [
            invalid("@.shipping_amount_cents"),
            invalid("@.items[0].tax_amount_cents"),
            invalid("@.items[0].variants[0].unit_price_amount_cents"),
            invalid("@.transactions[0].amount_cents"),
            invalid("@.refunds[0].total_refund_amount_cents"),
            invalid("@.discounts[0].amount_cents"),
        ]
    );
}

#[test]
fn quantities_are_from_nothing_to_a_thousand() {
    let order = edit_order(|order| {
        order["items"][0]["quantity"] = json!(1_001);
        order["items"][1]["quantity_canceled"] = json!(-1);
        order["refunds"][0]["refund_line_items"][0]["quantity"] = json!(1_001);
    });

    assert_eq!(
        errors_in(&[order]),
        [
            invalid("@.items[0].quantity"),
            invalid("@.items[1].quantity_canceled"),
            invalid("@.refunds[0].refund_line_items[0].quantity"),
        ]
    );
}

#[test]
fn no_more_is_shipped_and_canceled_than_was_ordered() {
    let order = edit_order(|order| order["items"][1]["quantity_canceled"] = json!(2));

    assert_eq!(errors_in(&[order]), [invalid("@.items[1].quantity")]);
}

#[test]
fn no_more_is_refunded_than_was_shipped() {
    let order = edit_order(|order| order["items"][1]["quantity_refunded"] = json!(2));

    assert_eq!(errors_in(&[order]), [invalid("@.items[1].quantity_refunded")]);
}

#[test]
fn a_quantity_that_cannot_be_read_is_reported_once() {
    let order = edit_order(|order| {
        order["items"][0]["quantity_shipped"] = json!("two");
        order["items"][0]["quantity_refunded"] = json!(900);
        order["items"][1]["quantity"] = Value::Null;
        order["refunds"][0]["refund_line_items"][0]["quantity"] = json!(900);
    });

    assert_eq!(
        errors_in(&[order]),
        [wrong_type("@.items[0].quantity_shipped"), missing("@.items[1].quantity")]
    );
}

/// A refund of `quantity` units of the first line, which has two.
fn refund(number: usize, quantity: i64) -> Value {
    let mut refund = sample_order()["refunds"][0].clone();
    refund["identifier"] = json!(format!("RF-{number}"));
    refund["refund_line_items"][0]["identifier"] = json!(format!("RF-{number}-1"));
    refund["refund_line_items"][0]["quantity"] = json!(quantity);
    refund
}

#[test]
fn the_refunds_of_a_line_together_are_no_more_than_was_shipped() {
    let within = edit_order(|order| order["refunds"] = json!([refund(1, 1), refund(2, 1)]));
    let beyond = edit_order(|order| {
        order["refunds"] = json!([refund(1, 1), refund(2, 1), refund(3, 1)]);
    });

    assert_eq!(errors_in(&[within]), []);
    assert_eq!(errors_in(&[beyond]), [invalid("@.refunds[2].refund_line_items[0].quantity")]);
}

#[test]
fn an_ignored_refund_uses_no_units() {
    let order = edit_order(|order| {
        order["refunds"] = json!([refund(1, 2), refund(2, 2)]);
        order["refunds"][0]["tags"] = json!(["vip", "ignore_refund"]);
    });

    assert_eq!(errors_in(&[order]), []);
}

#[test]
fn a_refund_refers_to_lines_of_its_order() {
    let unknown_line = |order: &mut Value| {
        order["refunds"][0]["refund_line_items"][0]["order_item_identifier"] = json!("elsewhere");
    };
    let path = "@.refunds[0].refund_line_items[0].order_item_identifier";

    assert_eq!(errors_in(&[edit_order(unknown_line)]), [invalid(path)]);
    let unknown_lines = edit_order(|order| {
        unknown_line(order);
        order["items"][0]["identifier"] = json!(1);
    });
    assert_eq!(
        errors_in(&[unknown_lines]),
        [wrong_type("@.items[0].identifier")],
        "it may be that line"
    );
    let unreadable_line = edit_order(|order| {
        unknown_line(order);
        order["items"][0] = json!("a line");
    });
    assert_eq!(errors_in(&[unreadable_line]), [wrong_type("@.items[0]")]);
}

#[test]
fn a_line_costs_its_unit_price_times_the_units_shipped() {
    let order = edit_order(|order| order["items"][0]["unit_price_amount_cents"] = json!(4_400));

    assert_eq!(doubts_about(order), ["@.items[0].product_amount_cents"]);
}

#[test]
fn the_sums_of_an_order_are_those_of_its_lines() {
    let order = edit_order(|order| {
        order["product_amount_cents"] = json!(11_401);
        order["tax_amount_cents"] = json!(911);
    });

    assert_eq!(doubts_about(order), ["@.product_amount_cents", "@.tax_amount_cents"]);
}

#[test]
fn the_total_is_the_sum_of_its_parts() {
    let shipping = edit_order(|order| order["shipping_amount_cents"] = json!(596));
    let total = edit_order(|order| order["total_amount_cents"] = json!(12_454));

    assert_eq!(doubts_about(shipping), ["@.total_amount_cents"]);
    assert_eq!(doubts_about(total), ["@.total_amount_cents", "@.transactions"]);
}

#[test]
fn the_larger_of_the_order_discount_and_the_line_discounts_counts() {
    let in_lines_only = edit_order(|order| order["discount_amount_cents"] = json!(0));
    let partly_in_lines =
        edit_order(|order| order["items"][0]["discount_amount_cents"] = json!(20));
    let more_in_lines = edit_order(|order| order["items"][1]["discount_amount_cents"] = json!(1));

    assert_eq!(doubts_about(in_lines_only), Vec::<String>::new());
    assert_eq!(doubts_about(partly_in_lines), Vec::<String>::new());
    assert_eq!(doubts_about(more_in_lines), ["@.total_amount_cents"]);
}

#[test]
fn payments_add_up_to_the_total_when_there_are_any() {
    let payments = |amounts: Value| {
        let amounts = amounts.as_array().unwrap().clone();
        doubts_about(edit_order(|order| {
            order["transactions"] =
                amounts.into_iter().map(|amount| json!({ "amount_cents": amount })).collect();
        }))
    };

    assert_eq!(payments(json!([])), Vec::<String>::new());
    assert_eq!(payments(json!([12_000, 455])), Vec::<String>::new());
    assert_eq!(payments(json!([12_000])), ["@.transactions"]);
    assert_eq!(payments(json!([12_000, null])), Vec::<String>::new(), "one is not known");
}

#[test]
fn payments_that_failed_or_were_captured_count_once() {
    let doubts = |transactions: Value| {
        doubts_about(edit_order(|order| order["transactions"] = transactions))
    };
    let authorized = json!({ "identifier": "1", "amount_cents": 12_455, "type": "authorization" });
    let captured = json!({ "parent_identifier": "1", "amount_cents": 12_455, "type": "capture" });
    let failed = json!({ "amount_cents": 12_455, "type": "sale", "status": "failure" });

    assert_eq!(doubts(json!([authorized])), Vec::<String>::new(), "not paid yet");
    assert_eq!(doubts(json!([failed, authorized, captured])), Vec::<String>::new());
    assert_eq!(doubts(json!([failed])), ["@.transactions"]);
}

#[test]
fn a_refund_should_be_dated_in_the_future() {
    let dated = |time: &str| edit_order(|order| order["refunds"][0]["created_at"] = json!(time));

    assert_eq!(doubts_about(dated("2026-06-01T00:00:00.000001Z")), Vec::<String>::new());
    assert_eq!(doubts_about(dated("2026-06-01T00:00:00Z")), ["@.refunds[0].created_at"]);
    assert_eq!(doubts_about(dated("2026-05-01")), ["@.refunds[0].created_at"]);
}

#[test]
fn sums_over_unreadable_amounts_are_not_judged() {
    let order = edit_order(|order| {
        order["total_amount_cents"] = json!("12455");
        order["shipping_amount_cents"] = Value::Null;
        order["items"][0]["product_amount_cents"] = json!(1.5);
        order["items"][0]["tax_amount_cents"] = json!(-1);
        order["items"][1]["discount_amount_cents"] = json!([]);
    });

    assert_eq!(
        message_errors(&message_of(&[order]), true),
        [
            wrong_type("@.total_amount_cents"),
            missing("@.shipping_amount_cents"),
            wrong_type("@.items[0].product_amount_cents"),
            invalid("@.items[0].tax_amount_cents"),
            wrong_type("@.items[1].discount_amount_cents"),
        ]
    );
}

#[test]
fn the_largest_amounts_do_not_overflow() {
    let most = json!(10_000_000_000_000_i64);
    let order = edit_order(|order| {
        for item in order["items"].as_array_mut().unwrap() {
            item["unit_price_amount_cents"] = most.clone();
            item["product_amount_cents"] = most.clone();
            item["quantity"] = json!(1_000);
            item["quantity_shipped"] = json!(1_000);
            item["quantity_canceled"] = json!(0);
        }
        order["transactions"] = vec![json!({ "amount_cents": most }); 1_000].into();
    });

    assert_eq!(
        doubts_about(order),
        [
            "@.items[0].product_amount_cents",
            "@.items[1].product_amount_cents",
            "@.product_amount_cents",
            "@.transactions",
        ]
    );
}

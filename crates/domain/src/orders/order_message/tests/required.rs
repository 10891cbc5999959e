//! Which fields are required, which may be absent, and which type each has.

use super::*;

/// The required fields, by the pointer to the object in the sample that has them.
const REQUIRED: [(&str, &[&str]); 7] = [
    (
        "",
        &[
            "identifier",
            "status",
            "total_amount_cents",
            "product_amount_cents",
            "tax_amount_cents",
            "discount_amount_cents",
            "shipping_amount_cents",
            "shipping_tax_amount_cents",
            "currency",
            "tags",
            "created_at",
            "updated_at",
            "items",
            "customer",
            "shipping_address",
            "billing_address",
            "transactions",
            "refunds",
            "discounts",
        ],
    ),
    (
        "items/0",
        &[
            "identifier",
            "quantity",
            "quantity_shipped",
            "quantity_canceled",
            "product_identifier",
            "variant_identifier",
            "title",
            "tags",
            "product_amount_cents",
            "tax_amount_cents",
            "discount_amount_cents",
            "unit_price_amount_cents",
        ],
    ),
    ("customer", &["identifier", "email"]),
    ("shipping_address", &["name", "street1", "city", "state", "zip_code", "country_code"]),
    ("billing_address", &["name", "street1", "city", "state", "zip_code", "country_code"]),
    ("refunds/0", &["identifier", "total_refund_amount_cents", "refund_line_items", "created_at"]),
    ("refunds/0/refund_line_items/0", &["identifier", "quantity", "order_item_identifier"]),
];

/// Runs `check` with each required field: the pointer to its object, its name, its path.
fn for_each_required(mut check: impl FnMut(&str, &str, &str)) {
    for (object, names) in REQUIRED {
        let pointer = if object.is_empty() { String::new() } else { format!("/{object}") };
        let path = pointer.replace("/0", "[0]").replace('/', ".");
        for name in names {
            check(&pointer, name, &format!("@{path}.{name}"));
        }
    }
}

#[test]
fn every_required_field_is_missed_when_absent_or_null() {
    for_each_required(|object, name, path| {
        let absent = edit_order(|order| {
            order.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(name).unwrap();
        });
        let null = edit_order(|order| {
            *order.pointer_mut(&format!("{object}/{name}")).unwrap() = Value::Null;
        });

        assert_eq!(errors_in(&[absent]), [missing(path)]);
        assert_eq!(errors_in(&[null]), [missing(path)]);
    });
}

#[test]
fn every_required_field_of_another_type_is_named_once() {
    for_each_required(|object, name, path| {
        let other = edit_order(|order| {
            *order.pointer_mut(&format!("{object}/{name}")).unwrap() = json!(true);
        });

        assert_eq!(errors_in(&[other]), [wrong_type(path)]);
    });
}

#[test]
fn an_empty_order_misses_everything_in_reading_order() {
    let expected: Vec<(String, FaultCode)> =
        REQUIRED[0].1.iter().map(|name| missing(&format!("@.{name}"))).collect();

    assert_eq!(errors_in(&[json!({})]), expected);
}

#[test]
fn every_optional_field_may_be_absent_or_null_and_has_a_type() {
    let mut optional = 0;
    let message = message_of(&[sample_order()]);
    for pointer in pointers(&sample_order(), "") {
        let with = |value: Value| {
            let mut message = message.clone();
            let pointer = format!("/returns_portal_order/orders/0{pointer}");
            *message.pointer_mut(&pointer).unwrap() = value;
            message_errors(&message, false)
        };
        if with(Value::Null).is_empty() {
            let other_type = with(json!({ "a": { "b": [] } }));
            assert!(
                other_type.iter().all(|(_, code)| *code != FaultCode::MissingField),
                "{pointer} {other_type:?}"
            );
            assert_eq!(other_type.is_empty(), pointer.ends_with("payment_details"), "{pointer}");
            optional += 1;
        }
    }

    // The order has 5, its lines 13 and 2, a variant 8, the shopper 4, an address 2, a payment 11
    // and its details 5, a refund 3, and a discount 6.
    assert_eq!(optional, 59);
}

/// The pointers of all fields of objects in `value`.
fn pointers(value: &Value, parent: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| {
                let pointer = format!("{parent}/{key}");
                let mut all = pointers(value, &pointer);
                all.push(pointer);
                all
            })
            .collect(),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .flat_map(|(position, value)| pointers(value, &format!("{parent}/{position}")))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[test]
fn the_minimal_sample_has_what_is_required_and_nothing_else() {
    let minimal: Value = serde_json::from_str(samples::minimal_order_message()).unwrap();
    let order = &minimal["returns_portal_order"]["orders"][0];

    assert_eq!(read_value(&minimal, true).unwrap().warnings, []);
    for_each_required(|object, name, _| {
        if !object.starts_with("/refunds") {
            assert!(order.pointer(&format!("{object}/{name}")).is_some(), "{object}/{name}");
        }
    });
    let required: usize = REQUIRED.iter().take(5).map(|(_, names)| names.len()).sum();
    assert_eq!(pointers(order, "").len(), required + 1, "all of them and the sku");
}

#[test]
fn a_line_has_a_sku_or_a_upc() {
    let line = |sku: Value, upc: Value| {
        errors_in(&[edit_order(|order| {
            order["items"][0]["sku"] = sku;
            order["items"][0]["upc"] = upc;
        })])
    };
    let neither = [missing("@.items[0].sku | @.items[0].upc")];

    assert_eq!(line(json!("a"), Value::Null), []);
    assert_eq!(line(Value::Null, json!("a")), []);
    assert_eq!(line(Value::Null, Value::Null), neither);
    assert_eq!(line(json!(""), json!("")), neither);
    assert_eq!(line(json!(7), Value::Null), [wrong_type("@.items[0].sku")]);
}

#[test]
fn the_status_has_three_values_and_one_alternative_spelling() {
    let judged = |status: &str| errors_in(&[edit_order(|order| order["status"] = json!(status))]);

    for status in ["Created", "Shipped", "Cancelled", "Canceled"] {
        assert_eq!(judged(status), [], "{status}");
    }
    for status in ["created", "SHIPPED", "Refunded", "", "a\0"] {
        assert_eq!(judged(status), [invalid("@.status")], "{status}");
    }
}

#[test]
fn currencies_e_mail_addresses_and_times_are_checked() {
    let order = edit_order(|order| {
        order["currency"] = json!("usd");
        order["created_at"] = json!("yesterday");
        order["items"][0]["shipped_date"] = json!("12/02/2026");
        order["items"][0]["weight"] = json!(-1);
        order["customer"]["email"] = json!("dana.example.com");
        order["customer"]["first_name"] = json!("Da\0na");
        order["shipping_address"]["street1"] = json!("x".repeat(4_001));
        order["refunds"][0]["created_at"] = json!("2126-02-30");
    });

    assert_eq!(
        errors_in(&[order]),
        [
            invalid("@.currency"),
            invalid("@.created_at"),
            invalid("@.items[0].shipped_date"),
            invalid("@.items[0].weight"),
            invalid("@.customer.first_name"),
            invalid("@.customer.email"),
            invalid("@.shipping_address.street1"),
            invalid("@.refunds[0].created_at"),
        ]
    );
}

#[test]
fn the_attributes_of_a_variant_come_as_a_list_or_an_object() {
    let attributes = |value: Value| {
        let order = edit_order(|order| order["items"][0]["variants"][0]["attributes"] = value);
        read_value(&message_of(&[order]), true)
            .map(|reading| reading.orders[0].order.items[0].variants[0].attributes.clone())
            .map_err(|faults| faults.errors[0].field.replace(ORDER, "@"))
    };
    let path = "@.items[0].variants[0].attributes";

    let listed = attributes(json!([{ "name": "Size", "value": "L" }])).unwrap();
    assert_eq!(attributes(json!({ "Size": "L" })), Ok(listed));
    assert_eq!(attributes(json!({ "Shoe size": 7 })), Err(format!("{path}['Shoe size']")));
    assert_eq!(attributes(json!({ "a\0": "b" })), Err(format!(r"{path}['a\u0000']")));
    assert_eq!(attributes(json!([{ "name": "Size" }])), Err(format!("{path}[0].value")));
    assert_eq!(attributes(json!("L")), Err(path.to_owned()));
}

/// An order of `count` lines, each with `shipped` units.
fn order_of_lines(count: usize, shipped: i64) -> Value {
    edit_order(|order| {
        let line = order["items"][0].clone();
        let numbered = |number: usize| {
            let mut line = line.clone();
            line["identifier"] = json!(number.to_string());
            line["quantity"] = json!(shipped);
            line["quantity_shipped"] = json!(shipped);
            line["quantity_canceled"] = json!(0);
            line["quantity_refunded"] = json!(0);
            line
        };
        order["items"] = (0..count).map(numbered).collect();
        order["refunds"] = json!([]);
    })
}

/// Why the only fault, which is about the lines of the first order, was noted.
fn refusal_of_lines(order: &Value) -> String {
    let faults = read_value(&message_of(std::slice::from_ref(order)), false).unwrap_err();
    let fault = &faults.errors[0];
    assert_eq!((faults.total, fault.field.as_str()), (1, "$.returns_portal_order.orders[0].items"));
    assert_eq!(fault.code, FaultCode::Invalid);
    fault.reason.clone()
}

#[test]
fn an_order_has_at_most_five_thousand_lines() {
    assert!(read_value(&message_of(&[order_of_lines(LINES_MAX, 1)]), false).is_ok());
    let refusal = refusal_of_lines(&order_of_lines(LINES_MAX + 1, 1));
    assert_eq!(refusal, "must have at most 5000 elements");
}

#[test]
fn an_order_has_at_most_twenty_thousand_shipped_units_and_a_larger_one_stays_readable() {
    let full = order_of_lines(20, 1_000);
    assert!(read_value(&message_of(std::slice::from_ref(&full)), false).is_ok());

    let mut unshipped = full.clone();
    unshipped["items"][0]["quantity"] = json!(1_000);
    unshipped["items"][0]["quantity_shipped"] = json!(0);
    assert!(read_value(&message_of(&[unshipped]), false).is_ok(), "only shipped units count");

    let larger = order_of_lines(21, 953);
    assert_eq!(refusal_of_lines(&larger), "must have at most 20000 shipped units together");
    let stored = larger.to_string();
    let order = read_stored_order(&document::parse(stored.as_bytes()).unwrap()).unwrap();
    assert_eq!(order.items.len(), 21);
}

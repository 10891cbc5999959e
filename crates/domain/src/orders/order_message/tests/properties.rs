//! Whatever is done to a message, reading it ends in a verdict, and what is accepted is kept.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// One thing done to the value at a place.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Replace(Value),
    /// Puts a copy of an element behind it.
    Repeat,
    Add(String, Value),
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-2..3_i64).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        Just(json!([])),
        Just(json!({ "a": [1, null] })),
        Just(json!("2026-01-01T00:00:00+01:00")),
        Just(json!("Canceled")),
        Just(json!("ORD-100472-2")),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Drop),
        junk().prop_map(Change::Replace),
        Just(Change::Repeat),
        (prop_oneof![Just("the service".to_owned()), "[a-z ]{0,4}"], junk())
            .prop_map(|(key, value)| Change::Add(key, value)),
    ]
}

/// Walks down from `value` as far as `way` leads, and changes what is there.
fn apply(value: &mut Value, way: &[Index], change: &Change) {
    let here = way.split_first();
    match (value, here) {
        (Value::Object(fields), Some((index, rest))) if !fields.is_empty() => {
            let key = fields.keys().nth(index.index(fields.len())).unwrap().clone();
            match change {
                Change::Drop if rest.is_empty() => drop(fields.remove(&key)),
                Change::Add(key, value) if rest.is_empty() => {
                    fields.insert(key.clone(), value.clone());
                }
                Change::Drop | Change::Replace(_) | Change::Repeat | Change::Add(..) => {
                    apply(&mut fields[&key], rest, change);
                }
            }
        }
        (Value::Array(elements), Some((index, rest))) if !elements.is_empty() => {
            let position = index.index(elements.len());
            match change {
                Change::Drop if rest.is_empty() => drop(elements.remove(position)),
                Change::Repeat if rest.is_empty() => {
                    let copy = elements[position].clone();
                    elements.insert(position, copy);
                }
                Change::Drop | Change::Replace(_) | Change::Repeat | Change::Add(..) => {
                    apply(&mut elements[position], rest, change);
                }
            }
        }
        (place, _) => {
            if let Change::Replace(value) = change {
                *place = value.clone();
            }
        }
    }
}

/// An order as it should be stored: the shopper under one key, and one spelling of the status.
fn expected_body(order: &Value) -> Value {
    let mut order = order.clone();
    let fields = order.as_object_mut().unwrap();
    if let Some(shopper) = fields.remove("the service") {
        fields.insert("customer".to_owned(), shopper);
    }
    if fields["status"] == "Canceled" {
        fields["status"] = json!("Cancelled");
    }
    order
}

fn check_kept(message: &Value, text: &str, reading: &OrderMessage) -> Result<(), TestCaseError> {
    let orders = message["returns_portal_order"]["orders"].as_array().unwrap();
    prop_assert_eq!(reading.orders.len(), orders.len());
    for (snapshot, sent) in reading.orders.iter().zip(orders) {
        let expected = expected_body(sent).to_string();
        let expected = document::parse(expected.as_bytes()).unwrap();
        let body = snapshot.body.bytes(text.as_bytes());
        let document = document::parse(body).unwrap();
        prop_assert_eq!(document.canonical(), expected.canonical());

        let (again, _) = read_order(&document, &context(false)).unwrap();
        prop_assert_eq!(again.body.bytes(body), body);
        prop_assert_eq!(&again.order, &snapshot.order);
        prop_assert_eq!(&again.refunds, &snapshot.refunds);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_changed_message_is_judged_and_kept_when_accepted(
        changes in prop::collection::vec(
            (prop::collection::vec(any::<Index>(), 0..6), change()), 1..4),
    ) {
        let sample: Value = serde_json::from_str(samples::order_message()).unwrap();
        let mut changed = sample["returns_portal_order"]["orders"][0].clone();
        for (way, change) in &changes {
            apply(&mut changed, way, change);
        }
        let message = message(&[changed]);
        match judge(&message, false) {
            Ok(reading) => check_kept(&message, &message.to_string(), &reading)?,
            Err(faults) => prop_assert!(faults.total > 0 && !faults.errors.is_empty()),
        }
    }

    #[test]
    fn a_changed_envelope_is_judged(
        way in prop::collection::vec(any::<Index>(), 0..4),
        change in change(),
    ) {
        let mut message: Value = serde_json::from_str(samples::minimal_order_message()).unwrap();
        apply(&mut message, &way, &change);
        if let Err(faults) = judge(&message, true) {
            prop_assert!(faults.total > 0);
        }
    }

    #[test]
    fn unknown_fields_alone_never_spoil_a_message(
        extras in prop::collection::vec(("x[a-z ]{0,4}", junk()), 1..5),
    ) {
        let changed = edited(|order| {
            for (key, value) in &extras {
                order[key] = value.clone();
                order["items"][0][key] = value.clone();
            }
        });
        let message = message(&[changed]);
        let reading = judge(&message, true).unwrap();
        prop_assert!(reading.warnings.len() >= 2);
        check_kept(&message, &message.to_string(), &reading)?;
    }
}

//! However a message is damaged, reading it ends in a result, and what is accepted is kept.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// One change to the value at a path.
#[derive(Clone, Debug)]
enum MessageEdit {
    Drop,
    Replace(Value),
    /// Inserts a copy of an element.
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

fn any_edit() -> impl Strategy<Value = MessageEdit> {
    prop_oneof![
        Just(MessageEdit::Drop),
        junk().prop_map(MessageEdit::Replace),
        Just(MessageEdit::Repeat),
        (prop_oneof![Just("the service".to_owned()), "[a-z ]{0,4}"], junk())
            .prop_map(|(key, value)| MessageEdit::Add(key, value)),
    ]
}

/// Walks down from `value` along `path`, and edits what it finds.
fn apply_edit(value: &mut Value, path: &[Index], edit: &MessageEdit) {
    match (value, path.split_first()) {
        (Value::Object(fields), Some((index, rest))) if !fields.is_empty() => {
            let key = fields.keys().nth(index.index(fields.len())).unwrap().clone();
            match edit {
                MessageEdit::Drop if rest.is_empty() => drop(fields.remove(&key)),
                MessageEdit::Add(key, value) if rest.is_empty() => {
                    fields.insert(key.clone(), value.clone());
                }
                MessageEdit::Drop
                | MessageEdit::Replace(_)
                | MessageEdit::Repeat
                | MessageEdit::Add(..) => {
                    apply_edit(&mut fields[&key], rest, edit);
                }
            }
        }
        (Value::Array(elements), Some((index, rest))) if !elements.is_empty() => {
            let position = index.index(elements.len());
            match edit {
                MessageEdit::Drop if rest.is_empty() => drop(elements.remove(position)),
                MessageEdit::Repeat if rest.is_empty() => {
                    let copy = elements[position].clone();
                    elements.insert(position, copy);
                }
                MessageEdit::Drop
                | MessageEdit::Replace(_)
                | MessageEdit::Repeat
                | MessageEdit::Add(..) => {
                    apply_edit(&mut elements[position], rest, edit);
                }
            }
        }
        (found, _) => {
            if let MessageEdit::Replace(value) = edit {
                *found = value.clone();
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
    fn a_changed_message_is_read_and_kept_if_accepted(
        edits in prop::collection::vec(
            (prop::collection::vec(any::<Index>(), 0..6), any_edit()), 1..4),
    ) {
        let sample: Value = serde_json::from_str(samples::order_message()).unwrap();
        let mut changed = sample["returns_portal_order"]["orders"][0].clone();
        for (path, edit) in &edits {
            apply_edit(&mut changed, path, edit);
        }
        let message = message_of(&[changed]);
        match read_value(&message, false) {
            Ok(reading) => check_kept(&message, &message.to_string(), &reading)?,
            Err(faults) => prop_assert!(faults.total > 0 && !faults.errors.is_empty()),
        }
    }

    #[test]
    fn a_changed_envelope_is_read(
        path in prop::collection::vec(any::<Index>(), 0..4),
        edit in any_edit(),
    ) {
        let mut message: Value = serde_json::from_str(samples::minimal_order_message()).unwrap();
        apply_edit(&mut message, &path, &edit);
        if let Err(faults) = read_value(&message, true) {
            prop_assert!(faults.total > 0);
        }
    }

    #[test]
    fn unknown_fields_alone_never_spoil_a_message(
        extras in prop::collection::vec(("x[a-z ]{0,4}", junk()), 1..5),
    ) {
        let changed = edit_order(|order| {
            for (key, value) in &extras {
                order[key] = value.clone();
                order["items"][0][key] = value.clone();
            }
        });
        let message = message_of(&[changed]);
        let reading = read_value(&message, true).unwrap();
        prop_assert!(reading.warnings.len() >= 2);
        check_kept(&message, &message.to_string(), &reading)?;
    }
}

//! `POST /returns_portal_orders` and `GET /orders/{identifier}`, on both engines.

mod checks;
mod idempotency;
mod refunds;
mod rivals;
mod rules;
mod warnings;

use serde_json::{Value, json};

use crate::harness::{
    http::Reply,
    samples::{full_order, message, sample_order, taken_in},
    server::{Server, publication},
    shared,
};

/// A server, and the token of a merchant that has no orders yet.
fn new_merchants() -> impl Iterator<Item = (&'static Server, String)> {
    shared::on_every_engine().map(|server| (server, server.token(&server.merchant("orders"))))
}

/// The answer to a message with one fault, or several.
fn invalid(faults: &[(&str, &str, &str)]) -> String {
    let reasons: Vec<_> =
        faults.iter().map(|(field, _, reason)| format!("{field} {reason}")).collect();
    let count = match faults.len() {
        1 => "1 field is invalid".to_owned(),
        several => format!("{several} fields are invalid"),
    };
    let errors: Vec<_> =
        faults.iter().map(|(field, code, _)| json!({ "field": field, "code": code })).collect();
    let body = json!({ "message": format!("{count}: {}", reasons.join("; ")), "errors": errors });
    format!("422 {body}")
}

/// JSON without the spaces between values and with every digit as it was.
fn compact(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let kept = |character: &char| {
        let keep = in_string || !character.is_ascii_whitespace();
        if *character == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = *character == '\\' && !escaped;
        keep
    };
    text.chars().filter(kept).collect()
}

/// The text of the only order in a message, between the brackets of the list.
fn order_text(message: &str) -> &str {
    let (_, rest) = message.split_once('[').unwrap();
    rest.rsplit_once(']').unwrap().0
}

fn publish_one(server: &Server, token: &str, order: &Value) -> Reply {
    server.publish(token, &message(std::slice::from_ref(order)))
}

#[test]
fn a_snapshot_is_created_unchanged_updated_or_stale() {
    for (server, token) in new_merchants() {
        let first = full_order();
        let mut second = full_order();
        second["updated_at"] = json!("2026-02-15T00:00:00Z");
        second["note"] = json!("Ring twice.");

        for (sent, result, held) in [
            (&first, "created", &first),
            (&first, "unchanged", &first),
            (&second, "updated", &second),
            (&first, "stale", &second),
            (&second, "unchanged", &second),
        ] {
            let reply = publish_one(server, &token, sent);
            assert_eq!(reply.said(), taken_in(&[("ORD-100472", result)]));
            let read = server.order(&token, "ORD-100472");
            assert_eq!(read.status, 200);
            assert_eq!(read.header("Content-Type"), Some("application/json"));
            assert_eq!(read.json(), *held, "after {result}");
        }
    }
}

#[test]
fn a_correction_within_the_same_moment_is_stored() {
    for (server, token) in new_merchants() {
        let mut order = sample_order("A");
        publish_one(server, &token, &order);
        order["note"] = json!("corrected");

        let reply = publish_one(server, &token, &order);

        assert_eq!(reply.said(), taken_in(&[("A", "updated")]));
        assert_eq!(server.order(&token, "A").json(), order);
    }
}

#[test]
fn the_sample_is_given_back_to_the_digit() {
    for (server, token) in new_merchants() {
        let reply = server.publish(&token, domain::samples::order_message());

        // Its refund names a return that nobody started here.
        let expected = json!({
            "orders": [{ "identifier": "ORD-100472", "result": "created" }],
            "warnings": [{
                "field": "$.returns_portal_order.orders[0].refunds[0]",
                "message": "refers to return RMA-7K3Q-9XWD-2M4T, which does not belong to this order",
            }],
        });
        assert_eq!(reply.said(), format!("200 {expected}"));
        let held = server.order(&token, "ORD-100472");
        assert_eq!(held.text(), compact(order_text(domain::samples::order_message())));
    }
}

#[test]
fn unknown_fields_and_odd_numbers_are_given_back_as_they_were_sent() {
    for (server, token) in new_merchants() {
        let odd = r#""identifier": "ORD-100473", "x_numbers": [1.50, 1E400, -0, 0.0e-7,
            123456789012345678901234567890.10], "größe": {"b": null, "a": [{}, []]}, "☃": "\"\\ é","#;
        let sent = domain::samples::minimal_order_message()
            .replace(r#""identifier": "ORD-100473","#, odd)
            .replace(r#""total_amount_cents": 0,"#, r#""total_amount_cents": 0.0,"#);

        let reply = server.publish(&token, &sent);

        let unknown = "unknown field, kept as sent";
        let at = "$.returns_portal_order.orders[0]";
        let expected = json!({
            "orders": [{ "identifier": "ORD-100473", "result": "created" }],
            "warnings": [
                { "field": format!("{at}.x_numbers"), "message": unknown },
                { "field": format!("{at}['größe']"), "message": unknown },
                { "field": format!("{at}['☃']"), "message": unknown },
            ],
        });
        assert_eq!(reply.said(), format!("200 {expected}"));
        assert_eq!(server.order(&token, "ORD-100473").text(), compact(order_text(&sent)));
    }
}

#[test]
fn the_shopper_may_come_under_the_other_key_and_is_held_as_customer() {
    for (server, token) in new_merchants() {
        let sent = domain::samples::minimal_order_message();
        let alias = sent.replace("\"customer\"", "\"the service\"");

        let reply = server.publish(&token, &alias);

        assert_eq!(reply.said(), taken_in(&[("ORD-100473", "created")]));
        let held = server.order(&token, "ORD-100473");
        assert_eq!(held.text(), compact(order_text(sent)));
        let again = server.publish(&token, sent);
        assert_eq!(again.said(), taken_in(&[("ORD-100473", "unchanged")]));
    }
}

#[test]
fn the_shopper_under_both_keys_is_refused() {
    for (server, token) in new_merchants() {
        let mut order = sample_order("A");
        order["the service"] = order["customer"].clone();

        let reply = publish_one(server, &token, &order);

        let at = "$.returns_portal_order.orders[0]['the service']";
        assert_eq!(
            reply.said(),
            invalid(&[(at, "invalid", "must not be sent together with customer")])
        );
    }
}

#[test]
fn canceled_is_read_as_cancelled() {
    for (server, token) in new_merchants() {
        let mut order = sample_order("A");
        order["status"] = json!("Canceled");

        publish_one(server, &token, &order);

        assert_eq!(server.order(&token, "A").json()["status"], "Cancelled");
    }
}

#[test]
fn one_bad_order_and_the_message_stores_nothing() {
    for (server, token) in new_merchants() {
        publish_one(server, &token, &sample_order("known"));
        let mut newer = sample_order("known");
        newer["updated_at"] = json!("2026-03-02T08:00:00Z");
        let mut bad = sample_order("bad");
        bad["currency"] = json!("EURO");
        bad["items"][0]["sku"].take();
        bad["customer"]["email"] = json!(5);

        let reply = server.publish(&token, &message(&[newer, bad, sample_order("good")]));

        let at = "$.returns_portal_order.orders[1]";
        let codes = "must be an ISO 4217 currency code in capitals, such as USD";
        let neither = format!("{at}.items[0].sku | {at}.items[0].upc");
        let expected = invalid(&[
            (&format!("{at}.currency"), "invalid", codes),
            (&neither, "missing_field", "must not both be missing"),
            (&format!("{at}.customer.email"), "invalid_type", "must be a string"),
        ]);
        assert_eq!(reply.said(), expected);
        assert_eq!(server.order(&token, "known").json(), sample_order("known"));
        for absent in ["bad", "good"] {
            let read = server.order(&token, absent);
            assert_eq!(read.said(), r#"404 {"message":"order not found"}"#);
        }
    }
}

#[test]
fn an_order_of_more_than_twenty_thousand_shipped_units_is_refused() {
    let order_of_lines = |count: usize| {
        let mut order = sample_order("huge");
        let mut line = order["items"][0].clone();
        line["quantity"] = json!(1_000);
        line["quantity_shipped"] = json!(1_000);
        let numbered = |number: usize| {
            line["identifier"] = json!(number.to_string());
            line.clone()
        };
        order["items"] = (0..count).map(numbered).collect();
        order
    };
    for (server, token) in new_merchants() {
        let orders = [sample_order("small"), order_of_lines(21)];
        let reply = server.publish(&token, &message(&orders));

        let at = "$.returns_portal_order.orders[1].items";
        let limit = "must have at most 20000 shipped units together";
        assert_eq!(reply.said(), invalid(&[(at, "invalid", limit)]));
        assert_eq!(publish_one(server, &token, &order_of_lines(20)).status, 200);
    }
}

#[test]
fn several_orders_are_answered_in_the_order_of_the_message() {
    for (server, token) in new_merchants() {
        publish_one(server, &token, &sample_order("b"));

        let reply = server
            .publish(&token, &message(&[sample_order("c"), sample_order("b"), sample_order("a")]));

        let expected = [("c", "created"), ("b", "unchanged"), ("a", "created")];
        assert_eq!(reply.said(), taken_in(&expected));
        assert_eq!(server.publish(&token, &message(&[])).said(), taken_in(&[]));
    }
}

#[test]
fn an_identifier_with_any_characters_is_found_again() {
    for (server, token) in new_merchants() {
        let identifiers =
            [("a/b c%ü#?", "a%2Fb%20c%25%C3%BC%23%3F"), ("..", "%2E%2E"), ("a+b", "a+b")];
        for (identifier, encoded) in identifiers {
            publish_one(server, &token, &sample_order(identifier));
            let read = server.order(&token, encoded);
            assert_eq!((read.status, read.json()), (200, sample_order(identifier)), "{identifier}");
        }
    }
}

#[test]
fn a_dry_run_answers_alike_and_stores_nothing() {
    for (server, token) in new_merchants() {
        let dry = |message: &str| {
            let request =
                publication(&token, message).target("/returns_portal_orders?dry_run=true");
            server.send(&request).said()
        };
        let mut newer = sample_order("A");
        newer["updated_at"] = json!("2026-03-02T08:00:00Z");
        let mut bad = sample_order("B");
        bad["status"] = json!("Lost");

        assert_eq!(dry(&message(&[sample_order("A")])), taken_in(&[("A", "created")]));
        assert_eq!(
            dry(&message(&[sample_order("A")])),
            taken_in(&[("A", "created")]),
            "not stored"
        );
        publish_one(server, &token, &sample_order("A"));
        assert_eq!(dry(&message(&[newer])), taken_in(&[("A", "updated")]));
        let refused = server.publish(&token, &message(std::slice::from_ref(&bad)));
        assert_eq!(dry(&message(&[bad])), refused.said());

        assert_eq!(server.order(&token, "A").json(), sample_order("A"));
    }
}

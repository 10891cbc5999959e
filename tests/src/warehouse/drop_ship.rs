//! Orders that the warehouse ships for merchants: placed, shipped, cancelled, rejected.

use serde_json::{Value, json};

use super::scene::{Answer, Scene, Who, assert_same, parsed, scenes};

const CONFIRMATION: &str = "drop_shipment_confirmation";
const CANCELLATION: &str = "drop_shipment_cancellation";
const PARTIAL: &str = "drop_shipment_partial_cancellation";

/// The sample's order, of two of line 1 and one of line 2.
fn sample_order() -> Value {
    parsed(domain::samples::drop_ship_order_request())
}

fn placed(scene: &Scene) -> Value {
    let answer = scene.ask(Who::Merchant, "POST", "/drop_ship_orders", &sample_order());
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.body
}

fn held(scene: &Scene) -> Value {
    scene.get(Who::Merchant, "/drop_ship_orders/DS-20417").body
}

fn ship(scene: &Scene, request: &Value) -> Answer {
    scene.ask(Who::Warehouse, "POST", "/drop_ship_orders/DS-20417/shipments", request)
}

fn cancel(scene: &Scene, request: &Value) -> Answer {
    scene.ask(Who::Warehouse, "POST", "/drop_ship_orders/DS-20417/cancellations", request)
}

/// A shipment of so many units of lines.
fn pack_parcel(tracking: &str, lines: &[(&str, i64)]) -> Value {
    let mut request = parsed(domain::samples::drop_ship_shipment_request());
    request["tracking_number"] = json!(tracking);
    request["items"] = units(lines);
    request
}

fn units(lines: &[(&str, i64)]) -> Value {
    let unit = |(line, quantity): &(&str, i64)| {
        let line = format!("DS-20417-{line}");
        json!({ "client_identifier": line, "quantity": quantity })
    };
    lines.iter().map(unit).collect()
}

/// The status of the order and, of each line, its status, what was shipped and what cancelled.
fn standing(order: &Value) -> (String, Vec<(String, i64, i64)>) {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let items = order["order_items"].as_array().unwrap();
    for item in items {
        let number = |key: &str| item[key].as_i64().unwrap();
        assert!(number("quantity_shipped") + number("quantity_cancelled") <= number("quantity"));
    }
    let item = |item: &Value| {
        let number = |key: &str| item[key].as_i64().unwrap();
        (word(&item["status"]), number("quantity_shipped"), number("quantity_cancelled"))
    };
    (word(&order["status"]), items.iter().map(item).collect())
}

/// The warehouse sees the order as it is, but neither its amounts nor who pays.
fn assert_task(task: &Value, order: &Value) {
    assert_eq!(standing(task), standing(order));
    assert_eq!(task["shipping_address"], order["shipping_address"]);
    let text = task.to_string();
    assert!(!text.contains("cents") && !text.contains("billing_address"), "{text}");
}

fn stands(status: &str, lines: &[(&str, i64, i64)]) -> (String, Vec<(String, i64, i64)>) {
    let lines = lines
        .iter()
        .map(|(status, shipped, cancelled)| ((*status).to_owned(), *shipped, *cancelled));
    (status.to_owned(), lines.collect())
}

#[test]
fn an_order_is_placed_once_and_read_as_it_stands() {
    for scene in scenes() {
        let order_answered = placed(&scene);

        let mut expected = sample_order()["order"].clone();
        expected["status"] = json!("accepted");
        for (key, value) in expected.as_object().unwrap() {
            if key != "order_items" && !key.ends_with("_address") {
                assert_eq!(order_answered[key], *value, "{key}");
            }
        }
        assert_eq!(held(&scene), order_answered);
        let open = stands("accepted", &[("accepted", 0, 0), ("accepted", 0, 0)]);
        assert_eq!(standing(&order_answered), open);
        let again = scene.ask(Who::Merchant, "POST", "/drop_ship_orders", &sample_order());
        let why = json!({ "message": "drop-ship order DS-20417 already exists" });
        assert_eq!((again.status, again.body), (409, why));
    }
}

#[test]
fn the_three_messages_are_those_of_the_samples() {
    for scene in scenes() {
        let order = placed(&scene);

        let cancelled = cancel(&scene, &parsed(domain::samples::drop_ship_cancellation_request()));
        assert_eq!(cancelled.status, 201, "{cancelled:?}");
        let shipped = ship(&scene, &parsed(domain::samples::drop_ship_shipment_request()));
        assert_eq!(shipped.status, 201, "{shipped:?}");

        let expected = [
            (PARTIAL, domain::samples::drop_shipment_partial_cancellation_message()),
            (CONFIRMATION, domain::samples::drop_shipment_confirmation_message()),
        ];
        for ((kind, sample), sequence) in expected.into_iter().zip(1..) {
            let told = scene.told(kind);
            assert_eq!(told.len(), 1, "{kind}");
            assert_same(&told[0], &parsed(sample));
            assert_eq!(scene.sequences(kind), [sequence], "{kind}");
        }
        let partial = &scene.told(PARTIAL)[0]["order"];
        assert_eq!(partial["id"], order["id"]);
        assert_eq!(partial["order_items"][1]["id"], order["order_items"][1]["id"]);
        assert_task(&shipped.body, &held(&scene));
    }
}

#[test]
fn an_order_shipped_in_part_is_shipped_when_the_rest_is_cancelled() {
    for scene in scenes() {
        let mut order = sample_order();
        order["order"]["order_items"].as_array_mut().unwrap().truncate(1);
        order["order"]["order_items"][0]["quantity"] = json!(3);
        let placed = scene.ask(Who::Merchant, "POST", "/drop_ship_orders", &order);
        assert_eq!(placed.status, 201, "{placed:?}");
        let shipped = ship(&scene, &pack_parcel("1Z-1", &[("1", 2)]));
        assert_eq!(shipped.status, 201, "{shipped:?}");

        let rest = cancel(&scene, &json!({ "reason": "inventory not found" }));

        let done = stands("shipped", &[("shipped", 2, 1)]);
        assert_eq!((rest.status, standing(&rest.body)), (201, done));
        let told = scene.told(PARTIAL);
        assert_eq!((told.len(), scene.told(CANCELLATION).len()), (1, 0));
        let order = &told[0]["order"];
        assert_eq!(order["status"], "shipped");
        let line = &order["order_items"][0];
        assert_eq!((&line["status"], &line["quantity"]), (&json!("shipped"), &json!(3)));
        assert_eq!(line["cancelled_quantity"], 1);
    }
}

#[test]
fn a_used_tracking_number_with_other_lines_is_refused() {
    for scene in scenes() {
        placed(&scene);
        assert_eq!(ship(&scene, &pack_parcel("1Z-1", &[("1", 1)])).status, 201);
        let before = held(&scene);

        for other in [&[("2", 1)][..], &[("1", 1), ("2", 1)]] {
            let answer = ship(&scene, &pack_parcel("1Z-1", other));
            let why = json!("1Z-1 was used before, with other lines or quantities");
            assert_eq!((answer.status, &answer.body["message"]), (409, &why));
        }

        assert_eq!(held(&scene), before);
        assert_eq!(scene.told(CONFIRMATION).len(), 1);
    }
}

#[test]
fn a_shipment_names_the_service_of_its_carrier() {
    for scene in scenes() {
        placed(&scene);
        let mut parcel = pack_parcel("1Z-1", &[("1", 1)]);
        for refused in [json!("x".repeat(256)), json!(7)] {
            parcel["shipping_method"] = refused;
            assert_eq!(ship(&scene, &parcel).status, 422);
        }
        parcel["shipping_method"] = json!("UPS 2nd Day Air A.M.");

        assert_eq!(ship(&scene, &parcel).status, 201);

        let told = scene.told(CONFIRMATION);
        assert_eq!(told[0]["shipment"]["shipping_method"], "UPS 2nd Day Air A.M.");
    }
}

#[test]
fn an_order_leaves_in_several_shipments() {
    for scene in scenes() {
        placed(&scene);

        let first = ship(&scene, &pack_parcel("1Z-1", &[("1", 1)]));
        let partly =
            stands("partially_shipped", &[("partially_shipped", 1, 0), ("accepted", 0, 0)]);
        assert_eq!((first.status, standing(&first.body)), (201, partly));
        let second = ship(&scene, &pack_parcel("1Z-2", &[("1", 1), ("2", 1)]));
        let done = stands("shipped", &[("shipped", 2, 0), ("shipped", 1, 0)]);
        assert_eq!((second.status, standing(&second.body)), (201, done));

        let told = scene.told(CONFIRMATION);
        let told: Vec<&Value> = told.iter().map(|it| &it["shipment"]).collect();
        assert_eq!(told.len(), 2);
        assert_eq!(
            (&told[0]["tracking_number"], &told[1]["tracking_number"]),
            (&json!("1Z-1"), &json!("1Z-2"))
        );
        assert_ne!(told[0]["id"], told[1]["id"]);
        assert_eq!(told[1]["shipment_items"].as_array().unwrap().len(), 2);
        assert!(scene.told(CANCELLATION).is_empty() && scene.told(PARTIAL).is_empty());
        let why = json!({ "message": "the order is shipped already" });
        let late = cancel(&scene, &json!({ "reason": "too late" }));
        assert_eq!((late.status, late.body), (409, why));
    }
}

#[test]
fn the_warehouse_says_whether_an_untouched_order_is_cancelled_or_rejected() {
    for scene in scenes() {
        for outcome in [None, Some("cancelled"), Some("rejected")] {
            let name = format!("DS-{}", outcome.unwrap_or("default"));
            let mut order = sample_order();
            order["order"]["client_identifier"] = json!(name);
            let placed = scene.ask(Who::Merchant, "POST", "/drop_ship_orders", &order);
            assert_eq!(placed.status, 201, "{placed:?}");
            let mut request = json!({ "reason": "inventory not found" });
            if let Some(outcome) = outcome {
                request["outcome"] = json!(outcome);
            }
            let status = outcome.unwrap_or("cancelled");

            for _ in 0..2 {
                let target = format!("/drop_ship_orders/{name}/cancellations");
                let answer = scene.ask(Who::Warehouse, "POST", &target, &request);
                let done = stands(status, &[(status, 0, 2), (status, 0, 1)]);
                assert_eq!((answer.status, standing(&answer.body)), (201, done));
            }

            let mut told = scene.told(CANCELLATION);
            told.retain(|it| it["order"]["client_identifier"] == name.as_str());
            assert_eq!(told.len(), 1);
            let mut expected = parsed(domain::samples::drop_shipment_cancellation_message());
            expected["order"]["client_identifier"] = json!(name);
            expected["order"]["status"] = json!(status);
            for item in expected["order"]["order_items"].as_array_mut().unwrap() {
                item["status"] = json!(status);
            }
            assert_same(&told[0], &expected);
            let target = format!("/drop_ship_orders/{name}/shipments");
            let parcel = pack_parcel("1Z-1", &[("1", 1)]);
            assert_eq!(scene.ask(Who::Warehouse, "POST", &target, &parcel).status, 409);
        }
    }
}

#[test]
fn cancelling_what_is_left_line_by_line_ends_with_a_cancellation() {
    for scene in scenes() {
        placed(&scene);
        let some = |lines: &[(&str, i64)]| {
            let answer = cancel(&scene, &json!({ "reason": "damaged", "items": units(lines) }));
            (answer.status, standing(&answer.body))
        };

        let open = stands("accepted", &[("cancelled", 0, 2), ("accepted", 0, 0)]);
        assert_eq!(some(&[("1", 2)]), (201, open));
        assert_eq!(scene.told(PARTIAL).len(), 1);
        let done = stands("cancelled", &[("cancelled", 0, 2), ("cancelled", 0, 1)]);
        assert_eq!(some(&[("2", 1)]), (201, done));

        assert_eq!((scene.told(PARTIAL).len(), scene.told(CANCELLATION).len()), (1, 1));
    }
}

#[test]
fn what_is_told_again_changes_nothing() {
    for scene in scenes() {
        placed(&scene);
        let parcel = pack_parcel("1Z-1", &[("1", 1)]);
        let first = ship(&scene, &parcel);
        assert_eq!(scene.told(CONFIRMATION).len(), 1);
        let body = json!({ "reason": "damaged", "items": units(&[("1", 1)]) }).to_string();
        let target = "/drop_ship_orders/DS-20417/cancellations";
        let request = scene.request("POST", target, &body).header("Idempotency-Key", "k");
        let cancelled = scene.send(Who::Warehouse, request.clone());
        assert_eq!((first.status, cancelled.status), (201, 201));

        let again = ship(&scene, &parcel);
        let cancelled_again = scene.send(Who::Warehouse, request);

        assert_eq!((again.status, cancelled_again.status), (201, 201));
        assert_task(&again.body, &held(&scene));
        assert_task(&cancelled_again.body, &held(&scene));
        assert_eq!((scene.told(CONFIRMATION).len(), scene.told(PARTIAL).len()), (1, 1));
    }
}

#[test]
fn no_more_is_shipped_or_cancelled_than_is_open() {
    for scene in scenes() {
        placed(&scene);
        ship(&scene, &pack_parcel("1Z-1", &[("1", 1)]));
        let before = held(&scene);
        let refused = |answer: Answer| (answer.status, answer.body["message"].clone());
        let open = json!("line DS-20417-1 has no more than 1 open units");

        assert_eq!(
            refused(ship(&scene, &pack_parcel("1Z-2", &[("2", 1), ("1", 2)]))),
            (409, open.clone())
        );
        let some = json!({ "reason": "damaged", "items": units(&[("1", 2)]) });
        assert_eq!(refused(cancel(&scene, &some)), (409, open));
        let unknown = json!({ "reason": "damaged", "items": units(&[("9", 1)]) });
        assert_eq!(
            refused(cancel(&scene, &unknown)),
            (409, json!("the order has no line DS-20417-9"))
        );

        assert_eq!(held(&scene), before);
        let nowhere = "/drop_ship_orders/DS-9/cancellations";
        let missing = scene.ask(Who::Warehouse, "POST", nowhere, &json!({ "reason": "x" }));
        assert_eq!(refused(missing), (404, json!("drop-ship order not found")));
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    for scene in scenes() {
        let mut bad = sample_order();
        let fields = bad["order"].as_object_mut().unwrap();
        fields.shift_remove("client_identifier");
        fields["shipping_method"] = json!("PIGEON");
        fields["price_cents"] = json!(-1);
        fields["expected_delivery_date"] = json!("2026-02-30");
        fields["order_items"][0]["quantity"] = json!(0);
        fields["order_items"][1]["client_identifier"] = json!("DS-20417-1");
        let mut many = sample_order();
        let line = many["order"]["order_items"][0].clone();
        let lines = (0..126).map(|number| {
            let mut line = line.clone();
            line["client_identifier"] = json!(format!("{number}"));
            line
        });
        many["order"]["order_items"] = lines.collect();
        let faults = |answer: Answer| {
            assert_eq!(answer.status, 422, "{answer:?}");
            let errors = answer.body["errors"].as_array().unwrap().iter();
            let mut fields: Vec<String> =
                errors.map(|it| it["field"].as_str().unwrap().to_owned()).collect();
            fields.sort_unstable();
            fields
        };
        let place = |order: &Value| scene.ask(Who::Merchant, "POST", "/drop_ship_orders", order);

        assert_eq!(
            faults(place(&bad)),
            [
                "$.order.client_identifier",
                "$.order.expected_delivery_date",
                "$.order.order_items[0].quantity",
                "$.order.order_items[1].client_identifier",
                "$.order.price_cents",
                "$.order.shipping_method",
            ]
        );
        assert_eq!(faults(place(&many)), ["$.order.order_items"]);
        placed(&scene);
        assert_eq!(faults(ship(&scene, &json!({ "items": [] }))), ["$.carrier", "$.items"]);
        assert_eq!(faults(cancel(&scene, &json!({ "items": {} }))), ["$.items", "$.reason"]);
    }
}

//! Messages of three kinds about one drop-ship order, which go to three addresses and arrive in
//! order.

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::{Behavior, Call, CallOutcome, Running};

use crate::harness::stage::{Stage, accepted, list_calls, servers};
use crate::harness::{
    home::{Merchant, text},
    http::Request,
    server::Server,
};

const CONFIRMATION: &str = "/drop_shipment_confirmation";
const CANCELLATION: &str = "/drop_shipment_cancellation";
const PARTIAL: &str = "/drop_shipment_partial_cancellation";

/// The token of a system of the warehouse.
fn warehouse(server: &Server) -> String {
    let add = ["client", "add", "--name", "dock", "--scope", "warehouse:write"];
    let added = server.home.json(&add);
    server.token(&Merchant {
        id: "platform".to_owned(),
        client_id: text(&added["client_id"]),
        client_secret: text(&added["client_secret"]),
    })
}

fn post(server: &Server, token: &str, target: &str, body: &Value) {
    let reply = server.send(&Request::post(target).bearer(token).json(body.to_string()));
    assert_eq!(reply.status, 201, "{}", reply.said());
}

/// An order of the sample's lines under a name of its own.
fn place(stage: &Stage<'_>, name: &str) {
    let sample = domain::samples::drop_ship_order_request();
    let mut order: Value = serde_json::from_str(sample).unwrap();
    order["order"]["client_identifier"] = json!(name);
    post(stage.server, &stage.server.token(&stage.merchant), "/drop_ship_orders", &order);
}

fn act(stage: &Stage<'_>, token: &str, action: &str, body: &Value) {
    let merchant = &stage.merchant.id;
    let target = format!("/drop_ship_orders/{action}?merchant={merchant}");
    post(stage.server, token, &target, body);
}

fn ship(stage: &Stage<'_>, token: &str, order: &str) {
    let parcel = json!({
        "carrier": "ups", "tracking_number": format!("1Z-{order}"),
        "items": [{ "client_identifier": "DS-20417-1", "quantity": 1 }],
    });
    act(stage, token, &format!("{order}/shipments"), &parcel);
}

fn cancel(stage: &Stage<'_>, token: &str, order: &str) {
    act(
        stage,
        token,
        &format!("{order}/cancellations"),
        &json!({ "reason": "inventory not found" }),
    );
}

/// The addresses that were called about an order, and how each call was answered.
fn told(running: &Running, order: &str) -> Vec<(String, u16)> {
    let calls = list_calls(running);
    let about = calls.iter().filter(|call| {
        let content = call.content.as_ref().unwrap();
        content.body.contains(&format!("\"{order}\""))
    });
    about.map(|call| (call.path.clone(), status(call))).collect()
}

fn status(call: &Call) -> u16 {
    match call.answer {
        CallOutcome::Status(status) => status,
        CallOutcome::Hang | CallOutcome::Close => 0,
    }
}

fn expected(all: &[(&str, u16)]) -> Vec<(String, u16)> {
    all.iter().map(|(path, status)| ((*path).to_owned(), *status)).collect()
}

#[test]
fn a_cancellation_waits_for_the_confirmation_before_it_and_no_other_order_does() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let token = warehouse(server);
        for order in ["DS-A", "DS-B"] {
            place(&stage, order);
        }
        let failing = Behavior::status(503).of(MessageKind::DropShipmentConfirmation);
        // Slow enough that the other order is canceled before the last attempt.
        let failing = Behavior { delay_ms: 700, ..failing };
        running.merchant().behave(&[failing.times(2)]).unwrap();

        ship(&stage, &token, "DS-A");
        cancel(&stage, &token, "DS-A");
        cancel(&stage, &token, "DS-B");
        accepted(&running, 3);

        assert_eq!(
            told(&running, "DS-A"),
            expected(&[
                (CONFIRMATION, 503),
                (CONFIRMATION, 503),
                (CONFIRMATION, 200),
                (PARTIAL, 200)
            ])
        );
        let all: Vec<String> = list_calls(&running).into_iter().map(|call| call.path).collect();
        let first = all.iter().position(|path| path == CANCELLATION);
        let last = all.iter().rposition(|path| path == CONFIRMATION);
        assert!(first < last, "the other order was told of meanwhile: {all:?}");
        assert_eq!(told(&running, "DS-B"), expected(&[(CANCELLATION, 200)]));
    }
}

#[test]
fn before_a_paused_address_only_the_orders_wait_that_lead_to_it() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let token = warehouse(server);
        for order in ["DS-A", "DS-B"] {
            place(&stage, order);
        }
        let turn = |verb: &str| {
            let kind = MessageKind::DropShipmentConfirmation;
            let merchant = &stage.merchant.id;
            let reply = stage.post(&format!("/admin/merchants/{merchant}/endpoints/{kind}/{verb}"));
            assert_eq!(reply.status, 200, "{}", reply.said());
        };
        turn("pause");

        ship(&stage, &token, "DS-A");
        cancel(&stage, &token, "DS-A");
        cancel(&stage, &token, "DS-B");
        accepted(&running, 1);
        assert_eq!(told(&running, "DS-B"), expected(&[(CANCELLATION, 200)]));
        assert_eq!(told(&running, "DS-A"), []);
        turn("resume");
        accepted(&running, 3);

        let in_order = expected(&[(CONFIRMATION, 200), (PARTIAL, 200)]);
        assert_eq!(told(&running, "DS-A"), in_order);
    }
}

//! A carrier that fails: no label is bought twice, and no parcel is in a wrong state.

use std::time::Duration;

use serde_json::json;

use super::simulated::{SimulatedCarrier, stage_with, start, tracking, until_tracked};
use crate::{
    harness::{eventually, home::text, stage::servers, within},
    returns::scene::{request, sample_order},
};

#[test]
fn whatever_fails_at_the_carrier_one_label_is_bought() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        for at in ["find", "create", "buy", "form", "document"] {
            for fault in ["error500", "too_many", "lost_answer"] {
                let order = format!("{at}-{fault}");
                stage.publish(&[sample_order(&order)]);
                // Twice, because a request on a connection that was closed is repeated at once.
                carrier.order_faults(&json!([{ "at": at, "fault": fault, "count": 2 }]));

                let rma = start(&stage, &request("express-returns", &[(&order, "tee", 1)]));

                let number = stage.wait_for_label(&rma);
                let label = &stage.show_return(&rma)["labels"][0];
                assert_eq!(label["documents"][1]["purpose"], "code", "{at} {fault}: {label}");
                let bought = carrier.purchases_of(&rma);
                assert_eq!(bought.len(), 1, "{at} {fault}: {bought:?}");
                assert_eq!(text(&bought[0]["tracking_code"]), number, "{at} {fault}");
                assert_eq!(tracking(&stage, &rma), "PRE_TRANSIT", "{at} {fault}");
                carrier.forget_faults();
            }
        }
    }
}

#[test]
fn a_carrier_that_never_answers_the_purchase_sells_one_label() {
    // One engine is enough: the time limit of 30 seconds is the same on both.
    let server = servers().next().unwrap();
    let carrier = SimulatedCarrier::start();
    let stage = stage_with(server, &carrier);
    carrier.order_faults(&json!([{ "at": "buy", "fault": "hang", "count": 1 }]));
    let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
    eventually("the label is bought", || (!carrier.purchases_of(&rma).is_empty()).then_some(()));
    assert!(stage.show_return(&rma)["label"].is_null(), "no answer came");

    let number = within(Duration::from_secs(90), "there is a label", || {
        stage.show_return(&rma)["label"]["tracking_number"].as_str().map(str::to_owned)
    });

    let bought = carrier.purchases_of(&rma);
    assert_eq!(bought.len(), 1, "{bought:?}");
    assert_eq!(text(&bought[0]["tracking_code"]), number);
}

#[test]
fn a_label_is_given_back_once_although_the_answer_was_lost() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        stage.wait_for_label(&rma);
        carrier.order_faults(&json!([
            { "at": "refund", "fault": "error500", "count": 1 },
            { "at": "refund", "fault": "lost_answer", "count": 1 },
        ]));

        stage.call("POST", &format!("/returns/{rma}/cancel"), &json!({}));

        eventually("the label is given back", || {
            (carrier.purchases()[0]["refund_status"] == "submitted").then_some(())
        });
        let target = format!("/admin/failures?merchant={}", stage.merchant.id);
        assert_eq!(stage.get(&target).json()["failures"], json!([]));
    }
}

#[test]
fn webhooks_that_are_repeated_reversed_or_forged_never_move_a_parcel_back() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        let number = stage.wait_for_label(&rma);
        let fault = |fault: &str| json!([{ "at": "webhook", "fault": fault, "count": 1 }]);

        carrier.order_faults(&fault("wrong_signature"));
        carrier.move_parcel(&number, &["delivered"]);
        assert_eq!(carrier.answers(), [401]);
        assert_eq!(tracking(&stage, &rma), "PRE_TRANSIT");

        carrier.order_faults(&fault("repeat"));
        carrier.move_parcel(&number, &["in_transit"]);
        until_tracked(&stage, &rma, "TRANSIT");
        assert_eq!(carrier.answers()[1..], [200, 200, 200]);

        carrier.order_faults(&fault("reverse"));
        carrier.move_parcel(&number, &["in_transit", "out_for_delivery", "delivered"]);
        until_tracked(&stage, &rma, "DELIVERED");
        carrier.move_parcel(&number, &["in_transit"]);
        assert_eq!(tracking(&stage, &rma), "DELIVERED");
        let events = stage.show_return(&rma);
        assert_eq!(events["status"], "CREATED", "{events}");
    }
}

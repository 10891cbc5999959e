//! The way of a label that is bought: from the shopper's confirmation to the parcel's arrival.

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::simulated::{
    SimulatedCarrier, WEBHOOK_SECRET, account, stage_with, start, tracking, until_tracked,
};
use crate::{
    harness::{
        eventually,
        home::text,
        http::Request,
        stage::{Stage, servers},
    },
    returns::scene::{request, sample_order},
};

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(digest(&SHA256, bytes).as_ref())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// The documents of a return's labels that can be used.
fn documents(stage: &Stage<'_>, rma: &str) -> Vec<Value> {
    let shown = stage.show_return(rma);
    let labels = shown["labels"].as_array().cloned().unwrap_or_default();
    let valid = labels.into_iter().filter(|label| label.get("void").is_none());
    valid.flat_map(|label| label["documents"].as_array().cloned().unwrap_or_default()).collect()
}

#[test]
fn a_label_is_bought_stored_unchanged_and_webhooks_move_the_return_to_its_end() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));

        let number = stage.wait_for_label(&rma);

        let bought = carrier.purchases();
        assert_eq!(bought.len(), 1, "{bought:?}");
        assert_eq!(text(&bought[0]["tracking_code"]), number);
        assert_eq!(text(&bought[0]["reference"]), format!("{rma}-1"));
        assert_eq!(text(&bought[0]["service"]), "GroundAdvantage", "the cheapest");
        let file = format!("/labels/{}.pdf", text(&bought[0]["shipment_id"]));
        let bytes = carrier.send(&Request::get(&file)).body;
        let kept = documents(&stage, &rma);
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert_eq!(text(&kept[0]["format"]), "pdf");
        let served = format!("/returns/{rma}/labels/{}", text(&kept[0]["sha256"]));
        let served = server.send(&Request::get(&served).bearer(&stage.token));
        assert_eq!((served.status, served.body), (200, bytes), "byte for byte");

        until_tracked(&stage, &rma, "PRE_TRANSIT");
        carrier.move_parcel(&number, &["in_transit", "out_for_delivery"]);
        until_tracked(&stage, &rma, "TRANSIT");
        carrier.move_parcel(&number, &["delivered"]);
        until_tracked(&stage, &rma, "DELIVERED");
        assert!(carrier.answers().iter().all(|it| *it == 200), "{:?}", carrier.answers());
    }
}

#[test]
fn each_of_several_parcels_gets_a_label_which_is_bought_once_and_given_back_with_the_others() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let mut wanted = request("mail-back", &[("A", "tee", 2), ("A", "mug", 1)]);
        wanted["parcel_count"] = json!(2);
        let rma = start(&stage, &wanted);

        let items = eventually("every unit has a label", || {
            let shown = stage.show_return(&rma);
            let items = shown["items"].as_array().unwrap().clone();
            items.iter().all(|it| it["tracking_number"].is_string()).then_some(items)
        });

        let mut bought = carrier.purchases_of(&rma);
        bought.sort_by_key(|it| text(&it["reference"]));
        let references: Vec<String> = bought.iter().map(|it| text(&it["reference"])).collect();
        assert_eq!(references, [format!("{rma}-1"), format!("{rma}-1-2")]);
        let [first, second] = [0, 1].map(|position| text(&bought[position]["tracking_code"]));
        let numbers: Vec<String> = items.iter().map(|it| text(&it["tracking_number"])).collect();
        assert_eq!(numbers, [&first, &first, &second].map(String::clone));
        assert_eq!(documents(&stage, &rma).len(), 2);

        carrier.move_parcel(&second, &["delivered"]);
        let mug = || stage.show_return(&rma)["items"][2]["package_tracking_status"].clone();
        eventually("its unit is delivered", || (mug() == "DELIVERED").then_some(()));
        assert_eq!(tracking(&stage, &rma), "PRE_TRANSIT", "the other parcel was not sent");

        let other = start(&stage, &{
            stage.publish(&[sample_order("B")]);
            let mut wanted = request("mail-back", &[("B", "tee", 2)]);
            wanted["parcel_count"] = json!(2);
            wanted
        });
        eventually("both labels are bought", || {
            (carrier.purchases_of(&other).len() == 2).then_some(())
        });
        let canceled = stage.call("POST", &format!("/returns/{other}/cancel"), &json!({}));
        assert_eq!(canceled.status, 200, "{}", canceled.said());
        eventually("both labels are given back", || {
            let bought = carrier.purchases_of(&other);
            bought.iter().all(|it| it["refund_status"] == "submitted").then_some(())
        });
    }
}

#[test]
fn an_express_return_gets_a_code_to_show_at_the_drop_off_point() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("express-returns", &[("A", "tee", 1)]));
        stage.wait_for_label(&rma);

        let kept = documents(&stage, &rma);

        let purposes: Vec<String> = kept.iter().map(|it| text(&it["purpose"])).collect();
        assert_eq!(purposes, ["label", "code"]);
        let shipment = text(&carrier.purchases()[0]["shipment_id"]);
        let code = carrier.send(&Request::get(&format!("/labels/{shipment}.qr.png"))).body;
        assert_eq!(text(&kept[1]["sha256"]), sha256(&code));
    }
}

#[test]
fn the_label_of_a_canceled_return_is_given_back() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        stage.wait_for_label(&rma);

        let canceled = stage.call("POST", &format!("/returns/{rma}/cancel"), &json!({}));

        assert_eq!(canceled.status, 200, "{}", canceled.said());
        eventually("the label is given back", || {
            (carrier.purchases()[0]["refund_status"] == "submitted").then_some(())
        });
        assert_eq!(carrier.purchases().len(), 1);
    }
}

#[test]
fn a_lost_label_is_given_back_and_the_parcel_of_the_new_one_counts() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        let old = stage.wait_for_label(&rma);

        let renewed =
            stage.call("POST", &format!("/returns/{rma}/labels"), &json!({ "reason": "lost" }));

        assert_eq!(renewed.status, 200, "{}", renewed.said());
        let new = eventually("there is a new label", || {
            let shown = stage.show_return(&rma)["label"]["tracking_number"].as_str()?.to_owned();
            (shown != old).then_some(shown)
        });
        let bought = eventually("the old label is given back", || {
            let bought = carrier.purchases_of(&rma);
            (bought[0]["refund_status"] == "submitted").then_some(bought)
        });
        let references: Vec<String> = bought.iter().map(|it| text(&it["reference"])).collect();
        assert_eq!(references, [format!("{rma}-1"), format!("{rma}-2")]);
        assert!(bought[1]["refund_status"].is_null(), "{bought:?}");
        carrier.move_parcel(&old, &["delivered"]);
        assert_eq!(tracking(&stage, &rma), "PRE_TRANSIT", "the old label is void");
        carrier.move_parcel(&new, &["in_transit", "delivered"]);
        until_tracked(&stage, &rma, "DELIVERED");
    }
}

#[test]
fn only_services_that_are_allowed_are_bought_and_others_are_a_failure_with_words() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let mut chosen = account(&carrier);
        chosen["services"] = json!(["UPS"]);
        assert_eq!(stage.try_to_put("carrier", &chosen).status, 200);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        stage.wait_for_label(&rma);
        assert_eq!(text(&carrier.purchases()[0]["carrier"]), "UPS");

        chosen["services"] = json!(["DHL/Express"]);
        assert_eq!(stage.try_to_put("carrier", &chosen).status, 200);
        let second = start(&stage, &request("mail-back", &[("A", "mug", 1)]));
        let failed = stage.until_failed(1);
        let said = failed[0].to_string();
        assert!(said.contains("may be bought"), "{said}");

        // The operator corrects the account and retries the message.
        chosen["services"] = json!([]);
        assert_eq!(stage.try_to_put("carrier", &chosen).status, 200);
        let retry = format!("/admin/messages/{}/retry", text(&failed[0]["id"]));
        assert!((200..300).contains(&stage.post(&retry).status));
        stage.wait_for_label(&second);
        assert_eq!(carrier.purchases_of(&second).len(), 1);
    }
}

/// A webhook that says that a parcel was delivered.
#[test]
fn a_label_that_cannot_be_bought_is_requested_again_with_another_shipment() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let mut chosen = account(&carrier);
        chosen["services"] = json!(["DHL/Express"]);
        assert_eq!(stage.try_to_put("carrier", &chosen).status, 200);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        stage.until_failed(1);
        let ask = |reason: &str| {
            let target = format!("/returns/{rma}/labels");
            stage.call("POST", &target, &json!({ "reason": reason })).status
        };
        assert_eq!(ask("lost"), 409, "there is none to replace");

        assert_eq!(stage.try_to_put("carrier", &account(&carrier)).status, 200);
        assert_eq!(ask("not_issued"), 200);

        let number = stage.wait_for_label(&rma);
        let bought = carrier.purchases_of(&rma);
        assert_eq!(bought.len(), 1, "{bought:?}");
        assert_eq!(text(&bought[0]["tracking_code"]), number);
        assert_eq!(text(&bought[0]["reference"]), format!("{rma}-2"));
        assert_eq!(ask("not_issued"), 409, "it was issued");
    }
}

fn delivered(number: &str) -> String {
    let tracker = json!({ "object": "Tracker", "tracking_code": number, "status": "delivered" });
    json!({ "object": "Event", "description": "tracker.updated", "result": tracker }).to_string()
}

fn sign(secret: &str, body: &str) -> String {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let tag = ring::hmac::sign(&key, body.as_bytes());
    format!("hmac-sha256-hex={}", hexadecimal(tag.as_ref()))
}

#[test]
fn an_unknown_merchant_and_a_wrong_signature_cannot_be_told_apart() {
    for server in servers() {
        let carrier = SimulatedCarrier::start();
        let stage = stage_with(server, &carrier);
        let rma = start(&stage, &request("mail-back", &[("A", "tee", 1)]));
        let number = stage.wait_for_label(&rma);
        let body = delivered(&number);
        let send = |merchant: &str, signature: Option<String>, body: &str| {
            let target = format!("/carriers/easypost/{merchant}/webhooks");
            let mut webhook = Request::post(&target).json(body);
            if let Some(signature) = signature {
                webhook = webhook.header("X-Hmac-Signature", &signature);
            }
            server.send(&webhook)
        };
        let signed = || Some(sign(WEBHOOK_SECRET, &body));
        let id = stage.merchant.id.clone();
        let without_account = Stage::with(server, "plain", &json!({})).merchant.id.clone();
        for (merchant, signature) in [
            (id.as_str(), None),
            (&id, Some(sign("another", &body))),
            (&id, Some(sign(WEBHOOK_SECRET, "another body"))),
            (&id, Some(sign(WEBHOOK_SECRET, &body).replace("sha256", "sha1"))),
            ("no-such-shop", signed()),
            ("Not-A-Name", signed()),
            ("platform", signed()),
            (&without_account, signed()),
            (&without_account, Some(sign("unknown", &body))),
        ] {
            let reply = send(merchant, signature, &body);
            assert_eq!(
                reply.said(),
                r#"401 {"message":"the signature is not valid"}"#,
                "{merchant}"
            );
        }
        assert_eq!(tracking(&stage, &rma), "PRE_TRANSIT");

        let large = " ".repeat(2 << 20);
        let target = format!("/carriers/easypost/{id}/webhooks");
        let signature = sign(WEBHOOK_SECRET, &large);
        let refused =
            Request::post(&target).header("X-Hmac-Signature", &signature).json(large.as_str());
        assert_eq!(server.connect().send_large(&refused.bytes()).unwrap().status, 413);
        let other = r#"{"object":"Event","description":"batch.created","result":{}}"#;
        let ignored = send(&id, Some(sign(WEBHOOK_SECRET, other)), other);
        assert_eq!(ignored.said(), r#"200 {"results":[]}"#);
        let elsewhere = delivered("1Z-OUTBOUND");
        let unknown = send(&id, Some(sign(WEBHOOK_SECRET, &elsewhere)), &elsewhere);
        assert_eq!(unknown.said(), r#"200 {"results":[{"result":"unknown"}]}"#);
        assert_eq!(send(&id, signed(), &body).status, 200);
        assert_eq!(tracking(&stage, &rma), "DELIVERED");
    }
}

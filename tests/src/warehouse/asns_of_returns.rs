//! Units of returns that come by ASN: each counts on its ASN, and on its return.

use serde_json::{Value, json};

use super::scene::{Scene, Who, applied, exception, receipt, sample_asn, scenes, unchanged};
use crate::harness::{
    eventually,
    samples::{message, sample_order},
};

const TOLD: &str = "inventory_receipt";
const NUMBER: &str = "ASN-20260301-7";

/// A return of one unit of line 1 of the order DS-1, whose merchant lets us receive.
fn started_return(scene: &Scene) -> String {
    let merchant = format!("/admin/merchants/{}", scene.merchant.id);
    let managed = json!({ "managed_receiving": true, "carrier": "simulated" });
    assert_eq!(scene.ask(Who::Operator, "PATCH", &merchant, &managed).status, 200);
    let mut order = sample_order("returned");
    order["status"] = json!("Shipped");
    order["total_amount_cents"] = json!(7800);
    order["product_amount_cents"] = json!(7800);
    let line = &mut order["items"][0];
    line["quantity"] = json!(2);
    line["quantity_shipped"] = json!(2);
    line["product_amount_cents"] = json!(7800);
    line["return_policy_end_date"] = json!("2126-04-30");
    let publish = scene.request("POST", "/returns_portal_orders", &message(&[order]));
    let published = scene.send(Who::Merchant, publish.header("Api-Version", "3"));
    assert_eq!(published.status, 200, "{published:?}");
    let request = json!({
        "email": "lena.brandt@example.com", "return_method": "mail-back",
        "items": [{
            "order_identifier": "returned", "order_line_item_identifier": "1", "quantity": 2,
            "return_reason": "too_small", "resolution": "refund",
        }],
    });
    let started = scene.ask(Who::Merchant, "POST", "/returns", &request);
    assert_eq!(started.status, 201, "{started:?}");
    started.body["rma_identifier"].as_str().unwrap().to_owned()
}

/// The sample's ASN, with two units of the return.
fn asn_of_return(rma: &str) -> Value {
    let mut asn = sample_asn();
    asn["cartons"][0]["reference"]["identifier"] = json!(rma);
    for detail in asn["cartons"][0]["details"].as_array_mut().unwrap() {
        detail["sku"] = json!("SCARF-RED");
        detail["reference_line_identifier"] = json!("1");
    }
    asn
}

/// The receiving status and the condition of each unit of a return.
fn receiving(rma: &Value) -> Vec<(Value, Value)> {
    let items = rma["items"].as_array().unwrap().iter();
    let item = |item: &Value| {
        (item["receiving_status"].clone(), item["warehouse_receipt_condition"].clone())
    };
    items.map(item).collect()
}

#[test]
fn a_unit_that_its_return_does_not_expect_is_a_question_for_an_operator() {
    for scene in scenes() {
        let rma = started_return(&scene);
        scene.announce(&asn_of_return(&rma));
        let cancel = format!("/returns/{rma}/cancel");
        assert_eq!(scene.ask(Who::Merchant, "POST", &cancel, &json!({})).status, 200);

        let unit = json!({ "unit_identifier": "LP-0093321", "sku": "SCARF-RED" });
        assert_eq!(scene.scan(&[unit.clone(), unit]), [exception("overage"), unchanged()]);
        assert!(scene.told(TOLD).is_empty());

        let line = json!({ "action": "match", "asn_number": NUMBER, "line_identifier": "1" });
        assert_eq!(scene.decide("LP-0093321", NUMBER, &line).status, 200);
        assert_eq!(scene.told(TOLD).len(), 1);
        let held = scene.get(Who::Merchant, &format!("/returns/{rma}"));
        assert_eq!(held.body["status"], "CANCELED");
    }
}

#[test]
fn a_unit_of_a_return_is_received_for_the_return_too() {
    for scene in scenes() {
        let rma = started_return(&scene);
        scene.announce(&asn_of_return(&rma));
        let labelled = || Some(scene.told("rma").len()).filter(|told| *told == 2);
        let before = eventually("the label is told", labelled);

        let unit = json!({ "unit_identifier": "LP-0093321", "sku": "SCARF-RED", "condition": "B" });
        assert_eq!(scene.scan(&[unit.clone(), unit]), [applied(), unchanged()]);

        let told = || Some(scene.told("rma")).filter(|told| told.len() > before);
        let told = eventually("the receipt is told", told);
        assert_eq!(told.len(), before + 1);
        let expected = [(json!("RECEIVED"), json!("B")), (json!("PENDING"), Value::Null)];
        assert_eq!(receiving(&told[before]), expected);
        let held = scene.get(Who::Merchant, &format!("/returns/{rma}"));
        assert_eq!(receiving(&held.body), expected);
        assert_eq!(scene.told(TOLD)[0]["reference"]["identifier"], rma);
    }
}

#[test]
fn a_late_unit_that_an_operator_matches_to_its_line_is_received_for_its_return() {
    for scene in scenes() {
        let rma = started_return(&scene);
        scene.announce(&asn_of_return(&rma));
        let close = format!("/returns/{rma}/receiving/close");
        assert_eq!(scene.ask(Who::Operator, "POST", &close, &json!({})).status, 200);
        let unit = json!({ "unit_identifier": "LP-0093321", "sku": "SCARF-RED" });
        assert_eq!(scene.scan(&[unit]), [exception("overage")]);

        let line = json!({ "action": "match", "asn_number": NUMBER, "line_identifier": "1" });
        assert_eq!(scene.decide("LP-0093321", NUMBER, &line).status, 200);

        let held = scene.get(Who::Merchant, &format!("/returns/{rma}"));
        let expected = [(json!("RECEIVED"), json!("A")), (json!("NOT_RECEIVED"), Value::Null)];
        assert_eq!(receiving(&held.body), expected);
        assert_eq!(scene.told(TOLD).len(), 1);
    }
}

#[test]
fn a_unit_that_was_received_for_its_return_counts_on_its_asn_and_on_no_other() {
    for scene in scenes() {
        let rma = started_return(&scene);
        scene.announce(&asn_of_return(&rma));
        let mut other = asn_of_return(&rma);
        other["asn_number"] = json!("ASN-8");
        other["details_type"] = json!("sku");
        other["cartons"][0]["reference"] = Value::Null;
        for detail in other["cartons"][0]["details"].as_array_mut().unwrap() {
            detail.as_object_mut().unwrap().remove("unit_identifier");
        }
        scene.announce(&other);
        let unit = json!({ "unit_identifier": "LP-0093321", "sku": "SCARF-RED" });
        let mut of_return = receipt(&unit);
        of_return.as_object_mut().unwrap().remove("asn_number");
        of_return["rma_identifier"] = json!(rma);
        let body = json!({ "receipts": [of_return] });
        let received = scene.ask(Who::Warehouse, "POST", "/receipts", &body);
        assert_eq!(received.body["results"][0]["result"], "applied", "{received:?}");

        let mut elsewhere = unit.clone();
        elsewhere["asn_number"] = json!("ASN-8");
        let results = scene.scan(&[elsewhere, unit.clone(), unit]);

        assert_eq!(results, [exception("already_received_elsewhere"), applied(), unchanged()]);
        assert_eq!(scene.told(TOLD).len(), 1);
        assert_eq!(scene.sequences(TOLD), [1], "the return was told in its own message");
        let held = scene.get(Who::Merchant, &format!("/returns/{rma}"));
        let expected = [(json!("RECEIVED"), json!("A")), (json!("PENDING"), Value::Null)];
        assert_eq!(receiving(&held.body), expected);
    }
}

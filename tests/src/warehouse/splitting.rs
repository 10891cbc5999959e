//! A shipment too large for one message is told in several, which together are the shipment.

use serde_json::{Value, json};

use super::{
    scene::{Scene, Who, assert_same, scenes},
    shipments::{stock_transfer, with_units},
};

const TOLD: &str = "outbound_asn";

/// Five units in two cartons, two to a message.
fn five() -> Value {
    let mut shipment = stock_transfer("RTV-5", &["LP-1", "LP-2", "LP-3", "LP-4", "LP-5"]);
    let mut second = shipment["cartons"][0].clone();
    shipment["cartons"][0]["identifier"] = json!("PLT-1");
    second["identifier"] = json!("PLT-2");
    shipment["cartons"][0]["details"].as_array_mut().unwrap().truncate(3);
    second["details"].as_array_mut().unwrap().drain(..3);
    shipment["cartons"].as_array_mut().unwrap().push(second);
    shipment["max_details_per_message"] = json!(2);
    shipment
}

fn ship(scene: &Scene, shipment: &Value) -> u16 {
    scene.ask(Who::Warehouse, "POST", "/shipments", shipment).status
}

/// The name of a carton, and its units.
type Carton = (String, Vec<String>);

/// Number and cartons of each part.
fn parts(told: &[Value]) -> Vec<(String, Vec<Carton>)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let carton = |carton: &Value| {
        let details = carton["details"].as_array().unwrap().iter();
        (word(&carton["identifier"]), details.map(|it| word(&it["unit_identifier"])).collect())
    };
    let part = |part: &Value| {
        let cartons = part["cartons"].as_array().unwrap();
        (word(&part["asn_number"]), cartons.iter().map(carton).collect())
    };
    let mut parts: Vec<_> = told.iter().map(part).collect();
    parts.sort();
    parts
}

#[test]
fn five_units_two_to_a_message_are_three_messages() {
    for scene in scenes() {
        with_units(&scene, 5);

        assert_eq!(ship(&scene, &five()), 201);

        let told = scene.told(TOLD);
        let carton = |name: &str, units: &[&str]| {
            (name.to_owned(), units.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        };
        let expected = [
            ("RTV-5_1".to_owned(), vec![carton("PLT-1", &["LP-1", "LP-2"])]),
            ("RTV-5_2".to_owned(), vec![carton("PLT-1", &["LP-3"]), carton("PLT-2", &["LP-4"])]),
            ("RTV-5_3".to_owned(), vec![carton("PLT-2", &["LP-5"])]),
        ];
        assert_eq!(parts(&told), expected);
        // But for number and cartons, all parts are the same.
        let mut heads: Vec<Value> = told.clone();
        for head in &mut heads {
            head["asn_number"] = json!("RTV-5");
            head["cartons"] = json!([]);
        }
        assert_same(&heads[0], &heads[1]);
        assert_same(&heads[0], &heads[2]);
    }
}

#[test]
fn a_change_is_told_with_the_same_numbers() {
    for scene in scenes() {
        with_units(&scene, 5);
        assert_eq!(ship(&scene, &five()), 201);
        let change = json!({ "ship_date": "2026-03-12T09:00:00Z" });

        let changed = scene.ask(Who::Warehouse, "PATCH", "/shipments/RTV-5", &change);
        assert_eq!(changed.status, 200, "{changed:?}");

        let told = scene.told(TOLD);
        let (first, second): (Vec<Value>, Vec<Value>) =
            told.into_iter().partition(|it| it["ship_date"] == "2026-03-10T17:00:00Z");
        assert_eq!((first.len(), second.len()), (3, 3));
        assert_eq!(parts(&first), parts(&second));
        assert!(second.iter().all(|it| it["ship_date"] == "2026-03-12T09:00:00Z"));
        let mut sequences = scene.sequences(TOLD);
        sequences.sort_unstable();
        assert_eq!(sequences, [1, 1, 1, 2, 2, 2]);
    }
}

#[test]
fn a_unit_of_a_split_shipment_has_its_own_part_in_its_story() {
    for scene in scenes() {
        with_units(&scene, 5);
        assert_eq!(ship(&scene, &five()), 201);

        let story = scene.get(Who::Merchant, "/units/LP-4").body;

        let messages: Vec<(&Value, &Value)> = story["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (&it["kind"], &it["ref"]))
            .collect();
        let expected = [
            (&json!("outbound_asn"), &json!("RTV-5_2")),
            (&json!("inventory_receipt"), &json!("LP-4")),
        ];
        assert_eq!(messages, expected);
    }
}

#[test]
fn no_message_takes_the_number_of_another_shipment() {
    for scene in scenes() {
        with_units(&scene, 6);
        assert_eq!(ship(&scene, &stock_transfer("RTV-5_2", &["LP-6"])), 201);

        let taken = scene.ask(Who::Warehouse, "POST", "/shipments", &five());

        assert_eq!(taken.status, 409, "{taken:?}");
        assert_eq!(taken.body["message"], "number RTV-5_2 belongs to another shipment");
        assert_eq!(scene.told(TOLD).len(), 1);
    }
}

#[test]
fn a_number_leaves_room_for_the_suffix_of_the_last_part() {
    for scene in scenes() {
        with_units(&scene, 5);
        let mut shipment = five();
        // The mark of the scene is a part of the number.
        let mark = scene.own("RTV-").len();
        let number = |length: usize| format!("RTV-{}", "a".repeat(length - mark));

        shipment["asn_number"] = json!(number(254));
        assert_eq!(ship(&scene, &shipment), 422);
        shipment["asn_number"] = json!(number(253));
        assert_eq!(ship(&scene, &shipment), 201);

        for part in scene.told(TOLD) {
            assert_eq!(scene.own(part["asn_number"].as_str().unwrap()).len(), 255);
        }
    }
}

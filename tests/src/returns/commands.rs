//! The operator's commands for returns: policies, parcels, and the merchant's settings.

use serde_json::json;

use super::scene::{Scene, request, scenes};
use crate::harness::home::{Ran, text};

fn run(scene: &Scene<'_>, arguments: &[&str]) -> Ran {
    scene.stage.server.home.run(arguments)
}

#[test]
fn a_policy_is_shown_set_and_checked_by_command() {
    for scene in scenes() {
        let (home, merchant) = (&scene.stage.server.home, scene.stage.merchant.id.as_str());
        let first = home.json(&["policy", "show", merchant]);
        assert_eq!((&first["version"], &first["policy"]["window_days"]), (&json!(0), &json!(30)));
        let name = format!("{merchant}.json");
        home.file(&name, json!({ "window_days": 45 }).to_string());

        let checked = home.json(&["policy", "check", &name]);
        let set = home.json(&["policy", "set", merchant, &name]);

        assert_eq!(checked, set["policy"]);
        assert_eq!((&set["version"], &set["policy"]["window_days"]), (&json!(1), &json!(45)));
        home.file(&name, json!({ "window_days": 7 }).to_string());
        let said = run(&scene, &["policy", "set", merchant, &name]);
        assert_eq!(said.out, format!("{merchant} now has policy version 2.\n"));
        assert_eq!(home.json(&["policy", "show", merchant])["version"], 2);
        assert_eq!(home.json(&["policy", "show", merchant, "--version", "1"]), set);
        let absent = run(&scene, &["policy", "show", merchant, "--version", "9"]);
        assert_eq!(absent.code, Some(1));
        assert!(absent.err.contains("has no version 9 of its policy"), "{}", absent.err);

        home.file(&name, json!({ "window_days": "x", "windw": 1 }).to_string());
        let bad = run(&scene, &["policy", "check", &name]);
        assert_eq!(bad.code, Some(1));
        assert!(bad.err.contains("$.window_days") && bad.err.contains("$.windw"), "{}", bad.err);
    }
}

#[test]
fn a_merchants_carrier_and_receiving_are_set_by_command_and_hold_for_the_next_return() {
    for scene in scenes() {
        let (home, merchant) = (&scene.stage.server.home, scene.stage.merchant.id.as_str());
        let set =
            ["merchant", "set", merchant, "--carrier", "external", "--managed-receiving", "true"];
        let changed = home.json(&set);
        let expected = json!({ "strict": false, "carrier": "external", "managed_receiving": true,
            "exchange_refusal_is_final": false, "refund_tolerance_cents": 0,
            "message_extensions": false,
                "weight_unit": "grams" });
        assert_eq!(changed["settings"], expected);

        let rma = scene.start_tee();

        let shown = scene.show(&rma);
        assert_eq!(
            (&shown["label"], &shown["items"][0]["receiving_status"]),
            (&json!(null), &json!("PENDING"))
        );
        home.json(&["merchant", "set", merchant, "--carrier", "simulated"]);
        let second = scene.start(&request("mail-back", &[("A", "mug", 1)]));
        assert!(scene.label(&second).starts_with("SIM00"));
        assert_eq!(scene.show(&rma)["label"], json!(null), "it waits for its own carrier");
        let bad = run(&scene, &["merchant", "set", merchant, "--carrier", "pigeon"]);
        assert_eq!(bad.code, Some(2));
    }
}

#[test]
fn parcels_are_moved_by_command() {
    for scene in scenes() {
        let home = &scene.stage.server.home;
        let rma = scene.start_tee();
        scene.label(&rma);
        let moved = home.json(&["carrier", "move", &rma, "in_transit"]);
        assert_eq!(text(&moved["results"][0]["result"]), "applied");
        assert_eq!(scene.show(&rma)["items"][0]["package_tracking_status"], "TRANSIT");
        let merchant = scene.stage.merchant.id.as_str();
        let trail = home.json(&["audit", "--merchant", merchant, "--limit", "1"]);
        let record = &trail["changes"][0];
        assert_eq!(record["action"], "carrier.move", "a parcel that is moved leaves a record");
        assert_eq!(record["detail"], json!({ "return": rma, "event": "in_transit", "lines": [] }));
        let again = run(&scene, &["carrier", "move", &rma, "accepted"]);
        assert_eq!(
            (again.code, again.out),
            (Some(0), format!("{rma} already had this event or a later one.\n"))
        );
        let wrong = run(&scene, &["carrier", "move", &rma, "not_dropped_off"]);
        assert_eq!(wrong.code, Some(1));
        assert!(wrong.err.contains("drop-off point"), "{}", wrong.err);
        let unknown = run(&scene, &["carrier", "move", "RMA-7K3Q-9XWD-2M4T", "accepted"]);
        assert_eq!(unknown.err, "homeward: there is no return RMA-7K3Q-9XWD-2M4T\n");
        for arguments in
            [["carrier", "move", "nonsense", "accepted"], ["carrier", "move", &rma, "vanish"]]
        {
            assert_eq!(run(&scene, &arguments).code, Some(2));
        }
    }
}

//! What messages say about money, for merchants who want it.

use serde_json::json;

use crate::harness::stage::list_calls;
use crate::returns::scene::{refund, sample_order, scenes};

#[test]
fn messages_have_extensions_only_with_the_setting_and_they_are_the_statement() {
    for scene in scenes() {
        let plain = scene.start_tee();
        scene.label(&plain);
        assert!(scene.messages(&plain).iter().all(|it| it.get("extensions").is_none()));

        scene.set(&json!({ "message_extensions": true }));
        let rma = scene.start_tee();
        scene.label(&rma);
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", Some(&rma), &[("tee", 1)])]);

        let bodies = scene.bodies(&rma).len();
        let calls = list_calls(&scene.running).into_iter();
        let about = calls.filter_map(|call| call.content).map(|content| content.body);
        let mut about: Vec<serde_json::Value> = about
            .filter(|body| body.contains(&rma))
            .map(|body| serde_json::from_str(&body).unwrap())
            .collect();
        assert_eq!(about.len(), bodies);
        let last = about.pop().unwrap();
        let extensions = &last["extensions"];
        assert_eq!(extensions["statement"], scene.show(&rma)["statement"]);
        let item = json!([{ "paid_state": "PAID", "refund_identifier": "RF-1" }]);
        assert_eq!(extensions["items"], item);
        assert_eq!(about[0]["extensions"]["items"], json!([{ "paid_state": "OPEN" }]));
    }
}

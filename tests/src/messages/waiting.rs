//! Messages that cannot go yet wait, with all their tries, and go when they can.

use serde_json::json;

use crate::harness::stage::{Stage, accepted, list_calls, receiver, servers, statuses};

/// A message of another merchant, sent later, has arrived: whatever could go by now has gone.
fn others_are_served(stage: &Stage<'_>) {
    let (other, running) = Stage::with_receiver(stage.server);
    other.test("lane", 1);
    accepted(&running, 1);
}

#[test]
fn a_message_waits_for_an_endpoint_and_goes_when_there_is_one() {
    for server in servers() {
        let stage = Stage::set(server);
        let id = stage.test("lane", 1);
        others_are_served(&stage);
        let waiting = stage.message(&id);
        assert_eq!((&waiting["state"], statuses(&waiting)), (&json!("waiting"), vec![]));

        let running = receiver(stage.settings());
        stage.point_to(&running.url(), &json!({ "type": "none" }));

        assert_eq!(statuses(&stage.until(&id, "delivered")), [200]);
        assert_eq!(list_calls(&running).len(), 1);
    }
}

#[test]
fn a_paused_endpoint_gets_nothing_until_it_is_resumed() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        stage.turn("pause");
        let ids: Vec<_> = (1..=3).map(|sequence| stage.test("lane", sequence)).collect();
        others_are_served(&stage);
        assert_eq!(list_calls(&running).len(), 0);

        stage.turn("resume");

        for id in &ids {
            assert_eq!(statuses(&stage.until(id, "delivered")), [200]);
        }
        let arrived: Vec<_> =
            list_calls(&running).into_iter().filter_map(|it| it.sequence).collect();
        assert_eq!(arrived, [1, 2, 3]);
    }
}

#[test]
fn a_kind_may_have_an_address_of_its_own_and_lose_it_again() {
    for server in servers() {
        let (stage, base) = Stage::with_receiver(server);
        let own = receiver(stage.settings());
        let target = format!("/admin/merchants/{}/endpoints/rma", stage.merchant.id);
        let body = json!({ "url": format!("{}/rmas", own.url()) }).to_string();
        let request = |method: &str| crate::harness::http::Request::new(method, &target);
        let set = server.send(&request("PUT").bearer(&stage.admin).json(body));
        assert_eq!(set.status, 200, "{}", set.said());

        stage.test("lane", 1);
        accepted(&own, 1);
        stage.test_of("outbound_asn", "lane", 1);
        accepted(&base, 1);

        assert_eq!(server.send(&request("DELETE").bearer(&stage.admin)).status, 200);
        stage.test("lane", 2);
        accepted(&base, 2);
        assert_eq!(list_calls(&own).len(), 1);
    }
}

#[test]
fn the_operator_sees_what_waits() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        running
            .merchant()
            .behave(&[sim::Behavior { hang: true, ..sim::Behavior::NORMAL }])
            .unwrap();
        for sequence in 1..=3 {
            stage.test("lane", sequence);
        }
        let target = format!("/admin/merchants/{}/endpoints", stage.merchant.id);
        crate::harness::eventually("one is under way and the others wait", || {
            let view = stage.get(&target).json();
            let endpoints = view["endpoints"].as_array().unwrap().clone();
            let health = &endpoints.iter().find(|it| it["kind"] == "rma").unwrap()["state"];
            (health["in_flight"] == 1 && health["breaker"] == "closed").then_some(())
        });
        running.merchant().behave_normally();
        accepted(&running, 3);
    }
}

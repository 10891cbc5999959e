//! Requests at the same moment: each is answered as if it had come alone.

use serde_json::json;

use super::{new_merchants, publish_one};
use crate::harness::{
    samples::{message, refunded_order, sample_order, taken_in},
    server::publication,
};

const RIVALS: usize = 4;

#[test]
fn snapshots_that_race_for_one_order_leave_the_newest() {
    const EACH: usize = 15;
    for (server, token) in new_merchants() {
        let snapshot = |number: usize| {
            let mut order = sample_order("race");
            order["updated_at"] = json!(format!("2026-03-01T08:00:00.{number:06}Z"));
            order
        };
        std::thread::scope(|scope| {
            for rival in 0..RIVALS {
                let (snapshot, token) = (&snapshot, &token);
                scope.spawn(move || {
                    for number in 0..EACH {
                        let sent = snapshot(number * RIVALS + rival);
                        let reply = publish_one(server, token, &sent);
                        assert_eq!(reply.status, 200, "{}", reply.said());
                    }
                });
            }
        });
        assert_eq!(server.order(&token, "race").json(), snapshot(RIVALS * EACH - 1));
    }
}

#[test]
fn messages_about_the_same_orders_do_not_wait_for_each_other_for_ever() {
    const EACH: usize = 10;
    const ORDERS: usize = 12;
    for (server, token) in new_merchants() {
        std::thread::scope(|scope| {
            for rival in 0..RIVALS {
                let token = &token;
                scope.spawn(move || {
                    for number in 0..EACH {
                        let mut orders: Vec<_> = (0..ORDERS)
                            .map(|it| refunded_order(&format!("o{it}"), &format!("r{it}")))
                            .collect();
                        let moment = number * RIVALS + rival;
                        for order in &mut orders {
                            order["updated_at"] =
                                json!(format!("2026-03-01T08:00:00.{moment:06}Z"));
                        }
                        // Each rival names them in an order of its own.
                        orders.rotate_left(rival * 3);
                        let reply = server.publish(token, &message(&orders));
                        assert_eq!(reply.status, 200, "{}", reply.said());
                    }
                });
            }
        });
        let newest = format!("2026-03-01T08:00:00.{:06}Z", RIVALS * EACH - 1);
        for number in 0..ORDERS {
            let held = server.order(&token, &format!("o{number}")).json();
            assert_eq!(held["updated_at"], newest);
            assert_eq!(held["refunds"].as_array().unwrap().len(), 1);
        }
    }
}

#[test]
fn copies_of_one_request_at_the_same_moment_get_one_answer() {
    for (server, token) in new_merchants() {
        for round in 0..5 {
            let identifier = format!("copy-{round}");
            let request = publication(&token, message(&[sample_order(&identifier)]))
                .header("Idempotency-Key", &identifier);
            std::thread::scope(|scope| {
                let copies: Vec<_> =
                    (0..RIVALS).map(|_| scope.spawn(|| server.send(&request))).collect();
                for copy in copies {
                    let said = copy.join().unwrap().said();
                    assert_eq!(said, taken_in(&[(&identifier, "created")]));
                }
            });
        }
    }
}

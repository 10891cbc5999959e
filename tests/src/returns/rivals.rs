//! Two tabs, one unit: exactly one return has it, and the other is told so.

use std::sync::Barrier;

use serde_json::json;

use super::scene::{refund, request, sample_order, scenes};
use crate::harness::{home::text, http::Request, samples::message, server::publication};

const PAIRS: usize = 8;

#[test]
fn of_two_requests_for_the_same_unit_one_wins_and_the_other_gets_409() {
    for scene in scenes() {
        let server = scene.stage.server;
        let token = &scene.stage.token;
        for pair in 0..PAIRS {
            scene.publish(&sample_order(&format!("P{pair}")));
        }
        let gate = Barrier::new(2 * PAIRS);
        let replies: Vec<_> = std::thread::scope(|scope| {
            let gate = &gate;
            let contender = |pair: usize| {
                scope.spawn(move || {
                    let wanted = request("mail-back", &[(&format!("P{pair}"), "mug", 1)]);
                    let post = Request::post("/returns").bearer(token).json(wanted.to_string());
                    let mut connection = server.connect();
                    gate.wait();
                    connection.send(&post).unwrap()
                })
            };
            let pairs: Vec<_> = (0..PAIRS).map(|pair| [contender(pair), contender(pair)]).collect();
            pairs.into_iter().map(|pair| pair.map(|it| it.join().unwrap())).collect()
        });
        for mut pair in replies {
            pair.sort_by_key(|reply| reply.status);
            let [won, lost] = &pair;
            assert_eq!((won.status, lost.status), (201, 409), "{}: {}", won.said(), lost.said());
            let rma = text(&won.json()["rma_identifier"]);
            let why = format!(
                "these units are already being returned: $.items[0]: already in return {rma}"
            );
            assert_eq!(lost.json(), json!({ "message": why }));
        }
    }
}

#[test]
fn a_cancel_and_a_scan_at_once_agree_on_who_was_first() {
    for scene in scenes() {
        let server = scene.stage.server;
        for number in 0..4 {
            scene.publish(&sample_order(&format!("C{number}")));
            let rma = scene.start(&request("mail-back", &[(&format!("C{number}"), "mug", 1)]));
            scene.label(&rma);
            let cancel =
                Request::post(&format!("/returns/{rma}/cancel")).bearer(&scene.stage.token);
            let events = json!({ "events": [{ "type": "in_transit", "rma_identifier": rma }] });
            let scan = Request::post("/carrier_events").bearer(&scene.stage.admin);
            let scan = scan.json(events.to_string());
            let gate = Barrier::new(2);
            let (cancelled, scanned) = std::thread::scope(|scope| {
                let at_once = |request: Request| {
                    let gate = &gate;
                    scope.spawn(move || {
                        gate.wait();
                        server.send(&request)
                    })
                };
                let [one, two] = [at_once(cancel), at_once(scan)];
                (one.join().unwrap(), two.join().unwrap())
            });
            let result = text(&scanned.json()["results"][0]["result"]);
            match cancelled.status {
                200 => assert_eq!(result, "refused"),
                409 => assert_eq!(result, "applied"),
                other => panic!("{other}: {}", cancelled.said()),
            }
            assert_eq!(scene.bodies(&rma).len(), 3);
        }
    }
}

#[test]
fn a_refund_and_a_return_of_the_same_unit_at_once_spend_it_once() {
    for scene in scenes() {
        let server = scene.stage.server;
        for number in 0..PAIRS {
            let name = format!("R{number}");
            scene.publish(&sample_order(&name));
            let mut refunded = sample_order(&name);
            refunded["updated_at"] = json!("2026-04-01T08:00:00Z");
            refunded["refunds"] = json!([refund(&format!("RF-{number}"), None, &[("mug", 1)])]);
            let pay = publication(&scene.stage.token, message(&[refunded]));
            let wanted = request("mail-back", &[(&name, "mug", 1)]);
            let start =
                Request::post("/returns").bearer(&scene.stage.token).json(wanted.to_string());
            let gate = Barrier::new(2);
            let (paid, started) = std::thread::scope(|scope| {
                let at_once = |request: Request| {
                    let gate = &gate;
                    scope.spawn(move || {
                        gate.wait();
                        server.send(&request)
                    })
                };
                let [one, two] = [at_once(pay), at_once(start)];
                (one.join().unwrap(), two.join().unwrap())
            });
            assert_eq!(paid.status, 200, "{}", paid.said());
            let answer = started.json();
            match started.status {
                // The return came first, so the refund is its.
                201 => {
                    let shown = scene.show(&text(&answer["rma_identifier"]));
                    assert_eq!(shown["status"], "REFUNDED");
                }
                422 => assert_eq!(answer["errors"][0]["rule"], "already_refunded"),
                other => panic!("{other}: {}", started.said()),
            }
            assert!(scene.problems("conflict").is_empty());
            assert!(scene.problems("unmatched").is_empty());
        }
    }
}

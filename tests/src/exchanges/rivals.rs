//! Two tabs, one order: whoever is first gets the exchange, the other is told and can have the
//! money.

use std::{collections::BTreeMap, sync::Barrier, thread, time::Duration};

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::Behavior;

use super::stage::{
    ExchangeStage, exchange_for, gift_card, item, parse_body, refund, sample_order, servers,
};
use crate::harness::{home::text, http::Reply};

const ORDERS: usize = 12;

/// What each tab of an order asks for: other units, so that only the exchange order is in dispute.
fn tabs(order: &str) -> [Value; 3] {
    [
        item(order, "tees", 1, &exchange_for("TEE-NAVY-L")),
        item(order, "scarf", 1, &gift_card()),
        item(order, "tees", 1, &exchange_for("TEE-NAVY-S")),
    ]
}

/// Asks for all of them at the same moment.
fn at_once(stage: &ExchangeStage<'_>, items: &[Value]) -> Vec<Reply> {
    let ready = Barrier::new(items.len());
    thread::scope(|scope| {
        let ask = |item: &Value| {
            let (ready, item) = (&ready, item.clone());
            scope.spawn(move || {
                ready.wait();
                stage.try_to_start(&[item])
            })
        };
        let asking: Vec<_> = items.iter().map(ask).collect();
        asking.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

/// How many different bodies were sent under each key.
fn bodies_by_key(stage: &ExchangeStage<'_>) -> BTreeMap<String, usize> {
    let mut bodies: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for call in stage.calls(MessageKind::ExchangeOrder) {
        let body = parse_body(&call);
        let known = bodies.entry(text(&body["original_order_id"])).or_default();
        if !known.contains(&body) {
            known.push(body);
        }
    }
    bodies.into_iter().map(|(key, known)| (key, known.len())).collect()
}

#[test]
fn of_several_tabs_one_gets_the_exchange_and_the_others_can_have_the_money() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let orders: Vec<String> = (1..=ORDERS).map(|number| format!("O-{number:02}")).collect();
        for id in &orders {
            stage.publish(&sample_order(id));
        }
        let all: Vec<Value> = orders.iter().flat_map(|id| tabs(id)).collect();

        let replies = at_once(&stage, &all);

        for (tabs, replies) in all.chunks(3).zip(replies.chunks(3)) {
            let won = replies.iter().filter(|reply| reply.status == 201).count();
            assert_eq!(won, 1, "{replies:?}");
            for (tab, reply) in tabs.iter().zip(replies).filter(|(_, it)| it.status != 201) {
                assert_told(reply);
                assert_can_be_refunded(&stage, tab);
            }
        }
        let expected: BTreeMap<_, _> = orders.iter().map(|id| (id.clone(), 1)).collect();
        crate::harness::eventually("every order is placed", || {
            (stage.exchange_orders("state=placed").len() == ORDERS).then_some(())
        });
        assert_eq!(bodies_by_key(&stage), expected, "one body under each key");
        assert_eq!(stage.shop.merchant().summary().exchange_orders, 12);
        stage.assert_promises_kept();
    }
}

/// The one who came too late hears why, and what is possible.
fn assert_told(reply: &Reply) {
    match reply.status {
        422 => {
            let errors = &reply.json()["errors"];
            assert_eq!(errors[0]["rule"], "one_exchange_order", "{errors}");
            assert_eq!(errors[0]["field"], "$.items[0].resolution");
            assert_eq!(
                errors[0]["message"],
                "units of this order were already exchanged, which is possible only once; a refund is \
                 still possible"
            );
        }
        // So many rivals that the race was lost again and again.
        status => assert_eq!(status, 409, "{}", reply.said()),
    }
}

fn assert_can_be_refunded(stage: &ExchangeStage<'_>, tab: &Value) {
    let order = text(&tab["order_identifier"]);
    let line = text(&tab["order_line_item_identifier"]);
    stage.start(&[item(&order, &line, 1, &refund())]);
}

/// Both tabs want the last unit: nobody gets it twice, in whatever form.
#[test]
fn a_unit_is_not_exchanged_in_one_tab_and_refunded_in_the_other() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        for number in 0..ORDERS {
            let id = format!("O-{number}");
            stage.publish(&sample_order(&id));
            let wants = [gift_card(), refund(), exchange_for("SCARF-GREY"), refund()];
            let items: Vec<Value> =
                wants.iter().map(|wants| item(&id, "scarf", 1, wants)).collect();

            let replies = at_once(&stage, &items);

            let won = replies.iter().filter(|reply| reply.status == 201).count();
            assert_eq!(won, 1, "{replies:?}");
        }
        let placed = stage.exchange_orders("").len();
        let asked = bodies_by_key(&stage);
        assert!(asked.len() <= placed && asked.values().all(|bodies| *bodies == 1), "{asked:?}");
        stage.assert_promises_kept();
    }
}

#[test]
fn a_snapshot_that_arrives_while_a_return_is_decided_counts() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let mut order = sample_order("O-1");
        stage.publish(&order);
        let slow = Behavior { delay_ms: 1_000, ..Behavior::NORMAL };
        stage.behave(MessageKind::ExchangeVariants, slow);
        let wanted = [item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))];

        let reply = thread::scope(|scope| {
            let asking = scope.spawn(|| stage.try_to_start(&wanted));
            thread::sleep(Duration::from_millis(500));
            order["updated_at"] = json!("2026-05-01T08:00:00Z");
            order["items"][0]["return_policy_end_date"] = json!("2026-03-01");
            stage.publish(&order);
            asking.join().unwrap()
        });

        assert_eq!(reply.status, 422, "{}", reply.said());
    }
}

//! The server is killed without warning while exchange orders are placed, again and again: often
//! just after the merchant has answered, before anything of that is stored. What was confirmed ends
//! with one order each, under the identifier that the merchant gave, for what the units were worth.
//!
//! `HOMEWARD_CRASH_ROUNDS` says how often on each engine.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::{Behavior, Running};

use super::expected::Rma;
use super::stage::{
    ExchangeStage, QUICK, exchange_for, exchange_order, gift_card, item, parse_body, request,
    sample_order,
};
use crate::harness::{
    home::{Home, text},
    http::{Connection, Reply, Request},
    postgres::{CITUS, POSTGRES},
    samples::message,
    server::publication,
    stage::Stage,
};

const WORKERS: usize = 3;
/// Longer than a dead node's lease.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

#[test]
fn on_sqlite_every_exchange_is_placed_once() {
    survive(&Home::sqlite(), rounds(6));
}

#[test]
fn on_postgres_every_exchange_is_placed_once() {
    // Each time the dead server's lease must run out.
    Home::test_on(&POSTGRES, "exchanges_crash", |home| survive(home, rounds(2)));
}

#[test]
fn on_citus_every_exchange_is_placed_once() {
    // Each time the dead server's lease must run out.
    Home::test_on(&CITUS, "exchanges_crash", |home| survive(home, rounds(2)));
}

fn rounds(usual: usize) -> usize {
    let rounds = std::env::var("HOMEWARD_CRASH_ROUNDS");
    rounds.ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Two tees for a large one and a card, so that both kinds of item are at stake.
fn exchange(id: &str) -> String {
    let items =
        [item(id, "tees", 2, &exchange_for("TEE-NAVY-L")), item(id, "scarf", 1, &gift_card())];
    request(&items).to_string()
}

/// Publishes an order and exchanges it; None when the server went away meanwhile.
fn try_once(address: &str, token: &str, id: &str) -> Option<Reply> {
    let mut connection = Connection::open(address).ok()?;
    let published = connection.send(&publication(token, message(&[sample_order(id)]))).ok()?;
    assert_eq!(published.status, 200, "{}", published.said());
    let start = Request::post("/returns").bearer(token).header("Idempotency-Key", id);
    connection.send(&start.json(exchange(id))).ok()
}

/// Exchanges one order after the other until the server is gone.
fn exchange_on(address: &str, token: &str, next: &AtomicUsize) {
    loop {
        let id = format!("O-{}", next.fetch_add(1, Ordering::Relaxed));
        let Some(reply) = try_once(address, token, &id) else { return };
        assert_eq!(reply.status, 201, "{}", reply.said());
    }
}

/// Waits until the merchant has placed more, and then no longer than it takes to kill.
fn wait_for_an_order(shop: &Running, before: u64) {
    let begun = Instant::now();
    while shop.merchant().summary().exchange_orders < before + 3 {
        assert!(begun.elapsed() < ENDS_WITHIN, "nothing arrives");
        thread::sleep(Duration::from_micros(200));
    }
}

fn survive(home: &Home, rounds: usize) {
    let mut server = home.serve(&QUICK);
    let ExchangeStage { stage: Stage { tenant, .. }, shop } = ExchangeStage::set(&server);
    shop.merchant().set_stock("TEE-NAVY-L", 1_000_000);
    let busy = Behavior { delay_ms: 2, ..Behavior::NORMAL }.of(MessageKind::ExchangeOrder);
    shop.merchant().behave(&[busy]).unwrap();
    let next = AtomicUsize::new(0);
    for _ in 0..rounds {
        let address = server.address.clone();
        let before = shop.merchant().summary().exchange_orders;
        thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| exchange_on(&address, &tenant.token, &next));
            }
            wait_for_an_order(&shop, before);
            server.kill9();
        });
        server.restart();
    }
    let stage = ExchangeStage { stage: Stage { server: &server, tenant }, shop };
    let orders = next.into_inner();
    judge(&stage, orders);
    let calls = stage.shop.merchant().summary().kind(MessageKind::ExchangeOrder).calls;
    let calls = usize::try_from(calls).unwrap();
    eprintln!("{rounds} kills: {orders} orders, {} of them sent again", calls - orders);
}

/// All of them end as if nobody had ever been killed.
fn judge(stage: &ExchangeStage<'_>, orders: usize) {
    let started: Vec<(String, Rma)> = (0..orders)
        .map(|number| {
            let id = format!("O-{number}");
            // Whoever was not answered asks again under the same key.
            let reply = try_once(&stage.server.address, &stage.token, &id).unwrap();
            assert_eq!(reply.status, 201, "{}", reply.said());
            let answer = reply.json();
            (id, Rma { id: text(&answer["rma_identifier"]), answer })
        })
        .collect();
    for (_, rma) in &started {
        stage.until(rma, "placed");
    }
    let given = list_given(stage);
    for (id, rma) in &started {
        let record = stage.until(rma, "placed");
        assert_eq!(record["original_order_id"], *id);
        let credit = (&record["credit_cents"], &record["goods_credit_cents"]);
        assert_eq!(credit, (&json!(13_432), &json!(9_220)), "what was paid");
        assert_eq!(record["exchange_order_identifier"], given[id], "the merchant's own name");
        assert_named(stage, rma, &record);
    }
    assert_asked_once(stage, orders);
    for (_, rma) in &started {
        let named = text(&stage.until(rma, "placed")["exchange_order_identifier"]);
        stage.publish(&exchange_order(&named, 4_500, 360));
        assert_eq!(stage.held(rma)["status"], "REFUNDED");
    }
    assert_books_balance(stage, started.iter().map(|(_, rma)| rma.id.as_str()));
}

fn read(stage: &ExchangeStage<'_>, target: &str) -> Value {
    let reply = stage.server.send(&Request::get(target).bearer(&stage.token));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

/// No return changed without its event, no event is without its change, and the entries of all of
/// them add up to what the returns owe.
fn assert_books_balance<'a>(stage: &ExchangeStage<'_>, returns: impl Iterator<Item = &'a str>) {
    let mut owed = 0;
    for rma in returns {
        let now = read(stage, &format!("/returns/{rma}"));
        let events = read(stage, &format!("/returns/{rma}/events"))["events"].clone();
        let events = events.as_array().unwrap();
        let numbers: Vec<i64> = events.iter().map(|it| it["number"].as_i64().unwrap()).collect();
        let expected: Vec<i64> = (1..).take(numbers.len()).collect();
        assert_eq!(numbers, expected, "{rma} has a gap in its journal");
        let last = text(&events[events.len() - 1]["at"]);
        assert_eq!(read(stage, &format!("/returns/{rma}?as_of={last}")), now);
        let messages = read(stage, &format!("/messages?ref={rma}"))["messages"].clone();
        assert_eq!(messages.as_array().unwrap().len(), events.len(), "a message for each event");
        owed += now["statement"]["balance_cents"].as_i64().unwrap();
    }
    let balance = read(stage, "/money/balance");
    let book = &balance["currencies"][0];
    assert_eq!(book["sum_cents"], 0);
    assert_eq!(book["accounts"][0], json!({ "account": "promised", "amount_cents": -owed }));
}

/// What the merchant called its order for each original order.
fn list_given(stage: &ExchangeStage<'_>) -> BTreeMap<String, Value> {
    let calls = stage.calls(MessageKind::ExchangeOrder).into_iter();
    let answers = calls.filter(|call| call.answer.is_success()).map(|call| {
        let answer: Value =
            serde_json::from_str(&call.content.as_ref().unwrap().answer_body).unwrap();
        (text(&parse_body(&call)["original_order_id"]), answer["order_identifier"].clone())
    });
    answers.collect()
}

/// The return names its order, and no unit is paid for.
fn assert_named(stage: &ExchangeStage<'_>, rma: &Rma, record: &Value) {
    let held = stage.held(rma);
    assert_eq!(held["status"], "CREATED");
    for unit in held["items"].as_array().unwrap() {
        assert_eq!(unit["exchange_order_identifier"], record["exchange_order_identifier"]);
        assert_eq!(unit["refund_financials"]["shopper_refund_amount_cents"], 0);
    }
}

fn assert_asked_once(stage: &ExchangeStage<'_>, orders: usize) {
    let summary = stage.shop.merchant().summary();
    assert_eq!(usize::try_from(summary.exchange_orders).unwrap(), orders);
    assert_eq!(summary.violations, []);
    let ids = summary.kind(MessageKind::ExchangeOrder).distinct_ids;
    assert_eq!(usize::try_from(ids).unwrap(), orders, "each is one message");
    let taken = 1_000_000 - stage.shop.merchant().stock("TEE-NAVY-L").unwrap();
    assert_eq!(usize::try_from(taken).unwrap(), orders * 2);
}

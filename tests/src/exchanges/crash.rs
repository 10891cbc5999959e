//! The server is killed without warning while exchange orders are placed, again and again: often just after
//! the merchant has answered, before anything of that is stored. What was confirmed ends with one order each,
//! under the identifier that the merchant gave, for what the units were worth.
//!
//! `HOMEWARD_CRASH_ROUNDS` says how often on each engine.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use domain::kind::Kind;
use serde_json::{Value, json};
use sim::{Behaviour, Running};

use super::stage::{
    QUICK, Rma, Stage, body, exchange_for, exchange_order, gift_card, item, order, request,
};
use crate::harness::{
    eventually,
    home::{Home, text},
    http::{Connection, Reply, Request},
    postgres,
    samples::message,
    server::publication,
};

const WORKERS: usize = 3;
/// Longer than a dead node's lease.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

#[test]
fn on_sqlite_every_exchange_is_placed_once() {
    survive(&Home::sqlite());
}

#[test]
fn on_postgres_every_exchange_is_placed_once() {
    if let Some(address) = postgres::schema("exchanges_crash") {
        survive(&Home::on(&address));
    }
}

fn rounds() -> usize {
    let rounds = std::env::var("HOMEWARD_CRASH_ROUNDS");
    rounds.ok().and_then(|text| text.parse().ok()).unwrap_or(6)
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
    let published = connection.send(&publication(token, message(&[order(id)]))).ok()?;
    assert_eq!(published.status, 200, "{}", published.said());
    let start = Request::post("/returns").bearer(token).header("Idempotency-Key", id);
    connection.send(&start.json(exchange(id))).ok()
}

/// Workers exchange one order after the other until the server is gone.
fn exchange_on(address: &str, token: &str, next: &AtomicUsize, gone: &AtomicBool) {
    while !gone.load(Ordering::Relaxed) {
        let id = format!("O-{}", next.fetch_add(1, Ordering::Relaxed));
        if let Some(reply) = try_once(address, token, &id) {
            assert_eq!(reply.status, 201, "{}", reply.said());
        }
    }
}

/// Waits until the merchant has placed more, and then no longer than it takes to kill.
fn wait_for_an_order(shop: &Running, before: u64) {
    let begun = Instant::now();
    while shop.merchant().summary().exchange_orders < before + 3 {
        assert!(begun.elapsed() < ENDS_WITHIN, "nothing arrives");
        thread::yield_now();
    }
}

fn survive(home: &Home) {
    let mut server = home.serve(&QUICK);
    let Stage { admin, merchant, token, shop, .. } = Stage::set(&server);
    shop.merchant().set_stock("TEE-NAVY-L", 1_000_000);
    let busy = Behaviour { delay_ms: 2, ..Behaviour::NORMAL }.of(Kind::ExchangeOrder);
    shop.merchant().behave(&[busy]).unwrap();
    let next = AtomicUsize::new(0);
    for _ in 0..rounds() {
        let (address, gone) = (server.address.clone(), AtomicBool::new(false));
        let before = shop.merchant().summary().exchange_orders;
        thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| exchange_on(&address, &token, &next, &gone));
            }
            wait_for_an_order(&shop, before);
            server.kill9();
            gone.store(true, Ordering::Relaxed);
        });
        server.restart();
    }
    let stage = Stage { server: &server, admin, merchant, token, shop };
    judge(&stage, next.into_inner());
}

/// All of them end as if nobody had ever been killed.
fn judge(stage: &Stage<'_>, orders: usize) {
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
    for (id, rma) in &started {
        let record = stage.until(rma, "placed");
        assert_eq!(record["original_order_id"], *id);
        let credit = (&record["credit_cents"], &record["goods_credit_cents"]);
        assert_eq!(credit, (&json!(13_432), &json!(9_220)), "what was paid");
        assert_named(stage, rma, &record);
    }
    assert_asked_once(stage, orders);
    for (_, rma) in &started {
        let named = text(&stage.until(rma, "placed")["exchange_order_identifier"]);
        stage.publish(&exchange_order(&named, 4_500, 360));
        assert_eq!(stage.held(rma)["status"], "REFUNDED");
    }
    eprintln!("{orders} exchanges survived {} kills", rounds());
}

/// The return names the order that the merchant gave for its key, and no unit is paid for.
fn assert_named(stage: &Stage<'_>, rma: &Rma, record: &Value) {
    let held = eventually("the return is told", || {
        Some(stage.held(rma)).filter(|held| held["status"] == "CREATED")
    });
    for unit in held["items"].as_array().unwrap() {
        assert_eq!(unit["exchange_order_identifier"], record["exchange_order_identifier"]);
        assert_eq!(unit["refund_financials"]["shopper_refund_amount_cents"], 0);
    }
    let given = stage.calls(Kind::ExchangeOrder).into_iter().find_map(|call| {
        let ours = body(&call)["original_order_id"] == record["original_order_id"];
        let answer = call.content.filter(|_| ours && call.answer.is_success())?.answer_body;
        serde_json::from_str::<Value>(&answer).ok()
    });
    assert_eq!(given.unwrap()["order_identifier"], record["exchange_order_identifier"]);
}

fn assert_asked_once(stage: &Stage<'_>, orders: usize) {
    let summary = stage.shop.merchant().summary();
    assert_eq!(usize::try_from(summary.exchange_orders).unwrap(), orders);
    assert_eq!(summary.violations, []);
    let ids = summary.kind(Kind::ExchangeOrder).distinct_ids;
    assert_eq!(usize::try_from(ids).unwrap(), orders, "each is one message");
    let taken = 1_000_000 - stage.shop.merchant().stock("TEE-NAVY-L").unwrap();
    assert_eq!(usize::try_from(taken).unwrap(), orders * 2);
}

//! What an idle node costs does not depend on how many merchants there are.

use std::{thread, time::Duration};

use crate::harness::{
    home::Home,
    http::Request,
    postgres::{POSTGRES, read_text},
    server::Server,
};

const MERCHANTS: usize = 10_000;
const OBSERVED: Duration = Duration::from_secs(12);
/// Leases, labels, exchange orders, pending messages and shared counts: all of them together.
const A_SECOND_MAX: u64 = 12;

/// Queries and transactions of the node so far.
fn count_statements(server: &Server) -> u64 {
    let metrics = server.send(&Request::get("/metrics")).text().to_owned();
    let value = |name: &str| -> u64 {
        let line = metrics.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    value("homeward_store_queries_total") + value("homeward_store_transactions_total")
}

fn count_while_idle(server: &Server) -> u64 {
    thread::sleep(Duration::from_secs(2));
    let before = count_statements(server);
    thread::sleep(OBSERVED);
    count_statements(server) - before
}

#[test]
fn an_idle_node_makes_no_more_statements_with_ten_thousand_merchants() {
    let Some(schema) = POSTGRES.schema("idle") else { return };
    let server = Home::on(&schema.address).serve(&[]);
    let merchant = server.merchant("idle");
    let with_one = count_while_idle(&server);

    // As they are after a long time: each with an endpoint and messages that were delivered.
    let copies = format!(
        "WITH numbers AS (SELECT 'copy-' || n AS id FROM generate_series(1, {MERCHANTS}) n),
         added AS (
             INSERT INTO merchants (merchant_id, version, body)
             SELECT numbers.id, 1, replace(m.body, m.merchant_id, numbers.id)
             FROM merchants m, numbers WHERE m.merchant_id = '{}'),
         counted AS (
             INSERT INTO message_counters (merchant_id, last) SELECT id, 1 FROM numbers),
         sent AS (
             INSERT INTO messages (merchant_id, message_id, kind, reference, sequence, created_us,
                 body)
             SELECT id, 1, 'rma', 'A', 1, 0, '' FROM numbers)
         SELECT ''",
        merchant.id
    );
    read_text(&schema.address, &copies);
    let with_many = count_while_idle(&server);

    eprintln!("statements in {OBSERVED:?}: {with_one}, and with {MERCHANTS} merchants {with_many}");
    let tolerated = with_one + with_one / 4 + 5;
    assert!(with_many <= tolerated, "{with_many} statements, with one merchant {with_one}");
    assert!(with_many <= A_SECOND_MAX * OBSERVED.as_secs(), "{with_many} in {OBSERVED:?}");
}

//! The export of a large book: streamed, in little memory, and equal to the balance.
//!
//! `ENTRIES` says how many entries are exported (100,000; the long run 1,000,000).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::{
    home::{Home, Merchant},
    http::Request,
    postgres, read_number,
    server::Server,
    stage::QUICK,
};

const ENTRIES: usize = 100_000;
/// Each event promises goods, tax and shipping.
const ENTRIES_PER_EVENT: usize = 4;
const MEMORY_GROWTH_MAX_MIB: u64 = 50;

/// Statements that post `events` events of a merchant, each of another amount.
fn post_events(merchant: &str, events: usize) -> String {
    format!(
        "INSERT INTO postings (merchant_id, at_us, rma_id, number, currency, promised, refunds, \
            gift_cards, exchanges, goods, tax, shipping, fees, bonus, absorbed, written_off) \
         WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL \
            SELECT n + 1 FROM numbers WHERE n < {events}) \
         SELECT '{merchant}', 1790000000000000 + n * 1000003, \
            'RMA-1000-1000-' || (1000 + n % 9000), 1, 'EUR', -(1000 + n % 997 + 190 + 495), \
            0, 0, 0, 1000 + n % 997, 190, 495, 0, 0, 0, 0 \
         FROM numbers"
    )
}

/// A server with a merchant whose books are long.
fn serve_with(home: &Home, post: impl FnOnce(&str)) -> (Server, Merchant) {
    let mut server = home.serve(&QUICK);
    let merchant = server.merchant("books");
    server.stop();
    post(&merchant.id);
    server.restart();
    (server, merchant)
}

fn get(server: &Server, token: &str, target: &str) -> Vec<u8> {
    let reply = server.send(&Request::get(target).bearer(token));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.body
}

/// The number of entries in a file of CSV, and their sum for each account.
fn add_up(file: &[u8]) -> (usize, BTreeMap<&str, i64>) {
    let mut sums = BTreeMap::new();
    let mut entries = 0;
    for line in std::str::from_utf8(file).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields.len(), fields[4]), (6, "EUR"), "{line}");
        *sums.entry(fields[3]).or_default() += fields[5].parse::<i64>().unwrap();
        entries += 1;
    }
    (entries, sums)
}

fn assert_exported(server: &Server, merchant: &Merchant, events: usize) {
    let token = server.token(merchant);
    // What a server needs for its first answer is not counted.
    get(server, &token, "/money/entries?limit=500");
    let before_mib = server.memory_mib();

    let file = get(server, &token, "/money/entries?format=csv");

    let grown_mib = server.memory_peak_mib() - before_mib;
    let length_mib = file.len() >> 20;
    eprintln!("{length_mib} MiB exported, the memory of the server grew by {grown_mib} MiB");
    assert!(grown_mib < MEMORY_GROWTH_MAX_MIB, "{grown_mib} MiB");
    let (entries, sums) = add_up(&file);
    assert_eq!(entries, events * ENTRIES_PER_EVENT);
    assert_eq!(sums["tax"], 190 * i64::try_from(events).unwrap());
    assert_eq!(sums.values().sum::<i64>(), 0);

    let balance: Value = serde_json::from_slice(&get(server, &token, "/money/balance")).unwrap();
    let accounts = balance["currencies"][0]["accounts"].as_array().unwrap();
    let balances: BTreeMap<&str, i64> = accounts
        .iter()
        .map(|it| (it["account"].as_str().unwrap(), it["amount_cents"].as_i64().unwrap()))
        .filter(|(_, amount)| *amount != 0)
        .collect();
    assert_eq!(balances, sums);
}

#[test]
fn a_long_book_is_exported_in_little_memory_and_its_sums_are_the_balance() {
    let events = read_number("ENTRIES", ENTRIES) / ENTRIES_PER_EVENT;
    let home = Home::sqlite();
    let (server, merchant) = serve_with(&home, |merchant| {
        let database = rusqlite::Connection::open(home.data_dir().join("homeward.db")).unwrap();
        database.execute_batch(&post_events(merchant, events)).unwrap();
    });
    assert_exported(&server, &merchant, events);
    for schema in postgres::schemas("export") {
        let home = Home::on(&schema.address);
        let (server, merchant) =
            serve_with(&home, |merchant| schema.execute(&post_events(merchant, events)));
        assert_exported(&server, &merchant, events);
    }
}

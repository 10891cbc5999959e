//! Systems that poll lists: they see every change, whatever commits meanwhile, and only what their
//! scope allows.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use crate::harness::{
    eventually,
    home::{Merchant, text},
    http::Request,
    samples::{message, sample_order},
    server::Server,
    shared,
};

const WRITERS: usize = 16;
/// What each writer does in turn.
const ROUNDS: usize = 4;

const LISTS: [&str; 5] = ["orders", "returns", "asns", "shipments", "drop_ship_orders"];

struct Platform {
    server: &'static Server,
    merchant: Merchant,
    token: String,
    warehouse: String,
    carrier: String,
}

/// A server on each engine except for Citus, where lists are two and a half minutes behind. The
/// conformance suite of the store has them there.
fn servers() -> impl Iterator<Item = &'static Server> {
    shared::on_every_engine().filter(|server| server.home.engine() != "citus")
}

fn set_up_platform(server: &'static Server) -> Platform {
    let client = |scope: &str| {
        let added = server.home.json(&["client", "add", "--name", "poller", "--scope", scope]);
        server.token(&Merchant::read("platform", &added))
    };
    let merchant = server.merchant("lists");
    server.home.json(&["merchant", "set", &merchant.id, "--managed-receiving", "true"]);
    let token = server.token(&merchant);
    let (warehouse, carrier) = (client("warehouse:write"), client("carrier:write"));
    Platform { server, merchant, token, warehouse, carrier }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

impl Platform {
    fn ask(&self, token: &str, method: &str, target: &str, body: &Value) -> Value {
        let request = Request::new(method, target).bearer(token).json(body.to_string());
        let reply = self.server.send(&request);
        assert!((200..300).contains(&reply.status), "{method} {target}: {}", reply.said());
        reply.json()
    }

    fn get(&self, token: &str, target: &str) -> Value {
        let reply = self.server.send(&Request::get(target).bearer(token));
        assert_eq!(reply.status, 200, "{target}: {}", reply.said());
        reply.json()
    }

    /// Stores and changes something of every list; the identifiers are those of `mark`.
    fn write(&self, mark: &str) -> Vec<(&'static str, String, String)> {
        let order_id = format!("O-{mark}");
        let mut order = sample_order(&order_id);
        order["items"][0]["quantity"] = json!(2);
        order["items"][0]["quantity_shipped"] = json!(2);
        order["items"][0]["return_policy_end_date"] = json!("2126-04-30");
        assert_eq!(self.server.publish(&self.token, &message(&[order.clone()])).status, 200);
        order["note"] = json!("changed");
        order["updated_at"] = json!("2027-01-01T00:00:00Z");
        assert_eq!(self.server.publish(&self.token, &message(&[order])).status, 200);

        let wanted = json!({
            "email": "lena.brandt@example.com", "return_method": "mail-back",
            "items": [{ "order_identifier": order_id, "order_line_item_identifier": "1",
                "quantity": 1, "return_reason": "too_small", "resolution": "refund" }],
        });
        let rma = text(&self.ask(&self.token, "POST", "/returns", &wanted)["rma_identifier"]);
        self.ask(&self.token, "POST", &format!("/returns/{rma}/cancel"), &json!({}));

        let asn = format!("A-{mark}");
        let mut announced = parse(domain::samples::inbound_asn_request());
        announced["asn_number"] = json!(asn);
        let details = announced["cartons"][0]["details"].as_array_mut().unwrap();
        for (number, detail) in details.iter_mut().enumerate() {
            detail["unit_identifier"] = json!(format!("LP-{mark}-{number}"));
        }
        self.ask(&self.token, "POST", "/asns", &announced);
        announced["status"] = json!("delivered");
        self.ask(&self.token, "PUT", &format!("/asns/{asn}"), &announced);

        let out = format!("S-{mark}");
        let mut shipment = parse(domain::samples::shipment_request());
        shipment["asn_number"] = json!(out);
        shipment["cartons"] = json!([{ "details": [{ "line_identifier": "1", "sku": "A",
            "program_identifier": "west", "unit_identifier": format!("LPS-{mark}"),
            "condition": "N" }] }]);
        let of_merchant = format!("merchant={}", self.merchant.id);
        self.ask(&self.warehouse, "POST", &format!("/shipments?{of_merchant}"), &shipment);
        let change = json!({ "status": "delivered" });
        let target = format!("/shipments/{out}?{of_merchant}");
        self.ask(&self.warehouse, "PATCH", &target, &json!({ "status": "shipped" }));
        self.ask(&self.warehouse, "PATCH", &target, &change);

        let drop_ship = format!("D-{mark}");
        let mut placed = parse(domain::samples::drop_ship_order_request());
        placed["order"]["client_identifier"] = json!(drop_ship);
        self.ask(&self.token, "POST", "/drop_ship_orders", &placed);
        let target = format!("/drop_ship_orders/{drop_ship}/cancellations?{of_merchant}");
        self.ask(&self.warehouse, "POST", &target, &json!({ "reason": "lost" }));

        let seen = |list, id: &str, status: &str| (list, id.to_owned(), status.to_owned());
        vec![
            seen("orders", &order_id, "Created"),
            seen("returns", &rma, "CANCELED"),
            seen("asns", &asn, "delivered"),
            seen("shipments", &out, "delivered"),
            seen("drop_ship_orders", &drop_ship, "cancelled"),
        ]
    }
}

/// A reader of one list: the last status of everything it saw.
struct Poller<'a> {
    platform: &'a Platform,
    token: &'a str,
    list: &'static str,
    since: String,
    next: Option<String>,
    seen: BTreeMap<String, String>,
}

impl<'a> Poller<'a> {
    fn new(platform: &'a Platform, token: &'a str, list: &'static str) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the server has the time of this machine, too"
        )]
        let now_us = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        let since = domain::time::from_micros(i64::try_from(now_us).unwrap()).unwrap().to_string();
        Self { platform, token, list, since, next: None, seen: BTreeMap::new() }
    }

    /// Reads the next page; whether there is more.
    fn poll(&mut self, with_cursor: bool) -> bool {
        let mut target = format!("/{}?limit=7", self.list);
        match &self.next {
            Some(next) => target = format!("{target}&after={}", next.replace(' ', "%20")),
            None => target = format!("{target}&updated_since={}", self.since),
        }
        let page = self.platform.get(self.token, &target);
        for entry in page[self.list].as_array().unwrap() {
            let id = ["identifier", "rma_identifier", "asn_number", "client_identifier"];
            let id = id.iter().find_map(|key| entry[*key].as_str()).unwrap();
            self.seen.insert(id.to_owned(), text(&entry["status"]));
            self.since = text(&entry["updated_at"]);
        }
        let more = page["more"].as_bool().unwrap();
        // Without a cursor, a reading begins anew with the time of what was read last.
        self.next = (with_cursor || more).then(|| text(&page["next"]));
        more
    }
}

#[test]
fn a_reader_that_polls_during_load_sees_every_change() {
    for server in servers() {
        let platform = set_up_platform(server);
        let writing = AtomicBool::new(true);
        let (expected, readers) = thread::scope(|scope| {
            let read = |list: &'static str, token: &'static str| {
                let (platform, writing) = (&platform, &writing);
                let (token, with_cursor) = match token {
                    "merchant" => (&platform.token, true),
                    "times" => (&platform.token, false),
                    _ => (&platform.warehouse, true),
                };
                let mut poller = Poller::new(platform, token, list);
                scope.spawn(move || {
                    while writing.load(Ordering::Relaxed) {
                        poller.poll(with_cursor);
                    }
                    (poller, with_cursor)
                })
            };
            let mut readers = Vec::new();
            for list in LISTS {
                readers.push(read(list, "merchant"));
                readers.push(read(list, "times"));
                if list != "orders" {
                    readers.push(read(list, "warehouse"));
                }
            }
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let (platform, merchant) = (&platform, &platform.merchant.id);
                    scope.spawn(move || {
                        let mark = |round| format!("{merchant}-{writer}-{round}");
                        (0..ROUNDS).flat_map(|it| platform.write(&mark(it))).collect::<Vec<_>>()
                    })
                })
                .collect();
            let expected: Vec<_> =
                writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
            writing.store(false, Ordering::Relaxed);
            let readers: Vec<_> =
                readers.into_iter().map(|reader| reader.join().unwrap()).collect();
            (expected, readers)
        });
        for (mut poller, with_cursor) in readers {
            let wanted = expected.iter().filter(|(list, ..)| *list == poller.list);
            let wanted: Vec<_> = wanted.map(|(_, id, status)| (id, status)).collect();
            assert_eq!(wanted.len(), WRITERS * ROUNDS);
            eventually("everything is read", || {
                while poller.poll(with_cursor) {}
                let all = |(id, status): &(&String, &String)| poller.seen.get(*id) == Some(*status);
                wanted.iter().all(all).then_some(())
            });
        }
    }
}

#[test]
fn lists_are_filtered_and_name_where_to_continue() {
    for server in servers() {
        let platform = set_up_platform(server);
        let mark = platform.merchant.id.clone();
        let written = platform.write(&mark);
        let read = |target: &str| platform.get(&platform.token, target);
        for (list, id, status) in written {
            let count = |query: &str| {
                let page = read(&format!("/{list}?{query}"));
                assert!(page["next"].is_string(), "{page}");
                page[list].as_array().unwrap().len()
            };
            eventually("it is listed", || (count("limit=5") == 1).then_some(()));
            assert_eq!(count(&format!("status={status}")), 1, "{list}");
            assert_eq!(count(&format!("reference={id}")), 1, "{list}");
            assert_eq!(count("reference=unknown"), 0, "{list}");
            assert_eq!(count("updated_since=2126-01-01T00:00:00Z"), 0, "{list}");
            assert_eq!(count("after="), 1, "it starts at the beginning");
            let unreadable = Request::get(&format!("/{list}?after=nonsense"));
            let said = server.send(&unreadable.bearer(&platform.token));
            assert_eq!(said.status, 400, "{list}");
            assert!(said.said().contains("after is not a position"), "{}", said.said());
            let refused = Request::get(&format!("/{list}?status=lost")).bearer(&platform.token);
            assert_eq!(server.send(&refused).status, 400, "{list}");
        }
        let returns = read(&format!("/returns?reference=O-{mark}"));
        assert_eq!(returns["returns"].as_array().unwrap().len(), 1, "by its order");
        let lines = read(&format!("/asns/A-{mark}?limit=1"));
        assert_eq!(lines["lines"].as_array().unwrap().len(), 1);
        let rest = read(&format!("/asns/A-{mark}?after={}", text(&lines["next"])));
        assert!(rest["next"].is_null() && !rest["lines"].as_array().unwrap().is_empty());
    }
}

/// Which scope reads which list; the documentation has the same table.
const MAY_READ: [(&str, [&str; 5]); 5] = [
    ("read", ["orders", "returns", "asns", "shipments", "drop_ship_orders"]),
    ("warehouse:write", ["", "returns", "asns", "shipments", "drop_ship_orders"]),
    ("carrier:write", ["", "", "asns", "shipments", "drop_ship_orders"]),
    ("admin", [""; 5]),
    ("metrics", [""; 5]),
];

#[test]
fn a_scope_reads_what_its_work_needs_and_nothing_of_other_merchants() {
    for server in servers() {
        let platform = set_up_platform(server);
        let other = set_up_platform(server);
        let mark = platform.merchant.id.clone();
        platform.write(&mark);
        eventually("it is listed", || {
            let page = platform.get(&platform.token, "/drop_ship_orders");
            (page["drop_ship_orders"].as_array().unwrap().len() == 1).then_some(())
        });
        for (scope, lists) in MAY_READ {
            let token = match scope {
                "read" => platform.token.clone(),
                "warehouse:write" => platform.warehouse.clone(),
                "carrier:write" => platform.carrier.clone(),
                _ => {
                    let add = ["client", "add", "--name", "x", "--scope", scope];
                    server.token(&Merchant::read("platform", &server.home.json(&add)))
                }
            };
            for (list, allowed) in LISTS.into_iter().zip(lists) {
                let target = format!("/{list}?merchant={mark}");
                let reply = server.send(&Request::get(&target).bearer(&token));
                assert_eq!(reply.status, if allowed.is_empty() { 403 } else { 200 }, "{target}");
                let said = reply.said();
                if allowed.is_empty() {
                    continue;
                }
                assert!(said.contains(&mark), "{scope} {target}: {said}");
                if scope != "read" {
                    assert!(!said.contains("cents") && !said.contains('@'), "{target}: {said}");
                }
                let theirs = server.send(&Request::get(&target).bearer(&other.token));
                assert!(!theirs.said().contains(&mark), "{target}: {}", theirs.said());
            }
        }
    }
}

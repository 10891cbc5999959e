//! Each alert fires at a real server: servers are brought into trouble and scraped, and `promtool`
//! evaluates the rules as if the trouble lasted.
//!
//! What was scraped is the input of a test of the rules, with each gauge held, and with each
//! counter growing every minute as it grew between two scrapes. Exactly the expected alerts must
//! fire; only of a demo, which has more than one problem on purpose, a single alert is asked for.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    thread,
};

use serde_json::{Value, json};
use sim::{Behavior, Settings};

use super::monitoring::{ALERTS, has_promtool, promtool, read};
use crate::demo::place::Demo;
use crate::harness::{
    binary::workspace,
    eventually,
    home::{Home, SHARED_KEY},
    http::{Connection, Request},
    postgres::{POSTGRES, Schema, read_text},
    server::Server,
    stage::{QUICK, Stage, receiver},
};
use crate::returns::scene::{self, line, request};

const SUSPENDED: &str = "homeward_endpoints{state=\"suspended\"}";
/// More than must wait for an endpoint before it is suspended.
const WAITING: usize = 1_010;
const CALLERS: usize = 16;

/// Longer than any rule waits, together with the time that its rates look back.
const MINUTES: usize = 45;

/// The names of the alerts that fire.
type Alerts = BTreeSet<&'static str>;

/// What Prometheus knows of a server: the value of each series, or that it cannot be scraped.
struct Scrape(Option<BTreeMap<String, f64>>);

impl Scrape {
    fn of(server: &Server) -> Self {
        Self::at(&server.address)
    }

    fn at(address: &str) -> Self {
        let Ok(mut connection) = Connection::open(address) else { return Self(None) };
        let reply = connection.send(&Request::get("/metrics")).unwrap();
        assert_eq!(reply.status, 200, "{}", reply.said());
        let lines = reply.text().lines().filter(|line| !line.starts_with('#'));
        let samples = lines.map(|line| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            (series.to_owned(), value.parse().unwrap())
        });
        Self(Some(samples.collect()))
    }

    fn value(&self, series: &str) -> Option<f64> {
        self.0.as_ref()?.get(series).copied()
    }

    /// The input of a test of the rules, when it stays like this, and the same happens again every
    /// minute as since the scrape `before`.
    fn series(&self, before: &Self) -> String {
        let mut series = String::new();
        let up = usize::from(self.0.is_some());
        writeln!(series, "      - series: 'up{{job=\"homeward\", instance=\"a\"}}'").unwrap();
        writeln!(series, "        values: '{up}+0x{MINUTES}'").unwrap();
        for (name, value) in self.0.iter().flatten() {
            let is_counter = ["_total", "_bucket", "_count", "_sum"]
                .iter()
                .any(|ending| name.split('{').next().unwrap().ends_with(ending));
            let more = if is_counter { value - before.value(name).unwrap_or(0.0) } else { 0.0 };
            let name = match name.split_once('{') {
                Some((name, labels)) => format!("{name}{{instance=\"a\", {labels}"),
                None => format!("{name}{{instance=\"a\"}}"),
            };
            writeln!(series, "      - series: '{}'", name.replace('\'', "''")).unwrap();
            writeln!(series, "        values: '{value}+{more}x{MINUTES}'").unwrap();
        }
        series
    }

    /// The alerts that fire when it goes on like this, and no other does.
    fn fires(&self, before: &Self, expected: &[&'static str]) -> Alerts {
        evaluate(&self.series(before), "", expected);
        expected.iter().copied().collect()
    }

    /// The same, when nothing more happens.
    fn fires_when_held(&self, expected: &[&'static str]) -> Alerts {
        self.fires(self, expected)
    }

    /// The alert that fires, whichever others do.
    fn fires_among_others(&self, name: &'static str) -> Alerts {
        evaluate(&self.series(self), &format!(", alertname=\"{name}\""), &[name]);
        Alerts::from([name])
    }
}

/// Lets `promtool` find out which alerts fire in the end: of those that `matching` selects, exactly
/// these.
fn evaluate(series: &str, matching: &str, expected: &[&str]) {
    let rules = workspace().join(ALERTS);
    let mut test = format!(
        "rule_files: ['{}']\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    \
         input_series:\n{series}    promql_expr_test:\n      \
         - expr: group by (alertname) (ALERTS{{alertstate=\"firing\"{matching}}})\n        \
         eval_time: {MINUTES}m\n        exp_samples:\n",
        rules.display()
    );
    for name in expected {
        writeln!(test, "          - {{ labels: '{{alertname=\"{name}\"}}', value: 1 }}").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scraped.yml");
    std::fs::write(&file, test).unwrap();
    promtool(&["test", "rules", file.to_str().unwrap()]);
}

#[test]
fn each_alert_fires_at_a_server_in_that_trouble_and_no_other_does() {
    if !has_promtool() {
        return;
    }
    let Some(schema) = POSTGRES.schema("alerts") else { return };
    let fired: Alerts = thread::scope(|scope| {
        let scenes = [
            scope.spawn(without_a_database_server),
            scope.spawn(with_impatient_clients),
            scope.spawn(in_a_demo),
            scope.spawn(|| on_postgres(&schema)),
        ];
        scenes.into_iter().flat_map(|scene| scene.join().unwrap()).collect()
    });
    let alerts = read(ALERTS);
    let names = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    assert_eq!(names.collect::<BTreeSet<_>>(), fired);
}

/// On SQLite: nothing at first, then failed messages and labels that nobody makes, then silence.
fn without_a_database_server() -> Alerts {
    let mut server = Home::new().serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    stage.until(&stage.test("well", 1), "delivered");
    let well = Scrape::of(&server);
    assert_eq!(well.value(SUSPENDED), Some(0.0));
    well.fires_when_held(&[]);

    running.merchant().behave(&[Behavior::status(503)]).unwrap();
    stage.test("badly", 1);
    stage.until_failed(1);
    leave_returns_without_labels(&server, 101);
    let badly = eventually("it is counted", || {
        let scrape = Scrape::of(&server);
        let failed = scrape.value("homeward_messages_failed{kind=\"rma\"}");
        let labels = scrape.value("homeward_label_requests{carrier=\"external\"}");
        (failed == Some(1.0) && labels == Some(101.0)).then_some(scrape)
    });
    let mut fired = badly.fires_when_held(&["HomewardMessagesFailed", "HomewardLabelsWait"]);

    server.kill9();
    fired.extend(Scrape::of(&server).fires_when_held(&["HomewardDown"]));
    fired
}

/// Starts returns at a merchant whose carrier is a system that is not there.
fn leave_returns_without_labels(server: &Server, count: i64) {
    let stage = Stage::with(server, "labels", &json!({ "carrier": "external" }));
    let mut order = scene::sample_order("A");
    order["items"] = json!([line("tee", count, [1_000, 0, 0])]);
    stage.publish(&[order]);
    for _ in 0..count {
        let reply = stage.call("POST", "/returns", &request("mail-back", &[("A", "tee", 1)]));
        assert_eq!(reply.status, 201, "{}", reply.said());
    }
}

/// More requests than are allowed.
fn with_impatient_clients() -> Alerts {
    let server = Home::new().serve(&["--rate-limit-per-minute", "10"]);
    let before = Scrape::of(&server);
    let mut connection = server.connect();
    for _ in 0..100 {
        connection.send(&Request::get("/orders/A")).unwrap();
    }
    Scrape::of(&server).fires(&before, &["HomewardClientsLimited"])
}

/// A merchant whose systems fail for more than an hour while many messages wait. In a demo, hours
/// pass quickly: while its history is created, and afterwards by its speed.
fn in_a_demo() -> Alerts {
    let home = Home::sqlite();
    let demo = Demo::start(&home, &["--speed", "3600"]);
    let call = |method: &str, target: &str, body: &Value| {
        let request = Request::new(method, &format!("/admin/merchants{target}"));
        let reply = demo.send(&demo.as_operator(request.json(body.to_string())));
        assert!(reply.status < 300, "{target}: {}", reply.said());
    };
    let running = receiver(Settings::default());
    running.merchant().behave(&[Behavior::status(503)]).unwrap();
    call("POST", "", &json!({ "merchant": "down", "name": "A merchant" }));
    let endpoints = json!({ "base_url": running.url(), "auth": { "type": "none" } });
    call("PUT", "/down/endpoints", &endpoints);
    call("POST", "/down/endpoints/rma/pause", &json!({}));
    // At the same time, so that they share commits.
    thread::scope(|scope| {
        for first in 0..CALLERS {
            let call = &call;
            scope.spawn(move || {
                for number in (first..WAITING).step_by(CALLERS) {
                    let target = format!("/down/endpoints/rma/test?ref=lane-{number}");
                    call("POST", &target, &json!({}));
                }
            });
        }
    });
    call("POST", "/down/endpoints/rma/resume", &json!({}));
    let suspended = eventually("it is suspended", || {
        let scrape = Scrape::at(demo.address());
        (scrape.value(SUSPENDED) == Some(1.0)).then_some(scrape)
    });
    suspended.fires_among_others("HomewardEndpointsSuspended")
}

/// A database that is slow, messages that wait, a node that is gone with its leases, and a
/// database that is gone.
fn on_postgres(schema: &Schema) -> Alerts {
    let home = Home::on(&schema.address);
    let key = home.file("shared.key", SHARED_KEY);
    let arguments = [&QUICK[..], &["--secret-key-file", key.to_str().unwrap()]].concat();
    let mut server = home.serve(&arguments);
    let (stage, _running) = Stage::with_receiver(&server);
    let token = stage.token.clone();
    stage.turn("pause");

    let before = Scrape::of(&server);
    make_wait_for_the_database(&stage, schema);
    let slow = ["HomewardCommitsSlow", "HomewardConnectionsShort"];
    let mut fired = Scrape::of(&server).fires(&before, &slow);

    let waiting = leave_messages_waiting(&stage, schema);
    fired.extend(waiting.fires_when_held(&["HomewardMessagesWait", "HomewardBacklogLarge"]));

    server.kill9();
    read_text(&schema.address, "DELETE FROM deliveries");
    let next = Home::on(&schema.address).serve(&arguments);
    let scrape = Scrape::of(&next);
    assert_eq!(scrape.value("homeward_shards_held"), Some(0.0), "the dead node has them still");
    fired.extend(scrape.fires_when_held(&["HomewardShardsUnheld"]));

    schema.drop();
    let before = Scrape::of(&next);
    for _ in 0..3 {
        assert_eq!(next.order(&token, "A").status, 500);
    }
    let gone = Scrape::of(&next);
    fired.extend(gone.fires(&before, &["HomewardRequestsFail", "HomewardShardsUnheld"]));
    fired
}

/// Enqueues a message and reads orders while something else has locked them, with more readers than
/// there are connections.
fn make_wait_for_the_database(stage: &Stage<'_>, schema: &Schema) {
    let lock = lock_table(schema, "deliveries");
    stage.test("slow", 1);
    lock.join().unwrap();
    let lock = lock_table(schema, "orders");
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| stage.server.order(&stage.token, "A"));
        }
    });
    lock.join().unwrap();
}

/// Locks a table for two seconds from now.
fn lock_table(schema: &Schema, table: &str) -> thread::JoinHandle<()> {
    let lock = schema.lock(table, 2);
    let locked = format!(
        "SELECT count(*)::text FROM pg_locks WHERE relation = '{table}'::regclass \
         AND mode = 'AccessExclusiveLock' AND granted"
    );
    eventually("it is locked", || (read_text(&schema.address, &locked) == "1").then_some(()));
    lock
}

/// More than ten thousand messages for an endpoint that is paused, one of them for two hours. The
/// one that waits is made older, and the others are copies of it: both would take long otherwise.
fn leave_messages_waiting(stage: &Stage<'_>, schema: &Schema) -> Scrape {
    for sql in [
        "UPDATE messages SET created_us = created_us - 7200000000",
        "INSERT INTO deliveries SELECT merchant_id, kind, message_id + number, lane, cycle, \
         attempt, due_us FROM deliveries, generate_series(1, 10000) number",
    ] {
        read_text(&schema.address, sql);
    }
    eventually("they are counted", || {
        let scrape = Scrape::of(stage.server);
        let waiting = scrape.value("homeward_messages_waiting{kind=\"rma\"}");
        (waiting == Some(10_001.0)).then_some(scrape)
    })
}

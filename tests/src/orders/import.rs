//! `homeward import`: history from files, in every shape, with what is wrong in them kept apart.

mod resumption;

use std::{io::Write, os::unix::fs::PermissionsExt, path::Path};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::harness::{
    home::{Home, Merchant, Ran},
    postgres,
    samples::{full_order, refunded_order, sample_order},
    server::Server,
};

/// A server on each engine with a merchant, and one data directory without a server.
fn places(name: &str) -> Vec<(Home, Option<Server>, Merchant)> {
    let mut homes = vec![(Home::new(), false), (Home::new(), true)];
    homes.extend(postgres::schemas(name).map(|it| (Home::on(&it.address), true)));
    let place = |(home, served): (Home, bool)| {
        let server = served.then(|| home.serve(&[]));
        let merchant = home.add_merchant("acme");
        (home, server, merchant)
    };
    homes.into_iter().map(place).collect()
}

/// The packed text, in two members as some tools write it.
fn packed(text: &str) -> Vec<u8> {
    let (first, second) = text.as_bytes().split_at(text.len() / 2);
    let member = |part: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    [member(first), member(second)].concat()
}

/// Runs an import and gives the exit code and the summary without the times.
fn import(home: &Home, arguments: &[&str]) -> (Option<i32>, Value) {
    let ran = home.run(&[&["--json", "import", "acme"], arguments].concat());
    (ran.code, summary(&ran))
}

fn summary(ran: &Ran) -> Value {
    let mut summary: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    let fields = summary.as_object_mut().unwrap();
    for time in ["seconds", "orders_per_second"] {
        assert!(fields.shift_remove(time).unwrap().is_number());
    }
    summary
}

/// A summary in which the numbers are read, created, unchanged, rejected and warnings.
fn read_told(numbers: [u64; 5]) -> Value {
    let [read, created, unchanged, rejected, warnings] = numbers;
    json!({
        "merchant": "acme", "read": read, "created": created, "updated": 0, "unchanged": unchanged,
        "stale": 0, "rejected": rejected, "warnings": warnings,
    })
}

fn told_with_rejects(numbers: [u64; 5], file: &str) -> Value {
    let mut told = read_told(numbers);
    told["rejected_file"] = json!(file);
    told
}

/// The lines of a rejects file.
fn rejects(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Six lines: three good ones, a blank one, one that is no JSON and one with two faults.
fn lines() -> (String, Value) {
    let mut bad = sample_order("bad");
    bad["status"] = json!("Lost");
    bad["items"][0]["quantity"] = json!("1");
    let mut odd = sample_order("odd");
    odd["x"] = json!(1);
    let text = format!(
        "{}\r\n\n{{\"identifier\": \"broken\n{}\n{bad}\n{odd}",
        full_order(),
        refunded_order("refunded", "RF-1")
    );
    (text, bad)
}

/// What is rejected of [`lines`], whose bad order has this number.
fn rejected_bad(number: u64, bad: &Value) -> Value {
    let reasons = "2 fields are invalid: $.status must be one of Created, Shipped, \
                   Cancelled; $.items[0].quantity must be an integer";
    json!({
        "line": number,
        "message": reasons,
        "errors": [
            { "field": "$.status", "code": "invalid" },
            { "field": "$.items[0].quantity", "code": "invalid_type" },
        ],
        "order": bad,
    })
}

fn assert_imported(home: &Home, server: Option<&Server>, merchant: &Merchant) {
    let own;
    let server = if let Some(server) = server {
        server
    } else {
        own = home.serve(&[]);
        &own
    };
    let token = server.token(merchant);
    assert_eq!(server.order(&token, "ORD-100472").json(), full_order());
    assert_eq!(server.order(&token, "refunded").json(), refunded_order("refunded", "RF-1"));
    assert_eq!(server.order(&token, "odd").json()["x"], 1);
    assert_eq!(server.order(&token, "bad").status, 404);
}

#[test]
fn lines_are_imported_and_broken_ones_are_kept_apart() {
    for (home, server, merchant) in places("import_lines") {
        let (text, bad) = lines();
        home.file("plain.ndjson", &text);
        home.file("packed.gz", packed(&text));

        let first = import(&home, &["plain.ndjson"]);
        let again = import(&home, &["packed.gz", "--rejected", "else.ndjson"]);

        let rejected = "plain.ndjson.rejected.ndjson";
        assert_eq!(first, (Some(1), told_with_rejects([5, 3, 0, 2, 1], rejected)));
        assert_eq!(again, (Some(1), told_with_rejects([5, 0, 3, 2, 1], "else.ndjson")));
        let broken = json!({
            "line": 3,
            "message": "the line is not JSON: line 1, column 23: the document ends within a string",
            "errors": [],
            "order": "{\"identifier\": \"broken",
        });
        let expected = [broken, rejected_bad(5, &bad)];
        for file in [rejected, "else.ndjson"] {
            assert_eq!(rejects(&home.root().join(file)), expected);
            let mode = std::fs::metadata(home.root().join(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "rejected orders are for their owner only");
        }
        assert!(!home.root().join("plain.ndjson.import.json").exists(), "the journal is gone");
        assert_imported(&home, server.as_ref(), &merchant);
    }
}

#[test]
fn a_message_envelope_is_imported_order_by_order() {
    for (home, server, merchant) in places("import_envelope") {
        let mut bad = sample_order("bad");
        bad["status"] = json!("Lost");
        bad["items"][0]["quantity"] = json!("1");
        let mut odd = sample_order("odd");
        odd["x"] = json!(1);
        let orders = [full_order(), bad.clone(), refunded_order("refunded", "RF-1"), odd];
        let envelope = json!({ "returns_portal_order": { "note": "[", "orders": orders } });
        let text = serde_json::to_string_pretty(&envelope).unwrap();
        home.file("plain.json", &text);
        home.file("packed.json.gz", packed(&text));

        let first = import(&home, &["packed.json.gz"]);
        let again = import(&home, &["plain.json"]);

        let rejected = "packed.json.gz.rejected.ndjson";
        assert_eq!(first, (Some(1), told_with_rejects([4, 3, 0, 1, 1], rejected)));
        let rejected_again = "plain.json.rejected.ndjson";
        assert_eq!(again, (Some(1), told_with_rejects([4, 0, 3, 1, 1], rejected_again)));
        for file in [rejected, rejected_again] {
            assert_eq!(rejects(&home.root().join(file)), [rejected_bad(2, &bad)]);
        }
        assert_imported(&home, server.as_ref(), &merchant);
    }
}

#[test]
fn a_file_without_faults_leaves_no_rejects_and_says_so_in_words() {
    let home = Home::new();
    home.add_merchant("acme");
    home.file("good.ndjson", format!("{}\n{}\n", sample_order("A"), sample_order("B")));

    let words = home.run(&["import", "acme", "good.ndjson"]);

    assert_eq!(words.code, Some(0), "{}", words.err);
    assert!(words.out.starts_with("2 orders read for acme in "), "{}", words.out);
    let counts = "2 created, 0 updated, 0 unchanged, 0 stale, 0 warnings\n";
    assert!(words.out.ends_with(counts), "{}", words.out);
    assert!(!home.root().join("good.ndjson.rejected.ndjson").exists());
}

#[test]
fn standard_input_is_imported() {
    let home = Home::new();
    home.add_merchant("acme");
    let file = home.file("good.ndjson", sample_order("A").to_string());
    let mut command = home.command(&["--json", "import", "acme", "-"]);

    let ran = Ran::of(command.stdin(std::fs::File::open(file).unwrap()));

    assert_eq!((ran.code, summary(&ran)), (Some(0), read_told([1, 1, 0, 0, 0])));
}

#[test]
fn snapshots_of_one_order_in_one_file_leave_the_newest() {
    for (home, server, merchant) in places("import_repeats") {
        let snapshot = |day: u32| {
            let mut order = sample_order("A");
            order["updated_at"] = json!(format!("2026-03-{day:02}T08:00:00Z"));
            order
        };
        let text = [3, 5, 4, 5].map(|day| snapshot(day).to_string()).join("\n");
        home.file("repeats.ndjson", text);

        let (code, summary) = import(&home, &["repeats.ndjson"]);

        let mut expected = read_told([4, 1, 1, 0, 0]);
        expected["updated"] = json!(1);
        expected["stale"] = json!(1);
        assert_eq!((code, summary), (Some(0), expected));
        let server = server.unwrap_or_else(|| home.serve(&[]));
        let token = server.token(&merchant);
        assert_eq!(server.order(&token, "A").json(), snapshot(5));
    }
}

#[test]
fn a_strict_merchants_history_is_read_strictly() {
    let home = Home::new();
    home.install();
    home.json(&["merchant", "add", "acme", "--name", "Acme", "--strict"]);
    let mut doubtful = sample_order("A");
    doubtful["total_amount_cents"] = json!(1);
    home.file("doubtful.ndjson", doubtful.to_string());

    let (code, summary) = import(&home, &["doubtful.ndjson"]);

    let rejected = "doubtful.ndjson.rejected.ndjson";
    assert_eq!((code, summary), (Some(1), told_with_rejects([1, 0, 0, 1, 0], rejected)));
}

#[test]
fn refunds_that_contradict_what_is_recorded_are_rejected_alone() {
    let home = Home::new();
    home.add_merchant("acme");
    let lines = [refunded_order("A", "RF-1"), sample_order("B"), refunded_order("C", "RF-1")];
    home.file("clash.ndjson", lines.map(|line| line.to_string()).join("\n"));

    let (code, summary) = import(&home, &["clash.ndjson"]);

    let file = "clash.ndjson.rejected.ndjson";
    assert_eq!((code, summary), (Some(1), told_with_rejects([3, 2, 0, 1, 0], file)));
    let field = "$.refunds[0].identifier";
    let why = "refers to a refund that was already recorded with different content";
    let expected = json!({
        "line": 3,
        "message": format!("1 field is invalid: {field} {why}"),
        "errors": [{ "field": field, "code": "invalid" }],
        "order": refunded_order("C", "RF-1"),
    });
    assert_eq!(rejects(&home.root().join(file)), [expected]);
}

#[test]
fn what_cannot_be_imported_is_said_in_plain_words() {
    for (home, _server, _) in places("import_refusals") {
        home.file("good.ndjson", sample_order("A").to_string());
        home.file("cut.json", "{\"returns_portal_order\":{\"orders\":[{\"a\":1},{");
        let gzip = packed(&sample_order("A").to_string());
        home.file("cut.gz", &gzip[..gzip.len() - 9]);
        for (merchant, file, why) in [
            ("nobody", "good.ndjson", "merchant not found"),
            ("acme", "none.ndjson", "none.ndjson cannot be read"),
            ("acme", "cut.json", "the file ends in the middle of a message"),
            ("acme", "cut.gz", ""),
        ] {
            let ran = home.run(&["import", merchant, file]);
            assert_eq!(ran.code, Some(1), "{file}: {}", ran.out);
            assert!(ran.err.contains(why), "{file}: {}", ran.err);
            assert_eq!(ran.out, "");
        }
    }
}

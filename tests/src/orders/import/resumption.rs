//! An import that was killed goes on where it was: nothing is lost, nothing is rejected twice.

use std::{collections::BTreeSet, fmt::Write as _, fs, process::Stdio};

use serde_json::{Value, json};

use super::{import, packed, places, read_told, rejects, told_with_rejects};
use crate::harness::{eventually, home::Home, samples::sample_order};

/// Every order of this number is not acceptable.
const BAD_EVERY: usize = 50;

/// So many orders, some of them bad, one a line.
fn history(orders: usize) -> String {
    let mut text = String::new();
    for number in 0..orders {
        let mut order = sample_order(&format!("history-{number}"));
        if number % BAD_EVERY == 7 {
            order["currency"] = json!("none");
        }
        writeln!(text, "{order}").unwrap();
    }
    text
}

/// Starts an import and kills it after its journal was written a few times. False when it was
/// done before.
fn interrupted(home: &Home, file: &str, writes: usize) -> bool {
    let journal = home.root().join(format!("{file}.import.json"));
    let mut command = home.command(&["import", "acme", file]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut seen = BTreeSet::new();
    eventually("the import is under way", || {
        let entry = fs::read(&journal).ok();
        let entry = entry.and_then(|entry| serde_json::from_slice::<Value>(&entry).ok());
        seen.extend(entry.and_then(|entry| entry["totals"]["read"].as_u64()));
        (seen.len() >= writes || child.try_wait().unwrap().is_some()).then_some(())
    });
    let under_way = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    under_way
}

/// A history that was interrupted twice, and how many orders it has: as many as it takes.
fn interrupted_twice(home: &Home, is_packed: bool) -> (&'static str, usize) {
    let file = if is_packed { "history.gz" } else { "history.ndjson" };
    for orders in [2_500, 10_000, 40_000, 160_000] {
        let text = history(orders);
        home.file(file, if is_packed { packed(&text) } else { text.into_bytes() });
        if interrupted(home, file, 2) && interrupted(home, file, 3) {
            return (file, orders);
        }
    }
    panic!("the import is too quick to be interrupted");
}

#[test]
fn an_import_that_was_killed_loses_nothing_and_repeats_nothing() {
    // Without a server and on SQLite, and beside a server on PostgreSQL.
    for (home, server, _) in places("import_killed").into_iter().step_by(2) {
        let (file, orders) = interrupted_twice(&home, server.is_none());
        let rejected = format!("{file}.rejected.ndjson");

        let ran = home.run(&["--json", "import", "acme", file]);

        assert!(ran.err.starts_with("Continuing after "), "{}", ran.err);
        assert_eq!(ran.code, Some(1));
        let summary = super::summary(&ran);
        let number = |name: &str| usize::try_from(summary[name].as_u64().unwrap()).unwrap();
        let bad = orders / BAD_EVERY;
        assert_eq!((number("read"), number("rejected")), (orders, bad));
        assert_eq!(number("created") + number("unchanged"), orders - bad, "{summary}");
        let lines: Vec<_> = rejects(&home.root().join(&rejected))
            .iter()
            .map(|reject| usize::try_from(reject["line"].as_u64().unwrap()).unwrap())
            .collect();
        let expected: Vec<_> = (0..bad).map(|number| number * BAD_EVERY + 8).collect();
        assert_eq!(lines, expected, "each once");

        let (_, again) = import(&home, &[file]);
        assert_eq!(again["unchanged"], json!(orders - bad), "every good order is there");
        assert_eq!(rejects(&home.root().join(&rejected)).len(), bad);
    }
}

#[test]
fn a_file_that_was_changed_begins_anew() {
    let home = Home::new();
    home.add_merchant("acme");
    home.file("history.ndjson", history(1_500));
    interrupted(&home, "history.ndjson", 1);
    home.file("history.ndjson", format!("{}\n", sample_order("another")));

    let summary = import(&home, &["history.ndjson"]);

    assert_eq!(summary, (Some(0), read_told([1, 1, 0, 0, 0])));
}

#[test]
fn an_interrupted_import_can_be_told_to_begin_anew() {
    let home = Home::new();
    home.add_merchant("acme");
    home.file("history.ndjson", history(1_500));
    let under_way = interrupted(&home, "history.ndjson", 1);

    let (code, summary) = import(&home, &["history.ndjson", "--restart"]);

    assert_eq!(code, Some(1));
    assert_eq!((&summary["read"], &summary["rejected"]), (&json!(1_500), &json!(30)));
    assert!(summary["unchanged"].as_u64().unwrap() >= 490, "{under_way} {summary}");
    let rejected = rejects(&home.root().join("history.ndjson.rejected.ndjson"));
    assert_eq!(rejected.len(), 30);
}

#[test]
fn a_line_longer_than_any_order_is_rejected_and_the_others_are_imported() {
    let home = Home::new();
    home.add_merchant("acme");
    let mut long = sample_order("long");
    long["x"] = json!("x".repeat(11 << 20));
    let mut large = sample_order("large");
    large["x"] = json!("x".repeat(8 << 20));
    let lines = [sample_order("A"), long, sample_order("B"), large, sample_order("C")];
    home.file("long.ndjson", lines.map(|line| line.to_string()).join("\n"));

    let ran = home.run(&["--json", "import", "acme", "long.ndjson"]);

    assert_eq!(ran.code, Some(1));
    let expected = told_with_rejects([5, 4, 0, 1, 1], "long.ndjson.rejected.ndjson");
    assert_eq!(super::summary(&ran), expected, "{}", ran.err);
}

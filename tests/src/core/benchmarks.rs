//! The benchmarks of the project still run with the binary: with little data, and whatever the
//! numbers.

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::harness::binary::homeward;

/// What a benchmark prints for SQLite.
fn measure(arguments: &[&str]) -> Value {
    let command = homeward();
    let binary = Path::new(command.get_program());
    let bench = binary.with_file_name("bench");
    let done = Command::new(&bench)
        .args(arguments)
        .args(["--store", "sqlite", "--seconds", "1", "--warm-up-seconds", "1", "--json"])
        .env("HOMEWARD_BIN", binary)
        .output()
        .unwrap_or_else(|error| panic!("{}, built with the workspace: {error}", bench.display()));
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    let printed: Value = serde_json::from_slice(&done.stdout).unwrap();
    printed[0].clone()
}

#[test]
fn orders_returns_messages_and_pallets_can_be_measured() {
    let intake = measure(&["intake", "--connections", "1", "--merchants", "2", "--without-limit"]);
    assert!(intake["intake"][0]["orders_per_second"].as_f64() > Some(0.0), "{intake}");
    let delivery = measure(&["delivery", "--messages", "100"]);
    assert!(delivery["delivered"]["messages_per_second"].as_f64() > Some(0.0), "{delivery}");
    let returns = measure(&["returns", "--connections", "1", "--without-limit"]);
    assert!(returns["returns"].is_array(), "{returns}");
    let pallet = measure(&["pallet", "--units", "100"]);
    assert_eq!(pallet["units"], 100);
    let reconcile = measure(&["reconcile", "--returns", "100"]);
    assert_eq!(reconcile["returns"], 100);
}

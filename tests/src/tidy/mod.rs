//! Rules about the source that no compiler checks.

mod circles;
mod files;
mod language;
mod log_lines;
mod paths;
mod signatures;
mod structure;

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{access::tenants, harness::binary::workspace};
use files::{code_lines, files, sources};

const FILE_LINES_MAX: usize = 400;

/// A layer, and what it must not name.
const FORBIDDEN: [(&str, &[&str]); 8] = [
    ("crates/domain", &["tokio", "rusqlite", "axum", "hyper", "store::", "app::", "web::"]),
    ("crates/store", &["axum", "hyper", "app::", "web::"]),
    ("crates/app", &["axum", "hyper", "rusqlite", "tokio_postgres", "web::"]),
    ("crates/server", &["rusqlite", "tokio_postgres"]),
    ("crates/api", &["rusqlite", "tokio_postgres"]),
    ("crates/portal", &["rusqlite", "tokio_postgres"]),
    ("crates/console", &["rusqlite", "tokio_postgres"]),
    ("crates/web", &["rusqlite", "tokio_postgres"]),
];

/// How statements begin. Only `store` knows SQL.
const SQL: [&str; 6] =
    ["SELECT ", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "rusqlite", "tokio_postgres"];

/// Cut in two, so that this file does not name what it forbids.
const UNFINISHED: [&str; 4] = [
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!("),
    concat!("#[ig", "nore"),
];

/// Where files lie on a developer's machine.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

fn assert_absent(path: &Path, text: &str, names: &[&str], why: &str) {
    for line in code_lines(text) {
        for name in names {
            assert!(!line.contains(name), "{}: {why}: {line}", path.display());
        }
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_short() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{} has no module comment", path.display());
        let lines = text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{} has {lines} lines", path.display());
    }
}

#[test]
fn layers_look_only_downwards() {
    for (path, text) in sources() {
        for (layer, names) in FORBIDDEN.iter().filter(|(layer, _)| path.starts_with(layer)) {
            assert_absent(&path, &text, names, &format!("not for {layer}"));
        }
    }
}

#[test]
fn only_the_store_knows_sql() {
    for (path, text) in files("crates", &[".rs"]) {
        if !path.starts_with("crates/store") {
            assert_absent(&path, &text, &SQL, "only crates/store knows SQL");
        }
    }
}

#[test]
fn only_the_engine_folder_tells_the_engines_apart() {
    for (path, text) in files("crates", &[".rs"]) {
        if !path.starts_with("crates/store/src/engine") {
            let arms = ["Engine::Sqlite", "Engine::Postgres"];
            assert_absent(&path, &text, &arms, "branches on the engine");
        }
    }
}

#[test]
fn nothing_is_left_unfinished_and_no_test_is_skipped() {
    for (path, text) in sources() {
        assert_absent(&path, &text, &UNFINISHED, "unfinished");
    }
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let endings = [".rs", ".md", ".toml", ".sql", ".html", ".css", ".js", ".sh", ".yml", ".yaml"];
    for (path, text) in files("", &endings) {
        for (number, line) in text.lines().enumerate() {
            for name in MACHINE_PATHS {
                assert!(!line.contains(name), "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
}

/// A route that is not in the description would escape the tests of who may use what.
#[test]
fn every_route_is_described_or_known_to_be_public() {
    let of_tests = ["tests.rs", "fixtures.rs"];
    let description = fs::read(workspace().join("crates/api/openapi.json")).unwrap();
    let description: Value = serde_json::from_slice(&description).unwrap();
    let is_described = |route: &str| {
        ["", "/admin"].iter().any(|it| description["paths"].get(format!("{it}{route}")).is_some())
    };
    let with_routes = ["server", "api", "portal", "console", "web"];
    let all = with_routes.map(|name| files(&format!("crates/{name}/src"), &[".rs"])).concat();
    for (path, text) in all {
        let production = text.split("#[cfg(test)]").next().unwrap_or_default();
        let routes = production.split(".route(\"").skip(1).filter_map(|it| it.split('"').next());
        for route in routes.filter(|_| !of_tests.iter().any(|name| path.ends_with(name))) {
            let known = (path.starts_with("crates/api") && is_described(route))
                || tenants::PUBLIC_UNDESCRIBED.contains(&route)
                || tenants::PUBLIC_BY_NAME.contains(&route)
                || tenants::DEMO.contains(&route)
                || tenants::PORTAL.contains(&route)
                || tenants::CONSOLE.contains(&route);
            assert!(known, "{}: {route} is neither described nor listed", path.display());
        }
    }
}

#[test]
fn the_domain_depends_on_no_input_or_output() {
    let tree = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .args(["tree", "--offline", "--prefix", "none", "-p", "domain", "-e", "normal"])
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(text.contains("jiff "), "{text}");
    for line in text.lines() {
        let name = line.split(' ').next().unwrap();
        let forbidden = ["tokio", "rusqlite", "axum", "hyper", "rand"].contains(&name);
        assert!(!forbidden, "crates/domain depends on {line}");
    }
}

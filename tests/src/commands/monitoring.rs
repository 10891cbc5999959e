//! The alerts and the dashboard: each names metrics that a server has, and each alert fires.

use std::{collections::BTreeSet, process::Command};

use serde_json::Value;
use sim::Behavior;

use crate::harness::{
    binary::workspace,
    eventually,
    home::Home,
    http::Request,
    server::Server,
    stage::{QUICK, Stage, accepted},
};
use crate::returns::scene::{Scene, sample_order};

pub(super) const ALERTS: &str = "packaging/prometheus/alerts.yml";

pub(super) fn read(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path)).unwrap()
}

/// The names of metrics in a text, as far as they are ours.
fn metric_names(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter| !is_part(letter));
    words.filter(|it| it.starts_with("homeward_")).map(str::to_owned).collect()
}

fn scrape(server: &Server) -> String {
    server.send(&Request::get("/metrics")).text().to_owned()
}

/// The value of a series, written as the server writes it.
fn value(scraped: &str, series: &str) -> Option<f64> {
    let line = scraped.lines().find_map(|line| line.strip_prefix(series))?;
    line.trim().parse().ok()
}

/// Whether promtool is there; in CI it must be.
pub(super) fn has_promtool() -> bool {
    let found = Command::new("promtool").arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "CI must have promtool: install prometheus");
    found
}

pub(super) fn promtool(arguments: &[&str]) {
    let folder = workspace().join("packaging/prometheus");
    let ran = Command::new("promtool").args(arguments).current_dir(folder).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{arguments:?}: {out}{err}");
}

#[test]
fn every_alert_is_valid_and_fires_when_it_should_and_not_before() {
    if !has_promtool() {
        return;
    }
    promtool(&["check", "rules", "alerts.yml"]);
    promtool(&["test", "rules", "alerts_test.yml"]);
    let (alerts, tested) = (read(ALERTS), read("packaging/prometheus/alerts_test.yml"));
    let names = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    for name in names {
        // Once when it is silent, once when it fires.
        assert_eq!(tested.matches(&format!("alertname: {name}")).count(), 2, "{name}");
    }
}

#[test]
fn alerts_and_the_dashboard_use_metrics_that_a_server_in_trouble_has() {
    let server = Home::new().serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    scene.publish(&sample_order("A"));
    scene.label(&scene.start_tee());
    accepted(&scene.running, 2);
    let Scene { stage, running } = scene;
    running.merchant().behave(&[Behavior::status(503)]).unwrap();
    for lane in 0..3 {
        stage.test(&format!("lane-{lane}"), 1);
    }
    stage.until_failed(3);
    stage.turn("pause");
    stage.test("paused", 1);

    let scraped = eventually("everything is counted", || {
        let scraped = scrape(&server);
        let failed = value(&scraped, "homeward_messages_failed{kind=\"rma\"}");
        let waiting = value(&scraped, "homeward_messages_waiting{kind=\"rma\"}");
        (failed == Some(3.0) && waiting == Some(1.0)).then_some(scraped)
    });

    assert_eq!(value(&scraped, "homeward_shards_held"), Some(1024.0));
    let oldest = value(&scraped, "homeward_messages_oldest_waiting_seconds{kind=\"rma\"}");
    assert!(oldest.is_some_and(|seconds| seconds < 60.0), "{oldest:?}");
    assert!(scraped.contains("homeward_build_info{version="), "{scraped}");
    let dashboard = read("packaging/grafana/homeward.json");
    let panels: Value = serde_json::from_str(&dashboard).unwrap();
    assert!(panels["panels"].as_array().unwrap().len() > 10);
    let has = metric_names(&scraped);
    for name in metric_names(&(read(ALERTS) + &dashboard)) {
        // What has not happened yet is only described, under its name without an ending.
        let endings = ["_total", "_info", "_bucket"];
        let described = endings.iter().find_map(|ending| name.strip_suffix(ending));
        let is_described = described.is_some_and(|it| has.contains(it));
        assert!(has.contains(&name) || is_described, "{name} is not in {scraped}");
    }
}

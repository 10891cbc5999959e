//! Which rule decides, and what is decided if none does.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::*;
use crate::json as document;

fn table(rules: &serde_json::Value) -> DispositionTable {
    let text = json!({ "rules": rules }).to_string();
    read_disposition(&document::parse(text.as_bytes()).unwrap()).unwrap()
}

fn tee() -> GoodsFacts {
    GoodsFacts {
        sku: Some("TEE".to_owned()),
        upc: Some("012345678905".to_owned()),
        tags: vec!["Hygiene Item".to_owned()],
        reason: Some("too_small".to_owned()),
        value_cents: Some(4_500),
    }
}

fn channel(tables: &[DispositionTable], condition: Condition) -> String {
    propose_channel(tables, &tee(), condition, None)
}

#[test]
fn the_first_rule_that_matches_decides() {
    let rules = table(&json!([
        { "conditions": ["B", "C"], "channel": "OUTLET" },
        { "tags": ["hygiene-item"], "conditions": ["A"], "channel": "DESTROY" },
        { "skus": ["0012345678905"], "value_min_cents": 4500, "channel": "VAULT" },
        { "reasons": ["too_small"], "channel": "NEVER" },
    ]));
    for (condition, expected) in [
        (Condition::B, "OUTLET"),
        (Condition::C, "OUTLET"),
        (Condition::A, "DESTROY"),
        (Condition::N, "VAULT"),
    ] {
        assert_eq!(channel(std::slice::from_ref(&rules), condition), expected);
    }
}

#[test]
fn the_rules_of_the_warehouse_come_before_those_for_all() {
    let own = table(&json!([{ "conditions": ["B"], "channel": "OUTLET-31" }]));
    let all = table(&json!([{ "conditions": ["B", "C"], "channel": "OUTLET" }]));
    let tables = [own, all];
    assert_eq!(channel(&tables, Condition::B), "OUTLET-31");
    assert_eq!(channel(&tables, Condition::C), "OUTLET");
    assert_eq!(channel(&tables, Condition::N), RESTOCK);
    assert_eq!(propose_channel(&tables, &tee(), Condition::N, Some("STOCK")), "STOCK");
}

#[test]
fn what_is_broken_is_restocked_only_by_a_rule_that_says_so() {
    let all = table(&json!([{ "skus": ["TEE"], "channel": "RTS" }]));
    assert_eq!(channel(&[], Condition::X), BROKEN);
    assert_eq!(channel(&[all], Condition::X), BROKEN);
    assert_eq!(propose_channel(&[], &tee(), Condition::X, Some("STOCK")), BROKEN);
    let own = table(&json!([{ "skus": ["TEE"], "channel": "STOCK" }]));
    assert_eq!(propose_channel(&[own], &tee(), Condition::X, Some("STOCK")), BROKEN);
    let hazard = table(&json!([{ "skus": ["TEE"], "channel": "HAZARD" }]));
    assert_eq!(channel(&[hazard], Condition::X), "HAZARD");
    let named = table(&json!([{ "conditions": ["X"], "channel": "RTS" }]));
    assert_eq!(channel(&[named], Condition::X), RESTOCK);
}

#[test]
fn a_rule_about_the_value_needs_a_value() {
    let rules = table(&json!([{ "value_max_cents": 5000, "channel": "DONATE" }]));
    let unknown = GoodsFacts { value_cents: None, ..tee() };
    assert_eq!(channel(std::slice::from_ref(&rules), Condition::A), "DONATE");
    assert_eq!(propose_channel(&[rules], &unknown, Condition::A, None), RESTOCK);
}

#[test]
fn everything_wrong_with_a_table_is_reported_at_once() {
    let text = json!({ "rules": [
        { "conditions": ["Q"], "tags": ["--"], "value_min_cents": 2, "value_max_cents": 1 },
    ] });
    let faults = read_disposition(&document::parse(text.to_string().as_bytes()).unwrap());
    let mut fields: Vec<String> =
        faults.unwrap_err().errors.into_iter().map(|error| error.field).collect();
    fields.sort_unstable();
    let expected = ["channel", "conditions[0]", "tags[0]", "value_max_cents"];
    assert_eq!(fields, expected.map(|field| format!("$.rules[0].{field}")));
}

proptest! {
    #[test]
    fn broken_units_never_go_back_to_stock_by_default(
        channels in prop::collection::vec(select(&["RTS", "STOCK", "OUTLET"][..]), 0..4),
        restock in prop::option::of(Just("STOCK")),
    ) {
        let rule = |channel: &&str| DispositionRule {
            channel: (*channel).to_owned(),
            ..DispositionRule::default()
        };
        let table = DispositionTable { rules: channels.iter().map(rule).collect() };
        let proposed = propose_channel(&[table], &tee(), Condition::X, restock);
        prop_assert!(proposed != RESTOCK && Some(proposed.as_str()) != restock);
    }
}

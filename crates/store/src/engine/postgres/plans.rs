//! A check of tests: what is about one merchant touches one shard of a distributed database.
//!
//! Citus itself says so: its plans have the number of tasks, one for each shard, and the names of
//! the shards.

use std::collections::BTreeSet;

use tokio_postgres::Client;

use super::executions::{Execution, Layout};
use crate::{
    core::transaction::{Step, Transaction},
    engine::dialect::distributed::{Binding, binding},
};

/// Panics if a query names its merchant and yet asks several shards.
pub(super) async fn check_query(
    client: &Client,
    layout: Layout,
    sql: &str,
    execution: &Execution<'_>,
) {
    let names_merchant = sql.contains("merchant_id = $1") || binding(sql) != Binding::Arrays;
    if layout == Layout::Distributed && names_merchant {
        shards_of(client, execution).await;
    }
}

/// Panics if a group of transactions of one merchant touches more than one shard.
pub(super) async fn check_group(
    client: &Client,
    layout: Layout,
    group: &[Transaction],
    steps: &[&Step],
) {
    if layout == Layout::Distributed && group.iter().all(|one| one.merchant().is_some()) {
        let shards = shards_of_steps(client, steps).await;
        assert!(shards.len() <= 1, "a group of one merchant touches the shards {shards:?}");
    }
}

/// The shards that steps touch, each named by where its range of hash values begins. Shards of
/// different tables have the same name if they are co-located.
async fn shards_of_steps(client: &Client, steps: &[&Step]) -> BTreeSet<String> {
    let mut shards = BTreeSet::new();
    for step in steps {
        for execution in Layout::Distributed.executions(step.sql, &step.rows) {
            shards.extend(shards_of(client, &execution).await);
        }
    }
    shards
}

/// The shard that an execution touches, or none if its tables are not distributed.
async fn shards_of(client: &Client, execution: &Execution<'_>) -> Option<String> {
    let explain = format!("EXPLAIN {}", execution.text);
    let lines = client.query(&explain, &execution.parameters()).await.unwrap();
    let plan: Vec<&str> = lines.iter().map(|line| line.get(0)).collect();
    let plan = plan.join("\n");
    assert!(!plan.contains("INSERT ... SELECT"), "read on the coordinator:\n{explain}\n{plan}");
    let (_, tasks) = plan.split_once("Task Count: ")?;
    assert!(tasks.starts_with("1\n"), "touches several shards:\n{explain}\n{plan}");
    let (_, shard) = tasks.split_once("_1")?;
    let digits: String = shard.chars().take_while(char::is_ascii_digit).collect();
    let sql = "SELECT shardminvalue FROM pg_dist_shard WHERE shardid = CAST($1 AS bigint)";
    let shard: i64 = format!("1{digits}").parse().unwrap();
    Some(client.query_one(sql, &[&shard]).await.unwrap().get(0))
}

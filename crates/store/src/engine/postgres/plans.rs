//! A check of tests: what is about one merchant touches one shard of a distributed database.
//!
//! Citus itself says so: its plans have the number of tasks, one for each shard, and the names of
//! the shards.

use std::collections::BTreeSet;

use tokio_postgres::Client;

use super::{
    executions::Execution,
    statements::{Layout, Statements},
};
use crate::{
    core::transaction::Transaction,
    engine::{
        dialect::distributed::{Binding, binding},
        group::{Counters, MergedStep, Steps},
    },
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

/// Panics if a group touches more than one shard although its transactions are of one merchant.
pub(super) async fn check_group(
    client: &Client,
    layout: Layout,
    group: &[Transaction],
    steps: &Steps<'_>,
) {
    let merchant = group.first().and_then(Transaction::merchant);
    let is_of_one = merchant.is_some() && group.iter().all(|one| one.merchant() == merchant);
    if layout == Layout::Distributed && is_of_one {
        // Whatever the numbers of the messages will be: within the transaction it is too late.
        let numbered = steps.numbered_messages(&Counters::default());
        let numbered = numbered.iter().map(MergedStep::new);
        let all: Vec<_> = steps.merged().into_iter().chain(numbered).collect();
        let shards = shards_of_steps(client, &all).await;
        assert!(shards.len() <= 1, "a group of one merchant touches the shards {shards:?}");
    }
}

/// The shards that steps touch, each named by where its range of hash values begins. Shards of
/// different tables have the same name if they are co-located.
async fn shards_of_steps(client: &Client, steps: &[MergedStep<'_>]) -> BTreeSet<String> {
    let mut shards = BTreeSet::new();
    for step in steps {
        for execution in
            Statements::new(Layout::Distributed).executions(step.sql, step.rows.clone())
        {
            shards.extend(shards_of(client, &execution).await);
        }
    }
    shards
}

/// The shard that an execution touches, or none if its tables are not distributed.
async fn shards_of(client: &Client, execution: &Execution<'_>) -> Option<String> {
    let explain = format!("EXPLAIN {}", execution.text.sql());
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

mod tests {
    use std::collections::BTreeMap;

    use bytes::Bytes;
    use domain::{
        identifier::MerchantId,
        messages::kind::MessageKind,
        returns::{
            journal::{Actor, ActorKind, ReturnChange, ReturnEvent},
            ledger::Ledger,
        },
    };
    use futures_util::{StreamExt, stream};
    use tokio::sync::mpsc;
    use tokio_postgres::{AsyncMessage, NoTls};

    use super::*;
    use crate::{
        Location, NewMessage,
        conformance::{Subject, citus, connect},
        core::value::Row,
        engine::{group::Numbering, postgres::read_row},
    };

    /// What starting a return stores.
    fn started_return(merchant: &MerchantId) -> Transaction {
        let rma = domain::samples::rma();
        let mut transaction = Transaction::new("starting a return");
        transaction.put_ledger(merchant, "order", &Ledger::default(), 0);
        transaction.insert_return(merchant, &rma);
        let event = ReturnEvent {
            number: 0,
            at: rma.created_at,
            actor: Actor::unnamed(ActorKind::Shopper),
            cause: None,
            change: ReturnChange::State(Box::new(rma.clone())),
        };
        transaction.insert_return_event(merchant, &rma.rma_identifier, &event);
        transaction.request_label(merchant, &rma.rma_identifier, "simulated", 1);
        transaction.enqueue(NewMessage {
            merchant: merchant.clone(),
            kind: MessageKind::Rma,
            reference: rma.rma_identifier.as_str().to_owned(),
            sequence: 1,
            lane: 1,
            created_us: 1,
            replay: false,
            body: Bytes::from_static(b"{}"),
        });
        transaction
    }

    /// The steps of a group, run one after the other, and then the messages that they numbered.
    async fn run(client: &Client, group: &[Transaction]) {
        let steps = Steps::new(group, 0, Numbering::BeforeTheStatement);
        let returned = run_steps(client, &steps.merged()).await;
        let numbered = steps.numbered_messages(&Counters::read(&returned).unwrap());
        let numbered: Vec<MergedStep<'_>> = numbered.iter().map(MergedStep::new).collect();
        run_steps(client, &numbered).await;
    }

    async fn run_steps(client: &Client, steps: &[MergedStep<'_>]) -> Vec<Row> {
        let mut returned = Vec::new();
        for step in steps {
            for execution in
                Statements::new(Layout::Distributed).executions(step.sql, step.rows.clone())
            {
                let rows = client.query(execution.text.sql(), &execution.parameters()).await;
                returned.extend(rows.unwrap().iter().map(|row| read_row(row).unwrap()));
            }
        }
        returned
    }

    /// What Citus sends to each server while a group is committed.
    async fn remote_commands(url: &str, group: &[Transaction]) -> BTreeMap<String, Vec<String>> {
        let (client, mut connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        let (sender, mut notices) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
            while let Some(Ok(message)) = messages.next().await {
                if let AsyncMessage::Notice(notice) = message {
                    let server = notice.detail().unwrap_or_default().to_owned();
                    sender.send((server, notice.message().to_owned())).unwrap();
                }
            }
        });
        client.batch_execute("SET citus.log_remote_commands = on; BEGIN").await.unwrap();
        run(&client, group).await;
        client.batch_execute("COMMIT").await.unwrap();
        drop(client);
        let mut commands: BTreeMap<String, Vec<String>> = BTreeMap::new();
        while let Some((server, command)) = notices.recv().await {
            commands.entry(server).or_default().push(command);
        }
        commands
    }

    /// Two merchants whose shards are on different servers.
    async fn distant_merchants(url: &str) -> [MerchantId; 2] {
        let client = connect(url).await;
        let mut by_shard = BTreeMap::new();
        for name in ["acme", "bolt", "cord", "dune", "echo", "fern", "glow", "hive"] {
            let sql = "SELECT get_shard_id_for_distribution_column('returns', CAST($1 AS text))";
            let shard: i64 = client.query_one(sql, &[&name]).await.unwrap().get(0);
            by_shard.entry(shard).or_insert(MerchantId::parse(name).unwrap());
        }
        let merchants: Vec<MerchantId> = by_shard.into_values().collect();
        merchants.try_into().unwrap()
    }

    #[tokio::test]
    async fn a_return_is_committed_in_one_shard_of_one_server() {
        let name = "a_return_is_committed_in_one_shard";
        let Some(Subject { location, .. }) = citus(name).await else { return };
        let Location::Postgres(url) = &location else { panic!("{location:?}") };
        let [merchant, distant] = distant_merchants(url).await;

        let alone = remote_commands(url, &[started_return(&merchant)]).await;

        assert_eq!(alone.len(), 1, "one connection to one server: {alone:?}");
        let commands: Vec<String> = alone.into_values().flatten().collect();
        assert!(commands.len() >= 9, "{commands:?}");
        assert_eq!(commands.last().map(String::as_str), Some("issuing COMMIT"));
        assert!(!commands.concat().contains("PREPARE TRANSACTION"), "{commands:?}");

        // For comparison: two merchants on different servers need a two-phase commit.
        let order = |merchant, order| {
            let mut transaction = Transaction::new("spending a unit");
            transaction.put_ledger(merchant, order, &Ledger::default(), 0);
            transaction
        };
        let group = [order(&merchant, "other"), order(&distant, "other")];
        let together = remote_commands(url, &group).await;
        assert_eq!(together.len(), 2, "{together:?}");
        let commands: Vec<String> = together.into_values().flatten().collect();
        assert!(commands.concat().contains("PREPARE TRANSACTION"), "{commands:?}");
    }
}

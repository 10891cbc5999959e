//! `homeward migrate`: migrates the schema without starting the server.

use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use store::{Location, Migration, Store, StoreMetrics};

use crate::{config::Config, node, output::Output};

pub(crate) async fn migrate(config: &Config, output: Output) -> anyhow::Result<()> {
    // An SQLite file in use already has its server's version. PostgreSQL nodes migrate side by
    // side.
    let _lock = match &config.location {
        Location::Sqlite(_) => Some(node::lock_directory(&config.data_dir)?),
        Location::Postgres(_) => None,
    };
    let metrics = StoreMetrics::register(&mut Registry::default());
    let store = Store::open(&config.location, &metrics).await?;
    let done = store.migrate().await?;
    store.close().await;
    output.print(&to_json(done), || describe(done));
    Ok(())
}

fn to_json(Migration { from, to, distributed_tables }: Migration) -> Value {
    match distributed_tables {
        0 => json!({ "from": from, "to": to }),
        tables => json!({ "from": from, "to": to, "distributed_tables": tables }),
    }
}

fn describe(Migration { from, to, distributed_tables }: Migration) -> String {
    let schema = if from == to {
        format!("The schema is at version {to}; nothing to do.")
    } else {
        format!("The schema was migrated from version {from} to {to}.")
    };
    match distributed_tables {
        0 => schema,
        tables => format!("{schema} Distributed {tables} tables by merchant."),
    }
}

//! `bench idle`: the memory of a server that was started and has nothing to do.

use std::time::Duration;

use serde::Serialize;

use crate::{
    benchmark::{Benchmark, Run},
    process::memory_mib,
    report::{format_table, start_step},
    server::Server,
    storage::Storage,
};

const SETTLED_AFTER: Duration = Duration::from_secs(5);

/// Has no options of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Idle;

#[derive(Serialize)]
pub(crate) struct IdleResults {
    store: &'static str,
    memory_mib: f64,
}

impl Benchmark for Idle {
    type Results = IdleResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<IdleResults> {
        let store = run.engine.name();
        let _progress = start_step(&format!("{store}: idle"));
        let storage = Storage::new(run.engine, run.options.keep).await?;
        let server = Server::start(run.binary()?, &storage).await?;
        tokio::time::sleep(SETTLED_AFTER).await;
        Ok(IdleResults { store, memory_mib: memory_mib(server.pid())? })
    }

    fn describe(all: &[IdleResults]) -> String {
        let row = |idle: &IdleResults| [idle.store.to_owned(), format!("{:.1}", idle.memory_mib)];
        let rows: Vec<_> = all.iter().map(row).collect();
        format_table(["store", "idle MiB"], &rows)
    }
}

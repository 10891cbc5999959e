//! `bench idle`: the memory of a server that was started and left alone.

use std::{path::Path, time::Duration};

use serde::Serialize;

use crate::{
    Options,
    place::{Engine, Place},
    process::memory_mib,
    report::{print, step, table},
    server::Server,
};

const SETTLED_AFTER: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct Idle {
    store: &'static str,
    memory_mib: f64,
}

pub(crate) async fn run(
    engines: &[Engine],
    binary: &Path,
    options: &Options,
) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for engine in engines {
        let _progress = step(&format!("{}: idle", engine.name()));
        let place = Place::new(engine, options.keep).await?;
        let server = Server::start(binary, &place).await?;
        tokio::time::sleep(SETTLED_AFTER).await;
        all.push(Idle { store: engine.name(), memory_mib: memory_mib(server.pid())? });
    }
    let row = |idle: &Idle| [idle.store.to_owned(), format!("{:.1}", idle.memory_mib)];
    let rows: Vec<_> = all.iter().map(row).collect();
    print(&all, &table(["store", "idle MiB"], &rows), options.json)
}

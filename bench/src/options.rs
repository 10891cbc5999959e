//! The options that all benchmarks have.

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::storage::Engine;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Databases to measure
    #[arg(long, global = true, value_enum, default_value_t = Stores::Sqlite)]
    store: Stores,

    /// A PostgreSQL server on which databases may be created (they are dropped again)
    #[arg(long, global = true, env = "TEST_POSTGRES_URL", hide_env_values = true)]
    postgres: Option<String>,

    /// Duration of each measurement
    #[arg(long, global = true, default_value_t = 10)]
    pub(crate) seconds: u32,

    /// Duration of the load before each measurement
    #[arg(long, global = true, default_value_t = 2)]
    pub(crate) warm_up_seconds: u32,

    /// Seed of the orders
    #[arg(long, global = true, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Keep the data
    #[arg(long, global = true)]
    pub(crate) keep: bool,

    /// Print the results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stores {
    Sqlite,
    Postgres,
    Both,
}

impl Options {
    pub(crate) fn engines(&self) -> anyhow::Result<Vec<Engine>> {
        let postgres = || {
            let url = self.postgres.clone();
            url.map(Engine::Postgres).context("PostgreSQL needs an address: --postgres URL")
        };
        Ok(match self.store {
            Stores::Sqlite => vec![Engine::Sqlite],
            Stores::Postgres => vec![postgres()?],
            Stores::Both => vec![Engine::Sqlite, postgres()?],
        })
    }
}

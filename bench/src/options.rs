//! The options that all benchmarks have.

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::storage::Engine;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Databases to measure, separated by commas
    #[arg(long, global = true, value_enum, value_delimiter = ',', default_value = "sqlite")]
    store: Vec<Stores>,

    /// A PostgreSQL server on which databases may be created (they are dropped again)
    #[arg(long, global = true, env = "TEST_POSTGRES_URL", hide_env_values = true)]
    postgres: Option<String>,

    /// A database with the citus extension; schemas are created in it and dropped again
    #[arg(long, global = true, env = "TEST_CITUS_URL", hide_env_values = true)]
    citus: Option<String>,

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
    Citus,
    /// SQLite and PostgreSQL
    Both,
}

impl Options {
    pub(crate) fn engines(&self) -> anyhow::Result<Vec<Engine>> {
        let postgres = || {
            let url = self.postgres.clone();
            url.map(Engine::Postgres).context("PostgreSQL needs an address: --postgres URL")
        };
        let citus = || {
            let url = self.citus.clone();
            url.map(Engine::Citus).context("Citus needs an address: --citus URL")
        };
        let mut engines = Vec::new();
        for store in &self.store {
            match store {
                Stores::Sqlite => engines.push(Engine::Sqlite),
                Stores::Postgres => engines.push(postgres()?),
                Stores::Citus => engines.push(citus()?),
                Stores::Both => engines.extend([Engine::Sqlite, postgres()?]),
            }
        }
        Ok(engines)
    }
}

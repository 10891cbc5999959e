//! Benchmarks of the real binary against the limits of the machine it runs on.
//!
//! A rate says little by itself: it is the disk's as much as ours. So every run also measures
//! what a bare loop reaches on the same machine, in the same minute, with the same
//! rows ([`limit`]), and the number to look at is the ratio of the two.
//!
//! Nothing is asserted here. Numbers taken while something else uses the machine are worthless.

mod delivery;
mod growth;
mod http;
mod idle;
mod intake;
mod limit;
mod load;
mod orders;
mod pages;
mod pallet;
mod place;
mod process;
mod report;
mod returns;
mod server;

use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};

use place::Engine;
use tokio::runtime::{Builder, Runtime};

/// The product's allocator: its store and its sender run in this process too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Debug, Parser)]
#[command(name = "bench", version, max_term_width = 100)]
/// Measures homeward against the limits of this machine
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Orders a second that the server takes in, beside what a bare loop can write
    Intake(intake::Intake),
    /// The rate of intake with ten thousand and with a million orders already stored
    Growth,
    /// The memory of a server that has nothing to do
    Idle,
    /// Messages a second from commit to answer, beside what a loop without a store can post
    Delivery(delivery::Delivery),
    /// Returns a second that the server starts, beside a bare transaction with the same rows
    Returns(returns::Returns),
    /// A pallet of 100,000 units: announced, received, shipped, and every message acknowledged
    Pallet(pallet::Pallet),
    /// How long the pages of the portal and of the console take, with few and with many orders stored
    Pages(pages::Pages),
    /// Whether healthy merchants notice one that hangs with a million messages waiting
    Isolation(delivery::Isolation),
}

#[derive(Debug, Args)]
struct Options {
    /// Which databases to measure on
    #[arg(long, global = true, value_enum, default_value_t = Stores::Sqlite)]
    store: Stores,

    /// A PostgreSQL server in which databases may be made (they are dropped again)
    #[arg(long, global = true, env = "TEST_POSTGRES_URL", hide_env_values = true)]
    postgres: Option<String>,

    /// How long each measurement takes
    #[arg(long, global = true, default_value_t = 10)]
    seconds: u32,

    /// How long each load runs before it is measured
    #[arg(long, global = true, default_value_t = 2)]
    warm_up_seconds: u32,

    /// Varies the orders
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,

    /// Leave the data where it is
    #[arg(long, global = true)]
    keep: bool,

    /// Print the results as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stores {
    Sqlite,
    Postgres,
    Both,
}

impl Options {
    fn engines(&self) -> anyhow::Result<Vec<Engine>> {
        let postgres = || {
            let url = self.postgres.clone();
            url.map(Engine::Postgres).context("say where PostgreSQL is: --postgres URL")
        };
        Ok(match self.store {
            Stores::Sqlite => vec![Engine::Sqlite],
            Stores::Postgres => vec![postgres()?],
            Stores::Both => vec![Engine::Sqlite, postgres()?],
        })
    }
}

fn main() -> ExitCode {
    let Cli { options, command } = Cli::parse();
    // What the engine complains of while it is measured explains the numbers.
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(std::io::stderr)
        .init();
    let done = runtime(&command).map_err(anyhow::Error::from).and_then(|runtime| {
        runtime.block_on(async {
            tokio::select! {
                done = run(command, &options) => done,
                // What runs is dropped, and cleans up after itself.
                _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
            }
        })
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::note(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// One thread, to leave the others to the server; all of them where the engine itself runs in here.
fn runtime(command: &Command) -> std::io::Result<Runtime> {
    let mut builder = match command {
        Command::Intake(_)
        | Command::Growth
        | Command::Idle
        | Command::Returns(_)
        | Command::Pages(_) => Builder::new_current_thread(),
        Command::Delivery(_) | Command::Isolation(_) | Command::Pallet(_) => {
            Builder::new_multi_thread()
        }
    };
    builder.enable_all().build()
}

async fn run(command: Command, options: &Options) -> anyhow::Result<()> {
    let engines = options.engines()?;
    match command {
        Command::Intake(intake) => intake.run(&engines, &server::binary()?, options).await,
        Command::Growth => growth::run(&engines, &server::binary()?, options).await,
        Command::Idle => idle::run(&engines, &server::binary()?, options).await,
        Command::Delivery(delivery) => delivery.run(&engines, options).await,
        Command::Returns(returns) => returns.run(&engines, &server::binary()?, options).await,
        Command::Pallet(pallet) => pallet.run(&engines, &server::binary()?, options).await,
        Command::Pages(pages) => pages.run(&engines, &server::binary()?, options).await,
        Command::Isolation(isolation) => isolation.run(&engines, options).await,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}

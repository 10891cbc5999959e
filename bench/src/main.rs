//! Benchmarks of the real binary against the limits of the machine it runs on.
//!
//! A rate alone says little: it depends on the disk as much as on the program. So every run also
//! measures what a bare loop reaches on the same machine, in the same minute, with the same rows
//! ([`limit`]). The number to look at is the ratio of the two.
//!
//! Nothing is asserted here. Numbers are worthless if something else uses the machine.

mod benchmark;
mod delivery;
mod growth;
mod http;
mod idle;
mod intake;
mod limit;
mod load;
mod options;
mod orders;
mod pages;
mod pallet;
mod process;
mod reconcile;
mod report;
mod returns;
mod server;
mod storage;
mod window;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tokio::runtime::{Builder, Runtime};

use options::Options;

/// The allocator of the product: its store and its sender also run in this process.
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
    /// Orders per second that the server accepts, compared with what a bare loop can write
    Intake(intake::Intake),
    /// Orders per second with few merchants and orders, and with many
    Growth(growth::Growth),
    /// Memory of an idle server
    Idle(idle::Idle),
    /// Messages per second from commit to response, compared with a loop without a store
    Delivery(delivery::Delivery),
    /// Returns per second that the server starts, compared with bare transactions of the same rows
    Returns(returns::Returns),
    /// A pallet of 100,000 units: announced, received, shipped, and every message acknowledged
    Pallet(pallet::Pallet),
    /// Latency of the portal's and the console's pages, with few and with many orders stored
    Pages(pages::Pages),
    /// Effect of merchants that hang, with a million pending messages, on the others
    Isolation(delivery::Isolation),
    /// Effect of replays on the latency of live messages
    Replay(delivery::Replay),
    /// Time and memory to compare a million returns with what was sent about them
    Reconcile(reconcile::Reconcile),
}

fn main() -> ExitCode {
    let Cli { options, command } = Cli::parse();
    // Warnings of the engine while it is measured explain the numbers.
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(std::io::stderr)
        .init();
    let done = build_runtime(&command).map_err(anyhow::Error::from).and_then(|runtime| {
        runtime.block_on(async {
            tokio::select! {
                done = run(command, &options) => done,
                // The run is dropped, and cleans up after itself.
                _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
            }
        })
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::print_note(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// One thread, which leaves the others to the server, or all of them if the engine runs in this
/// process.
fn build_runtime(command: &Command) -> std::io::Result<Runtime> {
    let mut builder = match command {
        Command::Intake(_)
        | Command::Growth(_)
        | Command::Idle(_)
        | Command::Returns(_)
        | Command::Pages(_) => Builder::new_current_thread(),
        Command::Delivery(_)
        | Command::Isolation(_)
        | Command::Replay(_)
        | Command::Reconcile(_)
        | Command::Pallet(_) => Builder::new_multi_thread(),
    };
    builder.enable_all().build()
}

async fn run(command: Command, options: &Options) -> anyhow::Result<()> {
    match command {
        Command::Intake(intake) => benchmark::run(&intake, options).await,
        Command::Growth(growth) => benchmark::run(&growth, options).await,
        Command::Idle(idle) => benchmark::run(&idle, options).await,
        Command::Delivery(delivery) => benchmark::run(&delivery, options).await,
        Command::Returns(returns) => benchmark::run(&returns, options).await,
        Command::Pallet(pallet) => benchmark::run(&pallet, options).await,
        Command::Pages(pages) => benchmark::run(&pages, options).await,
        Command::Isolation(isolation) => benchmark::run(&isolation, options).await,
        Command::Replay(replay) => benchmark::run(&replay, options).await,
        Command::Reconcile(reconcile) => benchmark::run(&reconcile, options).await,
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

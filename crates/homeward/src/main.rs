//! The binary: command line, configuration, wiring.

mod command;
mod config;
mod directory;
mod http;
mod logs;
mod node;
mod output;
mod session;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use config::Options;
use output::Output;

/// Returns, exchange and fulfilment integration in one binary.
#[derive(Debug, Parser)]
#[command(name = "homeward", version, max_term_width = 100, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    options: Options,

    /// Read settings from this file; flags and HOMEWARD_... variables win over it
    #[arg(long, global = true, env = "HOMEWARD_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print data as JSON, for machines
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server
    Serve,
    /// Run a server with a sample merchant and its orders, to look around
    Demo(command::demo::Demo),
    /// Add, list and change merchants
    #[command(subcommand)]
    Merchant(command::merchant::Merchant),
    /// Add and list clients: the credentials of systems
    #[command(subcommand)]
    Client(command::client::Client),
    /// Bring in a merchant's order history
    Import(command::import::Import),
    /// Show what operators changed, newest first
    Audit(command::audit::Audit),
    /// Bring the database's schema up to date, without serving
    Migrate,
    /// Copy the database, as of one moment, while the server runs
    Backup(command::backup::Backup),
    /// Say what is wrong with this installation, if anything is
    Doctor,
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli).await {
        Ok(code) => code,
        Err(error) => {
            output::problem(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let output = Output { json: cli.json };
    let is_server = matches!(cli.command, Command::Serve | Command::Demo(_));
    let options = match &cli.command {
        Command::Demo(_) => command::demo::Demo::options(cli.options),
        Command::Serve
        | Command::Merchant(_)
        | Command::Client(_)
        | Command::Import(_)
        | Command::Audit(_)
        | Command::Migrate
        | Command::Backup(_)
        | Command::Doctor => cli.options,
    };
    let config = options.resolve(cli.config.as_deref())?;
    // A command's own words are enough; the log of a node inside it would only disturb.
    let level = if is_server { config.log_level } else { tracing::Level::ERROR };
    logs::start(config.log_format, level);
    match cli.command {
        Command::Serve => command::serve::serve(&config).await?,
        Command::Demo(demo) => demo.run(&config, output).await?,
        Command::Merchant(merchant) => merchant.run(&config, output).await?,
        Command::Client(client) => client.run(&config, output).await?,
        Command::Import(import) => return import.run(&config, output).await,
        Command::Audit(audit) => audit.run(&config, output).await?,
        Command::Migrate => command::migrate::migrate(&config, output).await?,
        Command::Backup(backup) => backup.run(&config, output).await?,
        Command::Doctor => return command::doctor::doctor(&config, output).await,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}

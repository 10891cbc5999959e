//! The binary: command line, configuration, wiring.

mod arguments;
mod backups;
mod command;
mod config;
mod directory;
mod http;
mod keys;
mod logs;
mod memory;
mod node;
mod outbound;
mod output;
mod session;
mod systemd;
mod traces;

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use config::{Config, ConfigSource, Options, origin::SettingSources};
use output::Output;
use session::RemoteCommand;
use traces::Traces;

/// With the system's allocator a quarter of the time to read orders is allocation; with this one a
/// tenth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Returns, exchange and fulfillment integration in one binary.
#[derive(Debug, Parser)]
#[command(name = "homeward", version = traces::VERSION, max_term_width = 100, propagate_version = true)]
struct Cli {
    /// Print data as JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(flatten)]
    options: Options,

    /// Read settings from this file; flags and HOMEWARD_... variables override it
    #[arg(long, global = true, env = "HOMEWARD_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server
    Serve,
    /// Run a server with a simulated merchant, shoppers, a carrier and six months of history
    Demo(command::demo::Demo),
    /// Add, list and change merchants
    #[command(subcommand)]
    Merchant(command::merchant::Merchant),
    /// Add, list and disable clients: the API credentials of systems
    #[command(subcommand)]
    Client(command::client::Client),
    /// Add, list and disable operators: the people who log in to the console
    #[command(subcommand)]
    Operator(command::operator::Operator),
    /// Set, test, pause and resume the endpoints of merchants
    #[command(subcommand)]
    Endpoint(command::endpoint::Endpoint),
    /// Check whether a merchant's receiver follows the rules, before it goes live
    Certify(command::certify::Certify),
    /// Show, set and check merchants' return policies
    #[command(subcommand)]
    Policy(command::policy::Policy),
    /// Show and set the theme and texts of merchants' returns portals
    #[command(subcommand)]
    Portal(command::portal::Portal),
    /// List, set and remove the warehouses of the platform
    #[command(subcommand)]
    Warehouse(command::warehouse::Warehouse),
    /// Manage where received units go
    #[command(subcommand)]
    Disposition(command::disposition::Disposition),
    /// Set merchants' accounts at carriers, and report parcel events as a carrier would
    #[command(subcommand)]
    Carrier(command::carrier::Carrier),
    /// List and show messages to merchants
    #[command(subcommand)]
    Message(command::message::Message),
    /// List, retry and discard messages that failed all attempts
    #[command(subcommand)]
    Failures(command::failures::Failures),
    /// Report on deliveries
    #[command(subcommand)]
    Report(command::report::Report),
    /// Show the money of a merchant's returns: entries and balances
    #[command(subcommand)]
    Money(command::money::Money),
    /// Check the acknowledgements of withdrawals
    #[command(subcommand)]
    Withdrawal(command::withdrawal::Withdrawal),
    /// Import a merchant's order history
    Import(command::import::Import),
    /// Export and erase the data of a shopper
    #[command(subcommand)]
    Shopper(command::shopper::Shopper),
    /// Show and set how long the data of shoppers is kept
    #[command(subcommand)]
    Retention(command::retention::Retention),
    /// Compare what a merchant holds with what was sent to it
    Reconcile(command::reconcile::Reconcile),
    /// Show the changes that operators made, newest first
    Audit(command::audit::Audit),
    /// Rotate the key that encrypts secrets in the database
    #[command(subcommand)]
    Key(command::key::Key),
    /// Migrate the database schema without starting the server
    Migrate,
    /// Back up the database while the server runs
    Backup(command::backup::Backup),
    /// Make a backup the database of the data directory
    Restore(command::restore::Restore),
    /// Check this installation for problems
    Doctor(command::doctor::Doctor),
    /// Print a script that completes commands in a shell
    Completions(command::generate::Completions),
    /// Write the man pages to a directory
    ManPages(command::generate::ManPages),
    /// Print the description of the API, or write the schemas of messages
    Openapi(command::generate::Openapi),
    /// Run a simulated merchant or carrier to test against
    #[command(subcommand)]
    Sim(command::sim::Sim),
}

#[tokio::main]
async fn main() -> ExitCode {
    let matches = arguments::read(Cli::command());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Command::Serve = cli.command {
        // Before anything is opened, because this replaces the process.
        memory::restart_process_with_purge_delay();
    }
    match run(cli, arguments::setting_sources(&matches)).await {
        Ok(code) => code,
        Err(error) => {
            output::print_error(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli, sources: SettingSources) -> anyhow::Result<ExitCode> {
    let output = Output { json: cli.json };
    let is_server = matches!(cli.command, Command::Serve | Command::Demo(_) | Command::Sim(_));
    let listen = cli.options.listen.clone().filter(|_| sources.flags.contains("listen"));
    let options = if matches!(cli.command, Command::Demo(_)) {
        command::demo::Demo::options(cli.options)
    } else {
        cli.options
    };
    let source = ConfigSource { options, file: cli.config, sources };
    let config = source.read()?;
    // The output of a command is enough. The log of a node inside it would be noise.
    let level = if is_server { config.log_level } else { tracing::Level::ERROR };
    let (traces, layer) = Traces::start(is_server)?;
    logs::start(config.log_format, level, layer);
    traces.announce();
    let context = CommandContext { config: &config, source: &source, output, listen };
    let result = context.run(cli.command).await;
    traces.finish().await;
    result
}

/// What a command is run with.
struct CommandContext<'a> {
    config: &'a Config,
    source: &'a ConfigSource,
    output: Output,
    /// The address to listen on, if it is an argument.
    listen: Option<String>,
}

impl CommandContext<'_> {
    async fn run(self, command: Command) -> anyhow::Result<ExitCode> {
        let Self { config, source, output, listen } = self;
        match command {
            Command::Serve => command::serve::serve(config, source).await?,
            Command::Demo(demo) => demo.run(config, output).await?,
            Command::Merchant(merchant) => merchant.run(config, output).await?,
            Command::Client(client) => client.run(config, output).await?,
            Command::Operator(operator) => operator.run(config, output).await?,
            Command::Endpoint(endpoint) => return endpoint.run(config, output).await,
            Command::Policy(policy) => policy.run(config, output).await?,
            Command::Portal(portal) => portal.run(config, output).await?,
            Command::Warehouse(warehouse) => warehouse.run(config, output).await?,
            Command::Disposition(disposition) => disposition.run(config, output).await?,
            Command::Carrier(carrier) => carrier.run(config, output).await?,
            Command::Message(message) => message.run(config, output).await?,
            Command::Failures(failures) => return failures.run(config, output).await,
            Command::Report(report) => report.run(config, output).await?,
            Command::Money(money) => money.run(config, output).await?,
            Command::Withdrawal(withdrawal) => return withdrawal.run(config, output).await,
            Command::Certify(certify) => return certify.run(config, output).await,
            Command::Import(import) => return import.run(config, output).await,
            Command::Shopper(shopper) => shopper.run(config, output).await?,
            Command::Retention(retention) => retention.run(config, output).await?,
            Command::Reconcile(reconcile) => return reconcile.run(config, output).await,
            Command::Audit(audit) => audit.run(config, output).await?,
            Command::Key(key) => key.run(config, output).await?,
            Command::Migrate => command::migrate::migrate(config, output).await?,
            Command::Backup(backup) => backup.run(config, output).await?,
            Command::Restore(restore) => restore.run(config, output).await?,
            Command::Doctor(doctor) => return doctor.run(config, output).await,
            Command::Completions(completions) => completions.run(Cli::command()),
            Command::ManPages(pages) => pages.run(Cli::command())?,
            Command::Openapi(openapi) => openapi.run()?,
            Command::Sim(sim) => return sim.run(listen.as_deref(), output).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    fn parses(line: &str) -> bool {
        Cli::try_parse_from(line.split(' ')).is_ok()
    }

    #[test]
    fn failures_are_retried_by_identifier_or_by_filter() {
        for line in [
            "homeward failures retry msg_acme_1 msg_acme_2 --force",
            "homeward failures retry --all",
            "homeward failures retry --all --kind rma --status 0 --from 2026-02-14T16:00:00Z --detach",
        ] {
            assert!(parses(line), "{line}");
        }
        for line in [
            "homeward failures retry",
            "homeward failures retry --kind rma",
            "homeward failures retry msg_acme_1 --all",
            "homeward failures retry msg_acme_1 --status 503",
            "homeward failures retry msg_acme_1 --detach",
            "homeward failures retry acme_1",
            "homeward failures discard msg_acme_1",
            "homeward failures discard --reason done",
        ] {
            assert!(!parses(line), "{line}");
        }
    }

    #[test]
    fn paths_need_a_base_address_and_csv_excludes_json() {
        assert!(parses("homeward endpoint set acme --url http://a --path rma=/b"));
        assert!(parses("homeward endpoint set acme rma --url http://a --auth-json -"));
        assert!(!parses("homeward endpoint set acme rma --url http://a --path rma=/b"));
        assert!(!parses("homeward endpoint set acme rmas --url http://a"));
        assert!(parses("homeward report deliveries --csv"));
        assert!(!parses("homeward report deliveries --csv --json"));
        assert!(parses("homeward money entries acme --from 2026-02-01T00:00:00Z --csv"));
        assert!(!parses("homeward money entries acme --csv --json"));
        assert!(!parses("homeward money entries"));
        assert!(parses("homeward sim merchant --listen 127.0.0.1:0 --status 503 --count 3"));
    }
}

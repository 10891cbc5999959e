//! Settings: from flags, the environment, a file, and the defaults, in this order.
//!
//! `config.default.toml` is both the documentation and the defaults, so that they cannot differ.

mod checks;
mod mail;
pub(crate) mod origin;
pub(crate) mod public_url;
#[cfg(test)]
mod tests;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use app::messages::mail::platform::PlatformMail;
use delivery::address::{Network, NetworkException};
use domain::messages::retry::RetrySchedule;
use serde::Deserialize;
use server::guard::{client_address::TrustedProxies, tls::TlsSettings};
use store::Location;

use self::{
    checks::{check_backups, check_drain, check_rate_limit, check_retry_schedule, check_timeout},
    mail::MailOptions,
    origin::{SettingSources, add_origin, refuse},
};

const DEFAULTS: &str = include_str!("../config.default.toml");

/// Every setting, each of them optional. Flags, file and defaults have the same shape.
#[derive(Clone, Debug, Default, Deserialize, clap::Args)]
#[serde(deny_unknown_fields)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Options {
    /// Directory of the database, the admin credential and the secret key
    #[arg(long, global = true, env = "HOMEWARD_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// Address to listen on
    #[arg(long, global = true, env = "HOMEWARD_LISTEN", value_name = "ADDR:PORT")]
    pub(crate) listen: Option<String>,

    /// sandbox or production
    #[arg(long, global = true, env = "HOMEWARD_ENVIRONMENT")]
    environment: Option<Environment>,

    /// sqlite, or a PostgreSQL address (postgres://user:password@host/database)
    #[arg(long, global = true, env = "HOMEWARD_STORE", hide_env_values = true)]
    store: Option<String>,

    /// Certificate chain in PEM
    #[arg(long, global = true, env = "HOMEWARD_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,

    /// Private key in PEM
    #[arg(long, global = true, env = "HOMEWARD_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,

    /// Accept TLS 1.3 too
    #[arg(long, global = true, env = "HOMEWARD_TLS13", value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    tls13: Option<bool>,

    /// Network of proxies in front that are trusted to name the client; repeatable
    #[arg(long, global = true, env = "HOMEWARD_TRUSTED_PROXIES", value_name = "CIDR")]
    #[arg(value_delimiter = ',')]
    trusted_proxies: Option<Vec<String>>,

    /// Requests per minute from one address
    #[arg(long, global = true, env = "HOMEWARD_RATE_LIMIT_PER_MINUTE", value_name = "N")]
    rate_limit_per_minute: Option<u32>,

    /// Network that is not public but may receive a merchant's messages, such as
    /// acme@10.1.0.0/16:8443, with * for every merchant or port; repeatable
    #[arg(long, global = true, env = "HOMEWARD_ALLOW_NETWORK", value_name = "MERCHANT@CIDR:PORT")]
    #[arg(value_delimiter = ',')]
    allow_network: Option<Vec<String>>,

    /// Whether endpoints must pass their check before they get messages
    #[arg(long, global = true, env = "HOMEWARD_REQUIRE_CERTIFICATE", value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    require_certificate: Option<bool>,

    /// Delay after the first failed attempt of a message
    #[arg(long, global = true, env = "HOMEWARD_RETRY_BASE_MS", value_name = "MS")]
    retry_base_ms: Option<u64>,

    /// Factor by which each further delay is longer
    #[arg(long, global = true, env = "HOMEWARD_RETRY_FACTOR", value_name = "N")]
    retry_factor: Option<u64>,

    /// Time limit of a delivery attempt
    #[arg(long, global = true, env = "HOMEWARD_DELIVERY_TIMEOUT_MS", value_name = "MS")]
    delivery_timeout_ms: Option<u64>,

    /// Days to keep finished messages and their attempts
    #[arg(long, global = true, env = "HOMEWARD_RETENTION_DAYS", value_name = "DAYS")]
    retention_days: Option<u32>,

    /// Seconds for load balancers to notice a stop before connections are refused
    #[arg(long, global = true, env = "HOMEWARD_DRAIN_SECONDS", value_name = "S")]
    drain_seconds: Option<u64>,

    /// Folder for regular backups, encrypted with the secret key file
    #[arg(long, global = true, env = "HOMEWARD_BACKUP_DIR", value_name = "DIR")]
    backup_dir: Option<PathBuf>,

    /// Hours between two regular backups
    #[arg(long, global = true, env = "HOMEWARD_BACKUP_EVERY_HOURS", value_name = "H")]
    backup_every_hours: Option<u64>,

    /// Regular backups to keep; older ones are removed
    #[arg(long, global = true, env = "HOMEWARD_BACKUP_KEEP", value_name = "N")]
    backup_keep: Option<usize>,

    /// Key that encrypts secrets in the database
    #[arg(long, global = true, env = "HOMEWARD_SECRET_KEY_FILE", value_name = "FILE")]
    secret_key_file: Option<PathBuf>,

    /// text or json
    #[arg(long, global = true, env = "HOMEWARD_LOG_FORMAT")]
    log_format: Option<LogFormat>,

    /// error, warn, info, debug or trace
    #[arg(long, global = true, env = "HOMEWARD_LOG_LEVEL", value_name = "LEVEL")]
    pub(crate) log_level: Option<String>,

    /// Only in the file.
    #[arg(skip)]
    mail: Option<MailOptions>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Environment {
    Sandbox,
    Production,
}

impl Environment {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Production => "production",
        }
    }

    /// Requests per minute from one address.
    fn rate_limit_per_minute(self) -> u32 {
        match self {
            Self::Sandbox => 2500,
            Self::Production => 5000,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// When the server makes backups by itself, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackupSchedule {
    pub(crate) folder: PathBuf,
    pub(crate) every: Duration,
    /// How many are kept.
    pub(crate) keep: usize,
}

/// Settings that have been checked.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) data_dir: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) environment: Environment,
    pub(crate) location: Location,
    pub(crate) tls: Option<TlsSettings>,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) rate_limit_per_minute: u32,
    pub(crate) allow_networks: Vec<NetworkException>,
    pub(crate) certificate_required: bool,
    pub(crate) retry_schedule: RetrySchedule,
    pub(crate) delivery_timeout: Duration,
    pub(crate) retention_days: u32,
    pub(crate) drain: Duration,
    pub(crate) backups: Option<BackupSchedule>,
    pub(crate) secret_key_file: PathBuf,
    pub(crate) log_format: LogFormat,
    pub(crate) log_level: tracing::Level,
    pub(crate) mail: PlatformMail,
}

impl Options {
    /// The settings of `self`, and of `other` where `self` has none.
    fn or(self, other: Self) -> Self {
        Self {
            data_dir: self.data_dir.or(other.data_dir),
            listen: self.listen.or(other.listen),
            environment: self.environment.or(other.environment),
            store: self.store.or(other.store),
            tls_cert: self.tls_cert.or(other.tls_cert),
            tls_key: self.tls_key.or(other.tls_key),
            tls13: self.tls13.or(other.tls13),
            trusted_proxies: self.trusted_proxies.or(other.trusted_proxies),
            rate_limit_per_minute: self.rate_limit_per_minute.or(other.rate_limit_per_minute),
            allow_network: self.allow_network.or(other.allow_network),
            require_certificate: self.require_certificate.or(other.require_certificate),
            retry_base_ms: self.retry_base_ms.or(other.retry_base_ms),
            retry_factor: self.retry_factor.or(other.retry_factor),
            delivery_timeout_ms: self.delivery_timeout_ms.or(other.delivery_timeout_ms),
            retention_days: self.retention_days.or(other.retention_days),
            drain_seconds: self.drain_seconds.or(other.drain_seconds),
            backup_dir: self.backup_dir.or(other.backup_dir),
            backup_every_hours: self.backup_every_hours.or(other.backup_every_hours),
            backup_keep: self.backup_keep.or(other.backup_keep),
            secret_key_file: self.secret_key_file.or(other.secret_key_file),
            log_format: self.log_format.or(other.log_format),
            log_level: self.log_level.or(other.log_level),
            mail: self.mail.or(other.mail),
        }
    }

    /// The effective settings: these options, then `file`, then the defaults.
    pub(crate) fn resolve(self, file: Option<&Path>) -> anyhow::Result<Config> {
        let from_file = match file {
            Some(path) => read_file(path)?,
            None => Self::default(),
        };
        let defaults = toml::from_str(DEFAULTS).context("config.default.toml")?;
        Config::from_options(self.or(from_file).or(defaults))
    }
}

/// Where the settings come from, so that they can be read again.
#[derive(Clone, Debug)]
pub(crate) struct ConfigSource {
    pub(crate) options: Options,
    pub(crate) file: Option<PathBuf>,
    pub(crate) sources: SettingSources,
}

impl ConfigSource {
    pub(crate) fn read(&self) -> anyhow::Result<Config> {
        let file = self.file.as_deref();
        let resolved = self.options.clone().resolve(file);
        resolved.map_err(|error| add_origin(error, &self.sources, file))
    }
}

fn read_file(path: &Path) -> anyhow::Result<Options> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    toml::from_str(&text)
        .with_context(|| format!("{} is not a valid configuration", path.display()))
}

impl Config {
    /// The settings that differ from `other` and take effect at the next start only.
    pub(crate) fn changed_for_restart(&self, other: &Self) -> Vec<&'static str> {
        let fixed = |it: &Self| {
            vec![
                ("listen", it.listen.to_string()),
                ("environment", it.environment.name().to_owned()),
                ("store", format!("{:?}", it.location)),
                ("tls_cert, tls_key or tls13", format!("{:?}", it.tls)),
                ("trusted_proxies", format!("{:?}", it.trusted_proxies)),
                ("allow_network", format!("{:?}", it.allow_networks)),
                ("require_certificate", it.certificate_required.to_string()),
                ("retry_base_ms", it.retry_schedule.base_ms.to_string()),
                ("retry_factor", it.retry_schedule.factor.to_string()),
                ("delivery_timeout_ms", format!("{:?}", it.delivery_timeout)),
                ("retention_days", it.retention_days.to_string()),
                ("backup_dir, backup_every_hours or backup_keep", format!("{:?}", it.backups)),
                ("log_format", format!("{:?}", it.log_format)),
                ("[mail]", format!("{:?}", it.mail)),
                ("secret_key_file", it.secret_key_file.display().to_string()),
            ]
        };
        let pairs = fixed(self).into_iter().zip(fixed(other));
        pairs.filter(|(before, after)| before != after).map(|(before, _)| before.0).collect()
    }

    fn from_options(options: Options) -> anyhow::Result<Self> {
        let missing = "config.default.toml must have every setting";
        let data_dir = options.data_dir.context(missing)?;
        let environment = options.environment.context(missing)?;
        let listen = options.listen.context(missing)?;
        let tls13 = options.tls13.context(missing)?;
        let log_level = options.log_level.context(missing)?;
        Ok(Self {
            listen: parse_listen(&listen)?,
            location: parse_location(&options.store.context(missing)?, &data_dir)?,
            tls: tls_settings(options.tls_cert, options.tls_key, tls13)?,
            trusted_proxies: TrustedProxies::new(parse_networks(
                &options.trusted_proxies.context(missing)?,
            )?),
            rate_limit_per_minute: check_rate_limit(
                options.rate_limit_per_minute.unwrap_or(environment.rate_limit_per_minute()),
            )?,
            allow_networks: parse_exceptions(&options.allow_network.context(missing)?)?,
            certificate_required: options.require_certificate.context(missing)?,
            secret_key_file: options.secret_key_file.unwrap_or_else(|| data_dir.join("secret.key")),
            retry_schedule: check_retry_schedule(
                options.retry_base_ms.context(missing)?,
                options.retry_factor.context(missing)?,
            )?,
            delivery_timeout: check_timeout(options.delivery_timeout_ms.context(missing)?)?,
            retention_days: options.retention_days.context(missing)?,
            drain: check_drain(options.drain_seconds.context(missing)?)?,
            backups: check_backups(
                options.backup_dir,
                options.backup_every_hours.context(missing)?,
                options.backup_keep.context(missing)?,
            )?,
            log_format: options.log_format.context(missing)?,
            log_level: parse_log_level(&log_level)?,
            mail: options.mail.unwrap_or_default().resolve()?,
            environment,
            data_dir,
        })
    }
}

fn parse_listen(text: &str) -> anyhow::Result<SocketAddr> {
    text.parse().map_err(|why| {
        refuse("listen", format!("must be ADDRESS:PORT, such as 127.0.0.1:8080, not {text}: {why}"))
    })
}

fn parse_log_level(text: &str) -> anyhow::Result<tracing::Level> {
    let allowed = "must be error, warn, info, debug or trace";
    text.parse().map_err(|_| refuse("log_level", format!("{allowed}, not {text}")))
}

fn parse_location(store: &str, data_dir: &Path) -> anyhow::Result<Location> {
    if store == "sqlite" {
        return Ok(Location::Sqlite(data_dir.join("homeward.db")));
    }
    if store.starts_with("postgres://") || store.starts_with("postgresql://") {
        return Ok(Location::Postgres(store.to_owned()));
    }
    // Not the value: it may be an address with a password.
    Err(refuse("store", "must be sqlite or an address that starts with postgres://"))
}

fn tls_settings(
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
    allow_tls13: bool,
) -> anyhow::Result<Option<TlsSettings>> {
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Some(TlsSettings { cert, key, allow_tls13 })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(refuse("tls_cert", "is set but tls_key is not")),
        (None, Some(_)) => Err(refuse("tls_key", "is set but tls_cert is not")),
    }
}

fn parse_networks(texts: &[String]) -> anyhow::Result<Vec<Network>> {
    let parse = |text: &String| {
        Network::parse(text).map_err(|why| {
            let problem = format!("must be networks such as 10.0.0.0/8, not {text}: {why}");
            refuse("trusted_proxies", problem)
        })
    };
    texts.iter().map(parse).collect()
}

fn parse_exceptions(texts: &[String]) -> anyhow::Result<Vec<NetworkException>> {
    let parse = |text: &String| {
        NetworkException::parse(text).map_err(|why| {
            let problem = format!(
                "must be a merchant's networks and ports, such as acme@10.1.0.0/16:8443, not \
                 {text}: {why}"
            );
            refuse("allow_network", problem)
        })
    };
    texts.iter().map(parse).collect()
}

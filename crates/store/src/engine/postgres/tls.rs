//! Whether a connection to PostgreSQL is encrypted.
//!
//! Orders and shoppers' addresses must not cross a network in the clear because a setting was
//! forgotten. So a database on another machine needs TLS unless its address says
//! `sslmode=disable`. On this machine, over loopback or a Unix socket, TLS is used only where the
//! address says `sslmode=require`.

use std::{net::IpAddr, sync::Arc, time::Duration};

use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::lost_servers::limit_waiting;
use crate::core::error::EngineError;

/// How to connect, and the TLS that it needs, if any.
pub(super) struct Settings {
    pub(super) config: Config,
    pub(super) tls: Option<MakeRustlsConnect>,
}

/// The settings of a connection to `url`.
pub(super) fn connection_settings(url: &str) -> Result<Settings, EngineError> {
    let known: Config = url.parse()?;
    let mut config = known.clone();
    limit_waiting(&mut config, &known);
    with_tls(config)
}

/// The settings of a connection to another server, with what `url` says about everything else.
pub(super) fn worker_settings(
    url: &str,
    host: &str,
    port: u16,
    connect_within: Duration,
) -> Result<Settings, EngineError> {
    let known: Config = url.parse()?;
    let mut config = Config::new();
    limit_waiting(&mut config, &known);
    config.host(host).port(port).ssl_mode(known.get_ssl_mode()).connect_timeout(connect_within);
    if let Some(user) = known.get_user() {
        config.user(user);
    }
    if let Some(password) = known.get_password() {
        config.password(password);
    }
    if let Some(name) = known.get_dbname() {
        config.dbname(name);
    }
    if let Some(options) = known.get_options() {
        config.options(options);
    }
    if let Some(name) = known.get_application_name() {
        config.application_name(name);
    }
    with_tls(config)
}

fn with_tls(mut config: Config) -> Result<Settings, EngineError> {
    if !needs_tls(&config) {
        return Ok(Settings { config, tls: None });
    }
    config.ssl_mode(SslMode::Require);
    let tls = Some(MakeRustlsConnect::new(tls_settings()?));
    Ok(Settings { config, tls })
}

fn needs_tls(config: &Config) -> bool {
    match config.get_ssl_mode() {
        SslMode::Disable => false,
        SslMode::Require => true,
        // The default, if the address does not say.
        SslMode::Prefer | _ => !is_local(config),
    }
}

/// Whether every host is this machine. An address stands over the name that it belongs to.
fn is_local(config: &Config) -> bool {
    let addresses = config.get_hostaddrs();
    if !addresses.is_empty() {
        return addresses.iter().all(|address| address.to_canonical().is_loopback());
    }
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|it| it.to_canonical().is_loopback())
        }
    })
}

/// The certificate must be signed by a root of this machine.
fn tls_settings() -> Result<rustls::ClientConfig, EngineError> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| EngineError::Pool(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_encrypted(url: &str) -> bool {
        let Settings { config, tls } = connection_settings(url).unwrap();
        assert_eq!(tls.is_some(), config.get_ssl_mode() == SslMode::Require, "{url}");
        tls.is_some()
    }

    #[test]
    fn a_remote_database_is_never_reached_in_plain_text_by_omission() {
        for url in [
            "postgres://homeward@db.example/homeward",
            "postgres://homeward@192.0.2.7/homeward",
            "postgres://homeward@[2001:db8::7]/homeward",
            "postgres://homeward@localhost,db.example/homeward",
            "postgres://homeward@db.example/homeward?sslmode=prefer",
            "postgres://homeward@db.example/homeward?sslmode=require",
            "postgres://homeward@localhost/homeward?hostaddr=192.0.2.7",
            "postgres://homeward@localhost/homeward?sslmode=require",
        ] {
            assert!(is_encrypted(url), "{url}");
        }
    }

    #[test]
    fn this_machine_and_sslmode_disable_need_no_tls() {
        for url in [
            "postgres://homeward@localhost/homeward",
            "postgres://homeward@127.0.0.1:5433/homeward",
            "postgres://homeward@[::1]/homeward",
            "postgres://homeward@%2Fvar%2Frun%2Fpostgresql/homeward",
            "host=/var/run/postgresql user=homeward",
            "postgres://homeward@db.example/homeward?sslmode=disable",
            "postgres://homeward@db.example/homeward?hostaddr=127.0.0.1",
        ] {
            assert!(!is_encrypted(url), "{url}");
        }
    }
}

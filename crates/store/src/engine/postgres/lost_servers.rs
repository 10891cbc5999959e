//! How soon a database server is given up that does not answer any more.
//!
//! A server that loses its power or its network closes no connection. Without limits, a node would
//! wait for minutes for what it has sent, for two hours for an announcement, and so long for a
//! connection to the first server of an address that it never tries the second.

use std::time::Duration;

use tokio_postgres::Config;

/// For the connection to one server, so that there is time left for the next one.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);
/// After this long without traffic, a connection is probed.
const PROBE_AFTER: Duration = Duration::from_secs(5);
const PROBE_EVERY: Duration = Duration::from_secs(2);
const PROBES_MAX: u32 = 3;
/// What was sent must have arrived by then. It says nothing about how long a query may take.
const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

/// Sets these limits, except for those that are set in `known`, the address of the database.
pub(super) fn limit_waiting(config: &mut Config, known: &Config) {
    config
        .connect_timeout(known.get_connect_timeout().copied().unwrap_or(CONNECT_WITHIN))
        .tcp_user_timeout(known.get_tcp_user_timeout().copied().unwrap_or(ARRIVES_WITHIN))
        .keepalives(known.get_keepalives())
        .keepalives_interval(known.get_keepalives_interval().unwrap_or(PROBE_EVERY))
        .keepalives_retries(known.get_keepalives_retries().unwrap_or(PROBES_MAX));
    let said_idle = known.get_keepalives_idle();
    let is_default = said_idle == Config::new().get_keepalives_idle();
    config.keepalives_idle(if is_default { PROBE_AFTER } else { said_idle });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::postgres::tls::{connection_settings, worker_settings};

    const WORKER_WITHIN: Duration = Duration::from_secs(1);

    fn seconds(config: &Config) -> [u64; 4] {
        [
            *config.get_connect_timeout().unwrap(),
            *config.get_tcp_user_timeout().unwrap(),
            config.get_keepalives_idle(),
            config.get_keepalives_interval().unwrap(),
        ]
        .map(|limit| limit.as_secs())
    }

    #[test]
    fn a_server_that_vanished_is_given_up_within_seconds() {
        let url = "postgres://homeward@db1.example,db2.example/homeward";
        let server = connection_settings(url).unwrap().config;
        let worker = worker_settings(url, "worker.example", 5432, WORKER_WITHIN).unwrap().config;
        assert_eq!(seconds(&server), [3, 10, 5, 2]);
        assert_eq!(seconds(&worker), [1, 10, 5, 2]);
        for config in [server, worker] {
            assert!(config.get_keepalives());
            assert_eq!(config.get_keepalives_retries(), Some(3));
        }
    }

    #[test]
    fn limits_in_the_address_are_kept() {
        let url = "postgres://homeward@db.example/homeward?connect_timeout=7&tcp_user_timeout=30\
                   &keepalives=0&keepalives_idle=60&keepalives_interval=20&keepalives_retries=9";
        let server = connection_settings(url).unwrap().config;
        let worker = worker_settings(url, "worker.example", 5432, WORKER_WITHIN).unwrap().config;
        assert_eq!(seconds(&server), [7, 30, 60, 20]);
        assert_eq!(seconds(&worker), [1, 30, 60, 20]);
        for config in [server, worker] {
            assert!(!config.get_keepalives());
            assert_eq!(config.get_keepalives_retries(), Some(9));
        }
    }
}

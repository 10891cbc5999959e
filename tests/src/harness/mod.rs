//! What the tests stand on: the binary, its data directories, servers and a client.
//!
//! The binary is the one that `HOMEWARD_BIN` names, or else the one beside this test, built once
//! for each run. PostgreSQL is the server that `TEST_POSTGRES_URL` names; without
//! the variable its tests are skipped on a laptop and fail in CI.

pub(crate) mod binary;
pub(crate) mod cluster;
pub(crate) mod console;
pub(crate) mod home;
pub(crate) mod http;
pub(crate) mod mail_server;
pub(crate) mod postgres;
pub(crate) mod received;
pub(crate) mod samples;
pub(crate) mod server;
pub(crate) mod shared;
pub(crate) mod stage;

use std::time::{Duration, Instant};

/// Asks again and again until there is an answer, and gives up after a while.
pub(crate) fn eventually<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    within(Duration::from_secs(30), what, ask)
}

/// The same, with the time after which it gives up.
pub(crate) fn within<T>(time_max: Duration, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < time_max, "{what}: not within {time_max:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A number from the environment.
pub(crate) fn read_number(variable: &str, otherwise: usize) -> usize {
    let text = std::env::var(variable);
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{variable}: {text}")))
}

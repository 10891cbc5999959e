//! How soon freed memory is returned to the system.

use std::{env, os::unix::process::CommandExt, process::Command};

/// The allocator's setting, in milliseconds.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";
const PURGE_DELAY_MS: &str = "10";

/// Restarts this process with an allocator that returns freed memory after 10 ms instead of a
/// second: a request with a hundred thousand units takes less than a second, and would otherwise
/// keep its memory longer than it runs.
///
/// The allocator reads its settings from the environment when a process starts. It has no setting
/// at build time, and no call without `unsafe`. A value that is already set wins.
pub(crate) fn restart_process_with_purge_delay() {
    if env::var_os(PURGE_DELAY).is_some() {
        return;
    }
    if let Ok(binary) = env::current_exe() {
        // It returns only when it failed. Then the server runs with the allocator's default.
        let restart = &mut Command::new(binary);
        let _ = restart.args(env::args_os().skip(1)).env(PURGE_DELAY, PURGE_DELAY_MS).exec();
    }
}

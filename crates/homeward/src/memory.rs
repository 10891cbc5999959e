//! How soon memory that is not needed any more goes back to the system.

use std::{env, os::unix::process::CommandExt, process::Command};

/// What the allocator reads, and only when a process begins: milliseconds.
const SETTING: &str = "MIMALLOC_PURGE_DELAY";
const SOON: &str = "10";

/// Begins the process once more, with an allocator that does not keep what was freed for a whole second: after a request with
/// a hundred thousand units that is more than the request itself takes. Whoever has set something else gets it.
pub(crate) fn give_back_soon() {
    if env::var_os(SETTING).is_some() {
        return;
    }
    if let Ok(binary) = env::current_exe() {
        // It returns only when it did not work, and then all is as it would have been without.
        let _ = Command::new(binary).args(env::args_os().skip(1)).env(SETTING, SOON).exec();
    }
}

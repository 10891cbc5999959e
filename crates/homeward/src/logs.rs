//! The log: text for people, JSON for machines, on standard error.

use std::io::IsTerminal;

use tracing::Level;
use tracing_subscriber::{
    Layer, filter::Targets, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::config::LogFormat;

/// The crates of this workspace.
const OUR_CRATES: &[&str] = &[
    "api", "app", "console", "delivery", "demo", "domain", "homeward", "portal", "server", "sim",
    "store", "web", "world",
];

/// Logs our crates at `level`, and libraries only at warnings and errors.
pub(crate) fn start(format: LogFormat, level: Level) {
    let ours = OUR_CRATES.iter().map(|name| (*name, level));
    let filter = Targets::new().with_default(Level::WARN.min(level)).with_targets(ours);
    let stderr = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let layer = match format {
        LogFormat::Text => {
            stderr.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed()
        }
        LogFormat::Json => stderr.json().flatten_event(true).boxed(),
    };
    registry().with(layer.with_filter(filter)).init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_of_the_workspace_is_logged() {
        let crates = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap();
        for entry in crates {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let is_crate = entry.path().join("Cargo.toml").exists();
            assert!(!is_crate || OUR_CRATES.contains(&name.as_str()), "{name}");
        }
    }
}

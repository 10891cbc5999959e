//! The log: text for people, JSON for machines, on standard error.

use std::{io::IsTerminal, sync::OnceLock};

use store::CONNECTION_LIBRARIES;
use tracing::Level;
use tracing_subscriber::{
    Layer, Registry, filter::Targets, layer::SubscriberExt, registry, reload,
    util::SubscriberInitExt,
};

use crate::config::LogFormat;

/// The crates of this workspace.
const OUR_CRATES: &[&str] = &[
    "api", "app", "console", "delivery", "demo", "domain", "homeward", "mails", "portal", "server",
    "sim", "store", "web", "world",
];

/// What spans and the lines of the log go through.
pub(crate) type LogLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// What changes the level while the server runs.
static FILTER: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();

/// Our crates at `level`, and libraries only at warnings and errors.
fn targets(level: Level) -> Targets {
    let ours = OUR_CRATES.iter().map(|name| (*name, level));
    let pools = CONNECTION_LIBRARIES.map(|name| (name, Level::ERROR));
    Targets::new().with_default(Level::WARN.min(level)).with_targets(ours).with_targets(pools)
}

/// Logs at another level from now on.
pub(crate) fn set_level(level: Level) {
    let changed = FILTER.get().map(|filter| filter.reload(targets(level)));
    if let Some(Err(error)) = changed {
        tracing::error!("changing the log level failed, the old one stays: {error}");
    }
}

/// Starts to log at `level`, and to collect traces with the layer `traces`.
pub(crate) fn start(format: LogFormat, level: Level, traces: Option<LogLayer>) {
    let (filter, handle) = reload::Layer::new(targets(level));
    let _ = FILTER.set(handle);
    let stderr = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let layer = match format {
        LogFormat::Text => {
            stderr.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed()
        }
        LogFormat::Json => stderr.json().flatten_event(true).boxed(),
    };
    let log = layer.with_filter(filter).boxed();
    registry().with(std::iter::once(log).chain(traces).collect::<Vec<_>>()).init();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only their macros run, and only in the compiler.
    const NOT_IN_THE_BINARY: [&str; 3] = ["boxed", "omit_none", "undescribed"];

    #[test]
    fn every_crate_of_the_workspace_is_logged() {
        let crates = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap();
        for entry in crates {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let runs = !NOT_IN_THE_BINARY.contains(&name.as_str());
            let is_crate = entry.path().join("Cargo.toml").exists() && runs;
            assert!(!is_crate || OUR_CRATES.contains(&name.as_str()), "{name}");
        }
    }
}

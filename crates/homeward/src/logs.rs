//! The log: text for people, JSON for machines, on standard error.

use std::io::IsTerminal;

use tracing::Level;
use tracing_subscriber::{
    Layer, filter::Targets, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::config::LogFormat;

/// Our crates at `level`; the libraries only when something is wrong.
pub(crate) fn start(format: LogFormat, level: Level) {
    let ours = ["homeward", "web", "app", "store"].map(|name| (name, level));
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

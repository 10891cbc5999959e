//! Traces: spans of requests, commits and attempts, for a collector that speaks OTLP.
//!
//! Other crates create the spans, with `target: "spans"`, which no log shows and which costs
//! nothing unless they are collected. That is what this module does, if the binary was built with
//! the feature `otlp` and `HOMEWARD_OTLP_ENDPOINT` is the address of a collector. Spans have
//! identifiers, routes and results: never bodies, secrets or the data of shoppers.

#[cfg(feature = "otlp")]
mod collect;
#[cfg(feature = "otlp")]
mod encode;
#[cfg(feature = "otlp")]
mod export;

use crate::logs::LogLayer;

const ENDPOINT: &str = "HOMEWARD_OTLP_ENDPOINT";

/// The version, and whether traces can be sent.
#[cfg(feature = "otlp")]
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (otlp)");
#[cfg(not(feature = "otlp"))]
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What this process sends, if it sends traces.
pub(crate) struct Traces {
    #[cfg(feature = "otlp")]
    export: Option<export::Export>,
    #[cfg(not(feature = "otlp"))]
    has_endpoint: bool,
}

fn read_endpoint() -> Option<String> {
    std::env::var(ENDPOINT).ok().filter(|address| !address.is_empty())
}

#[cfg(feature = "otlp")]
impl Traces {
    /// Starts to send, if there is a collector. A command does not: its server does.
    pub(crate) fn start(is_server: bool) -> anyhow::Result<(Self, Option<LogLayer>)> {
        let Some(address) = read_endpoint().filter(|_| is_server) else {
            return Ok((Self { export: None }, None));
        };
        let (export, layer) = export::Export::start(&address)
            .map_err(|error| error.context(format!("{ENDPOINT} cannot be used")))?;
        Ok((Self { export: Some(export) }, Some(layer)))
    }

    /// Logs what may surprise.
    pub(crate) fn announce(&self) {
        if let Some(export) = &self.export {
            export.announce();
        }
    }

    /// Sends what is left.
    pub(crate) async fn finish(self) {
        if let Some(export) = self.export {
            export.finish().await;
        }
    }
}

#[cfg(not(feature = "otlp"))]
#[expect(clippy::unnecessary_wraps, clippy::unused_async, reason = "called as with the feature")]
impl Traces {
    pub(crate) fn start(is_server: bool) -> anyhow::Result<(Self, Option<LogLayer>)> {
        Ok((Self { has_endpoint: is_server && read_endpoint().is_some() }, None))
    }

    pub(crate) fn announce(&self) {
        if self.has_endpoint {
            let reason = "this binary was built without the feature otlp";
            tracing::warn!("sending traces is not possible, none are sent: {reason}");
        }
    }

    pub(crate) async fn finish(self) {}
}

//! The servers that tests share: one on each engine, started when a test first needs it.

use std::sync::OnceLock;

use super::{
    home::Home,
    postgres::{CITUS, Database, POSTGRES, chosen},
    server::Server,
};

/// A server on each engine, all with the same arguments.
pub(crate) struct SharedServers {
    /// The name of their schemas.
    name: &'static str,
    arguments: &'static [&'static str],
    usual: OnceLock<Server>,
    postgres: OnceLock<Option<Server>>,
    citus: OnceLock<Option<Server>>,
}

impl SharedServers {
    pub(crate) const fn new(name: &'static str, arguments: &'static [&'static str]) -> Self {
        Self {
            name,
            arguments,
            usual: OnceLock::new(),
            postgres: OnceLock::new(),
            citus: OnceLock::new(),
        }
    }

    /// The server for tests that any database will do for.
    pub(crate) fn usual(&self) -> &Server {
        self.usual.get_or_init(|| Home::new().serve(self.arguments))
    }

    /// The server on each engine that is available, or only on the one that was chosen.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Server> {
        let start = |database: &Database| {
            if chosen().is_some() {
                return None;
            }
            Some(Home::on(&database.schema(self.name)?.address).serve(self.arguments))
        };
        std::iter::once(self.usual())
            .chain(self.postgres.get_or_init(|| start(&POSTGRES)))
            .chain(self.citus.get_or_init(|| start(&CITUS)))
    }
}

/// Servers with the usual settings and a rate limit that no test reaches.
static USUAL: SharedServers = SharedServers::new("shared", &[]);

pub(crate) fn server() -> &'static Server {
    USUAL.usual()
}

pub(crate) fn on_every_engine() -> impl Iterator<Item = &'static Server> {
    USUAL.each()
}

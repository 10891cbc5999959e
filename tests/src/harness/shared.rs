//! The servers that tests share: one on each engine, with a limit nobody reaches.

use std::sync::OnceLock;

use super::{home::Home, postgres, server::Server};

pub(crate) fn sqlite() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Home::sqlite().serve(&[]))
}

fn postgres() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| Some(Home::on(&postgres::schema("shared")?).serve(&[]))).as_ref()
}

/// A server on each engine there is.
pub(crate) fn on_both_engines() -> impl Iterator<Item = &'static Server> {
    std::iter::once(sqlite()).chain(postgres())
}

//! Orders: publishing, importing and reading them.

pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod publish;
pub(crate) mod shoppers;

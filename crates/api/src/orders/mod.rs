//! Orders: publishing, importing and reading them.

pub(crate) mod import;
pub(crate) mod publish;

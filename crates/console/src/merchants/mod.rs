//! Merchants: the list, and everything about one.

pub(crate) mod list;
pub(crate) mod merchant;

//! Merchants: the list, adding one, and everything about one.

pub(crate) mod add;
mod fields;
pub(crate) mod list;
pub(crate) mod merchant;
pub(crate) mod portal;
pub(crate) mod tabs;

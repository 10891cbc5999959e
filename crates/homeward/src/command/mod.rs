//! The commands, one file each.

pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod client;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod import;
pub(crate) mod merchant;
pub(crate) mod migrate;
pub(crate) mod serve;

//! The commands, one file each.

mod argument;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod carrier;
pub(crate) mod client;
pub(crate) mod demo;
pub(crate) mod disposition;
pub(crate) mod doctor;
pub(crate) mod endpoint;
pub(crate) mod failures;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod key;
pub(crate) mod merchant;
pub(crate) mod message;
pub(crate) mod migrate;
pub(crate) mod money;
pub(crate) mod operator;
pub(crate) mod policy;
pub(crate) mod portal;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod sim;
pub(crate) mod warehouse;
pub(crate) mod withdrawal;

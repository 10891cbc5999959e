//! Messages to merchants: the log, the failure queue, bulk jobs and endpoints.

pub(crate) mod certify;
pub(crate) mod endpoint_test;
pub(crate) mod endpoints;
pub(crate) mod failures;
pub(crate) mod jobs;
pub(crate) mod labels;
pub(crate) mod lines;
pub(crate) mod list;
pub(crate) mod mail;
pub(crate) mod mail_kind;
mod mail_labels;
pub(crate) mod message;
pub(crate) mod replays;
#[cfg(test)]
mod tests;
mod time_fields;

//! Messages to merchants: the log, the failure queue, bulk jobs and endpoints.

pub(crate) mod endpoints;
pub(crate) mod failures;
pub(crate) mod jobs;
pub(crate) mod list;
pub(crate) mod message;
#[cfg(test)]
mod tests;

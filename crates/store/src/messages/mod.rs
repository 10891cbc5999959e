//! Messages to merchants: outbox, deliveries, failure queue, log and reports.

pub(crate) mod alerts;
pub(crate) mod attempt;
pub(crate) mod backlog;
pub(crate) mod deliveries;
pub(crate) mod endpoints;
pub(crate) mod failures;
pub(crate) mod leases;
pub(crate) mod log;
pub(crate) mod mail_reminders;
pub(crate) mod mail_settings;
pub(crate) mod message_heads;
pub(crate) mod message_histories;
pub(crate) mod message_index;
pub(crate) mod outbox;
mod packed_attempts;
pub(crate) mod pending;
pub(crate) mod replays;
pub(crate) mod reports;
pub(crate) mod retention;

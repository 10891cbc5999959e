//! Messages to merchants.

mod backlog;
mod deliveries;
mod failures;
mod leases;
mod mail;
mod message_index;
mod packed_attempts;
mod pending;
mod replays;
mod retention;

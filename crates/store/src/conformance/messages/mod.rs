//! Messages to merchants.

mod deliveries;
mod failures;
mod message_index;
mod packed_attempts;

//! Orders: what a merchant publishes, how it is read, and what a newer snapshot changes.

pub mod erasure;
pub mod intake;
pub mod order;
pub mod order_message;
pub(crate) mod payments;
mod postal;
pub mod recorded_refunds;
pub mod tags;

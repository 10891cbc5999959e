//! Outbound messages: the only room that opens outbound connections.
//!
//! A use case commits a message with its decision and tells [`Delivery`], which is a handle to the
//! dispatcher of this process. The dispatcher asks the pure [`scheduler`] what to
//! do next, has the [`sender`] do it, and writes what came of it to the store in batches. A lane goes on when
//! the end of its head is durable, so after a crash only the head of a lane can be repeated.

pub mod address;
mod attempts;
mod dispatcher;
mod fetch;
mod leases;
mod scheduler;
mod sender;
mod signature;
mod tokens;

pub use attempts::Meters;
pub use dispatcher::{Delivery, Dispatcher, EndpointState, Inbox, Parts, TargetAnswer, Targets};
pub use fetch::{FetchLimits, fetch};
pub use leases::Leases;
pub use sender::{
    Attempt, Endpoint, Outgoing, Settings as SenderSettings, Shared, Target, machine_trust,
};

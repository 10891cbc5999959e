//! Outgoing messages: the only crate that opens outbound connections.
//!
//! A use case commits a message with its decision and enqueues it with the [`DispatcherHandle`] of
//! this process. The dispatcher asks the pure [`scheduler`] what to do next, has a [`channel`]
//! make the attempt, and writes the outcomes to the store in batches. A lane continues when the
//! outcome of its first message is durable, so after a crash only that message can be repeated.

pub mod address;
pub mod carriers;
mod certify;
mod channel;
mod dispatcher;
mod fetch;
mod leases;
pub mod mail;
mod metrics;
mod scheduler;
mod sender;
mod signature;
mod tokens;

pub use certify::{CertifyProgress, CertifyTarget, certify};
pub use channel::{Courier, CourierAttempt, Target};
pub use dispatcher::{
    AddressBook, AddressLookup, Dispatcher, DispatcherHandle, DispatcherParts, EndpointStatus,
    Inbox, OutcomeObserver,
};
pub use fetch::{FetchLimits, fetch};
pub use leases::Leases;
pub use metrics::{DeliveryMetrics, MerchantLabels};
pub use sender::{
    CallResult, Endpoint, EndpointTarget, OutgoingMessage, SignedMessage,
    client::HttpClient,
    context::{CallSettings, machine_trust},
    permit::Permit,
};
pub use signature::explain::{SentCall, explain_signature};

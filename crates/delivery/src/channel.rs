//! The ways that messages go: to an endpoint of the merchant, or through a courier, which has a
//! protocol of its own, such as a carrier's API.
//!
//! For the dispatcher all ways are the same: an attempt, and its result. So retries, the circuit
//! breaker, the failure queue and the log are the same, too.

use std::{future::Future, pin::Pin, sync::Arc};

use crate::{
    address::Refused,
    sender::{CallResult, Endpoint, EndpointTarget, OutgoingMessage, client::HttpClient},
};

/// Sends messages with a protocol of its own.
pub trait Courier: Send + Sync + 'static {
    /// Makes one attempt at a message, within a time limit of its own. What the message causes must
    /// be durable before the result is a success, and must not happen twice if the message is sent
    /// again.
    fn attempt<'a>(&'a self, message: &'a OutgoingMessage<'a>) -> CourierAttempt<'a>;
}

/// The result of [`Courier::attempt`].
pub type CourierAttempt<'a> = Pin<Box<dyn Future<Output = CallResult> + Send + 'a>>;

/// Where messages of one kind go for one merchant.
#[derive(Clone)]
pub enum Target {
    Endpoint(Box<EndpointTarget>),
    Courier(Arc<dyn Courier>),
}

/// A target that is ready to be used.
pub(crate) enum Channel {
    Endpoint(Box<Endpoint>),
    Courier(Arc<dyn Courier>),
}

impl Channel {
    /// Prepares `target`, or says why it can never be used.
    pub(crate) fn new(target: Target, client: &HttpClient) -> Result<Self, Refused> {
        Ok(match target {
            Target::Endpoint(target) => Self::Endpoint(Endpoint::new(&target, client)?.into()),
            Target::Courier(courier) => Self::Courier(courier),
        })
    }

    pub(crate) async fn send(&self, message: &OutgoingMessage<'_>) -> CallResult {
        match self {
            Self::Endpoint(endpoint) => endpoint.send(message).await,
            Self::Courier(courier) => courier.attempt(message).await,
        }
    }
}

//! What a dispatcher works with.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use domain::{
    identifier::MerchantId,
    messages::{kind::MessageKind, retry::RetrySchedule},
};
use store::{Attempt, Store};
use world::World;

use crate::{
    channel::Target, leases::Leases, metrics::DeliveryMetrics, sender::client::HttpClient,
};

/// Between two attempts at something that must succeed before the work can continue.
pub(super) const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Knows where the messages of merchants go.
pub trait AddressBook: Send + Sync + 'static {
    /// None while there is no address, or while the endpoint is paused.
    fn look_up(&self, merchant: MerchantId, kind: MessageKind) -> AddressLookup<'_>;
}

/// The result of [`AddressBook::look_up`]; an error in words.
pub type AddressLookup<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Target>, String>> + Send + 'a>>;

/// Is notified of attempts.
pub trait OutcomeObserver: Send + Sync + 'static {
    /// The outcome of an attempt is on stable storage.
    fn outcome_stored(&self, attempt: &Attempt);
}

#[derive(Clone)]
pub struct DispatcherParts {
    pub store: Store,
    pub world: World,
    pub client: HttpClient,
    pub address_book: Arc<dyn AddressBook>,
    pub observer: Arc<dyn OutcomeObserver>,
    pub retry_schedule: RetrySchedule,
    pub metrics: DeliveryMetrics,
    pub leases: Leases,
}

//! What the dispatcher has done in tasks of their own: reading, sending, storing, looking up.

use std::{sync::Arc, time::Duration};

use domain::{
    identifier::{MerchantId, MessageId},
    messages::kind::{MessageKind, QueueKind},
};
use store::{Conclusion, PendingMessage, Store, Transaction};
use world::World;

use super::{Delivery, Event, Parts};
use crate::{
    attempts::{Ended, Tried},
    scheduler::EndpointId,
    sender::{Endpoint, Outgoing},
};

/// Between two tries of something that must succeed for the work to go on.
const PAUSE: Duration = Duration::from_secs(1);

/// The next deliveries of a queue; None when the store did not answer, after a pause.
pub(super) async fn read(
    store: &Store,
    merchant: &MerchantId,
    queue: QueueKind,
    after: i64,
    most: usize,
) -> Option<Vec<PendingMessage>> {
    match store.pending_messages(merchant, queue, after, most).await {
        Ok(rows) => Some(rows),
        Err(error) => {
            tracing::error!(merchant = merchant.as_str(), "deliveries cannot be read: {error}");
            tokio::time::sleep(PAUSE).await;
            None
        }
    }
}

pub(super) async fn send(
    endpoint: &Endpoint,
    world: &World,
    of: Tried,
    payload: &PendingMessage,
) -> Ended {
    let message = MessageId { merchant: of.merchant, number: of.message };
    let outgoing = Outgoing {
        id: &message.to_string(),
        sequence: payload.sequence,
        attempt: of.attempt,
        body: payload.body.clone(),
    };
    let at_us = world.now_us();
    let attempt = endpoint.send(&outgoing).await;
    Ended { of: Tried { merchant: message.merchant, ..of }, at_us, attempt }
}

/// Makes a batch of ends durable, however often it takes: until then their lanes stay closed.
pub(super) async fn store(parts: Parts, delivery: Delivery, batch: Vec<(EndpointId, Conclusion)>) {
    let (ids, conclusions): (Vec<EndpointId>, Vec<Conclusion>) = batch.into_iter().unzip();
    loop {
        let mut transaction = Transaction::new("storing the ends of attempts");
        transaction.conclude(&conclusions);
        match parts.store.commit(transaction).await {
            Ok(_) => break,
            Err(error) => {
                tracing::error!("the ends of {} attempts wait: {error}", conclusions.len());
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    for conclusion in &conclusions {
        parts.targets.ended(conclusion);
    }
    let messages = conclusions.iter().map(|conclusion| conclusion.message_id);
    delivery.tell(Event::Durable(ids.into_iter().zip(messages).collect()));
}

/// Looks in the store for merchants with something unfinished.
pub(super) async fn look(store: Store, delivery: Delivery) {
    let merchants = loop {
        match store.merchants_with_work().await {
            Ok(merchants) => break merchants,
            Err(error) => {
                tracing::error!("unfinished deliveries cannot be looked for: {error}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    let merchants = merchants.iter().filter_map(|text| MerchantId::parse(text).ok());
    delivery.tell(Event::Work(merchants.collect()));
}

/// Looks up an address and makes it ready; None when nothing may be sent there.
pub(super) async fn prepare(
    parts: &Parts,
    merchant: MerchantId,
    kind: MessageKind,
) -> Option<Arc<Endpoint>> {
    let target = match parts.targets.target(merchant.clone(), kind).await {
        Ok(target) => target?,
        Err(why) => {
            tracing::error!(
                merchant = merchant.as_str(),
                kind = kind.name(),
                "the {kind} endpoint of {merchant} cannot be used: {why}"
            );
            return None;
        }
    };
    match Endpoint::new(&target, &parts.shared) {
        Ok(endpoint) => Some(Arc::new(endpoint)),
        Err(refused) => {
            tracing::warn!(
                merchant = merchant.as_str(),
                kind = kind.name(),
                "the {kind} endpoint of {merchant} is not allowed: {refused}"
            );
            None
        }
    }
}

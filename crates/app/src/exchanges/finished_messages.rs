//! Messages about exchange orders that are finished, on their way to being settled.
//!
//! The dispatcher reports every stored outcome to its observer, which is this list. It keeps the
//! messages that requested an exchange order and are delivered or have failed. The background task
//! `background/exchanges.rs` takes them from here and settles their exchange orders. The list is
//! lost when the node stops, so the task also checks all pending exchange orders from time to time.

use std::sync::{Mutex, PoisonError};

use boxed::boxed;
use delivery::OutcomeObserver;
use domain::{identifier::MessageId, messages::kind::MessageKind};
use store::Attempt;
use tokio::sync::Notify;

#[derive(Debug, Default)]
pub struct FinishedExchangeMessages {
    finished: Mutex<Vec<MessageId>>,
    added: Notify,
}

impl OutcomeObserver for FinishedExchangeMessages {
    fn outcome_stored(&self, attempt: &Attempt) {
        let message = &attempt.message;
        if attempt.outcome.is_final() && message.kind == MessageKind::ExchangeOrder {
            let (merchant, number) = (message.merchant.clone(), message.message_id);
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            finished.push(MessageId { merchant, number });
            self.added.notify_one();
        }
    }
}

impl FinishedExchangeMessages {
    /// Waits until there are some, and takes them.
    #[boxed]
    pub async fn take(&self) -> Vec<MessageId> {
        self.added.notified().await;
        std::mem::take(&mut *self.finished.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

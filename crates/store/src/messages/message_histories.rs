//! Messages about one thing with every attempt, for the timeline of a return.

use std::collections::HashMap;

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{
    AttemptRow, MessageFilter, MessageRow, Store, StoreError, core::value::params,
    messages::log::read_attempt,
};

/// A message with everything that happened to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageHistory {
    pub message: MessageRow,
    /// In order.
    pub attempts: Vec<AttemptRow>,
}

const OPERATION: &str = "reading messages and their attempts";

impl Store {
    /// The newest `limit` messages about `reference`, oldest first.
    #[boxed]
    pub async fn message_histories(
        &self,
        merchant: &MerchantId,
        reference: &str,
        limit: usize,
    ) -> Result<Vec<MessageHistory>, StoreError> {
        let reference = Some(reference.to_owned());
        let filter = MessageFilter { reference, limit, ..MessageFilter::default() };
        let (messages, _) = self.messages(merchant, &filter).await?;
        let keys = messages.iter().map(|it| params![merchant, it.message_id]).collect();
        let message_ids: Vec<i64> = messages.iter().map(|it| it.message_id).collect();
        let (attempts, packed) = tokio::try_join!(
            self.read_each(
                OPERATION,
                "SELECT a.cycle, a.attempt, a.at_us, a.latency_us, a.status, a.error, a.answer,
                     a.message_id
                 FROM ROWS(merchant_id, message_id)
                 JOIN attempts a
                     ON a.merchant_id = r.merchant_id AND a.message_id = r.message_id",
                keys,
                |row| Ok((row.int(7)?, read_attempt(row)?)),
            ),
            self.packed_attempts(merchant, &message_ids),
        )?;
        let mut attempts_by_id: HashMap<i64, Vec<AttemptRow>> = HashMap::new();
        for (message_id, attempt) in packed.into_iter().chain(attempts) {
            attempts_by_id.entry(message_id).or_default().push(attempt);
        }
        let history = |message: MessageRow| {
            let mut attempts = attempts_by_id.remove(&message.message_id).unwrap_or_default();
            attempts.sort_by_key(|attempt| (attempt.cycle, attempt.attempt));
            MessageHistory { message, attempts }
        };
        Ok(messages.into_iter().rev().map(history).collect())
    }
}

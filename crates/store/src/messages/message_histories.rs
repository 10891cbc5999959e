//! Messages about one thing, with their bytes and every try: what a story is told from.

use std::collections::HashMap;

use bytes::Bytes;
use domain::identifier::MerchantId;

use crate::{
    AttemptRow, MessageFilter, MessageRow, Store, StoreError,
    core::{
        error::During,
        value::{Row, params},
    },
    messages::outbox::attempt,
};

/// Everything about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageHistory {
    pub message: MessageRow,
    pub body: Bytes,
    /// In order.
    pub attempts: Vec<AttemptRow>,
}

const OPERATION: &str = "reading messages and their attempts";

impl Store {
    /// The newest `limit` messages about `reference`, oldest first.
    pub async fn message_histories(
        &self,
        merchant: &MerchantId,
        reference: &str,
        limit: usize,
    ) -> Result<Vec<MessageHistory>, StoreError> {
        let reference = Some(reference.to_owned());
        let filter = MessageFilter { before: i64::MAX, state: None, kind: None, reference, limit };
        let (messages, _) = self.messages(merchant, &filter).await?;
        let keys = || messages.iter().map(|it| params![merchant, it.message_id]).collect();
        let (bodies, attempts) = tokio::try_join!(
            self.engine.query_each(
                "SELECT m.message_id, m.body FROM ROWS(merchant_id, message_id)
                 JOIN messages m
                     ON m.merchant_id = r.merchant_id AND m.message_id = r.message_id",
                keys(),
            ),
            self.engine.query_each(
                "SELECT a.cycle, a.attempt, a.at_us, a.latency_us, a.status, a.error, a.answer,
                     a.message_id
                 FROM ROWS(merchant_id, message_id)
                 JOIN attempts a
                     ON a.merchant_id = r.merchant_id AND a.message_id = r.message_id",
                keys(),
            ),
        )
        .during(OPERATION)?;
        let body = |row: &Row| Ok((row.int(0)?, row.bytes(1)?));
        let mut bodies: HashMap<i64, Bytes> =
            bodies.iter().map(body).collect::<Result<_, _>>().during(OPERATION)?;
        let mut tries: HashMap<i64, Vec<AttemptRow>> = HashMap::new();
        for row in &attempts {
            let (message_id, attempt) =
                row.int(7).and_then(|id| Ok((id, attempt(row)?))).during(OPERATION)?;
            tries.entry(message_id).or_default().push(attempt);
        }
        let file = |message: MessageRow| {
            let body = bodies.remove(&message.message_id)?;
            let mut attempts = tries.remove(&message.message_id).unwrap_or_default();
            attempts.sort_by_key(|attempt| (attempt.cycle, attempt.attempt));
            Some(MessageHistory { message, body, attempts })
        };
        Ok(messages.into_iter().rev().filter_map(file).collect())
    }
}

//! Answers already given to requests with an `Idempotency-Key`.

use bytes::Bytes;
use domain::identifier::ClientId;

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
};

/// What was asked and answered under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub request_hash: Bytes,
    pub answered_us: i64,
    pub body: Bytes,
}

impl Transaction {
    /// Keeps `answer` under `key`, in the place of one from before `forgotten_us` at most; a conflict
    /// when the key was used since.
    pub fn keep_answer(
        &mut self,
        client: &ClientId,
        key: &str,
        answer: &Answer,
        forgotten_us: i64,
    ) {
        self.one_row(
            "INSERT INTO answers
                 (merchant_id, client_id, idempotency_key, request_hash, answered_us, body)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (merchant_id, client_id, idempotency_key) DO UPDATE
                 SET request_hash = excluded.request_hash, answered_us = excluded.answered_us,
                     body = excluded.body
                 WHERE answers.answered_us < $7",
            params![
                client.merchant().as_str(),
                client.as_str(),
                key,
                answer.request_hash.clone(),
                answer.answered_us,
                answer.body.clone(),
                forgotten_us
            ],
        );
    }

    /// Removes up to `limit` answers from before `forgotten_us`.
    pub fn delete_old_answers(&mut self, forgotten_us: i64, limit: i64) {
        self.any_rows(
            "DELETE FROM answers WHERE (merchant_id, client_id, idempotency_key) IN (
                 SELECT merchant_id, client_id, idempotency_key FROM answers
                 WHERE answered_us < $1
                 ORDER BY answered_us, merchant_id, client_id, idempotency_key LIMIT $2)",
            params![forgotten_us, limit],
        );
    }
}

impl Store {
    /// The answer given under `key` since `forgotten_us`.
    pub async fn answer(
        &self,
        client: &ClientId,
        key: &str,
        forgotten_us: i64,
    ) -> Result<Option<Answer>, StoreError> {
        let operation = "looking up an idempotency key";
        let rows = self
            .query(
                operation,
                "SELECT request_hash, answered_us, body FROM answers
                 WHERE merchant_id = $1 AND client_id = $2 AND idempotency_key = $3
                     AND answered_us >= $4",
                params![client.merchant().as_str(), client.as_str(), key, forgotten_us],
            )
            .await?;
        let read = |row: &Row| {
            Ok(Answer {
                request_hash: row.bytes(0)?,
                answered_us: row.int(1)?,
                body: row.bytes(2)?,
            })
        };
        rows.first().map(read).transpose().during(operation)
    }
}

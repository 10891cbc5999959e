//! Responses already given to requests with an `Idempotency-Key`.

use boxed::boxed;
use bytes::Bytes;
use domain::identifier::ClientId;

use crate::{Store, StoreError, Transaction, core::value::params};

/// A request that was made with a key, and the response to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    pub request_hash: Bytes,
    pub answered_us: i64,
    pub body: Bytes,
}

/// What identifies a stored response. The default is before all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseKey {
    pub merchant: String,
    pub client: String,
    pub idempotency_key: String,
}

impl ResponseKey {
    pub fn new(client: &ClientId, idempotency_key: &str) -> Self {
        Self {
            merchant: client.merchant().to_string(),
            client: client.to_string(),
            idempotency_key: idempotency_key.to_owned(),
        }
    }

    /// What identifies it among the responses to its merchant.
    pub fn row(&self) -> String {
        format!("{} {}", self.client, self.idempotency_key)
    }
}

impl Transaction {
    /// Replaces the body of a response, unless it is no longer `old`.
    pub fn replace_response(&mut self, key: &ResponseKey, old: Bytes, new: Bytes) {
        self.any_rows(
            "UPDATE answers SET body = $5
             WHERE merchant_id = $1 AND client_id = $2 AND idempotency_key = $3 AND body = $4",
            params![
                key.merchant.as_str(),
                key.client.as_str(),
                key.idempotency_key.as_str(),
                old,
                new
            ],
        );
    }

    /// Stores `response` under `key`, replacing one from before `expired_us` at most; a conflict
    /// when the key was used since.
    pub fn store_response(
        &mut self,
        client: &ClientId,
        key: &str,
        response: &StoredResponse,
        expired_us: i64,
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
                response.request_hash.clone(),
                response.answered_us,
                response.body.clone(),
                expired_us
            ],
        );
    }

    /// Removes up to `limit` responses from before `expired_us`.
    pub fn delete_expired_responses(&mut self, expired_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM answers WHERE (merchant_id, client_id, idempotency_key) IN (
             SELECT merchant_id, client_id, idempotency_key FROM answers
             WHERE answered_us < $1
             ORDER BY answered_us, merchant_id, client_id, idempotency_key LIMIT $2)",
            params![expired_us, limit],
        );
    }
}

impl Store {
    /// Whether there are responses from before `expired_us`.
    #[boxed]
    pub async fn has_expired_responses(&self, expired_us: i64) -> Result<bool, StoreError> {
        let found = self.read_first(
            "looking for expired responses",
            "SELECT answered_us FROM answers WHERE answered_us < $1 LIMIT 1",
            params![expired_us],
            |_| Ok(()),
        );
        Ok(found.await?.is_some())
    }

    /// The bodies of stored responses after `after`, in the order of their keys.
    #[boxed]
    pub async fn responses_after(
        &self,
        after: &ResponseKey,
        limit: usize,
    ) -> Result<Vec<(ResponseKey, Bytes)>, StoreError> {
        self.read_all(
            "reading stored responses",
            "SELECT merchant_id, client_id, idempotency_key, body FROM answers
             WHERE (merchant_id, client_id, idempotency_key) > ($1, $2, $3)
             ORDER BY merchant_id, client_id, idempotency_key LIMIT $4",
            params![
                after.merchant.as_str(),
                after.client.as_str(),
                after.idempotency_key.as_str(),
                limit
            ],
            |row| {
                let key = ResponseKey {
                    merchant: row.text(0)?.to_owned(),
                    client: row.text(1)?.to_owned(),
                    idempotency_key: row.text(2)?.to_owned(),
                };
                Ok((key, row.bytes(3)?))
            },
        )
        .await
    }

    /// The response given under `key` since `expired_us`.
    #[boxed]
    pub async fn stored_response(
        &self,
        client: &ClientId,
        key: &str,
        expired_us: i64,
    ) -> Result<Option<StoredResponse>, StoreError> {
        self.read_first(
            "looking up an idempotency key",
            "SELECT request_hash, answered_us, body FROM answers
             WHERE merchant_id = $1 AND client_id = $2 AND idempotency_key = $3
                 AND answered_us >= $4",
            params![client.merchant().as_str(), client.as_str(), key, expired_us],
            |row| {
                Ok(StoredResponse {
                    request_hash: row.bytes(0)?,
                    answered_us: row.int(1)?,
                    body: row.bytes(2)?,
                })
            },
        )
        .await
    }
}

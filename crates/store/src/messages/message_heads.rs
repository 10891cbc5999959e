//! The last message about each thing: its sequence and the hash of its body.
//!
//! It is what a merchant must hold, and it outlives the message. It is written together with the
//! index of messages, which is brought up to date in large steps and before every query here.

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use ring::digest::{SHA256, digest};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::value::{Row, params},
};

/// Messages that are read at once to hash their bodies, which may be large.
const PAGE: i64 = 64;
const READING: &str = "reading the last messages";

/// The last message about a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageHead {
    pub kind: MessageKind,
    pub reference: String,
    pub message_id: i64,
    pub sequence: i64,
    pub created_us: i64,
    /// SHA-256 of the body.
    pub hash: Bytes,
}

/// A position among the things of a merchant, which are ordered by the bytes of kind and reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeadPosition {
    pub kind: String,
    pub reference: String,
}

impl MessageHead {
    pub fn position(&self) -> HeadPosition {
        HeadPosition { kind: self.kind.name().to_owned(), reference: self.reference.clone() }
    }
}

impl Transaction {
    pub(super) fn put_heads(&mut self, merchant: &str, heads: &[MessageHead]) {
        let values = |head: &MessageHead| {
            params![
                merchant,
                head.kind,
                head.reference.as_str(),
                head.message_id,
                head.sequence,
                head.created_us,
                head.hash.clone()
            ]
        };
        self.any_rows_each(
            "INSERT INTO message_heads
                 (merchant_id, kind, reference, message_id, sequence, created_us, hash)
             SELECT r.merchant_id, r.kind, r.reference, r.message_id, r.sequence, r.created_us,
                 r.hash
             FROM ROWS(merchant_id, kind, reference, message_id, sequence, created_us, hash)
             WHERE true
             ON CONFLICT (merchant_id, kind, reference) DO UPDATE
                 SET message_id = excluded.message_id, sequence = excluded.sequence,
                     created_us = excluded.created_us, hash = excluded.hash",
            heads.iter().map(values).collect(),
        );
    }
}

impl Store {
    /// The last message about each thing among the messages after number `after`, up to `end`. What
    /// is sent to a carrier is no merchant's to hold, and a test message (sequence 0) is about
    /// nothing.
    pub(super) async fn heads_of_messages(
        &self,
        merchant: &str,
        mut after: i64,
        end: i64,
    ) -> Result<Vec<MessageHead>, StoreError> {
        let mut heads: BTreeMap<(&str, String), MessageHead> = BTreeMap::new();
        loop {
            let sql = "SELECT kind, reference, message_id, sequence, created_us, body FROM messages
                 WHERE merchant_id = $1 AND message_id > $2 AND message_id <= $3
                 ORDER BY message_id LIMIT $4";
            let hash = |row: &Row| {
                let body = row.bytes(5)?;
                read_head(row, Bytes::copy_from_slice(digest(&SHA256, &body).as_ref()))
            };
            let page = self.read_all(READING, sql, params![merchant, after, end, PAGE], hash);
            let page = page.await?;
            let Some(last) = page.last() else { break };
            after = last.message_id;
            for head in page.into_iter().filter(|it| it.kind.is_replayable() && it.sequence > 0) {
                heads.insert((head.kind.name(), head.reference.clone()), head);
            }
        }
        Ok(heads.into_values().collect())
    }

    /// The things of a merchant after `after`, in order.
    pub async fn message_heads(
        &self,
        merchant: &MerchantId,
        after: &HeadPosition,
        limit: usize,
    ) -> Result<Vec<MessageHead>, StoreError> {
        self.read_all(
            READING,
            "SELECT kind, reference, message_id, sequence, created_us, hash FROM message_heads
             WHERE merchant_id = $1 AND (kind, reference) > ($2, $3)
             ORDER BY kind, reference LIMIT $4",
            params![merchant, after.kind.as_str(), after.reference.as_str(), limit],
            |row| read_head(row, row.bytes(5)?),
        )
        .await
    }
}

fn read_head(row: &Row, hash: Bytes) -> Result<MessageHead, EngineError> {
    Ok(MessageHead {
        kind: row.message_kind(0)?,
        reference: row.text(1)?.to_owned(),
        message_id: row.int(2)?,
        sequence: row.int(3)?,
        created_us: row.int(4)?,
        hash,
    })
}

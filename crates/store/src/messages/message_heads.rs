//! The last message about each thing: its sequence and the hash of its body.
//!
//! It is what a merchant must hold, and it outlives the message. It is written together with the
//! index of messages, which is brought up to date in large steps and before every query here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use boxed::boxed;
use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use ring::digest::{Digest, SHA256, digest};

use super::failures::FailureKey;
use crate::{
    EngineError, Store, StoreError, Transaction,
    core::value::{Row, params},
};

/// Messages that are read at once to hash their bodies, which may be large.
const PAGE: usize = 64;
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

/// What the index gets of some messages.
pub(super) struct MessagesToIndex {
    /// What each message is about, with its number.
    pub(super) references: Vec<(String, i64)>,
    /// The last message about each thing.
    pub(super) heads: Vec<MessageHead>,
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

impl Transaction {
    /// Removes the head of a thing about which there is only this message, if it was never
    /// delivered: no merchant must hold it. The first attempt of a message that is delivered at
    /// once is packed, so it has none in the table.
    pub(super) fn remove_head_of_undelivered(&mut self, key: FailureKey<'_>) {
        self.any_rows(
            "DELETE FROM message_heads
             WHERE merchant_id = $1 AND kind = $2 AND message_id = $3 AND sequence = 1
                 AND reference = (SELECT m.reference FROM messages m
                     WHERE m.merchant_id = $1 AND m.message_id = $3)
                 AND EXISTS (SELECT 1 FROM attempts a
                     WHERE a.merchant_id = $1 AND a.message_id = $3 AND a.cycle = 1)
                 AND NOT EXISTS (SELECT 1 FROM attempts a
                     WHERE a.merchant_id = $1 AND a.message_id = $3
                         AND a.status >= 200 AND a.status < 300)",
            params![key.merchant, key.kind, key.message_id],
        );
    }
}

impl Store {
    /// The messages after number `after`, up to `end`, and the last one about each thing among
    /// them. They must not be many. What is sent to a carrier is no merchant's to hold, and a test
    /// message (sequence 0) is about nothing. Nor is there a head of a thing whose only message was
    /// never delivered and is discarded: earlier versions discarded messages that were not indexed
    /// yet.
    pub(super) async fn messages_to_index(
        &self,
        merchant: &str,
        after: i64,
        end: i64,
    ) -> Result<MessagesToIndex, StoreError> {
        let sql = "SELECT kind, reference, message_id, sequence, created_us FROM messages
             WHERE merchant_id = $1 AND message_id > $2 AND message_id <= $3
             ORDER BY message_id";
        let without_hash = |row: &Row| read_head(row, Bytes::new());
        let messages = self.read_all(READING, sql, params![merchant, after, end], without_hash);
        let messages = messages.await?;
        let discarded = self.discarded_undelivered(merchant, after, end).await?;
        let mut heads: BTreeMap<(&str, String), MessageHead> = BTreeMap::new();
        let reference = |it: &MessageHead| (it.reference.clone(), it.message_id);
        let references = messages.iter().map(reference).collect();
        for head in messages {
            let is_void = head.sequence == 1 && discarded.contains(&head.message_id);
            if head.kind.is_replayable() && head.sequence > 0 && !is_void {
                heads.insert((head.kind.name(), head.reference.clone()), head);
            }
        }
        let mut heads: Vec<MessageHead> = heads.into_values().collect();
        self.hash_bodies(merchant, &mut heads).await?;
        Ok(MessagesToIndex { references, heads })
    }

    /// The discarded messages after number `after`, up to `end`, that were never delivered: those
    /// for which [`Transaction::remove_head_of_undelivered`] removes a head.
    async fn discarded_undelivered(
        &self,
        merchant: &str,
        after: i64,
        end: i64,
    ) -> Result<BTreeSet<i64>, StoreError> {
        let found = self.read_all(
            READING,
            "SELECT d.message_id FROM discards d
             WHERE d.merchant_id = $1 AND d.message_id > $2 AND d.message_id <= $3
                 AND EXISTS (SELECT 1 FROM attempts a
                     WHERE a.merchant_id = $1 AND a.message_id = d.message_id AND a.cycle = 1)
                 AND NOT EXISTS (SELECT 1 FROM attempts s
                     WHERE s.merchant_id = $1 AND s.message_id = d.message_id
                         AND s.status >= 200 AND s.status < 300)",
            params![merchant, after, end],
            |row| row.int(0),
        );
        Ok(found.await?.into_iter().collect())
    }

    /// Sets the hashes. Only the bodies of these messages are read: about a thing that changes
    /// often there are many more.
    async fn hash_bodies(
        &self,
        merchant: &str,
        heads: &mut [MessageHead],
    ) -> Result<(), StoreError> {
        for page in heads.chunks_mut(PAGE) {
            let hashes = self.read_each(
                READING,
                "SELECT m.message_id, m.body FROM ROWS(merchant_id, message_id)
                 JOIN messages m
                     ON m.merchant_id = r.merchant_id AND m.message_id = r.message_id",
                page.iter().map(|head| params![merchant, head.message_id]).collect(),
                |row| Ok((row.int(0)?, digest(&SHA256, &row.bytes(1)?))),
            );
            let hashes: HashMap<i64, Digest> = hashes.await?.into_iter().collect();
            for head in page {
                // One that is gone was indexed by another node before, so this step is refused.
                let hash = hashes.get(&head.message_id);
                head.hash = hash.map_or_else(Bytes::new, |it| Bytes::copy_from_slice(it.as_ref()));
            }
        }
        Ok(())
    }

    /// The things of a merchant after `after`, in order.
    #[boxed]
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

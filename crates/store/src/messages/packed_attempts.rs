//! Attempts of messages that were delivered at the first try: most attempts, and nothing about them
//! is remarkable. A batch of them is one row for each merchant and block of message numbers.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use domain::identifier::MerchantId;

use super::attempt::{Attempt, AttemptOutcome};
use crate::{
    AttemptRow, EngineError, Store, StoreError, Transaction,
    core::value::{Row, Value, params},
};

/// How many message numbers a block has. To find an attempt, all rows of a block are read.
const BLOCK: i64 = 256;
/// The bytes of an attempt: message number (8), time (8), latency (8), status (2).
const RECORD: usize = 26;

const OPERATION: &str = "reading attempts";

const fn block_of(message_id: i64) -> i64 {
    message_id.div_euclid(BLOCK)
}

/// Whether nothing but message, time, latency and status is known about an attempt.
pub(super) fn is_packed(attempt: &Attempt) -> bool {
    attempt.outcome == AttemptOutcome::Delivered
        && (attempt.message.cycle, attempt.number) == (1, 1)
        && attempt.status.is_some()
        && attempt.error.is_none()
        && attempt.answer.is_none()
}

impl Transaction {
    /// Records attempts that are packed, in the order of their merchants and messages.
    pub(super) fn record_packed_attempts(&mut self, attempts: &[&Attempt]) {
        let mut packs: BTreeMap<(&str, i64), Vec<&Attempt>> = BTreeMap::new();
        for attempt in attempts {
            let message = &attempt.message;
            let key = (message.merchant.as_str(), block_of(message.message_id));
            packs.entry(key).or_default().push(attempt);
        }
        // An outcome that is stored a second time after a lost connection is in the same pack.
        self.any_rows_each(
            "INSERT INTO packed_attempts (merchant_id, block, first_message_id, attempts)
             SELECT r.merchant_id, r.block, r.first_message_id, r.attempts
             FROM ROWS(merchant_id, block, first_message_id, attempts)
             WHERE true ON CONFLICT DO NOTHING",
            packs
                .iter()
                .map(|((merchant, block), pack)| pack_values(merchant, *block, pack))
                .collect(),
        );
    }

    /// Removes the attempts of all blocks before the one of this message.
    pub(super) fn remove_packed_attempts(&mut self, merchant: &MerchantId, message_id: i64) {
        self.any_rows(
            "DELETE FROM packed_attempts WHERE merchant_id = $1 AND block < $2",
            params![merchant, block_of(message_id)],
        );
    }
}

fn pack_values(merchant: &str, block: i64, pack: &[&Attempt]) -> Vec<Value> {
    let first = pack.iter().map(|it| it.message.message_id).min().unwrap_or_default();
    let mut bytes = Vec::with_capacity(pack.len() * RECORD);
    for attempt in pack {
        bytes.extend(attempt.message.message_id.to_be_bytes());
        bytes.extend(attempt.at_us.to_be_bytes());
        bytes.extend(attempt.latency_us.to_be_bytes());
        bytes.extend(attempt.status.unwrap_or_default().to_be_bytes());
    }
    params![merchant, block, first, Bytes::from(bytes)]
}

impl Store {
    /// The packed attempt of a message, unless the message is removed.
    pub(super) async fn packed_attempt(
        &self,
        merchant: &MerchantId,
        message_id: i64,
    ) -> Result<Option<AttemptRow>, StoreError> {
        let packs = self
            .read_all(
                OPERATION,
                "SELECT p.attempts FROM messages m
                 JOIN packed_attempts p ON p.merchant_id = m.merchant_id AND p.block = $3
                 WHERE m.merchant_id = $1 AND m.message_id = $2",
                params![merchant, message_id, block_of(message_id)],
                unpack,
            )
            .await?;
        let found = packs.into_iter().flatten().find(|(id, _)| *id == message_id);
        Ok(found.map(|(_, attempt)| attempt))
    }

    /// The packed attempts of messages, by their numbers.
    pub(super) async fn packed_attempts(
        &self,
        merchant: &MerchantId,
        message_ids: &[i64],
    ) -> Result<BTreeMap<i64, AttemptRow>, StoreError> {
        let mut blocks: Vec<i64> = message_ids.iter().map(|id| block_of(*id)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let packs = self
            .read_each(
                OPERATION,
                "SELECT p.attempts FROM ROWS(merchant_id, block)
                 JOIN packed_attempts p ON p.merchant_id = r.merchant_id AND p.block = r.block",
                blocks.into_iter().map(|block| params![merchant, block]).collect(),
                unpack,
            )
            .await?;
        let wanted: HashSet<i64> = message_ids.iter().copied().collect();
        Ok(packs.into_iter().flatten().filter(|(id, _)| wanted.contains(id)).collect())
    }
}

fn unpack(row: &Row) -> Result<Vec<(i64, AttemptRow)>, EngineError> {
    let bytes = row.bytes(0)?;
    let (records, rest) = bytes.as_chunks::<RECORD>();
    if !rest.is_empty() {
        let (wanted, found) = ("packed attempts", "bytes of another length");
        return Err(EngineError::Shape { column: 0, wanted, found });
    }
    Ok(records.iter().map(read_record).collect())
}

fn read_record(record: &[u8; RECORD]) -> (i64, AttemptRow) {
    let int = |from: usize, length: usize| {
        let bytes = record.iter().skip(from).take(length);
        bytes.fold(0_i64, |number, byte| (number << 8) | i64::from(*byte))
    };
    let attempt = AttemptRow {
        cycle: 1,
        attempt: 1,
        at_us: int(8, 8),
        latency_us: int(16, 8),
        status: Some(int(24, 2)),
        error: None,
        answer: None,
    };
    (int(0, 8), attempt)
}

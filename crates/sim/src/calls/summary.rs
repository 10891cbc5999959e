//! What a test wants to know when all is over: how many calls came, what they were answered,
//! and whether a promise was broken.
//!
//! Counters are of all calls since the start or the last reset, however many are kept. Whether
//! a webhook-id is known is remembered for the latest million of them, so `repeats` and its kin
//! are exact unless a message comes again after a million others.

use std::collections::BTreeMap;

use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::calls::call::Answered;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub calls: u64,
    pub kinds: BTreeMap<MessageKind, KindSummary>,
    /// Calls with a webhook-id to a path where no kind lives.
    pub unknown_paths: u64,
    pub distinct_ids: u64,
    /// Calls whose webhook-id came before.
    pub repeats: u64,
    /// Distinct webhook-ids that were answered with success at least once.
    pub accepted_ids: u64,
    /// Successes for a webhook-id that already had one.
    pub accepted_again: u64,
    /// Successes of a repeated message after a later one of its lane. No violation, because an
    /// operator may retry an old message by hand.
    pub accepted_late: u64,
    pub without_id: u64,
    pub valid_signatures: u64,
    pub bad_signatures: u64,
    pub unchecked_signatures: u64,
    /// Calls that were turned away for their credentials.
    pub unauthorized: u64,
    pub token_requests: u64,
    pub tokens_issued: u64,
    pub exchange_orders: u64,
    pub first_call_at: Option<Timestamp>,
    pub last_call_at: Option<Timestamp>,
    pub violation_count: u64,
    /// The first thousand.
    pub violations: Vec<Violation>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindSummary {
    pub calls: u64,
    pub answers: BTreeMap<Answered, u64>,
    pub distinct_ids: u64,
    pub accepted_ids: u64,
}

/// A promise of the sender that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Violation {
    /// A message came for the first time when a later one of its lane, or another with the same
    /// number, had already been accepted.
    OutOfOrder {
        call: u64,
        kind: MessageKind,
        lane: String,
        webhook_id: String,
        sequence: u64,
        accepted_sequence: u64,
    },
    /// A message came again with other bytes.
    BodyChanged { call: u64, webhook_id: String },
    /// A second exchange order came for the same original order.
    ExchangeOrderChanged { call: u64, original_order_id: String },
}

impl Violation {
    /// The number of the call that broke it.
    pub fn call(&self) -> u64 {
        match self {
            Self::OutOfOrder { call, .. }
            | Self::BodyChanged { call, .. }
            | Self::ExchangeOrderChanged { call, .. } => *call,
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfOrder { lane, webhook_id, sequence, accepted_sequence, .. } => write!(
                formatter,
                "{webhook_id} is number {sequence} of {lane}, after number {accepted_sequence}"
            ),
            Self::BodyChanged { webhook_id, .. } => {
                write!(formatter, "{webhook_id} came again with another body")
            }
            Self::ExchangeOrderChanged { original_order_id, .. } => {
                write!(formatter, "a second, different exchange order for {original_order_id}")
            }
        }
    }
}

impl Summary {
    pub fn kind(&self, kind: MessageKind) -> KindSummary {
        self.kinds.get(&kind).cloned().unwrap_or_default()
    }

    /// How many calls of any kind got this answer.
    pub fn answered(&self, answered: Answered) -> u64 {
        self.kinds.values().filter_map(|kind| kind.answers.get(&answered)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read_as_it_is_written() {
        let rma = KindSummary {
            calls: 3,
            answers: [(Answered::Status(200), 2), (Answered::Hang, 1)].into(),
            ..KindSummary::default()
        };
        let violation = Violation::BodyChanged { call: 3, webhook_id: "msg_1".to_owned() };
        let summary = Summary {
            calls: 3,
            kinds: [(MessageKind::Rma, rma)].into(),
            violations: vec![violation],
            ..Summary::default()
        };
        let json = serde_json::to_string(&summary).unwrap();
        assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
        assert_eq!(summary.answered(Answered::Hang), 1);
    }
}

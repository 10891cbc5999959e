//! What a test checks at its end: how many calls arrived, how they ended, and whether the sender
//! broke a promise.
//!
//! Counters include all calls since the start or the last reset, however many are kept. The latest
//! million webhook-ids are remembered, so `repeats` and related counters are exact unless a message
//! is repeated after a million others.

use std::collections::BTreeMap;

use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::calls::call::CallOutcome;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub calls: u64,
    pub kinds: BTreeMap<MessageKind, KindSummary>,
    /// Calls with a webhook-id to a path of no kind.
    pub unknown_paths: u64,
    pub distinct_ids: u64,
    /// Calls with a webhook-id that an earlier call had.
    pub repeats: u64,
    /// Distinct webhook-ids with at least one successful call.
    pub accepted_ids: u64,
    /// Successful calls with a webhook-id that already had one.
    pub accepted_again: u64,
    /// Successful calls of a repeated message after a later one of its lane. Not a violation,
    /// because an operator may retry an old message.
    pub accepted_late: u64,
    pub without_id: u64,
    pub valid_signatures: u64,
    pub bad_signatures: u64,
    pub unchecked_signatures: u64,
    /// Calls that were refused because of their credentials.
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
    pub answers: BTreeMap<CallOutcome, u64>,
    pub distinct_ids: u64,
    pub accepted_ids: u64,
}

/// A promise of the sender that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Violation {
    /// A message arrived for the first time after a later one of its lane, or another with the same
    /// number, was accepted.
    OutOfOrder {
        call: u64,
        kind: MessageKind,
        lane: String,
        webhook_id: String,
        sequence: u64,
        accepted_sequence: u64,
    },
    /// A message was repeated with another body.
    BodyChanged { call: u64, webhook_id: String },
    /// A second exchange order arrived for the same original order.
    ExchangeOrderChanged { call: u64, original_order_id: String },
}

impl Violation {
    /// The number of the call that broke the promise.
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
                write!(formatter, "{webhook_id} was repeated with another body")
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

    /// How many calls of any kind had this outcome.
    pub fn count_of(&self, outcome: CallOutcome) -> u64 {
        self.kinds.values().filter_map(|kind| kind.answers.get(&outcome)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read_as_it_is_written() {
        let rma = KindSummary {
            calls: 3,
            answers: [(CallOutcome::Status(200), 2), (CallOutcome::Hang, 1)].into(),
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
        assert_eq!(summary.count_of(CallOutcome::Hang), 1);
    }
}

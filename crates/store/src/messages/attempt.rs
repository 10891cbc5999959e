//! An attempt to deliver a message, and what follows from it.

use std::sync::Arc;

use bytes::Bytes;

use super::outbox::PendingMessage;

/// An attempt that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub message: Arc<PendingMessage>,
    /// The number of this attempt in the message's cycle, from 1.
    pub number: u32,
    pub at_us: i64,
    /// From the request to its response.
    pub latency_us: i64,
    /// From the commit of the message to the response.
    pub waited_us: i64,
    /// None when there was no response.
    pub status: Option<u16>,
    pub error: Option<String>,
    /// The beginning of the body of the response, where it is worth keeping.
    pub answer: Option<Bytes>,
    pub outcome: AttemptOutcome,
}

/// What follows from an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// Failed; the next attempt is due at this time.
    Retry {
        due_us: i64,
        cause: FailureCause,
    },
    /// Failed for the last time: the message goes to the failure queue.
    Failed {
        cause: FailureCause,
    },
}

/// Why an attempt failed, as far as it matters for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// An ordinary bad status: about the message rather than the load.
    Refused,
    /// 429 or 503.
    Overloaded,
    /// A timeout, or no connection.
    Unreachable,
}

impl AttemptOutcome {
    /// Whether no further attempt follows.
    pub fn is_final(self) -> bool {
        match self {
            Self::Delivered | Self::Failed { .. } => true,
            Self::Retry { .. } => false,
        }
    }
}

//! One recorded call.

use std::{collections::BTreeMap, fmt};

use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A call and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Calls are numbered from one, in the order in which they arrived.
    pub number: u64,
    pub at: Timestamp,
    /// None for a call to a path of no kind.
    pub kind: Option<MessageKind>,
    pub path: String,
    pub webhook_id: Option<String>,
    /// `X-Service-Sequence`
    pub sequence: Option<u64>,
    /// `X-Service-Attempt`
    pub attempt: Option<u64>,
    pub signature: SignatureCheck,
    pub answer: CallOutcome,
    /// Whether an earlier call had the same webhook-id.
    pub repeated: bool,
    pub body_bytes: usize,
    /// None if the call is too old.
    #[serde(flatten)]
    pub content: Option<Box<Content>>,
}

/// The long part of a call, which is kept only for the latest ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Without the credentials.
    pub headers: BTreeMap<String, String>,
    /// Bytes that are not UTF-8 are replaced.
    pub body: String,
    pub answer_body: String,
}

/// Some calls, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    pub calls: Vec<Call>,
    /// Pass as `after` to continue: the number of the last call that was considered.
    pub cursor: u64,
    /// Whether there were more calls at this time.
    pub more: bool,
}

pub const CALLS_MAX: usize = 1_000;
const CALLS_DEFAULT: usize = 100;

/// Which calls to return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallQuery {
    pub kind: Option<MessageKind>,
    /// The webhook-id.
    pub id: Option<String>,
    /// The calls after this number, starting with the oldest; without it the newest.
    pub after: Option<u64>,
    pub limit: Option<usize>,
}

impl CallQuery {
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(CALLS_DEFAULT).clamp(1, CALLS_MAX)
    }

    pub(crate) fn matches(&self, call: &Call) -> bool {
        self.kind.is_none_or(|kind| call.kind == Some(kind))
            && self.id.as_ref().is_none_or(|id| call.webhook_id.as_ref() == Some(id))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureCheck {
    Valid,
    Invalid,
    /// Checking is disabled, or there is no secret to check with.
    Unchecked,
}

impl SignatureCheck {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Unchecked => "unchecked",
        }
    }
}

/// How a call ended. Written as the status (`"200"`), `"hang"` or `"close"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum CallOutcome {
    Status(u16),
    Hang,
    Close,
}

impl CallOutcome {
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status(200..300))
    }
}

impl fmt::Display for CallOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "{status}"),
            Self::Hang => formatter.write_str("hang"),
            Self::Close => formatter.write_str("close"),
        }
    }
}

impl From<CallOutcome> for String {
    fn from(outcome: CallOutcome) -> Self {
        outcome.to_string()
    }
}

impl TryFrom<String> for CallOutcome {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "hang" => Ok(Self::Hang),
            "close" => Ok(Self::Close),
            status => status.parse().map(Self::Status).map_err(|_| "not an outcome"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_read_as_it_is_written() {
        for outcome in [CallOutcome::Status(200), CallOutcome::Hang, CallOutcome::Close] {
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(serde_json::from_str::<CallOutcome>(&json).unwrap(), outcome);
        }
        assert!(CallOutcome::Status(204).is_success());
        assert!(!CallOutcome::Status(302).is_success());
    }
}

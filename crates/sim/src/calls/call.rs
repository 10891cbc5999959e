//! One call as the merchant remembers it.

use std::{collections::BTreeMap, fmt};

use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A call that came, and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Calls are numbered from one, in the order in which they came.
    pub number: u64,
    pub at: Timestamp,
    /// None for a call to a path where no kind lives.
    pub kind: Option<MessageKind>,
    pub path: String,
    pub webhook_id: Option<String>,
    /// `X-Service-Sequence`
    pub sequence: Option<u64>,
    /// `X-Service-Attempt`
    pub attempt: Option<u64>,
    pub signature: SignatureCheck,
    pub answer: Answered,
    /// Whether a call with the same webhook-id came before.
    pub repeated: bool,
    pub body_bytes: usize,
    /// None once the call is too old.
    #[serde(flatten)]
    pub content: Option<Box<Content>>,
}

/// The longer part of a call, which is kept for the latest ones only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The proof of who called is not shown.
    pub headers: BTreeMap<String, String>,
    /// Bytes that are not UTF-8 are replaced.
    pub body: String,
    pub answer_body: String,
}

/// Some calls, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    pub calls: Vec<Call>,
    /// Where to go on: the number after which the next calls are.
    pub cursor: u64,
    /// Whether there were more calls when this was answered.
    pub more: bool,
}

pub const CALLS_MAX: usize = 1_000;
const CALLS_USUAL: usize = 100;

/// Which calls are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallQuery {
    pub kind: Option<MessageKind>,
    /// The webhook-id.
    pub id: Option<String>,
    /// The calls after this number, beginning with the oldest; without it the newest.
    pub after: Option<u64>,
    pub limit: Option<usize>,
}

impl CallQuery {
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(CALLS_USUAL).clamp(1, CALLS_MAX)
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
    /// Checking is switched off, or there is no secret to check with.
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

/// What a call got. Written as the status (`"200"`), `"hang"` or `"close"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Answered {
    Status(u16),
    Hang,
    Close,
}

impl Answered {
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status(200..300))
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "{status}"),
            Self::Hang => formatter.write_str("hang"),
            Self::Close => formatter.write_str("close"),
        }
    }
}

impl From<Answered> for String {
    fn from(answered: Answered) -> Self {
        answered.to_string()
    }
}

impl TryFrom<String> for Answered {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "hang" => Ok(Self::Hang),
            "close" => Ok(Self::Close),
            status => status.parse().map(Self::Status).map_err(|_| "not an answer"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_is_written() {
        for answered in [Answered::Status(200), Answered::Hang, Answered::Close] {
            let json = serde_json::to_string(&answered).unwrap();
            assert_eq!(serde_json::from_str::<Answered>(&json).unwrap(), answered);
        }
        assert!(Answered::Status(204).is_success());
        assert!(!Answered::Status(302).is_success());
    }
}

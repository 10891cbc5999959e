//! How a merchant can be made to misbehave.
//!
//! A behavior is a JSON object. All fields are optional:
//!
//! | field                          | meaning                                                     |
//! | ------------------------------ | ----------------------------------------------------------- |
//! | `kind`                         | only calls of this kind                                     |
//! | `count`                        | only this number of calls, then as before                   |
//! | `status`                       | respond with this status                                    |
//! | `delay_ms`                     | wait before responding                                      |
//! | `retry_after_s`                | send `Retry-After`                                          |
//! | `hang`                         | never respond                                               |
//! | `close`                        | close the connection without a response                     |
//! | `huge_body_bytes`              | respond with a body of this length                          |
//! | `fail_percent`                 | apply it at random to this percentage of calls              |
//! | `unauthorized_until_new_token` | revoke all tokens now (only with OAuth 2.0)                 |
//!
//! A failure without a status is 503. A status of success changes only the number: the call is
//! still processed. A behavior without any field is the normal one.

use std::fmt;

use domain::messages::kind::MessageKind;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};

const DELAY_MAX_MS: u64 = 10 * 60 * 1_000;
const HUGE_BODY_MAX_BYTES: u64 = 1 << 30;
const COUNT_MAX: u32 = 1_000_000;
const FAILURE: u16 = 503;

#[omit_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behavior {
    pub kind: Option<MessageKind>,
    pub count: Option<u32>,
    pub status: Option<u16>,
    pub delay_ms: u64,
    pub retry_after_s: Option<u32>,
    pub hang: bool,
    pub close: bool,
    pub huge_body_bytes: Option<u64>,
    pub fail_percent: Option<u8>,
    pub unauthorized_until_new_token: bool,
}

/// Why a behavior is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BehaviorError {
    #[error("status must be from 200 to 599")]
    Status,
    #[error("delay_ms must be at most {DELAY_MAX_MS}")]
    Delay,
    #[error("huge_body_bytes must be at most {HUGE_BODY_MAX_BYTES}")]
    HugeBody,
    #[error("fail_percent must be at most 100")]
    Percent,
    #[error("count must be from 1 to {COUNT_MAX}")]
    Count,
    #[error("hang and close exclude each other and every response")]
    Contradiction,
    #[error("unauthorized_until_new_token needs a merchant that uses OAuth 2.0")]
    NoTokens,
    #[error("too many behaviors with a count; wait until some are done")]
    TooMany,
}

impl Behavior {
    pub const NORMAL: Self = Self {
        kind: None,
        count: None,
        status: None,
        delay_ms: 0,
        retry_after_s: None,
        hang: false,
        close: false,
        huge_body_bytes: None,
        fail_percent: None,
        unauthorized_until_new_token: false,
    };

    /// Responds to every call with `status`.
    pub fn status(status: u16) -> Self {
        Self { status: Some(status), ..Self::NORMAL }
    }

    /// The same, only for calls of `kind`.
    #[must_use]
    pub fn of(self, kind: MessageKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// The same, only for the next `count` calls.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count: Some(count), ..self }
    }

    pub fn check(&self) -> Result<(), BehaviorError> {
        let responds =
            self.status.is_some() || self.retry_after_s.is_some() || self.huge_body_bytes.is_some();
        if self.status.is_some_and(|status| !(200..600).contains(&status)) {
            Err(BehaviorError::Status)
        } else if self.delay_ms > DELAY_MAX_MS {
            Err(BehaviorError::Delay)
        } else if self.huge_body_bytes.is_some_and(|bytes| bytes > HUGE_BODY_MAX_BYTES) {
            Err(BehaviorError::HugeBody)
        } else if self.fail_percent.is_some_and(|percent| percent > 100) {
            Err(BehaviorError::Percent)
        } else if self.count.is_some_and(|count| !(1..=COUNT_MAX).contains(&count)) {
            Err(BehaviorError::Count)
        } else if (self.hang && self.close) || ((self.hang || self.close) && responds) {
            Err(BehaviorError::Contradiction)
        } else {
            Ok(())
        }
    }

    /// Whether it changes nothing, whatever calls it applies to.
    pub(crate) fn is_normal(&self) -> bool {
        let Self { kind, count, .. } = *self;
        *self == Self { kind, count, ..Self::NORMAL }
    }

    /// The behavior without the revocation of tokens; None if that was all.
    pub(crate) fn without_revocation(&self) -> Option<Self> {
        let rest = Self { unauthorized_until_new_token: false, ..*self };
        (!self.unauthorized_until_new_token || !rest.is_normal()).then_some(rest)
    }

    /// The status to respond with, if the behavior determines one.
    pub(crate) fn effective_status(&self) -> Option<u16> {
        let something_else = self.hang || self.close || self.huge_body_bytes.is_some();
        let failing = self.retry_after_s.is_some() || self.fail_percent.is_some();
        self.status.or((failing && !something_else).then_some(FAILURE))
    }
}

impl fmt::Display for Behavior {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(formatter, "the next {count} ")?,
            None => formatter.write_str("every ")?,
        }
        match self.kind {
            Some(kind) => write!(formatter, "{kind}: ")?,
            None => formatter.write_str("call: ")?,
        }
        let mut parts = Vec::new();
        parts.extend(self.fail_percent.map(|percent| format!("{percent} % of calls")));
        parts.extend((self.delay_ms > 0).then(|| format!("wait {} ms", self.delay_ms)));
        parts.extend(self.hang.then(|| "never respond".to_owned()));
        parts.extend(self.close.then(|| "close the connection".to_owned()));
        parts.extend(self.effective_status().map(|status| format!("respond {status}")));
        parts.extend(self.retry_after_s.map(|seconds| format!("Retry-After {seconds} s")));
        parts.extend(self.huge_body_bytes.map(|bytes| format!("a body of {bytes} bytes")));
        if parts.is_empty() {
            parts.push("normal".to_owned());
        }
        formatter.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Behavior {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn impossible_behavior_is_refused() {
        let refused = [
            (r#"{"status": 199}"#, BehaviorError::Status),
            (r#"{"delay_ms": 600001}"#, BehaviorError::Delay),
            (r#"{"huge_body_bytes": 99999999999}"#, BehaviorError::HugeBody),
            (r#"{"fail_percent": 101}"#, BehaviorError::Percent),
            (r#"{"count": 0}"#, BehaviorError::Count),
            (r#"{"hang": true, "close": true}"#, BehaviorError::Contradiction),
            (r#"{"hang": true, "status": 200}"#, BehaviorError::Contradiction),
        ];
        for (json, error) in refused {
            assert_eq!(read(json).check(), Err(error), "{json}");
        }
        assert_eq!(read(r#"{"status": 429, "retry_after_s": 3}"#).check(), Ok(()));
    }

    #[test]
    fn a_failure_without_a_status_is_503() {
        assert_eq!(read(r#"{"fail_percent": 30}"#).effective_status(), Some(503));
        assert_eq!(read(r#"{"retry_after_s": 5}"#).effective_status(), Some(503));
        assert_eq!(read(r#"{"fail_percent": 30, "close": true}"#).effective_status(), None);
        assert_eq!(read(r#"{"delay_ms": 10}"#).effective_status(), None);
    }

    #[test]
    fn it_is_described_in_words() {
        let behavior = read(r#"{"kind": "rma", "count": 3, "retry_after_s": 5}"#);
        assert_eq!(behavior.to_string(), "the next 3 rma: respond 503, Retry-After 5 s");
        assert_eq!(Behavior::NORMAL.to_string(), "every call: normal");
    }
}

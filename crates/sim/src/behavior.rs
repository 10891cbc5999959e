//! What a merchant can be told to do instead of its duty.
//!
//! A behaviour is one JSON object, all of whose fields may be left out:
//!
//! | field                          | meaning                                                     |
//! | ------------------------------ | ----------------------------------------------------------- |
//! | `kind`                         | only calls of this kind                                     |
//! | `count`                        | only the next so many calls, then as before                 |
//! | `status`                       | answer with this status                                     |
//! | `delay_ms`                     | wait before the answer                                      |
//! | `retry_after_s`                | send `Retry-After`                                          |
//! | `hang`                         | never answer                                                |
//! | `close`                        | close the connection without an answer                      |
//! | `huge_body_bytes`              | an answer with so long a body                               |
//! | `fail_percent`                 | do it to so many calls of a hundred, by chance              |
//! | `unauthorized_until_new_token` | revoke every token now (only with OAuth 2.0)                |
//!
//! Where a failure is asked for and none is named, it is 503. A status of success changes only
//! the number: the call is still taken in. A behaviour without anything in it is the normal
//! one.

use std::fmt;

use domain::messages::kind::MessageKind;
use serde::{Deserialize, Serialize};

const DELAY_MAX_MS: u64 = 10 * 60 * 1_000;
const HUGE_BODY_MAX_BYTES: u64 = 1 << 30;
const COUNT_MAX: u32 = 1_000_000;
const FAILURE: u16 = 503;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    pub delay_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u32>,
    pub hang: bool,
    pub close: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_body_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_percent: Option<u8>,
    pub unauthorized_until_new_token: bool,
}

/// Why a behaviour cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BehaviourError {
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
    #[error("hang and close exclude each other and every answer")]
    Contradiction,
    #[error("unauthorized_until_new_token needs a merchant that uses OAuth 2.0")]
    NoTokens,
    #[error("there are too many behaviours with a count; wait until some are done")]
    TooMany,
}

impl Behaviour {
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

    /// Every call is answered with `status`.
    pub fn status(status: u16) -> Self {
        Self { status: Some(status), ..Self::NORMAL }
    }

    /// The same for calls of `kind` alone.
    #[must_use]
    pub fn of(self, kind: MessageKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// The same for the next `count` calls alone.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count: Some(count), ..self }
    }

    pub fn check(&self) -> Result<(), BehaviourError> {
        let answers =
            self.status.is_some() || self.retry_after_s.is_some() || self.huge_body_bytes.is_some();
        if self.status.is_some_and(|status| !(200..600).contains(&status)) {
            Err(BehaviourError::Status)
        } else if self.delay_ms > DELAY_MAX_MS {
            Err(BehaviourError::Delay)
        } else if self.huge_body_bytes.is_some_and(|bytes| bytes > HUGE_BODY_MAX_BYTES) {
            Err(BehaviourError::HugeBody)
        } else if self.fail_percent.is_some_and(|percent| percent > 100) {
            Err(BehaviourError::Percent)
        } else if self.count.is_some_and(|count| !(1..=COUNT_MAX).contains(&count)) {
            Err(BehaviourError::Count)
        } else if (self.hang && self.close) || ((self.hang || self.close) && answers) {
            Err(BehaviourError::Contradiction)
        } else {
            Ok(())
        }
    }

    /// Whether it changes nothing, whichever calls it is about.
    pub(crate) fn is_normal(&self) -> bool {
        let Self { kind, count, .. } = *self;
        *self == Self { kind, count, ..Self::NORMAL }
    }

    /// What is left to do when the tokens are revoked; None if that was all.
    pub(crate) fn beyond_revocation(&self) -> Option<Self> {
        let rest = Self { unauthorized_until_new_token: false, ..*self };
        (!self.unauthorized_until_new_token || !rest.is_normal()).then_some(rest)
    }

    /// The status to answer with, when one is asked for in any way.
    pub(crate) fn told_status(&self) -> Option<u16> {
        let something_else = self.hang || self.close || self.huge_body_bytes.is_some();
        let failing = self.retry_after_s.is_some() || self.fail_percent.is_some();
        self.status.or((failing && !something_else).then_some(FAILURE))
    }
}

impl fmt::Display for Behaviour {
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
        parts.extend(self.fail_percent.map(|percent| format!("for {percent} of 100")));
        parts.extend((self.delay_ms > 0).then(|| format!("wait {} ms", self.delay_ms)));
        parts.extend(self.hang.then(|| "never answer".to_owned()));
        parts.extend(self.close.then(|| "close the connection".to_owned()));
        parts.extend(self.told_status().map(|status| format!("answer {status}")));
        parts.extend(self.retry_after_s.map(|seconds| format!("Retry-After {seconds} s")));
        parts.extend(self.huge_body_bytes.map(|bytes| format!("a body of {bytes} bytes")));
        if parts.is_empty() {
            parts.push("as usual".to_owned());
        }
        formatter.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Behaviour {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let refused = [
            (r#"{"status": 199}"#, BehaviourError::Status),
            (r#"{"delay_ms": 600001}"#, BehaviourError::Delay),
            (r#"{"huge_body_bytes": 99999999999}"#, BehaviourError::HugeBody),
            (r#"{"fail_percent": 101}"#, BehaviourError::Percent),
            (r#"{"count": 0}"#, BehaviourError::Count),
            (r#"{"hang": true, "close": true}"#, BehaviourError::Contradiction),
            (r#"{"hang": true, "status": 200}"#, BehaviourError::Contradiction),
        ];
        for (json, error) in refused {
            assert_eq!(read(json).check(), Err(error), "{json}");
        }
        assert_eq!(read(r#"{"status": 429, "retry_after_s": 3}"#).check(), Ok(()));
    }

    #[test]
    fn a_failure_without_a_name_is_503() {
        assert_eq!(read(r#"{"fail_percent": 30}"#).told_status(), Some(503));
        assert_eq!(read(r#"{"retry_after_s": 5}"#).told_status(), Some(503));
        assert_eq!(read(r#"{"fail_percent": 30, "close": true}"#).told_status(), None);
        assert_eq!(read(r#"{"delay_ms": 10}"#).told_status(), None);
    }

    #[test]
    fn it_is_said_in_words() {
        let behaviour = read(r#"{"kind": "rma", "count": 3, "retry_after_s": 5}"#);
        assert_eq!(behaviour.to_string(), "the next 3 rma: answer 503, Retry-After 5 s");
        assert_eq!(Behaviour::NORMAL.to_string(), "every call: as usual");
    }
}

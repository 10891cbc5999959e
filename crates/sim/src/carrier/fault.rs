//! How a simulated carrier can be made to fail.
//!
//! A fault is a JSON object such as `{"at": "buy", "fault": "lost_answer", "count": 1}`.

use omit_none::omit_none;
use serde::{Deserialize, Serialize};

#[omit_none]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarrierFault {
    pub(crate) at: FaultPoint,
    pub(crate) fault: FaultKind,
    /// Only so many times.
    pub(crate) count: Option<u32>,
    /// At random, of so many calls in a hundred.
    #[serde(default = "always")]
    pub(crate) percent: u8,
}

const fn always() -> u8 {
    100
}

/// The calls that a fault applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultPoint {
    /// Every call of the API, but no webhook.
    Any,
    Find,
    Create,
    Buy,
    Form,
    Refund,
    Document,
    Webhook,
}

impl FaultPoint {
    pub(crate) fn covers(self, point: Self) -> bool {
        self == point || (self == Self::Any && point != Self::Webhook)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    /// The status 500, and no effect.
    Error500,
    /// The status 429 with `Retry-After: 1`, and no effect.
    TooMany,
    /// The call has its effect, and the connection is closed without an answer.
    LostAnswer,
    /// The call has its effect, and there is never an answer.
    Hang,
    /// Of a webhook: it is sent three times.
    Repeat,
    /// Of webhooks: those of one move are sent in the reverse order.
    Reverse,
    /// Of a webhook: its signature does not fit.
    WrongSignature,
}

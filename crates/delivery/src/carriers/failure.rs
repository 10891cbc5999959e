//! Why work at a carrier's API failed.

use http::StatusCode;

use crate::{address::Refused, sender::send_error::SendError};

/// Why a call to a carrier's API failed, in a few words without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct CarrierFailure {
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    pub error: String,
    /// The pause that the carrier asked for.
    pub retry_after_ms: Option<u64>,
    /// Whether another attempt would fail in the same way.
    pub is_final: bool,
    /// The permit had ended before the job, so nothing was sent.
    pub was_forbidden: bool,
}

impl CarrierFailure {
    /// A failure that another attempt may not have.
    pub(super) fn passing(error: impl Into<String>) -> Self {
        Self { error: error.into(), ..Self::default() }
    }

    /// A failure that every attempt has.
    pub(super) fn lasting(error: impl Into<String>) -> Self {
        Self { is_final: true, ..Self::passing(error) }
    }

    /// An answer other than a success. What was asked for is wrong, so that asking again does not
    /// help, or the account or the carrier has a problem that will be fixed.
    pub(super) fn answered(status: StatusCode, words: Option<String>) -> Self {
        let is_final = [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY];
        Self {
            status: Some(status.as_u16()),
            error: words.unwrap_or_else(|| format!("the carrier answered {status}")),
            is_final: is_final.contains(&status),
            ..Self::default()
        }
    }

    /// Whether the carrier does not have what was asked for, and will not have it later.
    pub(super) fn is_denial(&self) -> bool {
        self.is_final || self.status == Some(404)
    }

    /// Whether the carrier refused the request, so that it had no effect, or had had it before.
    pub(super) fn is_refusal(&self) -> bool {
        self.status.is_some_and(|status| (400..500).contains(&status))
    }
}

impl From<SendError> for CarrierFailure {
    fn from(error: SendError) -> Self {
        Self { was_forbidden: error == SendError::Forbidden, ..Self::passing(error.to_string()) }
    }
}

impl From<Refused> for CarrierFailure {
    fn from(refused: Refused) -> Self {
        Self::passing(refused.to_string())
    }
}

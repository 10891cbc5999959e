//! Why a mail was not accepted.

use super::reply::Reply;
use crate::{address::Refused, sender::send_error::SendError};

/// The longest text of a reply that is kept.
const TEXT_CHARACTERS_MAX: usize = 160;

/// Why a mail was not accepted, in a few words without secrets or addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MailFailure {
    /// The code of the reply, if it was about this mail rather than about the server.
    pub(super) status: Option<u16>,
    pub(super) error: String,
    /// Whether another attempt would fail in the same way.
    pub(super) is_final: bool,
    /// The permit had ended, so nothing was sent.
    pub(super) was_forbidden: bool,
}

impl MailFailure {
    /// A failure that another attempt may not have.
    pub(super) fn passing(error: impl Into<String>) -> Self {
        Self { error: error.into(), ..Self::default() }
    }

    /// A failure that every attempt has.
    pub(super) fn lasting(error: impl Into<String>) -> Self {
        Self { is_final: true, ..Self::passing(error) }
    }

    /// The server does not want to talk to us now: all mails have the problem.
    pub(super) fn of_server(step: &str, reply: &Reply) -> Self {
        Self::passing(format!("{step} failed: {} {}", reply.code, describe(reply)))
    }

    /// The server refused this mail. A code from 500 means that it will never take it: a bounce.
    pub(super) fn of_mail(reply: &Reply) -> Self {
        Self {
            status: Some(reply.code),
            error: describe(reply),
            is_final: reply.code >= 500,
            was_forbidden: false,
        }
    }
}

/// What the server said, without addresses and control characters. PostgreSQL cannot store a NUL.
fn describe(reply: &Reply) -> String {
    let hide = |word: &str| if word.contains('@') { "…".to_owned() } else { word.to_owned() };
    let words: Vec<String> = reply.text.split_whitespace().map(hide).collect();
    let printable = |character: &char| !character.is_control();
    words.join(" ").chars().filter(printable).take(TEXT_CHARACTERS_MAX).collect()
}

impl From<SendError> for MailFailure {
    fn from(error: SendError) -> Self {
        Self { was_forbidden: error == SendError::Forbidden, ..Self::passing(error.to_string()) }
    }
}

impl From<Refused> for MailFailure {
    fn from(refused: Refused) -> Self {
        Self::passing(refused.to_string())
    }
}

impl From<std::io::Error> for MailFailure {
    fn from(error: std::io::Error) -> Self {
        SendError::from(&error).into()
    }
}

//! What can go wrong between us and a merchant's server, in words for the delivery log.
//!
//! The words are short, name no secret, and say the same thing the same way every time, so that
//! failures can be counted by them.

use std::io;

use crate::address::Refused;

/// The longest text of another error that is copied.
const TEXT_CHARACTERS_MAX: usize = 160;

/// Why there is no answer, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SendError {
    #[error("timeout")]
    Timeout,
    #[error("timeout while connecting")]
    ConnectTimeout,
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("connection refused")]
    ConnectionRefused,
    #[error("connection reset")]
    Reset,
    #[error("connection closed before the answer was complete")]
    Closed,
    #[error("no route to the host")]
    NoRoute,
    #[error("the answer is not HTTP/1.1")]
    Unreadable,
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the message's id does not fit a header")]
    Identifier,
    #[error("another node sends this message now")]
    Forbidden,
    #[error("tls: {0}")]
    Tls(String),
    #[error("network: {0}")]
    Network(String),
    #[error("token: {0}")]
    Token(#[from] TokenFailure),
}

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TokenFailure(pub(crate) String);

impl SendError {
    /// What went wrong during the TLS handshake.
    pub(crate) fn tls(error: &io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(error) => Self::Tls(shortened(error)),
            None => Self::from(error),
        }
    }
}

impl From<&io::Error> for SendError {
    fn from(error: &io::Error) -> Self {
        use io::ErrorKind;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the list is the system's, and open")]
        match error.kind() {
            ErrorKind::ConnectionRefused => Self::ConnectionRefused,
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                Self::Reset
            }
            ErrorKind::UnexpectedEof => Self::Closed,
            ErrorKind::TimedOut => Self::ConnectTimeout,
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => Self::NoRoute,
            _ => Self::Network(shortened(error)),
        }
    }
}

fn shortened(error: &impl ToString) -> String {
    error.to_string().chars().take(TEXT_CHARACTERS_MAX).collect()
}

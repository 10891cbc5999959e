//! What the steps of a replay share.

use domain::messages::kind::MessageKind;
use store::ReplayedMessage;

use crate::AppError;

/// Messages about one thing, of one kind, that are sent again together.
pub(super) struct ReplayedThing {
    pub(super) kind: MessageKind,
    pub(super) reference: String,
    pub(super) messages: Vec<ReplayedMessage>,
    /// Whether a newer message may be sent before these.
    pub(super) is_overtaken: bool,
}

/// The replay was canceled.
pub(super) struct Canceled;

pub(super) type Step = Result<Result<(), Canceled>, AppError>;

/// Continues unless the replay was canceled.
macro_rules! unless_canceled {
    ($step:expr) => {
        if let Err(canceled) = $step {
            return Ok(Err(canceled));
        }
    };
}

pub(super) use unless_canceled;

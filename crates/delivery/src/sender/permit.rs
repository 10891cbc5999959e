//! The permission to write a request, checked immediately before the write.
//!
//! Finding an address, connecting and getting a token take time, and a process may be stopped in
//! between. When it continues, another node may send for the same queue, and the requests that were
//! prepared here must not reach the merchant any more.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::send_error::SendError;
use crate::leases::held::WriteLimit;

/// Allows the requests of one attempt.
#[derive(Clone, Debug)]
pub struct Permit {
    /// None when no other node can send for the queue.
    until: Option<WriteLimit>,
    queue: QueuePermit,
}

/// Allows all requests for one queue until it is revoked.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueuePermit {
    revoked: Arc<AtomicBool>,
}

impl QueuePermit {
    /// The permit of an attempt that must be written before `until`.
    pub(crate) fn until(&self, until: Option<WriteLimit>) -> Permit {
        Permit { until, queue: self.clone() }
    }

    pub(crate) fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::Acquire)
    }

    pub(crate) fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
    }
}

impl Permit {
    /// Whether a request may be written now.
    pub fn holds(&self) -> bool {
        self.check().is_ok()
    }

    pub(crate) fn check(&self) -> Result<(), SendError> {
        let is_over = self.until.as_ref().is_some_and(WriteLimit::is_over);
        if is_over || self.queue.is_revoked() { Err(SendError::Forbidden) } else { Ok(()) }
    }
}

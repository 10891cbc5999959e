//! Work that no request asks for. Each task runs until it is stopped; the binary only starts it.

pub mod alerts;
pub mod books;
pub mod cleanup;
pub mod exchanges;
pub mod labels;
pub mod measurements;
pub mod reminders;
pub mod retention;
pub mod shopper_keys;

use boxed::boxed;
use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;

/// A part of the server that runs beside the others.
pub struct Task {
    name: &'static str,
    handle: JoinHandle<()>,
}

impl Task {
    /// Starts `work`. The name is for the log.
    pub fn spawn(name: &'static str, work: BoxFuture<'static, ()>) -> Self {
        Self { name, handle: tokio::spawn(work) }
    }

    /// Waits until the task has ended. A panic in it is logged and does not reach the caller.
    #[boxed]
    pub async fn join(self) {
        if let Err(cause) = self.handle.await {
            tracing::error!("server task panicked: {}: {cause}", self.name);
        }
    }
}

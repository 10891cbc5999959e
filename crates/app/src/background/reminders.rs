//! Reminds shoppers whose labels end soon.

use std::time::Duration;

use store::with_causes;
use tokio_util::sync::CancellationToken;

use crate::{App, messages::mail::reminders::send_reminders};

/// A reminder may be some minutes late.
const EVERY: Duration = Duration::from_secs(60);

/// Sends reminders until `stop`.
pub async fn run(app: App, stop: CancellationToken) {
    loop {
        if stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
        if let Err(error) = send_reminders(&app).await {
            tracing::warn!("sending reminders failed, will retry: {}", with_causes(&error));
        }
    }
}

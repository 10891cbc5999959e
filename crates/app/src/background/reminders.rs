//! Reminds shoppers whose labels end soon.

use std::time::Duration;

use boxed::boxed;
use store::LastingFailure;
use tokio_util::sync::CancellationToken;

use crate::{App, messages::mail::reminders::send_reminders};

/// A reminder may be some minutes late.
const EVERY: Duration = Duration::from_secs(60);

/// Sends reminders until `stop`.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    let failures = LastingFailure::new("sending reminders", "will retry");
    loop {
        if stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
        failures.note(&send_reminders(&app).await);
    }
}

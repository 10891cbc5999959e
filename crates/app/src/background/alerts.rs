//! Notifies people of problems by mail.

use std::time::Duration;

use jiff::Timestamp;
use store::LastingFailure;
use tokio_util::sync::CancellationToken;

use crate::{App, messages::alerts::check_problems};

const EVERY: Duration = Duration::from_secs(60);

/// Looks for problems until `stop`. `certificate_ends` returns the end of the certificate of this
/// server, if it has one.
pub async fn run(
    app: App,
    certificate_ends: impl Fn() -> Option<Timestamp> + Send,
    stop: CancellationToken,
) {
    let failures = LastingFailure::new("looking for problems", "will retry");
    loop {
        if stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
        failures.note(&check_problems(&app, certificate_ends()).await);
    }
}

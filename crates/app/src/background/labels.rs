//! The simulated carrier: issues the labels that returns are waiting for.

use std::time::Duration;

use boxed::boxed;
use store::LastingFailure;
use tokio_util::sync::CancellationToken;

use crate::{App, returns::carrier_events::issue_simulated_labels};

/// For returns that were started on other nodes.
const EVERY: Duration = Duration::from_secs(2);

/// Issues labels until `stop`: at once when a return is started on this node, and regularly.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    let failures = LastingFailure::new("issuing labels", "will retry");
    loop {
        let wanted = app.labels_wanted.notified();
        let wait = tokio::time::timeout(EVERY, wanted);
        if stop.run_until_cancelled(wait).await.is_none() {
            return;
        }
        failures.note(&issue_simulated_labels(&app).await);
    }
}

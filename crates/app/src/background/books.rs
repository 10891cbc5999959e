//! Posts returns that are older than the journal, once after an upgrade.

use std::time::Duration;

use boxed::boxed;
use store::LastingFailure;
use tokio_util::sync::CancellationToken;

use crate::{App, money::opening::post_older_returns};

/// How long to wait after a failure.
const RETRY: Duration = Duration::from_secs(30);

/// Posts older returns until none is left.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    let failures = LastingFailure::new("posting the money of older returns", "will retry");
    loop {
        let posted = post_older_returns(&app).await;
        failures.note(&posted);
        match posted {
            Ok(0) => return,
            Ok(count) => {
                tracing::info!("posted the money of {count} returns from before the journal");
            }
            Err(_) => {
                let wait = stop.run_until_cancelled(tokio::time::sleep(RETRY));
                if wait.await.is_none() {
                    return;
                }
            }
        }
    }
}

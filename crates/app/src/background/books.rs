//! Posts returns that are older than the journal, once after an upgrade.

use std::time::Duration;

use store::with_causes;
use tokio_util::sync::CancellationToken;

use crate::{App, money::opening::post_older_returns};

/// How long to wait after a failure.
const RETRY: Duration = Duration::from_secs(30);

/// Posts older returns until none is left.
pub async fn run(app: App, stop: CancellationToken) {
    loop {
        match post_older_returns(&app).await {
            Ok(0) => return,
            Ok(count) => {
                tracing::info!("posted the money of {count} returns from before the journal");
            }
            Err(error) => {
                let cause = with_causes(&error);
                tracing::warn!("posting the money of older returns failed, will retry: {cause}");
                let wait = stop.run_until_cancelled(tokio::time::sleep(RETRY));
                if wait.await.is_none() {
                    return;
                }
            }
        }
    }
}

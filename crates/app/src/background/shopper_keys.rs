//! Adds the keys of shoppers to data that is older than they are, once after an upgrade.

use std::time::Duration;

use boxed::boxed;
use store::LastingFailure;
use tokio_util::sync::CancellationToken;

use crate::{App, orders::shopper_keys::key_older_data};

/// How long to wait after a failure.
const RETRY: Duration = Duration::from_secs(30);

/// Adds keys until none is missing.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    let failures = LastingFailure::new("adding the keys of shoppers", "will retry");
    loop {
        let keyed = stop.run_until_cancelled(key_older_data(&app)).await;
        if let Some(keyed) = &keyed {
            failures.note(keyed);
        }
        match keyed {
            None | Some(Ok(0)) => return,
            Some(Ok(count)) => tracing::info!("added the keys of the shoppers of {count} records"),
            Some(Err(_)) => {
                let wait = stop.run_until_cancelled(tokio::time::sleep(RETRY));
                if wait.await.is_none() {
                    return;
                }
            }
        }
    }
}

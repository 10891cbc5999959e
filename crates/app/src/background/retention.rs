//! Erases the data of shoppers whose retention period is over.

use std::time::Duration;

use boxed::boxed;
use store::with_causes;
use tokio_util::sync::CancellationToken;

use crate::{App, merchants::retention::apply_retention};

/// Days are what periods are counted in. Several nodes may do the same work: what one of them has
/// erased, the others find erased.
const EVERY: Duration = Duration::from_secs(60 * 60);

/// Erases what is old enough, now and every hour, until `stop`.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    loop {
        match stop.run_until_cancelled(apply_retention(&app)).await {
            None => return,
            Some(Ok(0)) => (),
            Some(Ok(count)) => {
                tracing::info!("erased the shoppers of {count} orders, returns and mails");
            }
            Some(Err(error)) => {
                let cause = with_causes(&error);
                tracing::warn!("erasing old data of shoppers failed, will retry: {cause}");
            }
        }
        if stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
    }
}

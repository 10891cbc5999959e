//! Settles exchange orders once their messages are finished.

use std::time::Duration;

use boxed::boxed;
use domain::identifier::MessageId;
use store::{LastingFailure, with_causes};
use tokio_util::sync::CancellationToken;

use crate::{
    App,
    exchanges::exchange_orders::{settle_exchange_order, settle_exchange_orders},
};

/// For messages that finished on a node that stopped before it settled the exchange order.
const EVERY: Duration = Duration::from_secs(30);

/// Settles exchange orders until `stop`: at once when a message finishes on this node, and
/// regularly.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    let failures = LastingFailure::new("settling exchange orders", "will retry");
    loop {
        failures.note(&settle_exchange_orders(&app).await);
        let check_all_at = tokio::time::Instant::now() + EVERY;
        loop {
            let next = tokio::time::timeout_at(check_all_at, app.finished_exchange_messages.take());
            match stop.run_until_cancelled(next).await {
                None => return,
                Some(Err(_)) => break,
                Some(Ok(messages)) => settle(&app, &messages).await,
            }
        }
    }
}

async fn settle(app: &App, messages: &[MessageId]) {
    for message in messages {
        if let Err(error) = settle_exchange_order(app, message).await {
            let cause = with_causes(&error);
            tracing::warn!(
                "settling the exchange order of message {message} failed, will retry: {cause}"
            );
        }
    }
}

//! Applies merchants' responses to exchange orders to the returns that asked for them.

use std::time::Duration;

use domain::identifier::MerchantId;
use store::with_causes;
use tokio_util::sync::CancellationToken;

use crate::{
    App,
    exchanges::exchange_orders::{settle_exchange_order, settle_exchange_orders},
};

/// For responses that a node stored but could not apply, because it was killed.
const EVERY: Duration = Duration::from_secs(30);

/// Settles exchange orders until `stop`: at once when a response arrives on this node, and
/// regularly.
pub async fn run(app: App, stop: CancellationToken) {
    loop {
        if let Err(error) = settle_exchange_orders(&app).await {
            tracing::warn!("settling exchange orders failed, will retry: {}", with_causes(&error));
        }
        let check_all_at = tokio::time::Instant::now() + EVERY;
        loop {
            let next = tokio::time::timeout_at(check_all_at, app.exchange_answers.next());
            match stop.run_until_cancelled(next).await {
                None => return,
                Some(Err(_)) => break,
                Some(Ok(answered)) => settle(&app, &answered).await,
            }
        }
    }
}

async fn settle(app: &App, answered: &[(MerchantId, i64)]) {
    for (merchant, message) in answered {
        if let Err(error) = settle_exchange_order(app, merchant, *message).await {
            let (merchant, cause) = (merchant.as_str(), with_causes(&error));
            tracing::warn!(
                merchant,
                message,
                "settling an exchange order failed, will retry: {cause}"
            );
        }
    }
}

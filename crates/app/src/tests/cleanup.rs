//! Cleaning up ends when the server does.

use tokio_util::sync::CancellationToken;

use super::{Fixture, HOUR_US, retention::write_mail};
use crate::background::cleanup::{CleanupFailures, clean_up};

#[tokio::test]
async fn a_server_that_stops_does_not_wait_until_old_messages_are_removed() {
    let fixture = Fixture::new().await;
    let number = write_mail(&fixture, true).await;
    fixture.pass(100 * 24 * HOUR_US);
    let acme = domain::identifier::MerchantId::parse("acme").unwrap();
    let is_stored = || async { fixture.app.store.message(&acme, number).await.unwrap().is_some() };

    let stop = CancellationToken::new();
    stop.cancel();
    clean_up(&fixture.app, 30, &stop, &CleanupFailures::new()).await;
    assert!(is_stored().await);

    let never = CancellationToken::new();
    clean_up(&fixture.app, 30, &never, &CleanupFailures::new()).await;
    assert!(!is_stored().await);
}

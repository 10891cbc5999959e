//! Replays that are started at the same time.

use domain::{identifier::MerchantId, messages::replay::ReplaySelection};
use futures_util::future::join_all;

use super::{Fixture, scope_of, test_operator};
use crate::messages::replay::start_replay;

#[tokio::test]
async fn of_many_replays_that_start_at_once_one_runs() {
    let fixture = Fixture::new().await;
    let (acme, operator) = (MerchantId::parse("acme").unwrap(), test_operator());
    let start = || {
        let scope = scope_of(&fixture.app, &operator).for_merchant(&acme);
        // Many that do not exist, so that the first replay is not done before the others start.
        start_replay(scope, ReplaySelection { ids: (1..=10_000).collect(), ..Default::default() })
    };

    let started = join_all((0..8).map(|_| start())).await;

    assert_eq!(started.iter().filter(|it| it.is_ok()).count(), 1);
}

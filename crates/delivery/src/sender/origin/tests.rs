//! Which idle connections are kept.

use super::*;
use crate::sender::tests::{http_client, merchant::Merchant};

struct Scene {
    merchant: Merchant,
    origin: Origin,
}

impl Scene {
    /// An origin with `count` idle connections.
    async fn new(count: usize) -> Self {
        let merchant = Merchant::answering(200).await;
        let uri = merchant.url("/").parse().unwrap();
        let origin = Origin::new(&uri, http_client().context()).unwrap();
        for _ in 0..count {
            let connection = origin.open().await.unwrap();
            origin.idle.put(connection);
        }
        Self { merchant, origin }
    }

    fn count(&self) -> usize {
        self.origin.idle.lock().connections.len()
    }

    fn close_expired(&self) -> bool {
        self.origin.idle.close_expired()
    }
}

#[tokio::test]
async fn idle_connections_are_kept_for_a_minute() {
    let scene = Scene::new(3).await;
    assert!(!scene.close_expired());
    assert_eq!(scene.count(), 3);

    let long_ago = Instant::now().checked_sub(IDLE_TIME_MAX).unwrap();
    scene.origin.idle.lock().connections[1].idle_since = long_ago;

    assert!(!scene.close_expired());
    assert_eq!(scene.count(), 2);
}

#[tokio::test]
async fn connections_that_the_other_side_closed_are_not_kept() {
    let scene = Scene::new(3).await;
    while scene.merchant.connections() < 3 {
        tokio::task::yield_now().await;
    }
    scene.merchant.hang_up();
    sleep(Duration::from_millis(50)).await;

    assert!(scene.close_expired(), "none is left");
    assert_eq!(scene.count(), 0);
    assert!(!scene.origin.idle.lock().is_watched, "and the task has ended");
}

#[tokio::test]
async fn there_are_never_more_idle_connections_than_the_limit() {
    let scene = Scene::new(IDLE_MAX + 3).await;
    assert_eq!(scene.count(), IDLE_MAX);
}

//! Endpoints are looked up again when they have changed, or may have.

use std::time::{Duration, Instant};

use super::{super::events::Event, node::TestNode};
use crate::Leases;

fn look_ups(node: &TestNode) -> u64 {
    node.queue().unwrap().1.look_ups
}

#[tokio::test]
async fn endpoints_that_may_change_yet_are_looked_up_again_after_a_minute() {
    let mut node = TestNode::new(Leases::all()).await;
    let merchant = node.enqueue(1).await.merchant;
    assert_eq!(look_ups(&node), 1);
    node.dispatcher.handle(Event::EndpointsInDoubt(merchant.clone()));
    assert_eq!(look_ups(&node), 2, "the change may be there already");
    let changed = Instant::now();

    node.dispatcher.settle_doubts(changed + Duration::from_secs(55));
    assert_eq!(look_ups(&node), 2);
    for _ in 0..2 {
        node.dispatcher.settle_doubts(changed + Duration::from_secs(61));
        assert_eq!(look_ups(&node), 3);
    }
    node.dispatcher.handle(Event::EndpointsChanged(merchant));
    node.dispatcher.settle_doubts(changed + Duration::from_secs(300));
    assert_eq!(look_ups(&node), 4, "this change is known to be there");
}

//! Queues stay in memory while their leases change, and nothing is sent twice.

use std::time::Duration;

use super::{
    super::{Dispatcher, events::Event},
    node::TestNode,
};
use crate::{
    Leases,
    scheduler::{Action, QueueId},
};

const NOW: Duration = Duration::ZERO;
/// Of leases under which no attempt may start any more.
const OLD: Duration = Duration::from_secs(25);

/// A node that is alone, and has sent nothing yet.
async fn new_node() -> (TestNode, Leases) {
    let leases = Leases::of_test_node();
    leases.hold_all(1, Leases::share_of_all(), NOW);
    (TestNode::new(leases.clone()).await, leases)
}

/// The same after it has delivered a message.
async fn set_up() -> (TestNode, Leases) {
    let (mut node, leases) = new_node().await;
    node.prove_endpoint().await;
    (node, leases)
}

/// A search that took long has ended, so the next one would rest for a minute.
fn end_search(node: &mut TestNode) {
    let took = Duration::from_secs(10);
    node.dispatcher.handle(Event::PendingFound { last: Vec::new(), took });
}

/// Other nodes have joined that take all shards.
fn leave(node: &mut TestNode, leases: &Leases) {
    assert!(!leases.hold_all(1, 0, NOW));
    node.dispatcher.follow_other_nodes();
}

/// The leases are renewed, and all shards stay at this node.
fn stay(node: &mut TestNode, leases: &Leases) {
    assert!(leases.hold_all(1, Leases::share_of_all(), NOW), "the dispatcher is notified");
    node.dispatcher.handle(Event::LeasesGained);
}

#[tokio::test]
async fn what_is_on_its_way_when_a_shard_is_about_to_be_released_is_not_sent_twice_if_it_stays() {
    let (mut node, leases) = set_up().await;
    let slow = node.enqueue(1).await;
    let under_way = node.started(&slow).await;

    leave(&mut node, &leases);
    stay(&mut node, &leases);

    let next = node.enqueue(2).await;
    node.started(&next).await.deliver();
    under_way.deliver();
    node.act_until(Dispatcher::is_idle).await;
}

#[tokio::test]
async fn a_queue_waits_while_its_shard_is_about_to_be_released_and_continues_if_it_stays() {
    let (mut node, leases) = set_up().await;
    let [first, second] = [node.enqueue(1).await, node.enqueue(1).await];
    let under_way = node.started(&first).await;
    let id = node.queue().unwrap().0;

    leave(&mut node, &leases);
    under_way.deliver();
    node.act_until(|it| it.is_idle() && it.queues.get(id).is_none_or(|known| known.is_waiting))
        .await;
    let third = node.enqueue(2).await;
    stay(&mut node, &leases);

    node.started(&second).await.deliver();
    node.started(&third).await.deliver();
    assert_eq!(node.queue().map(|it| it.0), Some(id));
}

#[tokio::test]
async fn a_queue_is_dropped_when_its_shard_is_gone() {
    let (mut node, leases) = set_up().await;
    leave(&mut node, &leases);
    assert!(node.queue().is_some());
    leases.hold_all(2, 0, NOW);
    node.dispatcher.follow_other_nodes();
    assert!(node.queue().is_none());
}

#[tokio::test]
async fn a_message_whose_permit_had_ended_is_sent_later_and_its_queue_stays() {
    let (mut node, leases) = set_up().await;
    let late = node.enqueue(1).await;
    let under_way = node.started(&late).await;
    let id = node.queue().unwrap().0;

    leases.hold_all(1, Leases::share_of_all(), OLD);
    under_way.forbid();
    node.act_until(Dispatcher::is_idle).await;
    stay(&mut node, &leases);

    node.started(&late).await.deliver();
    assert_eq!(node.queue().map(|it| it.0), Some(id));
}

#[tokio::test]
async fn a_message_that_is_chosen_just_when_the_lease_becomes_too_old_is_sent_later() {
    let (mut node, leases) = set_up().await;
    let message = node.enqueue(1).await;
    let now_us = node.dispatcher.parts.world.now_us();
    let action = node.dispatcher.scheduler.next(now_us);
    let Some(Action::Send { queue, delivery }) = action else { panic!("not a send: {action:?}") };

    leases.hold_all(1, Leases::share_of_all(), OLD);
    node.dispatcher.send(queue, 1, delivery.payload);

    let known = |node: &TestNode| -> Option<(QueueId, bool)> {
        node.queue().map(|(id, known)| (id, known.is_waiting))
    };
    assert_eq!(known(&node), Some((queue, true)));
    stay(&mut node, &leases);
    assert_eq!(known(&node), Some((queue, false)));
    node.started(&message).await.deliver();
}

#[tokio::test]
async fn a_search_rests_after_one_that_took_long() {
    let (mut node, _) = new_node().await;
    end_search(&mut node);
    node.dispatcher.follow_other_nodes();
    assert!(node.dispatcher.search.running.is_none());
}

#[tokio::test]
async fn leases_that_are_gained_during_a_search_are_searched_for_when_it_has_ended() {
    let (mut node, _) = new_node().await;
    node.dispatcher.search.running = Some(tokio::spawn(std::future::pending()));
    node.dispatcher.handle(Event::LeasesGained);
    let message = node.commit(1).await;
    end_search(&mut node);
    node.started(&message).await.deliver();
}

#[tokio::test]
async fn messages_that_were_announced_while_the_node_did_not_listen_are_searched_for_at_once() {
    let (mut node, _) = new_node().await;
    end_search(&mut node);
    let message = node.commit(1).await;
    node.dispatcher.handle(Event::AnnouncementsMissed);
    node.started(&message).await.deliver();
}

#[tokio::test]
async fn messages_of_a_queue_that_was_dropped_are_searched_for_at_once() {
    let (mut node, leases) = set_up().await;
    end_search(&mut node);
    let message = node.commit(1).await;
    leases.hold_all(2, Leases::share_of_all(), NOW);
    node.dispatcher.follow_other_nodes();
    node.started(&message).await.deliver();
}

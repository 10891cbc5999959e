//! What a node holds, as it follows from what the database says.

use domain::messages::kind::MessageKind;

use super::*;

impl Leases {
    /// A node that holds nothing yet.
    pub(crate) fn of_test_node() -> Self {
        Self::shared("node".to_owned(), Duration::from_secs(1))
    }

    /// The node holds all shards under `epoch`, as the database said so long ago, and may keep some
    /// of them. Returns whether it has gained any.
    pub(crate) fn hold_all(&self, epoch: i64, share: i64, age: Duration) -> bool {
        hold(self, epoch, share, age).has_gained
    }

    /// As many shards as a node keeps that is alone.
    pub(crate) fn share_of_all() -> i64 {
        SHARDS
    }
}

fn hold(leases: &Leases, epoch: i64, share: i64, age: Duration) -> Renewal {
    let shards = (0..SHARDS).map(|shard| (shard, epoch)).collect();
    let asked = Instant::now().checked_sub(age).unwrap();
    leases.0.as_ref().unwrap().hold(shards, share, asked)
}

/// Whether the node may send for a queue, and whether it keeps what it has read of it.
fn state_of_queue(leases: &Leases, epoch: i64) -> (bool, bool) {
    let (merchant, queue) = (MerchantId::parse("acme").unwrap(), MessageKind::Rma.queue());
    let may_send = leases.epoch(&merchant, queue) == Some(epoch);
    (may_send, leases.keeps(&merchant, queue, epoch))
}

#[test]
fn a_shard_that_stays_when_it_was_about_to_be_released_is_a_gain() {
    let (leases, now) = (Leases::of_test_node(), Duration::ZERO);
    assert!(leases.hold_all(7, SHARDS, now));
    assert!(!leases.hold_all(7, SHARDS, now), "nothing is new");
    assert_eq!(state_of_queue(&leases, 7), (true, true));

    assert!(!leases.hold_all(7, 0, now), "another node has joined");
    assert_eq!(state_of_queue(&leases, 7), (false, true));

    assert!(leases.hold_all(7, SHARDS, now), "it has stopped");
    assert_eq!(state_of_queue(&leases, 7), (true, true));
}

#[test]
fn leases_that_are_renewed_late_or_under_another_epoch_are_a_gain() {
    let (leases, now) = (Leases::of_test_node(), Duration::ZERO);
    assert!(leases.hold_all(7, SHARDS, Duration::from_secs(25)));
    assert_eq!(state_of_queue(&leases, 7), (false, true), "it is too old already");
    assert!(leases.hold_all(7, SHARDS, now));
    assert_eq!(state_of_queue(&leases, 7), (true, true));
    assert!(leases.hold_all(8, SHARDS, now));
    assert_eq!(state_of_queue(&leases, 7), (false, false));
}

#[test]
fn a_shard_is_held_until_it_is_released() {
    let (leases, now) = (Leases::of_test_node(), Duration::ZERO);
    let shared = leases.0.clone().unwrap();
    hold(&leases, 7, SHARDS, now);
    let released = || hold(&leases, 7, 0, now).gone;
    assert_eq!(released(), [0; 0], "attempts may be under way");
    let long_ago = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
    shared.held.write().unwrap().leaving.values_mut().for_each(|since| *since = long_ago);

    let gone = released();
    assert_eq!(gone.len(), 1_024);
    assert_eq!(state_of_queue(&leases, 7), (false, true), "it may fail");
    shared.forget(&gone);
    assert_eq!(state_of_queue(&leases, 7), (false, false));
    assert_eq!(leases.held(), 0);
}

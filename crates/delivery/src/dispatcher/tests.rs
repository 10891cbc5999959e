//! Messages as the scheduler gets them from the dispatcher, with the times that the store has.

mod endpoints;
mod node;
mod other_nodes;

use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use store::{AttemptOutcome, FailureCause, PendingMessage};

use super::{
    queues::{Queues, to_delivery},
    status::StatusReport,
};
use crate::scheduler::{Action, BreakerState, Owner, QueueId, Scheduler, SchedulerSettings};

const QUEUE: QueueId = QueueId(1);
const SECOND_US: i64 = 1_000_000;
const BEGIN_US: i64 = 1_700_000_000 * SECOND_US;

/// A message that was committed at `created_us`.
fn pending(message_id: i64, kind: MessageKind, created_us: i64) -> PendingMessage {
    PendingMessage {
        merchant: MerchantId::parse("acme").unwrap(),
        message_id,
        kind,
        lane: 0,
        cycle: 1,
        attempts: 0,
        due_us: created_us,
        sequence: 1,
        created_us,
        replay: false,
        body: Bytes::new(),
    }
}

struct Rig {
    scheduler: Scheduler<PendingMessage>,
    now_us: i64,
}

impl Rig {
    fn new(kind: MessageKind) -> Self {
        let settings = SchedulerSettings { suspend_waiting_min: 5, ..Default::default() };
        let mut scheduler = Scheduler::new(settings);
        scheduler.add_queue(QUEUE, Owner(1), kind.queue().kinds().len());
        Self { scheduler, now_us: BEGIN_US }
    }

    /// A message is committed now.
    fn arrive(&mut self, message_id: i64, kind: MessageKind) {
        let delivery = to_delivery(pending(message_id, kind, self.now_us), self.now_us);
        self.scheduler.enqueue(QUEUE, delivery);
    }

    /// The message that is sent now, if one is.
    fn send(&mut self) -> Option<i64> {
        match self.scheduler.next(self.now_us)? {
            Action::Send { delivery, .. } => Some(delivery.message),
            action @ Action::Refill { .. } => panic!("not a send: {action:?}"),
        }
    }

    fn fail(&mut self, message: i64) {
        let (due_us, cause) = (self.now_us + 5 * SECOND_US, FailureCause::Refused);
        let outcome = AttemptOutcome::Retry { due_us, cause };
        self.scheduler.finish_attempt(QUEUE, message, outcome, self.now_us);
        self.scheduler.confirm_durable(QUEUE, message);
    }

    fn wait(&mut self) {
        self.now_us = self.scheduler.wake_at_us().unwrap();
    }
}

#[test]
fn a_first_attempt_is_due_however_far_the_clock_was_set_back() {
    let later_us = BEGIN_US + 3_600 * SECOND_US;
    let due_us = |message: PendingMessage| to_delivery(message, BEGIN_US).due_us;
    let message = || pending(1, MessageKind::Rma, later_us);
    assert_eq!(due_us(message()), BEGIN_US);
    assert_eq!(due_us(PendingMessage { replay: true, ..message() }), BEGIN_US);
    assert_eq!(due_us(PendingMessage { attempts: 1, ..message() }), later_us, "a pause stays");
    assert_eq!(due_us(pending(1, MessageKind::Rma, BEGIN_US - 1)), BEGIN_US - 1);
}

#[test]
fn a_suspended_endpoint_that_gets_new_messages_is_probed_with_the_oldest() {
    let mut rig = Rig::new(MessageKind::Rma);
    for message in 1..=20 {
        rig.arrive(message, MessageKind::Rma);
    }
    while rig.scheduler.breaker(QUEUE, 0) != Some(BreakerState::Suspended) {
        match rig.send() {
            Some(message) => {
                rig.now_us += SECOND_US;
                rig.fail(message);
            }
            None => rig.wait(),
        }
    }
    for message in 21..=25 {
        rig.arrive(message, MessageKind::Rma);
        rig.wait();
        let probe = rig.send().unwrap();
        assert!(probe <= 20, "{probe} has not waited longest");
        rig.fail(probe);
    }
}

#[test]
fn a_retry_at_one_endpoint_is_sent_before_a_newer_message_at_another() {
    let [first, second] =
        [MessageKind::DropShipmentConfirmation, MessageKind::DropShipmentCancellation];
    let mut rig = Rig::new(first);
    rig.arrive(1, second);
    assert_eq!(rig.send(), Some(1));
    rig.fail(1);
    rig.now_us += 6 * SECOND_US;
    rig.arrive(2, first);
    assert_eq!(rig.send(), Some(1));
}

#[test]
fn operators_see_the_first_degraded_endpoints_and_are_notified_of_every_suspended_one() {
    let settings = SchedulerSettings {
        throttle_failures: 1,
        suspend_after_us: 0,
        suspend_waiting_min: 0,
        ..Default::default()
    };
    let (mut scheduler, mut queues) = (Scheduler::new(settings), Queues::default());
    for number in 1..=25 {
        let message = pending(number, MessageKind::Rma, BEGIN_US);
        let merchant = MerchantId::parse(&format!("merchant{number}")).unwrap();
        let (id, owner) = queues.add(&merchant, MessageKind::Rma.queue(), 0);
        scheduler.add_queue(id, owner, 1);
        scheduler.enqueue(id, to_delivery(PendingMessage { merchant, ..message }, BEGIN_US));
    }
    for now_us in [BEGIN_US, BEGIN_US + 2 * SECOND_US] {
        while let Some(Action::Send { queue, delivery }) = scheduler.next(now_us) {
            let (due_us, cause) = (now_us + SECOND_US, FailureCause::Refused);
            let outcome = AttemptOutcome::Retry { due_us, cause };
            scheduler.finish_attempt(queue, delivery.message, outcome, now_us);
            scheduler.confirm_durable(queue, delivery.message);
        }
    }
    let report = StatusReport { queues: &queues, scheduler: &scheduler };
    assert_eq!(report.degraded().len(), 20);
    let suspended = report.suspended();
    assert_eq!(suspended.len(), 25);
    assert!(suspended.iter().all(|status| status.breaker == "suspended"));
}

#[test]
fn an_endpoint_is_known_to_work_once_it_has_delivered_or_when_nothing_waits_for_it() {
    let merchant = MerchantId::parse("acme").unwrap();
    let kind = MessageKind::Rma;
    let mut queues = Queues::default();
    let mut rig = Rig::new(kind);
    let (id, owner) = queues.add(&merchant, kind.queue(), 0);
    rig.scheduler.add_queue(id, owner, 1);
    let works = |rig: &Rig| {
        let report = StatusReport { queues: &queues, scheduler: &rig.scheduler };
        report.of_merchant(&merchant)[0].is_known_to_work
    };
    assert!(works(&rig), "nothing waits");
    rig.scheduler.expect_more(id);
    assert!(!works(&rig), "messages may wait that are not read yet");
    rig.scheduler.next(rig.now_us);
    let message = |number: i64| to_delivery(pending(number, kind, BEGIN_US), BEGIN_US);
    rig.scheduler.complete_refill(id, vec![message(1), message(2)], true);
    assert!(!works(&rig), "it may fail");

    rig.scheduler.next(rig.now_us);
    rig.scheduler.finish_attempt(id, 1, AttemptOutcome::Delivered, rig.now_us);
    assert!(works(&rig));
}

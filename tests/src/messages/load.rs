//! Many messages, posted by several workers. A lane belongs to one worker, who posts its messages
//! one after the other, so their order is known.

use std::{
    collections::BTreeSet,
    io,
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use sim::Running;

use super::ledger::{Verdict, compose_number, judge};
use crate::harness::stage::{Stage, list_calls};
use crate::harness::{
    home::text,
    http::{Connection, Reply, Request},
};

/// Longer than the longest pause in which nothing can arrive: a dead node's lease.
const NOTHING_ARRIVES_MAX: Duration = Duration::from_secs(60);

struct Lane {
    merchant: String,
    number: u64,
    next: u64,
}

/// Posts the messages of some lanes.
pub(super) struct Worker {
    lanes: Vec<Lane>,
    turn: usize,
    acknowledged: Vec<u64>,
    pub(super) unanswered: usize,
    succeeded_after_a_failure: bool,
}

/// Workers who share `lanes` lanes of each merchant among them.
pub(super) fn form_crew(stages: &[&Stage<'_>], lanes: usize, workers: usize) -> Vec<Worker> {
    let worker = |_| Worker {
        lanes: Vec::new(),
        turn: 0,
        acknowledged: Vec::new(),
        unanswered: 0,
        succeeded_after_a_failure: false,
    };
    let mut crew: Vec<Worker> = (0..workers).map(worker).collect();
    let merchants = stages.iter().flat_map(|stage| (0..lanes).map(|_| &stage.merchant.id));
    for (place, merchant) in merchants.enumerate() {
        let number = u64::try_from(place).unwrap() + 1;
        crew[place % workers].lanes.push(Lane { merchant: merchant.clone(), number, next: 1 });
    }
    crew
}

impl Worker {
    /// Posts `count` messages, by turns at each of the servers; ends early when there is no answer.
    fn work(&mut self, addresses: &[String], admin: &str, count: usize) {
        let connections: io::Result<Vec<_>> =
            addresses.iter().map(|address| Connection::open(address)).collect();
        let Ok(mut connections) = connections else { return };
        for _ in 0..count {
            if self.post(&mut connections, admin).is_err() {
                self.unanswered += 1;
                return;
            }
        }
    }

    /// Posts messages until `stop`, whatever becomes of each.
    fn persist(&mut self, address: &str, admin: &str, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let posted = Connection::open(address)
                .and_then(|connection| self.send_next(&mut [connection], admin));
            match posted {
                Ok((number, reply)) if reply.status == 202 => {
                    self.acknowledged.push(number);
                    self.succeeded_after_a_failure |= self.unanswered > 0;
                }
                _ => {
                    self.unanswered += 1;
                    thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }

    pub(super) fn has_succeeded_after_a_failure(&self) -> bool {
        self.succeeded_after_a_failure
    }

    fn post(&mut self, connections: &mut [Connection<TcpStream>], admin: &str) -> io::Result<()> {
        let (number, reply) = self.send_next(connections, admin)?;
        assert_eq!(reply.status, 202, "{}", reply.said());
        self.acknowledged.push(number);
        Ok(())
    }

    fn send_next(
        &mut self,
        connections: &mut [Connection<TcpStream>],
        admin: &str,
    ) -> io::Result<(u64, Reply)> {
        let place = self.turn % self.lanes.len();
        let Lane { merchant, number: lane, next } = &mut self.lanes[place];
        let number = compose_number(*lane, *next);
        let query = format!("ref=lane-{lane}&sequence={number}");
        let target = format!("/admin/merchants/{merchant}/endpoints/rma/test?{query}");
        let server = usize::try_from(*next).unwrap() % connections.len();
        self.turn += 1;
        *next += 1;
        let reply = connections[server].send(&Request::post(&target).bearer(admin))?;
        Ok((number, reply))
    }
}

/// Lets every worker post messages for as long as `meanwhile` takes, also when some are refused.
pub(super) fn persist(crew: &mut [Worker], address: &str, admin: &str, meanwhile: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for worker in crew {
            scope.spawn(|| worker.persist(address, admin, &stop));
        }
        meanwhile();
        stop.store(true, Ordering::Relaxed);
    });
}

/// Lets every worker post `each` messages, and does `meanwhile` something else.
pub(super) fn post(
    crew: &mut [Worker],
    addresses: &[String],
    admin: &str,
    each: usize,
    meanwhile: impl FnOnce(),
) {
    thread::scope(|scope| {
        for worker in crew {
            scope.spawn(move || worker.work(addresses, admin, each));
        }
        meanwhile();
    });
}

/// The numbers of all messages that were acknowledged.
pub(super) fn list_acknowledged(crew: &[Worker]) -> BTreeSet<u64> {
    crew.iter().flat_map(|worker| worker.acknowledged.iter().copied()).collect()
}

/// The numbers of messages whose tries are used up: they are in the failure queue, not lost. They
/// are fewer than one in a hundred, or something else is wrong.
fn list_given_up(stages: &[&Stage<'_>], posted: usize) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    for stage in stages {
        let target = format!("/admin/failures?limit=500&merchant={}", stage.merchant.id);
        for failure in stage.get(&target).json()["failures"].as_array().unwrap() {
            let message = stage.message(failure["id"].as_str().unwrap());
            numbers.insert(message["sequence"].as_u64().unwrap());
        }
    }
    assert!(numbers.len() <= posted / 100, "in the failure queue: {numbers:?}");
    numbers
}

/// The verdict on what arrived at the merchant of the stages, and what was given up.
pub(super) fn judge_arrivals(
    stages: &[&Stage<'_>],
    running: &Running,
    crew: &[Worker],
) -> (Verdict, BTreeSet<u64>) {
    let acknowledged = list_acknowledged(crew);
    let given_up = list_given_up(stages, acknowledged.len());
    (judge(&list_calls(running), &(&acknowledged - &given_up)), given_up)
}

/// Waits until nothing is left to deliver, as long as something arrives now and then.
pub(super) fn drained(stages: &[&Stage<'_>], running: &Running, mut look: impl FnMut()) {
    let (mut calls, mut since) = (0, Instant::now());
    let mut waiting = stages.to_vec();
    loop {
        look();
        waiting.retain(|stage| has_waiting(stage));
        if waiting.is_empty() {
            return;
        }
        let now = running.merchant().summary().calls;
        if now != calls {
            (calls, since) = (now, Instant::now());
        }
        assert!(since.elapsed() < NOTHING_ARRIVES_MAX, "nothing arrives, though messages wait");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a message of the merchant is not delivered yet.
fn has_waiting(stage: &Stage<'_>) -> bool {
    let list = format!("/admin/messages?state=waiting&limit=500&merchant={}", stage.merchant.id);
    let mut target = list.clone();
    loop {
        let page = stage.get(&target).json();
        if !page["messages"].as_array().unwrap().is_empty() {
            return true;
        }
        let Some(next) = page.get("next") else { return false };
        target = format!("{list}&before={}", text(next));
    }
}

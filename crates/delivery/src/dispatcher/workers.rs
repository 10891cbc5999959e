//! The tasks that send: each makes one attempt after another.
//!
//! Starting a task for each message would cost more than its signature. A worker that has made an
//! attempt reports it, and with the report the way to give it another job.

use domain::messages::{kind::MessageKind, retry::RetrySchedule};
use store::{Attempt, AttemptOutcome, FailureCause};
use tokio::sync::mpsc;
use tracing::{Instrument, field::Empty, trace_span};
use world::World;

use super::events::{DispatcherHandle, Event, SendJob, Worker};
use crate::sender::{CallResult, OutgoingMessage};

/// Workers that are kept for the next burst; any above that end when they are done.
const IDLE_MAX: usize = 256;

pub(super) struct Workers {
    idle: Vec<Worker>,
    context: WorkerContext,
}

#[derive(Clone)]
pub(super) struct WorkerContext {
    pub(super) handle: DispatcherHandle,
    pub(super) world: World,
    pub(super) retry_schedule: RetrySchedule,
}

impl Workers {
    pub(super) fn new(context: WorkerContext) -> Self {
        Self { idle: Vec::new(), context }
    }

    pub(super) fn send(&mut self, job: SendJob) {
        let worker = self.idle.pop().unwrap_or_else(|| spawn(self.context.clone()));
        let way_back = Worker(worker.0.clone());
        // Its task cannot have ended: we hold the way to it.
        let _ = worker.0.send((job, way_back));
    }

    /// A worker has made its attempt.
    pub(super) fn release(&mut self, worker: Worker) {
        if self.idle.len() < IDLE_MAX {
            self.idle.push(worker);
        }
    }
}

fn spawn(context: WorkerContext) -> Worker {
    let (worker, mut jobs) = mpsc::unbounded_channel::<(SendJob, Worker)>();
    tokio::spawn(async move {
        while let Some((job, worker)) = jobs.recv().await {
            let (queue, message) = (job.queue, job.message.message_id);
            context.handle.notify(match context.make_attempt(job).await {
                Some(attempt) => Event::AttemptFinished { queue, attempt: attempt.into(), worker },
                None => Event::AttemptForbidden { queue, message, worker },
            });
        }
    });
    Worker(worker)
}

impl WorkerContext {
    /// None when nothing was sent, because it is not for this node to send any more.
    async fn make_attempt(&self, job: SendJob) -> Option<Attempt> {
        let SendJob { channel, message, attempt: number, permit, .. } = job;
        let at_us = self.world.now_us();
        let id = message.id().to_string();
        let outgoing = OutgoingMessage {
            id: &id,
            sequence: message.sequence,
            created_us: message.created_us,
            replay: message.replay,
            attempt: number,
            body: &message.body,
            permit: &permit,
        };
        let span = trace_span!(
            target: "spans",
            "attempt",
            homeward.message_id = id,
            homeward.merchant = message.merchant.as_str(),
            homeward.kind = message.kind.name(),
            homeward.attempt = number,
            http.response.status_code = Empty,
            failed = Empty,
        );
        let result = channel.send(&outgoing).instrument(span.clone()).await;
        span.record("http.response.status_code", result.status)
            .record("failed", !result.is_success());
        if result.was_forbidden {
            return None;
        }
        let latency_us = i64::try_from(result.latency.as_micros()).unwrap_or(i64::MAX);
        // The answer to an exchange order says what was placed.
        let worth_keeping = !result.is_success() || message.kind == MessageKind::ExchangeOrder;
        Some(Attempt {
            number,
            at_us,
            latency_us,
            // A replay is not late, however old its message is.
            waited_us: if message.replay {
                latency_us
            } else {
                (at_us - message.created_us).max(0).saturating_add(latency_us)
            },
            outcome: self.decide_outcome(number, &result),
            message,
            status: result.status,
            error: result.error,
            answer: Some(result.answer).filter(|answer| worth_keeping && !answer.is_empty()),
        })
    }

    fn decide_outcome(&self, attempt: u32, result: &CallResult) -> AttemptOutcome {
        if result.is_success() {
            return AttemptOutcome::Delivered;
        }
        if result.is_final {
            return AttemptOutcome::Failed { cause: FailureCause::Refused };
        }
        let cause = match result.status {
            Some(429 | 503) => FailureCause::Overloaded,
            Some(_) => FailureCause::Refused,
            None => FailureCause::Unreachable,
        };
        let chance = u64::from_be_bytes(self.world.random::<8>());
        match self.retry_schedule.pause_ms(attempt, result.retry_after_ms, chance) {
            Some(pause_ms) => {
                let wait_us = i64::try_from(pause_ms.saturating_mul(1000)).unwrap_or(i64::MAX);
                AttemptOutcome::Retry { due_us: self.world.now_us().saturating_add(wait_us), cause }
            }
            None => AttemptOutcome::Failed { cause },
        }
    }
}

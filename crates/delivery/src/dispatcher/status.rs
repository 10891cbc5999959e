//! The state of endpoints, for operators.

use domain::{identifier::MerchantId, messages::kind::MessageKind};
use store::PendingMessage;

use super::{
    events::EndpointStatus,
    queues::{KnownQueue, Queues, endpoint_index},
};
use crate::scheduler::{BreakerState, Scheduler};

const CLOSED: &str = "closed";
/// More than a person looks at.
const DEGRADED_MAX: usize = 20;

pub(super) struct StatusReport<'a> {
    pub(super) queues: &'a Queues,
    pub(super) scheduler: &'a Scheduler<PendingMessage>,
}

impl StatusReport<'_> {
    pub(super) fn of_merchant(&self, merchant: &MerchantId) -> Vec<EndpointStatus> {
        MessageKind::ALL.into_iter().filter_map(|kind| self.status(merchant, kind)).collect()
    }

    /// Endpoints that are not healthy.
    pub(super) fn degraded(&self) -> Vec<EndpointStatus> {
        let mut degraded = Vec::new();
        for (KnownQueue { merchant, queue, .. }, _) in self.queues.iter() {
            let statuses = queue.kinds().iter().filter_map(|kind| self.status(merchant, *kind));
            degraded.extend(statuses.filter(|status| status.breaker != CLOSED));
        }
        degraded.sort_by(|a, b| (&a.merchant, a.kind).cmp(&(&b.merchant, b.kind)));
        degraded.truncate(DEGRADED_MAX);
        degraded
    }

    fn status(&self, merchant: &MerchantId, kind: MessageKind) -> Option<EndpointStatus> {
        let id = self.queues.id(merchant, kind.queue())?;
        let report = self.scheduler.report(id, endpoint_index(kind))?;
        Some(EndpointStatus {
            merchant: merchant.clone(),
            kind,
            breaker: match report.breaker {
                BreakerState::Closed => CLOSED,
                BreakerState::Throttled => "throttled",
                BreakerState::Suspended => "suspended",
            },
            waiting: report.waiting,
            in_flight: report.in_flight,
            limit: report.limit,
        })
    }
}

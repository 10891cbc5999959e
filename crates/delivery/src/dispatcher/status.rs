//! The state of endpoints, for operators.

use domain::{identifier::MerchantId, messages::kind::MessageKind};
use store::PendingMessage;

use super::{
    Dispatcher,
    events::EndpointStatus,
    queues::{KnownQueue, Queues, endpoint_index},
};
use crate::{
    metrics::EndpointCounts,
    scheduler::{BreakerState, Scheduler},
};

const CLOSED: &str = "closed";
const SUSPENDED: &str = "suspended";
/// More than a person looks at.
const DEGRADED_MAX: usize = 20;

pub(super) struct StatusReport<'a> {
    pub(super) queues: &'a Queues,
    pub(super) scheduler: &'a Scheduler<PendingMessage>,
}

impl Dispatcher {
    pub(super) fn status(&self) -> StatusReport<'_> {
        StatusReport { queues: &self.queues, scheduler: &self.scheduler }
    }

    /// Sets the metrics that are states. The endpoints of queues in memory are few enough for that.
    pub(super) fn measure(&self) {
        let metrics = &self.parts.metrics;
        metrics.set_endpoints(self.status().count_endpoints());
        metrics.set_work(self.scheduler.in_flight(), self.parts.leases.held());
    }
}

impl StatusReport<'_> {
    pub(super) fn of_merchant(&self, merchant: &MerchantId) -> Vec<EndpointStatus> {
        MessageKind::ALL.into_iter().filter_map(|kind| self.status(merchant, kind)).collect()
    }

    /// The first endpoints that are not healthy.
    pub(super) fn degraded(&self) -> Vec<EndpointStatus> {
        let mut degraded = self.all(|status| status.breaker != CLOSED);
        degraded.truncate(DEGRADED_MAX);
        degraded
    }

    /// All suspended endpoints: people are notified of each.
    pub(super) fn suspended(&self) -> Vec<EndpointStatus> {
        self.all(|status| status.breaker == SUSPENDED)
    }

    /// All endpoints that are wanted, by merchant and kind.
    fn all(&self, is_wanted: impl Fn(&EndpointStatus) -> bool) -> Vec<EndpointStatus> {
        let mut found = Vec::new();
        for (KnownQueue { merchant, queue, .. }, _) in self.queues.iter() {
            let statuses = queue.kinds().iter().filter_map(|kind| self.status(merchant, *kind));
            found.extend(statuses.filter(&is_wanted));
        }
        found.sort_by(|a, b| (&a.merchant, a.kind).cmp(&(&b.merchant, b.kind)));
        found
    }

    /// How many endpoints are in which state.
    pub(super) fn count_endpoints(&self) -> EndpointCounts {
        let mut counts = EndpointCounts::default();
        for (KnownQueue { queue, .. }, id) in self.queues.iter() {
            for kind in queue.kinds() {
                match self.scheduler.breaker(id, endpoint_index(*kind)) {
                    Some(BreakerState::Closed) => counts.closed += 1,
                    Some(BreakerState::Throttled) => counts.throttled += 1,
                    Some(BreakerState::Suspended) => counts.suspended += 1,
                    None => (),
                }
            }
        }
        counts
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
                BreakerState::Suspended => SUSPENDED,
            },
            is_known_to_work: report.has_delivered || (report.waiting == 0 && !report.more_on_disk),
            waiting: report.waiting,
            in_flight: report.in_flight,
            limit: report.limit,
        })
    }
}

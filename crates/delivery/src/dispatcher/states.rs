//! How endpoints are doing, for operators.

use domain::{identifier::MerchantId, messages::kind::MessageKind};

use super::{
    EndpointState,
    desk::{Desk, door},
};
use crate::scheduler::BreakerState;

const CLOSED: &str = "closed";
/// More than a person looks at.
const TROUBLED_MAX: usize = 20;

impl Desk {
    pub(super) fn states(&self, merchant: &MerchantId) -> Vec<(MessageKind, EndpointState)> {
        let state = |kind: MessageKind| Some((kind, self.state(merchant, kind)?));
        MessageKind::ALL.into_iter().filter_map(state).collect()
    }

    /// Endpoints that are not well.
    pub(super) fn troubled(&self) -> Vec<(MerchantId, MessageKind, EndpointState)> {
        let mut found = Vec::new();
        for (merchant, queue) in self.numbers.keys() {
            for kind in queue.kinds() {
                let state = self.state(merchant, *kind).filter(|state| state.breaker != CLOSED);
                found.extend(state.map(|state| (merchant.clone(), *kind, state)));
            }
        }
        found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        found.truncate(TROUBLED_MAX);
        found
    }

    fn state(&self, merchant: &MerchantId, kind: MessageKind) -> Option<EndpointState> {
        let id = self.numbers.get(&(merchant.clone(), kind.queue()))?;
        let state = self.scheduler.state(*id, door(kind))?;
        Some(EndpointState {
            breaker: match state.breaker {
                BreakerState::Closed => CLOSED,
                BreakerState::Throttled => "throttled",
                BreakerState::Suspended => "suspended",
            },
            waiting: state.waiting,
            in_flight: state.in_flight,
            limit: state.limit,
        })
    }
}

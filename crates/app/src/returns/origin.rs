//! Who changes a return, and what caused it: what the journal says about each event.

use domain::{
    identifier::MessageId,
    returns::journal::{Actor, ActorKind},
};

use crate::core::scope::RequestScope;

/// The name of the simulated carrier in the journal.
const SIMULATED: &str = "simulated";
/// The name of EasyPost.
const EASYPOST: &str = "easypost";

/// The origin of a change.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) actor: Actor,
    /// The request or the message that caused it.
    pub(crate) cause: Option<String>,
}

impl Origin {
    /// A request of a shopper, a merchant's system, or an operator.
    pub(crate) fn of_request(scope: RequestScope<'_>) -> Self {
        let client = scope.client.as_str();
        let actor = match client.split_once('.') {
            Some((_, "portal")) => Actor::unnamed(ActorKind::Shopper),
            None | Some(("platform", _)) => Actor::new(ActorKind::Operator, client),
            Some(_) => Actor::new(ActorKind::Client, client),
        };
        Self { actor, cause: cause_of(scope) }
    }

    /// A report of a carrier's system. An operator who reports in its place is the operator.
    pub(crate) fn of_carrier(scope: RequestScope<'_>) -> Self {
        Self::of_report(scope, ActorKind::Carrier)
    }

    /// The same for the warehouse.
    pub(crate) fn of_warehouse(scope: RequestScope<'_>) -> Self {
        Self::of_report(scope, ActorKind::Warehouse)
    }

    fn of_report(scope: RequestScope<'_>, kind: ActorKind) -> Self {
        let client = scope.client.as_str();
        let kind = if client.contains('.') { kind } else { ActorKind::Operator };
        Self { actor: Actor::new(kind, client), cause: cause_of(scope) }
    }

    /// The simulated carrier, which issues labels by itself.
    pub(crate) fn simulated_carrier() -> Self {
        Self { actor: Actor::new(ActorKind::Carrier, SIMULATED), cause: None }
    }

    /// EasyPost, whose labels are bought by the service itself.
    pub(crate) fn easypost() -> Self {
        Self { actor: Actor::new(ActorKind::Carrier, EASYPOST), cause: None }
    }

    /// What follows from the outcome of a message.
    pub(crate) fn of_message(id: &MessageId) -> Self {
        Self { actor: Actor::unnamed(ActorKind::Schedule), cause: Some(id.to_string()) }
    }
}

fn cause_of(scope: RequestScope<'_>) -> Option<String> {
    scope.request.map(|request| request.to_string())
}

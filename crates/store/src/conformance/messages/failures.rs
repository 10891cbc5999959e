//! Failures counted by endpoint.

use std::sync::Arc;

use domain::{identifier::MerchantId, messages::kind::MessageKind};

use super::message;
use crate::{
    Attempt, AttemptOutcome, FailingEndpoint, FailureCause, NewMessage, PendingMessage, Store,
    Transaction,
    conformance::{Subject, acme, commit, on_every_engine, other},
};

on_every_engine!(failures_are_counted_by_endpoint_up_to_a_limit,);

/// Stores a message that failed its last attempt.
async fn fail(store: &Store, merchant: &MerchantId, kind: MessageKind) {
    let message = NewMessage { kind, ..message(merchant, "A", 1) };
    let mut transaction = Transaction::new("enqueueing a message");
    transaction.enqueue(message);
    let pending = store.commit(transaction).await.unwrap();
    let attempt = last_attempt(pending[0].clone());
    commit(store, |it| it.record_attempts([&attempt].into_iter())).await.unwrap();
}

pub(super) fn last_attempt(message: PendingMessage) -> Attempt {
    Attempt {
        message: Arc::new(message),
        number: 1,
        at_us: 1_000,
        latency_us: 500,
        waited_us: 900,
        status: Some(503),
        error: None,
        answer: None,
        outcome: AttemptOutcome::Failed { cause: FailureCause::Overloaded },
    }
}

async fn failures_are_counted_by_endpoint_up_to_a_limit(Subject { store, .. }: Subject) {
    assert_eq!(store.failing_endpoints(10, 10).await.unwrap(), []);
    for kind in [MessageKind::Rma, MessageKind::Rma, MessageKind::Rma, MessageKind::OutboundAsn] {
        fail(&store, &acme(), kind).await;
    }
    fail(&store, &other(), MessageKind::ExchangeOrder).await;

    let row = |merchant: &str, kind: MessageKind, failures| FailingEndpoint {
        merchant: merchant.to_owned(),
        kind,
        failures,
    };
    let all = [
        row("acme", MessageKind::OutboundAsn, 1),
        row("acme", MessageKind::Rma, 2),
        row("other", MessageKind::ExchangeOrder, 1),
    ];
    assert_eq!(store.failing_endpoints(2, 10).await.unwrap(), all);
    assert_eq!(store.failing_endpoints(2, 2).await.unwrap(), all[..2]);
}

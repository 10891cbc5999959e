//! What waits is counted in steps.

use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{
    Backlog, BacklogCount, NewMessage, Transaction,
    conformance::{Subject, acme, commit, on_every_engine, other},
};

on_every_engine!(waiting_messages_are_counted_in_steps_that_continue, label_requests_are_counted,);

fn message(merchant: &MerchantId, kind: MessageKind, created_us: i64) -> NewMessage {
    NewMessage {
        merchant: merchant.clone(),
        kind,
        reference: "R".to_owned(),
        sequence: 1,
        lane: 7,
        created_us,
        replay: false,
        body: Bytes::new(),
    }
}

async fn waiting_messages_are_counted_in_steps_that_continue(Subject { store, .. }: Subject) {
    let mut transaction = Transaction::new("enqueueing messages");
    for created_us in [30, 40, 50] {
        transaction.enqueue(message(&acme(), MessageKind::Rma, created_us));
    }
    transaction.enqueue(message(&acme(), MessageKind::OutboundAsn, 10));
    store.commit(transaction).await.unwrap();
    let mut transaction = Transaction::new("enqueueing messages");
    transaction.enqueue(message(&other(), MessageKind::Rma, 20));
    store.commit(transaction).await.unwrap();

    let mut counted = Vec::new();
    loop {
        let after: Option<&BacklogCount> = counted.last();
        let step = store.count_backlog(Backlog::Waiting, after, 2).await.unwrap();
        if step.is_empty() {
            break;
        }
        counted.extend(step);
    }

    let of_kind = |kind| counted.iter().filter(move |it| it.kind == kind);
    let sum = |kind| of_kind(kind).map(|it| it.messages).sum::<i64>();
    assert_eq!((sum(MessageKind::Rma), sum(MessageKind::OutboundAsn)), (4, 1), "{counted:?}");
    let firsts = of_kind(MessageKind::Rma).map(|it| (it.merchant.as_str(), it.first));
    assert_eq!(store.earliest_message_us(firsts).await.unwrap(), Some(20));
    assert_eq!(store.count_backlog(Backlog::Failed, None, 9).await.unwrap(), []);
}

async fn label_requests_are_counted(Subject { store, .. }: Subject) {
    let rma = domain::samples::rma();
    commit(&store, |transaction| {
        transaction.request_label(&acme(), &rma.rma_identifier, "external", 5);
        transaction.insert_return(&acme(), &rma);
    })
    .await
    .unwrap();
    assert_eq!(store.count_label_requests("external", 9).await.unwrap(), 1);
    assert_eq!(store.count_label_requests("easypost", 9).await.unwrap(), 0);
    assert_eq!(store.count_owed_returns(9).await.unwrap(), 1);
}

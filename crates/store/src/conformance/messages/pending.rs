//! Pages of pending messages.

use bytes::Bytes;
use domain::messages::kind::MessageKind;

use super::message;
use crate::{
    NewMessage, PageLimit, Store,
    conformance::{Subject, acme, commit, on_every_engine},
};

on_every_engine!(
    a_page_of_large_messages_ends_early,
    a_message_of_any_size_has_a_page,
    a_full_page_may_not_be_the_last,
    a_page_has_no_more_bytes_than_its_reader_has_room_for,
);

const MEBIBYTE: usize = 1_024 * 1_024;

async fn enqueue(store: &Store, kind: MessageKind, bytes: usize) {
    let body = Bytes::from(vec![b'x'; bytes]);
    let message = NewMessage { kind, body, ..message(&acme(), "A", 1) };
    commit(store, |it| it.enqueue(message)).await.unwrap();
}

/// The messages of a page, and whether it is the last.
async fn page(store: &Store, kind: MessageKind, after: i64, limit: usize) -> (Vec<i64>, bool) {
    let limit = PageLimit { messages: limit, bytes: 8 * MEBIBYTE };
    let page = store.pending_page(&acme(), kind.queue(), after, limit).await.unwrap();
    (page.messages.iter().map(|it| it.message_id).collect(), page.is_last)
}

async fn a_page_of_large_messages_ends_early(Subject { store, .. }: Subject) {
    for kind in [MessageKind::Rma, MessageKind::DropShipmentConfirmation] {
        for _ in 0..3 {
            enqueue(&store, kind, 5 * MEBIBYTE).await;
        }
        let first = page(&store, kind, 0, 10).await.0[0];
        assert_eq!(page(&store, kind, 0, 10).await, (vec![first, first + 1], false), "{kind}");
        assert_eq!(page(&store, kind, first + 1, 10).await, (vec![first + 2], true), "{kind}");
    }
}

async fn a_message_of_any_size_has_a_page(Subject { store, .. }: Subject) {
    enqueue(&store, MessageKind::Rma, 9 * MEBIBYTE).await;
    enqueue(&store, MessageKind::Rma, 1).await;
    assert_eq!(page(&store, MessageKind::Rma, 0, 10).await, (vec![1], false));
    assert_eq!(page(&store, MessageKind::Rma, 1, 10).await, (vec![2], true));
}

async fn a_full_page_may_not_be_the_last(Subject { store, .. }: Subject) {
    assert_eq!(page(&store, MessageKind::Rma, 0, 2).await, (vec![], true));
    for _ in 0..2 {
        enqueue(&store, MessageKind::Rma, 1).await;
    }
    assert_eq!(page(&store, MessageKind::Rma, 0, 2).await, (vec![1, 2], false));
    assert_eq!(page(&store, MessageKind::Rma, 0, 3).await, (vec![1, 2], true));
}

async fn a_page_has_no_more_bytes_than_its_reader_has_room_for(Subject { store, .. }: Subject) {
    for kind in [MessageKind::Rma, MessageKind::DropShipmentConfirmation] {
        for _ in 0..4 {
            enqueue(&store, kind, 100).await;
        }
        for (bytes, count) in [(1, 1), (100, 1), (101, 2), (300, 3), (301, 4)] {
            let limit = PageLimit { messages: 10, bytes };
            let page = store.pending_page(&acme(), kind.queue(), 0, limit).await.unwrap();
            let read = (page.messages.len(), page.is_last);
            assert_eq!(read, (count, count == 4), "{kind}: {bytes} bytes");
        }
    }
}

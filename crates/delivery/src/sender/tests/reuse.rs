//! Connections that are used again, and what happens when the other side has closed them.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    merchant::{Merchant, raw, response},
    *,
};

#[tokio::test]
async fn one_connection_serves_many_messages_one_after_the_other() {
    let merchant =
        Merchant::start(|_| std::future::ready(response(200, r#"{"accepted":true}"#))).await;
    let endpoint = endpoint_at(&merchant.url("/"), Auth::None);

    for _ in 0..50 {
        let attempt = endpoint.send_outgoing(&outgoing()).await;
        assert_eq!(attempt.answer, &br#"{"accepted":true}"#[..]);
    }

    assert_eq!((merchant.count("/"), merchant.connections()), (50, 1));
}

#[tokio::test]
async fn there_are_no_more_connections_than_calls_at_once() {
    let merchant = Merchant::answering(200).await;
    let endpoint = Arc::new(endpoint_at(&merchant.url("/"), Auth::None));

    for _ in 0..5 {
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let endpoint = Arc::clone(&endpoint);
            calls.spawn(async move { endpoint.send_outgoing(&outgoing()).await });
        }
        while let Some(attempt) = calls.join_next().await {
            assert!(attempt.unwrap().is_success());
        }
    }

    assert!(merchant.connections() <= 8, "{} connections", merchant.connections());
}

#[tokio::test]
async fn a_connection_that_the_peer_closed_while_idle_is_replaced_within_the_attempt() {
    let merchant = Merchant::answering(200).await;
    let endpoint = endpoint_at(&merchant.url("/"), Auth::None);

    for _ in 0..20 {
        assert!(endpoint.send_outgoing(&outgoing()).await.is_success());
        merchant.hang_up();
    }

    assert_eq!((merchant.count("/"), merchant.connections()), (20, 20));
}

/// A server where the first connection is good for one message and then says `last_words` to the
/// next and closes; and the number of connections it had.
async fn closing(last_words: &'static [u8]) -> (String, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let number = Arc::clone(&connections);
    let url = raw(move |mut stream: TcpStream| {
        let number = number.fetch_add(1, Ordering::SeqCst);
        async move {
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            let _ = stream.read(&mut [0; 4096]).await;
            if number == 0 {
                let _ = stream.write_all(last_words).await;
            } else {
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            }
        }
    })
    .await;
    (url, connections)
}

#[tokio::test]
async fn a_used_connection_that_closes_without_a_word_is_replaced_once() {
    let (url, connections) = closing(b"").await;
    let endpoint = endpoint_at(&url, Auth::None);

    assert!(endpoint.send_outgoing(&outgoing()).await.is_success());
    let attempt = endpoint.send_outgoing(&outgoing()).await;

    assert!(attempt.is_success(), "{attempt:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_used_connection_that_closes_after_the_first_byte_of_an_answer_is_a_failure() {
    let (url, connections) = closing(b"HTTP/1.1 2").await;
    let endpoint = endpoint_at(&url, Auth::None);

    assert!(endpoint.send_outgoing(&outgoing()).await.is_success());
    let attempt = endpoint.send_outgoing(&outgoing()).await;

    let error = "connection closed before the answer was complete";
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(error)));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_fresh_connection_that_closes_without_a_word_is_a_failure() {
    let connections = Arc::new(AtomicUsize::new(0));
    let number = Arc::clone(&connections);
    let url = raw(move |stream| {
        number.fetch_add(1, Ordering::SeqCst);
        async move { drop(stream) }
    })
    .await;

    let attempt = send(&url).await;

    assert_eq!(attempt.status, None);
    assert!(attempt.error.unwrap().starts_with("connection "));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_wants_no_second_message_gets_a_new_connection_for_it() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbye").await;
    })
    .await;
    let endpoint = endpoint_at(&url, Auth::None);
    for _ in 0..3 {
        let attempt = endpoint.send_outgoing(&outgoing()).await;
        assert_eq!((attempt.status, &attempt.answer[..]), (Some(200), &b"bye"[..]));
    }
}

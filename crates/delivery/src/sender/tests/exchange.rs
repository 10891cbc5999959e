//! The protocol itself: large messages, early answers, answers in chunks, and what is said on a
//! connection without a request.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    time::sleep,
};

use super::{
    merchant::{Merchant, raw},
    *,
};
use crate::leases::held::WriteLimit;

/// More than any socket takes at once when the other side does not read.
const LARGE_BYTES: usize = 32 * 1024 * 1024;

fn large() -> Outgoing<'static> {
    Outgoing { body: Bytes::from(vec![b'x'; LARGE_BYTES]), ..outgoing() }
}

/// A server that answers every request with `answers`, one after the other, a moment between; and
/// the number of connections it had.
async fn saying(answers: &'static [&'static [u8]]) -> (String, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let number = Arc::clone(&connections);
    let url = raw(move |mut stream: TcpStream| {
        number.fetch_add(1, Ordering::SeqCst);
        async move {
            loop {
                for answer in answers {
                    let _ = stream.write_all(answer).await;
                    sleep(Duration::from_millis(20)).await;
                }
                if stream.read(&mut [0; 4096]).await.unwrap_or(0) == 0 {
                    return;
                }
            }
        }
    })
    .await;
    (url, connections)
}

#[tokio::test]
async fn a_request_is_these_bytes_and_no_others() {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = vec![0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        buffer.truncate(read);
        sender.send(String::from_utf8(buffer).unwrap()).unwrap();
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    });

    assert!(send(&format!("http://{address}?a={{b}}")).await.is_success());

    let body = outgoing().body;
    let signature = Signer::new(&[secret(SECRET)]).unwrap().sign("msg_1", NOW_S, &body);
    let lines = [
        "POST /?a={b} HTTP/1.1",
        &format!("host: {address}"),
        &format!("user-agent: homeward/{}", env!("CARGO_PKG_VERSION")),
        "accept: application/json",
        "content-type: application/json",
        "x-service-api-version: 3",
        "x-service-event: rma",
        "webhook-id: msg_1",
        "webhook-timestamp: 1700000000",
        &format!("webhook-signature: {signature}"),
        "x-service-created: 1771085530",
        "x-service-sequence: 7",
        "x-service-attempt: 2",
        "content-length: 13",
        "",
        r#"{"rma": "1" }"#,
    ];
    assert_eq!(heard.recv().await.unwrap(), lines.join("\r\n"), "and all in one write");
}

#[tokio::test]
async fn a_body_of_any_size_arrives_whole() {
    let merchant = Merchant::answering(200).await;
    let endpoint = endpoint_at(&merchant.url("/"), Auth::None);
    for length in [0, 1, 16 * 1024, 16 * 1024 + 1, 1024 * 1024] {
        let body: Bytes = (0..=255).cycle().take(length).collect();

        let attempt = endpoint.send_outgoing(&Outgoing { body: body.clone(), ..outgoing() }).await;

        assert!(attempt.is_success(), "{attempt:?}");
        assert_eq!(merchant.seen().last().unwrap().body, body);
    }
    assert_eq!(merchant.connections(), 1);
}

#[tokio::test]
async fn an_answer_counts_though_the_request_was_not_read_to_its_end() {
    let url = raw(|mut stream| async move {
        let answer = b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge";
        let _ = stream.write_all(answer).await;
    })
    .await;

    let attempt = endpoint_at(&url, Auth::None).send_outgoing(&large()).await;

    assert_eq!((attempt.status, attempt.error.as_deref()), (Some(413), None));
    assert_eq!(attempt.answer, &b"large"[..]);
}

#[tokio::test]
async fn an_early_answer_is_heard_while_the_server_holds_the_connection_open() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").await;
        sleep(Duration::from_secs(30)).await;
    })
    .await;

    let attempt = endpoint_at(&url, Auth::None).send_outgoing(&large()).await;

    assert_eq!((attempt.status, attempt.error.as_deref()), (Some(413), None));
    assert!(attempt.latency < settings().request_time_max, "{:?}", attempt.latency);
}

#[tokio::test]
async fn answers_in_pieces_and_chunks_leave_the_connection_as_good_as_before() {
    let (url, connections) = saying(&[
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-",
        b"Encoding: chunked\r\n\r\n3;x=y\r\non",
        b"e\r",
        b"\n3\r\ntwo\r\n0\r\nTrailer: 1\r\n\r\n",
    ])
    .await;
    let endpoint = endpoint_at(&url, Auth::None);

    for _ in 0..3 {
        let attempt = endpoint.send_outgoing(&outgoing()).await;
        assert_eq!((attempt.status, &attempt.answer[..]), (Some(200), &b"onetwo"[..]));
        sleep(Duration::from_millis(40)).await;
    }

    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_connection_on_which_more_was_said_than_asked_is_not_used_again() {
    const AT_ONCE: &[&[u8]] = &[b"HTTP/1.1 204 No\r\n\r\nHTTP/1.1 500 Forged\r\n\r\n"];
    const LATER: &[&[u8]] = &[b"HTTP/1.1 204 No\r\n\r\n", b"HTTP/1.1 500 Forged\r\n\r\n"];
    for answers in [AT_ONCE, LATER] {
        let (url, connections) = saying(answers).await;
        let endpoint = endpoint_at(&url, Auth::None);
        for _ in 0..3 {
            assert_eq!(endpoint.send_outgoing(&outgoing()).await.status, Some(204));
            sleep(Duration::from_millis(60)).await;
        }
        assert_eq!(connections.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_closes_its_connection() {
    let (sender, mut closed) = mpsc::unbounded_channel();
    let url = raw(move |mut stream| {
        let sender = sender.clone();
        async move {
            while stream.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) {}
            let _ = sender.send(());
        }
    })
    .await;
    let endpoint = endpoint_at(&url, Auth::None);

    let message = outgoing();
    let given_up =
        tokio::time::timeout(Duration::from_millis(100), endpoint.send_outgoing(&message));
    assert!(given_up.await.is_err());

    let heard = tokio::time::timeout(Duration::from_secs(1), closed.recv()).await;
    assert_eq!(heard, Ok(Some(())));
}

#[tokio::test]
async fn nothing_is_written_after_the_permit_has_ended() {
    let merchant = Merchant::answering(204).await;
    let endpoint = endpoint_at(&merchant.url("/"), Auth::None);
    let queue = QueuePermit::default();
    let late = queue.until(Some(WriteLimit::at(Instant::now())));
    let in_time = queue.until(Some(WriteLimit::at(Instant::now() + Duration::from_secs(60))));
    let send = |permit: &Permit| {
        let message = Outgoing { permit: permit.clone(), ..outgoing() };
        let endpoint = &endpoint;
        async move { endpoint.send_outgoing(&message).await }
    };

    assert_eq!(send(&in_time).await.status, Some(204));
    assert!(send(&late).await.was_forbidden);
    queue.revoke();
    assert!(send(&in_time).await.was_forbidden, "on the warm connection, too");

    assert_eq!(merchant.count("/"), 1);
}

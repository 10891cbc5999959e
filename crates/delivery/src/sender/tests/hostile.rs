//! Servers that hang, drip, break off, flood, or are not there; and addresses that must not be
//! called.

use tokio::{io::AsyncWriteExt, net::TcpListener, time::sleep};

use super::{
    merchant::{Merchant, raw, response},
    *,
};

#[tokio::test]
async fn a_server_that_hangs_is_given_up_within_the_limit() {
    let url = raw(|stream| async move {
        sleep(Duration::from_secs(30)).await;
        drop(stream);
    })
    .await;

    let attempt = send(&url).await;

    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some("timeout")));
    assert!(attempt.latency >= settings().request_time_max, "{:?}", attempt.latency);
    assert!(attempt.latency < settings().request_time_max * 2, "{:?}", attempt.latency);
}

#[tokio::test]
async fn headers_that_drip_are_cut_by_the_total_limit() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
        while stream.write_all(b"X-Slow: 1\r\n").await.is_ok() {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;

    let attempt = send(&url).await;

    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some("timeout")));
    assert!(attempt.latency < settings().request_time_max * 2, "{:?}", attempt.latency);
}

#[tokio::test]
async fn a_body_that_drips_cannot_undo_the_status() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 999\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;

    let attempt = send(&url).await;

    assert!(attempt.is_success());
    assert!(!attempt.answer.is_empty());
    assert!(attempt.latency < settings().request_time_max * 2, "{:?}", attempt.latency);
}

#[tokio::test]
async fn a_connection_closed_inside_the_head_is_no_answer() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-").await;
    })
    .await;

    let attempt = send(&url).await;

    let error = "connection closed before the answer was complete";
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(error)));
}

#[tokio::test]
async fn a_connection_closed_inside_the_body_leaves_the_status() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nhalf").await;
    })
    .await;
    let attempt = send(&url).await;
    assert_eq!((attempt.status, &attempt.answer[..]), (Some(500), &b"half"[..]));

    let attempt = endpoint_at(&url, Auth::None).get(&url, Duration::from_secs(1)).await;
    assert!(attempt.error.is_some(), "half an answer answers no question");
}

#[tokio::test]
async fn what_is_not_http_is_said_to_be_none() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"220 mail.example ESMTP\r\n").await;
        sleep(Duration::from_secs(5)).await;
    })
    .await;
    assert_eq!(send(&url).await.error.as_deref(), Some("the answer is not HTTP/1.1"));
}

#[tokio::test]
async fn a_flood_is_cut_and_the_connection_closed() {
    let merchant =
        Merchant::start(|_| std::future::ready(response(200, &"x".repeat(50_000_000)))).await;
    let endpoint = endpoint_at(&merchant.url("/"), Auth::None);

    for _ in 0..3 {
        let attempt = endpoint.send_outgoing(&outgoing()).await;
        assert!(attempt.is_success(), "{:?}", attempt.error);
        assert_eq!(attempt.answer.len(), 4 * 1024);
        assert!(attempt.latency < settings().request_time_max, "{:?}", attempt.latency);
    }

    assert_eq!(merchant.connections(), 3, "none was used again");
}

#[tokio::test]
async fn a_head_without_end_is_refused() {
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Long: ").await;
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
    .await;
    let attempt = send(&url).await;
    assert_eq!(attempt.status, None);
    assert!(attempt.latency < settings().request_time_max, "{:?}", attempt.latency);
}

#[tokio::test]
async fn a_closed_port_is_reported_plainly() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let attempt = send(&url).await;
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some("connection refused")));
}

#[tokio::test]
async fn a_forbidden_address_makes_no_endpoint() {
    for url in ["https://10.0.0.1/", "http://10.0.0.1/", "https://[::1]/", "https://2130706433/"] {
        assert!(
            Endpoint::new(&target_at(url, Auth::None), &http_client()).is_err(),
            "{url} passed"
        );
    }
    let auth = Auth::Oauth2 {
        token_url: "https://169.254.169.254/token".to_owned(),
        client_id: "homeward".to_owned(),
        client_secret: secret("s"),
        scope: None,
    };
    let refused =
        Endpoint::new(&target_at("http://127.0.0.1/", auth), &http_client()).err().unwrap();
    assert_eq!(refused.to_string(), "address 169.254.169.254 is not public (link-local)");
}

#[tokio::test]
async fn a_name_that_leads_to_a_forbidden_address_is_not_called() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    let guard = AddressGuard::new(Vec::new());
    let client = HttpClient::new(guard, no_trust(), standing().0, settings());

    let attempt = Endpoint::new(&target_at(&url, Auth::None), &client)
        .unwrap()
        .send_outgoing(&outgoing())
        .await;

    let error = attempt.error.unwrap();
    assert!(error.contains("is not public (loopback)"), "{error}");
    let connection = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(connection.is_err(), "a connection was made");
}

#[tokio::test]
async fn an_id_that_fits_no_header_is_an_error_and_not_a_panic() {
    let merchant = Merchant::answering(200).await;
    let outgoing = Outgoing { id: "msg\r\nx: y", ..outgoing() };
    let attempt = endpoint_at(&merchant.url("/"), Auth::None).send_outgoing(&outgoing).await;
    assert_eq!(attempt.error.as_deref(), Some("the message's id does not fit a header"));
    assert_eq!(merchant.seen().len(), 0);
}

//! A caller: one connection for each request, so that a broken one disturbs nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Request, StatusCode, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use sim::{Running, Settings, SimulatedMerchant};
use tokio::net::TcpStream;

#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl TestResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

pub(crate) async fn start(settings: Settings) -> Running {
    SimulatedMerchant::start(settings).await.unwrap()
}

pub(crate) async fn start_plain() -> Running {
    start(Settings::default()).await
}

/// The response, or nothing when the connection ended without one.
pub(crate) async fn send(
    running: &Running,
    method_and_path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Option<TestResponse> {
    let (method, path) = method_and_path.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path).header("host", "sim");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap();
    let stream = TcpStream::connect(running.address()).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let response = sender.send_request(request).await.ok()?;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    Some(TestResponse { status: parts.status, headers: parts.headers, body })
}

pub(crate) async fn call(running: &Running, method_and_path: &str, body: &str) -> TestResponse {
    send(running, method_and_path, &[], body).await.unwrap()
}

/// Posts message `id` of the RMA `lane`. Returns the status, or None without a response.
pub(crate) async fn rma(running: &Running, id: &str, lane: &str, sequence: u64) -> Option<u16> {
    let headers = [
        ("webhook-id", id),
        ("x-service-sequence", &sequence.to_string()),
        ("x-service-attempt", "1"),
    ];
    let body = format!(r#"{{"rma_identifier":"{lane}"}}"#);
    let response = send(running, "POST /rmas", &headers, &body).await;
    response.map(|response| response.status.as_u16())
}

/// An RMA message that was not sent before.
pub(crate) async fn new_rma(running: &Running) -> Option<u16> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    rma(running, &format!("msg_new_{number}"), &format!("R{number}"), 1).await
}

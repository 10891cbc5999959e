//! Moves parcels, and reports it with signed webhooks.
//!
//! Webhooks are sent over plain HTTP/1.1, one connection each: a simulation does not need more.

use std::{sync::Arc, time::Duration};

use omit_none::omit_none;
use ring::hmac;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{
    Carrier, LISTS_MAX,
    fault::{FaultKind, FaultPoint},
};

const TIME_MAX: Duration = Duration::from_secs(10);
const REPEATED: usize = 3;

/// Where webhooks are sent, and what signs them.
pub(super) struct WebhookTarget {
    pub(super) url: Option<String>,
    pub(super) secret: String,
}

/// A webhook that was sent.
#[omit_none]
#[derive(Clone, Debug, Serialize)]
pub(super) struct SentWebhook {
    tracking_code: String,
    status: String,
    /// The status of the answer; absent if there was none.
    answer: Option<u16>,
}

/// Moves a parcel through `statuses`, and reports each. Returns its tracker, or None if there is no
/// such parcel.
pub(super) async fn move_parcel(
    carrier: &Arc<Carrier>,
    tracking_code: &str,
    statuses: &[String],
) -> Option<Value> {
    let mut reports = Vec::new();
    let mut tracker = None;
    for status in statuses {
        let mut state = carrier.lock();
        let shipment = state.shipments.by_tracking_code(tracking_code)?;
        shipment.purchase.as_mut()?.status.clone_from(status);
        let shipment = shipment.clone();
        let shown = state.shipments.tracker(&shipment)?;
        reports.push((status.clone(), describe_event(reports.len(), &shown)));
        tracker = Some(shown);
    }
    let fault = carrier.draw_fault(FaultPoint::Webhook);
    if fault == Some(FaultKind::Reverse) {
        reports.reverse();
    }
    let times = if fault == Some(FaultKind::Repeat) { REPEATED } else { 1 };
    for (status, body) in reports.iter().flat_map(|report| std::iter::repeat_n(report, times)) {
        let answer = send(carrier, body, fault == Some(FaultKind::WrongSignature)).await;
        let sent =
            SentWebhook { tracking_code: tracking_code.to_owned(), status: status.clone(), answer };
        let mut state = carrier.lock();
        if state.sent.len() < LISTS_MAX {
            state.sent.push(sent);
        }
    }
    tracker
}

fn describe_event(number: usize, tracker: &Value) -> String {
    let id = tracker.get("id").and_then(Value::as_str).unwrap_or_default().replace("trk_", "evt_");
    json!({
        "id": format!("{id}{number}"), "object": "Event", "mode": "test",
        "description": "tracker.updated", "status": "pending", "result": tracker,
        "previous_attributes": {}, "pending_urls": [], "completed_urls": [],
    })
    .to_string()
}

/// The value of `X-Hmac-Signature`.
fn sign(secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, body);
    let digits: Vec<String> = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("hmac-sha256-hex={}", digits.concat())
}

/// Sends one webhook and returns the status of its answer.
async fn send(carrier: &Carrier, body: &str, with_wrong_signature: bool) -> Option<u16> {
    let (url, signature) = {
        let target = carrier.webhook_target();
        let secret = if with_wrong_signature { "wrong" } else { target.secret.as_str() };
        (target.url.clone()?, sign(secret, body.as_bytes()))
    };
    timeout(TIME_MAX, post(&url, &signature, body)).await.ok().flatten()
}

async fn post(url: &str, signature: &str, body: &str) -> Option<u16> {
    let rest = url.strip_prefix("http://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).await.ok()?;
    let length = body.len();
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         X-Hmac-Signature: {signature}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n\
         {body}"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    stream.take(64 * 1024).read_to_end(&mut answer).await.ok()?;
    let line = String::from_utf8_lossy(answer.get(..64).unwrap_or(&answer)).into_owned();
    line.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_hexadecimal_hmac_of_the_body() {
        let expected = "hmac-sha256-hex=\
                        f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
        assert_eq!(sign("key", b"The quick brown fox jumps over the lazy dog"), expected);
    }
}

//! A receiver of messages with at most one defect.

#![expect(clippy::wildcard_enum_match_arm, reason = "a defect changes one thing, and no other")]

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use ring::hmac;
use serde_json::{Value, json};

use super::defect::Defect;
use crate::harness::received::ReceivedRequest;

pub(super) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The token that calls must have.
pub(super) const TOKEN: &str = "shop-token";
const TOLERANCE_S: u64 = 5 * 60;
/// The states of a parcel that the receiver knows.
const STATUSES: [&str; 3] = ["PRE_TRANSIT", "TRANSIT", "DELIVERED"];

pub(super) struct Receiver {
    port: u16,
}

struct Shop {
    defect: Defect,
    known: Mutex<Known>,
    /// Held while a message is handled.
    busy: Mutex<()>,
}

#[derive(Default)]
struct Known {
    ids: BTreeSet<String>,
    orders: BTreeMap<String, usize>,
    placed: usize,
    held: BTreeMap<String, i64>,
}

type Reply = (u16, String);

impl Receiver {
    pub(super) fn start(defect: Defect) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shop = Shop { defect, known: Mutex::default(), busy: Mutex::default() };
        let shop = Arc::new(shop);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shop = Arc::clone(&shop);
                thread::spawn(move || shop.serve(&stream));
            }
        });
        Self { port }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Shop {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(call) = ReceivedRequest::read(&mut reader) {
            let (status, body) = self.reply(&call);
            let location = if status == 302 { "location: /elsewhere\r\n" } else { "" };
            let head =
                format!("HTTP/1.1 {status} OK\r\n{location}content-length: {}\r\n\r\n", body.len());
            let mut writer = stream;
            if writer.write_all(&[head.as_bytes(), body.as_bytes()].concat()).is_err() {
                return;
            }
        }
    }

    fn reply(&self, call: &ReceivedRequest) -> Reply {
        if call.path == "/held" {
            return (200, self.list_held());
        }
        let expected = format!("Bearer {TOKEN}");
        let is_known = call.headers.get("authorization") == Some(&expected);
        if !is_known && self.defect != Defect::IgnoresCredentials {
            return (401, "unknown token".to_owned());
        }
        if let Err(why) = self.check(call) {
            return (400, json!({ "message": why }).to_string());
        }
        match self.defect {
            Defect::Slow => thread::sleep(Duration::from_millis(250)),
            Defect::Redirects => return (302, String::new()),
            _ => (),
        }
        if call.path.starts_with("/sku/") {
            return match self.defect {
                Defect::VariantsAsText => (200, "none".to_owned()),
                _ => (200, json!([{ "sku": "TEE-NAVY-L" }]).to_string()),
            };
        }
        let busy = self.busy.try_lock();
        if self.defect == Defect::OneAtATime {
            if busy.is_err() {
                return (503, "busy".to_owned());
            }
            thread::sleep(Duration::from_millis(20));
        }
        let reply = self.handle(call);
        drop(busy);
        match (self.defect, reply) {
            (Defect::ErrorPage, (200, _)) => (200, "<!DOCTYPE html><p>Oops</p>".to_owned()),
            (_, reply) => reply,
        }
    }

    fn list_held(&self) -> String {
        let known = self.known.lock().unwrap();
        let line = |(reference, sequence): (&String, &i64)| {
            let entry = json!({ "kind": "rma", "reference": reference, "sequence": sequence });
            format!("{entry}\n")
        };
        known.held.iter().map(line).collect()
    }

    /// Verifies the signature.
    fn check(&self, call: &ReceivedRequest) -> Result<(), &'static str> {
        let header = |name: &str| call.headers.get(name).map(String::as_str);
        let id = header("webhook-id").ok_or("no id")?;
        let timestamp = header("webhook-timestamp").ok_or("no timestamp")?;
        let is_known = self.known.lock().unwrap().ids.contains(id);
        match (self.defect, header("webhook-signature")) {
            (Defect::ChecksNoSignature, _) | (Defect::AcceptsUnsigned, None) => return Ok(()),
            (Defect::TrustsKnownIds, _) if is_known => return Ok(()),
            _ => (),
        }
        let signatures = header("webhook-signature").ok_or("no signature")?;
        #[expect(clippy::disallowed_methods, reason = "a receiver has a clock of its own")]
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let at_s: u64 = timestamp.parse().map_err(|_| "no time")?;
        if at_s.abs_diff(now_s) > TOLERANCE_S && self.defect != Defect::IgnoresTimestamp {
            return Err("too old");
        }
        let body = match self.defect {
            Defect::VerifiesRewrittenJson if !call.body.is_empty() => {
                let value: Value = serde_json::from_slice(&call.body).map_err(|_| "no JSON")?;
                value.to_string().into_bytes()
            }
            _ => call.body.clone(),
        };
        let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", &body].concat();
        let secret = STANDARD.decode(SECRET.strip_prefix("whsec_").unwrap()).unwrap();
        let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
        let fits = |signature: &str| {
            let tag = signature.strip_prefix("v1,").and_then(|it| STANDARD.decode(it).ok());
            tag.is_some_and(|tag| hmac::verify(&key, &signed, &tag).is_ok())
        };
        let most = if self.defect == Defect::FirstSignatureOnly { 1 } else { usize::MAX };
        if signatures.split(' ').take(most).any(fits) { Ok(()) } else { Err("wrong signature") }
    }

    fn handle(&self, call: &ReceivedRequest) -> Reply {
        let Ok(body) = serde_json::from_slice::<Value>(&call.body) else {
            return (400, "no JSON".to_owned());
        };
        if let Some(refusal) = self.refuse(call, &body) {
            return refusal;
        }
        let mut known = self.known.lock().unwrap();
        let id = call.headers["webhook-id"].clone();
        if call.path == "/exchange_orders" {
            let key = body["original_order_id"].to_string();
            known.placed += 1;
            let next = known.placed;
            let number = match self.defect {
                Defect::NewOrderEachTime => next,
                Defect::OneOrderForAll => 1,
                _ => *known.orders.entry(key).or_insert(next),
            };
            known.ids.insert(id);
            return (200, json!({ "order_identifier": format!("EX-{number}") }).to_string());
        }
        let is_replay = call.headers.contains_key("x-service-replay");
        if !known.ids.insert(id) && self.defect == Defect::RefusesRepeats && !is_replay {
            return (409, "known".to_owned());
        }
        if let Some(reference) = body["rma_identifier"].as_str() {
            let sequence: i64 = call.headers["x-service-sequence"].parse().unwrap();
            let held = known.held.entry(reference.to_owned()).or_insert(sequence);
            match self.defect {
                Defect::OverwritesNewer => *held = sequence,
                Defect::ForgetsAll => known.held.clear(),
                _ => *held = sequence.max(*held),
            }
        }
        (200, json!({ "received": true }).to_string())
    }

    /// What a receiver with this defect cannot handle.
    fn refuse(&self, call: &ReceivedRequest, body: &Value) -> Option<Reply> {
        let items = body["items"].as_array().map_or(0, Vec::len);
        let status = body["items"][0]["package_tracking_status"].as_str();
        let is_refused = match self.defect {
            Defect::RefusesReceipts => call.path == "/inventory_receipt",
            Defect::RefusesReplays => call.headers.contains_key("x-service-replay"),
            Defect::FirstAttemptsOnly => self.is_late_attempt(call),
            Defect::RefusesUnknownFields => body.get("field_of_tomorrow").is_some(),
            Defect::RefusesUnknownValues => status.is_some_and(|it| !STATUSES.contains(&it)),
            Defect::FewUnits => items > 300,
            Defect::LatinOnly => {
                String::from_utf8_lossy(&call.body).chars().any(|letter| letter > '\u{ff}')
            }
            Defect::SmallBodies => call.body.len() > 512 * 1024,
            _ => false,
        };
        is_refused.then(|| (422, "refused".to_owned()))
    }

    /// A later attempt at a message that was never seen.
    fn is_late_attempt(&self, call: &ReceivedRequest) -> bool {
        let known = self.known.lock().unwrap();
        call.headers["x-service-attempt"] != "1" && !known.ids.contains(&call.headers["webhook-id"])
    }
}

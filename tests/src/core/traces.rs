//! Traces: a collector gets spans of requests, commits and attempts, and nothing about shoppers.
//!
//! This needs a binary with the feature: `cargo build -p homeward --features otlp`. Without it, the
//! server must say that it sends nothing.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::Value;

use crate::{
    harness::{
        binary::homeward,
        eventually,
        home::{Home, Ran, text},
        http::Request,
        samples::message,
        server::publication,
        stage::{ALLOW, Stage},
    },
    returns::scene::{request, sample_order},
};

const VARIABLE: &str = "HOMEWARD_OTLP_ENDPOINT";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const UNWANTED_TRACE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const ABOVE: &str = "00f067aa0ba902b7";

fn has_traces() -> bool {
    let has = Ran::of(homeward().arg("--version")).out.contains("otlp");
    if !has {
        eprintln!("skipped: this binary was built without the feature otlp");
    }
    has
}

/// A collector on loopback. It answers the first request with 503, so that it must be repeated.
#[derive(Clone)]
struct Collector {
    address: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/otlp", listener.local_addr().unwrap());
        let collector = Self { address, bodies: Arc::default() };
        let shared = collector.clone();
        thread::spawn(move || {
            let mut refusals = 1;
            for stream in listener.incoming() {
                shared.answer(stream.unwrap(), &mut refusals);
            }
        });
        collector
    }

    /// Answers the requests of a connection until it is closed.
    fn answer(&self, stream: TcpStream, refusals: &mut u32) {
        let mut reader = BufReader::new(stream);
        while let Some(body) = read_request(&mut reader) {
            let status = if *refusals > 0 { "503 Service Unavailable" } else { "200 OK" };
            if *refusals == 0 {
                self.bodies.lock().unwrap().push(body);
            }
            *refusals = refusals.saturating_sub(1);
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}");
            if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn spans(&self) -> Vec<Value> {
        let mut spans = Vec::new();
        for body in self.bodies.lock().unwrap().iter() {
            let body: Value = serde_json::from_str(body).unwrap();
            let resource = &body["resourceSpans"][0];
            let service = &resource["resource"]["attributes"][0];
            assert_eq!(service["value"]["stringValue"], "homeward", "{service}");
            spans.extend(resource["scopeSpans"][0]["spans"].as_array().unwrap().clone());
        }
        spans
    }
}

/// The body of the next request, which must be one for traces; None at the end.
fn read_request(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    assert!(head.starts_with("post /otlp/v1/traces http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    let length = head.split("content-length: ").nth(1).unwrap().split('\r').next().unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    Some(String::from_utf8(body).unwrap())
}

/// The value of an attribute as text; empty if the span has none of this name.
fn attribute(span: &Value, name: &str) -> String {
    let all = span["attributes"].as_array().unwrap();
    let Some(found) = all.iter().find(|it| it["key"] == name) else { return String::new() };
    let value = &found["value"];
    text(if value["intValue"].is_null() { &value["stringValue"] } else { &value["intValue"] })
}

#[test]
fn a_collector_gets_spans_of_requests_commits_and_attempts_without_anything_personal() {
    if !has_traces() {
        return;
    }
    let collector = Collector::start();
    let home = Home::new().with_variable(VARIABLE, &collector.address);
    let mut server = home.serve(&ALLOW);
    let (stage, _running) = Stage::with_receiver(&server);
    let order = sample_order("A");
    let unwanted = format!("00-{UNWANTED_TRACE}-{ABOVE}-00");
    let publish = publication(&stage.token, message(std::slice::from_ref(&order)));
    assert_eq!(server.send(&publish.header("traceparent", &unwanted)).status, 200);

    let start = Request::post("/returns")
        .bearer(&stage.token)
        .header("traceparent", &format!("00-{TRACE}-{ABOVE}-01"))
        .json(request("mail-back", &[("A", "tee", 1)]).to_string());
    let started = server.send(&start);
    assert_eq!(started.status, 201, "{}", started.said());
    let messages = stage.get(&format!("/admin/messages?merchant={}", stage.merchant.id)).json();
    let id = text(&messages["messages"].as_array().unwrap().last().unwrap()["id"]);
    stage.until(&id, "delivered");
    let merchant = stage.merchant.id.clone();
    let secrets = [stage.token.clone(), stage.signing_secret.clone(), stage.admin.clone()];
    let request_id = started.header("x-request-id").unwrap().to_owned();
    eventually("the refused batch is sent again", || (!collector.spans().is_empty()).then_some(()));
    assert_eq!(stage.get("/admin/clients").status, 200);
    server.stop();

    let spans = collector.spans();
    let find = |name: &str, key: &str, value: &str| {
        let is_it = |span: &&Value| span["name"] == name && attribute(span, key) == value;
        spans.iter().find(is_it).unwrap_or_else(|| panic!("no {name} of {value}: {spans:#?}"))
    };
    let span = find("POST /returns", "homeward.request_id", &request_id);
    assert_eq!((&span["traceId"], &span["parentSpanId"]), (&TRACE.into(), &ABOVE.into()));
    assert_eq!(
        (&span["kind"], attribute(span, "http.response.status_code")),
        (&2.into(), "201".into())
    );
    assert_eq!(attribute(span, "homeward.merchant"), merchant);
    let time = |name: &str| text(&span[name]).parse::<u64>().unwrap();
    assert!(time("startTimeUnixNano") < time("endTimeUnixNano"), "{span}");

    let last = find("GET /admin/clients", "http.response.status_code", "200");
    assert_ne!(last["traceId"], TRACE, "what ends just before the server does is sent, too");
    let commit = find("commit", "homeward.message_ids", &id);
    assert_eq!((&commit["traceId"], &commit["parentSpanId"]), (&TRACE.into(), &span["spanId"]));
    let attempt = find("attempt", "homeward.message_id", &id);
    assert_eq!(attribute(attempt, "homeward.merchant"), merchant);
    assert_eq!(
        (attribute(attempt, "http.response.status_code"), &attempt["kind"]),
        ("200".into(), &3.into())
    );

    let all = collector.bodies.lock().unwrap().concat();
    assert!(!all.contains(UNWANTED_TRACE), "its caller does not want it recorded");
    let address = &order["shipping_address"];
    let personal = [&order["customer"]["email"], &address["name"], &address["street1"]];
    let personal = personal.map(text);
    for private in secrets.iter().chain(&personal) {
        assert!(!all.contains(private.as_str()), "{private}");
    }
}

#[test]
fn a_collector_that_does_not_answer_holds_nothing_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let mut server = Home::new().with_variable(VARIABLE, &address).serve(&[]);
    let stage = Stage::set(&server);
    stage.publish(&[sample_order("A")]);
    assert_eq!(server.order(&stage.token, "A").status, 200);
    if has_traces() {
        let _connection = silent.accept().unwrap();
        server.stop();
        assert!(server.log().contains("sending the last spans failed"));
    } else {
        let warned = || server.log().contains("sending traces is not possible").then_some(());
        eventually("it says so", warned);
        server.stop();
    }
}

//! Large bodies take turns: one for each merchant, before they are read. Only a few may wait.

use std::{io::Write, net::TcpStream, time::Duration};

use serde_json::json;

use crate::harness::{
    eventually,
    home::Merchant,
    http::{Connection, Request},
    server::Server,
    shared,
};

const LARGE_BYTES: usize = 24 << 20;
/// How many requests of a merchant may wait for its turn.
const WAITING_MAX: usize = 64;

fn upload(server: &Server, merchant: &Merchant) -> Request {
    let request = Request::post("/asns").bearer(&server.token(merchant));
    request.header("Content-Type", "application/json")
}

/// Sends as much of a large body as the server reads, until it reads nothing for a second. The end
/// is left out, so the request stays open. Returns how much was sent.
fn start_upload(server: &Server, merchant: &Merchant) -> (TcpStream, usize) {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    stream.write_all(upload(server, merchant).announcing(LARGE_BYTES).as_bytes()).unwrap();
    let (chunk, mut sent) = (vec![b' '; 64 << 10], 0);
    while sent + 2 * chunk.len() < LARGE_BYTES {
        match stream.write(&chunk) {
            Ok(bytes) => sent += bytes,
            Err(_) => break,
        }
    }
    (stream, sent)
}

#[test]
fn a_large_body_is_not_read_before_its_turn_and_another_merchants_need_not_wait() {
    for server in shared::on_every_engine() {
        let [first, other] = ["turns", "turns"].map(|name| server.merchant(name));

        let (_unfinished, read) = start_upload(server, &first);
        assert!(read + (1 << 20) > LARGE_BYTES, "the first body is read: {read}");
        let (_waiting, buffered) = start_upload(server, &first);
        assert!(buffered < LARGE_BYTES / 2, "the second body stays outside: {buffered}");

        let mut body = json!({ "asn": 1 }).to_string().into_bytes();
        body.resize(2 << 20, b' ');
        let reply = server.connect().send_large(&upload(server, &other).body(body).bytes());
        assert_eq!(reply.unwrap().status, 422, "another merchant's large body is handled");
        let small = server.send(&upload(server, &first).body("{}"));
        assert_eq!(small.status, 422, "a small body of the same merchant is handled");
    }
}

#[test]
fn a_request_is_refused_if_too_many_of_its_merchant_wait() {
    let server = shared::server();
    let merchant = server.merchant("turns");
    let (_unfinished, _) = start_upload(server, &merchant);
    let unknown_size = upload(server, &merchant).chunked(1);
    let start_waiting = |_| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(&unknown_size).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    let waiting: Vec<TcpStream> = (0..=WAITING_MAX).map(start_waiting).collect();

    let is_answered = |stream: &&TcpStream| stream.peek(&mut [0]).is_ok();
    let refused = eventually("one too many is refused", || waiting.iter().find(is_answered));
    refused.set_nonblocking(false).unwrap();
    let reply = Connection::over(refused).reply().unwrap();
    assert_eq!(reply.status, 503, "{}", reply.said());
    let why = "too many large bodies of this merchant are waiting; try again";
    assert_eq!(reply.json(), json!({ "message": why }));
    assert_eq!(waiting.iter().filter(is_answered).count(), 0, "the others wait");
    let other = server.merchant("turns");
    let handled = server.connect().send_large(&upload(server, &other).chunked(1)).unwrap();
    assert_eq!(handled.status, 400, "another merchant's request is handled");
}

//! Large bodies take turns: one for each merchant, before they are read.

use std::{io::Write, net::TcpStream, time::Duration};

use serde_json::json;

use crate::harness::{home::Merchant, http::Request, server::Server, shared};

const LARGE_BYTES: usize = 24 << 20;

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

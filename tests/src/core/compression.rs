//! Large responses are compressed for clients that accept it.

use std::io::Read;

use flate2::read::GzDecoder;

use crate::harness::{http::Request, shared};

#[test]
fn a_large_response_is_compressed_for_who_accepts_it_and_has_the_same_content() {
    for server in shared::on_every_engine() {
        let plain = server.send(&Request::get("/openapi.json"));
        assert_eq!((plain.status, plain.header("Content-Encoding")), (200, None));
        assert_eq!(plain.header("Vary"), Some("Accept-Encoding"));
        let ask = |encodings: &str| {
            server.send(&Request::get("/openapi.json").header("Accept-Encoding", encodings))
        };
        assert_eq!(ask("gzip;q=0, br").body, plain.body);
        let packed = ask("br, gzip");
        assert_eq!(packed.header("Content-Encoding"), Some("gzip"));
        assert!(packed.body.len() < plain.body.len() / 4, "{} bytes", packed.body.len());
        let mut content = Vec::new();
        GzDecoder::new(packed.body.as_slice()).read_to_end(&mut content).unwrap();
        assert!(content == plain.body, "the content is another one");
        let tag = packed.header("ETag").unwrap();
        assert_eq!(tag, format!("W/{}", plain.header("ETag").unwrap()));
        let known = Request::get("/openapi.json").header("If-None-Match", tag);
        let known = known.header("Accept-Encoding", "gzip").header("Connection", "close");
        assert_eq!(server.send(&known).status, 304);

        let small = server.send(&Request::get("/orders/A").header("Accept-Encoding", "gzip"));
        assert_eq!(small.header("Content-Encoding"), None, "{}", small.said());
        let page = server.send(&Request::get("/docs").header("Accept-Encoding", "gzip"));
        assert_eq!(page.header("Content-Encoding"), None, "pages are not");
    }
}

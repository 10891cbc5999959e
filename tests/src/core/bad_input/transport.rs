//! Requests that are wrong before their content is looked at: routes, methods, sizes, headers.

use super::{assert_message_only, said};
use crate::harness::{
    http::Request,
    samples::{message, sample_order},
    server::publication,
    shared,
};

const TEN_MIB: usize = 10 << 20;
const TOO_LARGE: &str = "the body is larger than 10485760 bytes";

#[test]
fn unknown_addresses_are_told_in_json() {
    let server = shared::server();
    for target in ["/nothing", "/order", "/orders/a/b", "/orders/", "/admin", "//orders/A"] {
        let reply = server.send(&Request::get(target));
        let why = "no such address; see /docs";
        assert_eq!(reply.said(), said(404, why), "{target}");
        assert_message_only(&reply);
    }
}

#[test]
fn browsers_get_pages_for_unknown_addresses_and_lose_a_slash_at_the_end() {
    let server = shared::server();
    let browse = |target: &str| {
        let accepted = "text/html,application/xhtml+xml,*/*;q=0.8";
        server.send(&Request::get(target).header("Accept", accepted))
    };
    for target in ["/nothing", "/portal", "/portal/no/such/page", "/labels/none", "//evil.example/"]
    {
        let reply = browse(target);
        assert_eq!(reply.status, 404, "{target}: {}", reply.text());
        assert!(reply.text().contains("<h1>Page not found</h1>"), "{target}: {}", reply.text());
    }
    for (target, page) in [
        ("/docs/", "/docs"),
        ("/console/", "/console"),
        ("/console/orders/?merchant=a", "/console/orders?merchant=a"),
        ("/portal/", "/portal"),
        ("/portal/acme/?lang=de", "/portal/acme?lang=de"),
    ] {
        let reply = browse(target);
        assert_eq!((reply.status, reply.header("location")), (308, Some(page)), "{target}");
    }
    for target in ["/portal", "/portal/no/such/page"] {
        let reply = server.send(&Request::get(target));
        assert!(reply.text().contains("<h1>Page not found</h1>"), "{target}: {}", reply.text());
    }
    let label = server.send(&Request::get("/labels/none"));
    assert_eq!(label.status, 404);
    assert_message_only(&label);
    let form = browse("/oauth/token");
    assert_eq!((form.status, form.header("allow")), (405, Some("POST")), "{}", form.text());
}

#[test]
fn wrong_methods_are_told_in_json_with_the_right_ones() {
    let server = shared::server();
    for (method, target, allowed) in [
        ("GET", "/returns_portal_orders", "POST"),
        ("DELETE", "/orders/A", "GET,HEAD"),
        ("GET", "/oauth/token", "POST"),
        ("PUT", "/admin/merchants", "GET,HEAD,POST"),
        ("POST", "/healthz", "GET,HEAD"),
    ] {
        let reply = server.send(&Request::new(method, target));
        let why = "this address does not support this method";
        assert_eq!(reply.said(), said(405, why), "{method} {target}");
        let mut methods: Vec<_> = reply.header("Allow").unwrap().split(',').collect();
        methods.sort_unstable();
        assert_eq!(methods.join(","), allowed, "{method} {target}");
        assert_eq!(reply.header("Cache-Control"), Some("no-store"), "{method} {target}");
    }
}

#[test]
fn a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
    let server = shared::server();
    let token = server.token(&server.merchant("large"));
    let mut body = message(&[sample_order("A")]).into_bytes();
    body.resize(TEN_MIB, b' ');

    let reply = server.connect().send_large(&publication(&token, body.clone()).bytes()).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.said());

    body.push(b' ');
    let larger = publication(&token, body);
    let reply = server.connect().send_large(&larger.bytes()).unwrap();
    assert_eq!(reply.said(), said(413, TOO_LARGE));
    let reply = server.connect().send_large(&larger.chunked(1 << 16)).unwrap();
    assert_eq!(reply.said(), said(413, TOO_LARGE), "counted while it comes");
}

#[test]
fn a_body_that_announces_too_much_is_refused_before_it_is_sent() {
    let server = shared::server();
    let token = server.token(&server.merchant("large"));
    let request = publication(&token, "").header("Expect", "100-continue");
    for bytes in [TEN_MIB + 1, usize::MAX / 2] {
        let mut connection = server.connect();
        connection.write(request.announcing(bytes).as_bytes()).unwrap();
        assert_eq!(connection.reply().unwrap().said(), said(413, TOO_LARGE));
    }
}

#[test]
fn a_body_that_breaks_off_stores_nothing() {
    for server in shared::on_every_engine() {
        let token = server.token(&server.merchant("broken"));
        let request = publication(&token, message(&[sample_order("A")]));
        let mut connection = server.connect();
        let whole = request.bytes();
        connection.write(&whole[..whole.len() - 1]).unwrap();
        drop(connection);

        assert_eq!(server.order(&token, "A").status, 404);
    }
}

#[test]
fn headers_that_are_too_large_or_too_many_are_refused() {
    let server = shared::server();
    let large = Request::get("/healthz").header("X-Large", &"x".repeat(40 << 10));
    assert_eq!(server.connect().send_large(&large.bytes()).unwrap().status, 431);
    let many = (0..150).fold(Request::get("/healthz"), |request, number| {
        request.header(&format!("X-{number}"), "x")
    });
    assert_eq!(server.connect().send_large(&many.bytes()).unwrap().status, 431);
}

#[test]
fn bytes_that_are_no_http_are_refused() {
    let server = shared::server();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a client hello\r\n\r\n"[..],
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nbad header\r\n\r\n",
        b"POST /oauth/token HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST /oauth/token HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /oauth/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\
          Content-Type: application/json\r\n\r\nzz\r\n",
    ] {
        let reply = server.connect().send_large(bytes).unwrap();
        assert_eq!(reply.status, 400, "{:?}: {}", String::from_utf8_lossy(bytes), reply.said());
    }
    assert_eq!(server.send(&Request::get("/healthz")).said(), said(200, "alive"));
}

#[test]
fn requests_one_behind_the_other_are_answered_in_turn() {
    let server = shared::server();
    let token = server.token(&server.merchant("pipelined"));
    let mut connection = server.connect();
    let all = ["A", "B", "C"].map(|id| publication(&token, message(&[sample_order(id)])).bytes());

    connection.write(&all.concat()).unwrap();

    for identifier in ["A", "B", "C"] {
        let reply = connection.reply().unwrap();
        assert_eq!(reply.json()["orders"][0]["identifier"], identifier);
    }
}

#[test]
fn the_probes_say_that_the_server_is_alive_and_ready() {
    for server in shared::on_every_engine() {
        assert_eq!(server.send(&Request::get("/healthz")).said(), said(200, "alive"));
        let ready = r#"200 {"message":"ready","database":"ready","traffic":"ready"}"#;
        assert_eq!(server.send(&Request::get("/readyz")).said(), ready);
        let metrics = server.send(&Request::get("/metrics"));
        assert_eq!(metrics.status, 200);
        assert!(metrics.text().ends_with("# EOF\n"), "{}", metrics.text());
    }
}

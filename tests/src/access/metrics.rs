//! Who may read the metrics.

use crate::harness::{
    home::{Home, Merchant},
    http::Request,
};

#[test]
fn metrics_are_for_the_machine_itself_and_for_a_scope_of_their_own() {
    for arguments in [&["--trusted-proxies", "127.0.0.1"][..], &[]] {
        let server = Home::new().serve(arguments);
        let merchant = server.token(&server.merchant("curious"));
        let [graphs, admin] = ["metrics", "admin"].map(|scope| {
            let added = server.home.json(&["client", "add", "--name", "x", "--scope", scope]);
            server.token(&Merchant::read("platform", &added))
        });
        assert_eq!(server.send(&Request::get("/metrics")).status, 200);

        // A proxy on the same machine forwards the requests of others.
        for (name, value) in [
            ("X-Forwarded-For", "192.0.2.1"),
            ("X-Forwarded-For", "127.0.0.1"),
            ("Forwarded", "for=127.0.0.1"),
            ("X-Real-IP", "127.0.0.1"),
            ("Via", "1.1 proxy"),
        ] {
            let outside = Request::get("/metrics").header(name, value);
            assert_eq!(server.send(&outside).status, 401, "{name}");
            assert_eq!(server.send(&outside.clone().bearer(&merchant)).status, 403, "{name}");
            assert_eq!(server.send(&outside.clone().bearer(&admin)).status, 403, "{name}");
            assert_eq!(server.send(&outside.bearer(&graphs)).status, 200, "{name}");
        }
    }
}

//! The audit trail: who changed what, and from where.

use serde_json::{Value, json};

use crate::harness::{
    home::text, http::Request, samples::sample_order, server::Server, stage::homes,
};

/// The changes of a merchant, newest first.
fn changes(server: &Server, merchant: &str) -> Vec<Value> {
    let target = format!("/admin/audit?merchant={merchant}");
    let reply = server.send(&Request::get(&target).bearer(&server.admin_token()));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()["changes"].as_array().unwrap().clone()
}

fn servers(name: &str) -> impl Iterator<Item = Server> {
    homes(name).map(|home| home.serve(&["--trusted-proxies", "127.0.0.1"]))
}

#[test]
fn an_audit_record_has_the_address_behind_the_trusted_proxies() {
    for server in servers("audit_addresses") {
        let merchant = server.merchant("audited").id;
        assert_eq!(changes(&server, &merchant)[0]["address"], "127.0.0.1", "a command");

        let target = format!("/admin/merchants/{merchant}/policy");
        let request = Request::new("PUT", &target).bearer(&server.admin_token());
        let request = request.header("X-Forwarded-For", "203.0.113.9, 2001:db8::7");
        let reply = server.send(&request.json(json!({ "window_days": 14 }).to_string()));
        assert_eq!(reply.status, 200, "{}", reply.said());

        let newest = changes(&server, &merchant).remove(0);
        assert_eq!(
            (&newest["action"], &newest["address"]),
            (&json!("policy.set"), &json!("2001:db8::7"))
        );
        let table = server.home.run(&["audit", "--merchant", &merchant]).out;
        assert!(table.contains("ADDRESS") && table.contains("2001:db8::7"), "{table}");
    }
}

#[test]
fn an_import_leaves_an_audit_record() {
    for server in servers("audit_imports") {
        let merchant = server.merchant("imported").id;
        let lines = ["A", "B"].map(|id| sample_order(id).to_string()).join("\n");
        let file = server.home.file("orders.ndjson", lines);
        let summary = server.home.json(&["import", &merchant, file.to_str().unwrap()]);
        assert_eq!(summary["created"], 2);

        let newest = changes(&server, &merchant).remove(0);
        assert_eq!(newest["action"], "orders.import");
        assert_eq!(newest["address"], "127.0.0.1");
        let detail = json!({ "created": 2, "updated": 0, "unchanged": 0, "stale": 0 });
        assert_eq!(newest["detail"], detail);
        assert!(text(&newest["actor"]).starts_with("platform."), "{newest}");
    }
}

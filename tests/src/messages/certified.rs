//! If certificates are required, an endpoint gets messages after it passed its check.

use serde_json::{Value, json};
use sim::Settings;

use crate::harness::home::{Home, text};
use crate::harness::stage::receiver;

#[test]
fn an_endpoint_with_a_new_address_waits_until_it_is_certified() {
    let home = Home::new();
    let server = home.serve(&["--require-certificate", "--allow-network", "*@127.0.0.1:*"]);
    let home = &server.home;
    let added = home.json(&["merchant", "add", "acme", "--name", "Acme"]);
    let secrets = vec![text(&added["signing_secret"])];
    let running = receiver(Settings { signing_secrets: secrets, ..Settings::default() });
    let rma = |view: &Value| {
        let all = view["endpoints"].as_array().unwrap();
        all.iter().find(|it| it["kind"] == "rma").cloned().unwrap()
    };

    let set = home.json(&["endpoint", "set", "acme", "--url", &running.url()]);
    assert_eq!(rma(&set)["paused"], true);
    let refused = home.run(&["endpoint", "resume", "acme", "rma"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("homeward endpoint certify acme"), "{}", refused.err);

    let checked = home.json(&["endpoint", "certify", "acme", "--kind", "rma"]);
    assert_eq!(checked["passed"], true, "{checked:#}");
    assert_eq!(rma(&home.json(&["endpoint", "resume", "acme", "rma"]))["paused"], false);
    assert_eq!(home.run(&["endpoint", "resume", "acme", "withdrawal"]).code, Some(1));
    assert_eq!(home.run(&["endpoint", "test", "acme", "rma"]).code, Some(0));

    let elsewhere = format!("{}/elsewhere", running.url());
    let moved = home.json(&["endpoint", "set", "acme", "--url", &elsewhere]);
    assert_eq!(rma(&moved)["paused"], true);
    let checked = home.run(&["--json", "endpoint", "certify", "acme", "--kind", "rma"]);
    let certificate: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!((checked.code, &certificate["passed"]), (Some(1), &json!(false)));
}

//! The settings of a merchant travel from one installation to another as a file.

use serde_json::{Value, json};

use crate::harness::home::Home;

#[test]
fn settings_are_exported_without_secrets_and_imported_by_another_installation() {
    let (sandbox, production) = (Home::new(), Home::new());
    let sandbox_server = sandbox.serve(&[]);
    let sandbox = &sandbox_server.home;
    sandbox.json(&["merchant", "add", "acme", "--name", "Acme Outfitters", "--strict"]);
    let auth = sandbox.file("auth", r#"{"type": "bearer", "token": "very-secret"}"#);
    let url = "https://hooks.acme.example";
    let auth = auth.to_str().unwrap();
    sandbox.json(&["endpoint", "set", "acme", "--url", url, "--auth-json", auth]);
    sandbox.json(&["merchant", "set", "acme", "--weight-unit", "pounds"]);
    sandbox.json(&["retention", "set", "acme", "--orders-days", "700"]);
    let file = sandbox.root().join("acme.json");
    let file = file.to_str().unwrap();

    let exported = sandbox.run(&["merchant", "export", "acme", file]);

    assert_eq!(exported.code, Some(0), "{}", exported.err);
    let text = std::fs::read_to_string(file).unwrap();
    for secret in ["very-secret", "hooks.acme.example", "whsec_", "hws_"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let production_server = production.serve(&[]);
    let production = &production_server.home;
    production.json(&["merchant", "add", "acme-live", "--name", "Acme"]);
    let imported = production.json(&["merchant", "import", "acme-live", file]);
    let expected: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(imported, expected);
    assert_eq!(imported["name"], "Acme Outfitters");
    assert_eq!(imported["settings"]["weight_unit"], json!("pounds"));
    assert_eq!(imported["retention"]["orders_days"], 700);

    let foreign = production.file("foreign", text.replace("\"format\": 1", "\"format\": 2"));
    let refused = production.run(&["merchant", "import", "acme-live", foreign.to_str().unwrap()]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("format 2"), "{}", refused.err);
}

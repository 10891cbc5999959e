//! Help for a merchant's engineer: a message as a command, a signature explained, and samples as
//! test messages.

use serde_json::{Value, json};
use sim::Call;

use crate::harness::stage::{Stage, accepted, list_calls, servers};
use crate::harness::{home::text, http::Request};

/// The call as its receiver would report it, with another body.
fn describe_call(call: &Call, body: &str) -> Value {
    let content = call.content.as_ref().unwrap();
    json!({
        "webhook_id": content.headers["webhook-id"],
        "webhook_timestamp": content.headers["webhook-timestamp"],
        "webhook_signature": content.headers["webhook-signature"],
        "body": body,
    })
}

#[test]
fn a_refused_signature_is_explained_by_the_bytes_that_differ() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let (other, _other_running) = Stage::with_receiver(server);
        let id = stage.test("lane", 1);
        accepted(&running, 1);
        let call = list_calls(&running).remove(0);
        let body = call.content.as_ref().unwrap().body.clone();
        let explain = |token: &str, body: &str| {
            let target = format!("/messages/{id}/signature");
            let received = describe_call(&call, body).to_string();
            server.send(&Request::post(&target).bearer(token).json(received))
        };

        let fits = explain(&stage.token, &body).json();
        assert_eq!((&fits["fits"], &fits["findings"]), (&json!(true), &json!([])), "{fits}");
        assert_eq!(fits["secrets"][0]["fits"], true);
        let written_again = explain(&stage.token, &body.replace("\":", "\": ")).json();
        assert_eq!(written_again["fits"], false);
        let finding = text(&written_again["findings"][0]);
        assert!(finding.contains("the same JSON, read and written again"), "{finding}");
        assert_eq!(explain(&other.token, &body).status, 404);
        assert!(!written_again.to_string().contains(&stage.signing_secret));
    }
}

#[test]
fn a_message_is_shown_as_a_command_without_credentials() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let (other, _other_running) = Stage::with_receiver(server);
        stage.point_to(&running.url(), &json!({ "type": "bearer", "token": "secret-token" }));
        let id = stage.test("it's", 3);
        stage.until(&id, "delivered");
        let get = |token: &str, target: &str| server.send(&Request::get(target).bearer(token));

        let own = get(&stage.token, &format!("/messages/{id}/curl"));

        assert_eq!(own.status, 200, "{}", own.said());
        let command = own.said();
        for part in ["/rmas'", "-H 'x-service-sequence: 3'", "v1,", r"it'\''s", "--data-binary"] {
            assert!(command.contains(part), "{part}: {command}");
        }
        assert!(!command.contains("secret-token"), "{command}");
        assert_eq!(get(&stage.admin, &format!("/admin/messages/{id}/curl")).status, 200);
        assert_eq!(get(&other.token, &format!("/messages/{id}/curl")).status, 404);
        // It is signed anew, as a replay is, which reading alone does not allow.
        for (scope, status) in [("read", 403), ("returns:write", 200)] {
            let token = server.narrow_token(&stage.merchant, scope);
            let shown = get(&token, &format!("/messages/{id}/curl"));
            assert_eq!(shown.status, status, "{scope}: {}", shown.said());
        }
    }
}

#[test]
fn a_test_message_is_the_documented_sample_about_something_new() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let target = format!("/admin/merchants/{}/endpoints/withdrawal/test", stage.merchant.id);
        let id = text(&stage.post(&target).json()["id"]);
        let message = stage.until(&id, "delivered");
        let body: Value = serde_json::from_str(&text(&message["body"])).unwrap();
        assert_eq!(body["withdrawal_identifier"], message["ref"]);
        assert!(text(&message["ref"]).starts_with("test-") && body["items"].is_array(), "{body}");
        assert_eq!(running.merchant().summary().bad_signatures, 0);
    }
}

//! The pages are safe to look at and do what their buttons say.

use domain::messages::endpoint::Auth;
use sim::{Behavior, Settings};

use crate::client::{TestResponse, call, send, start, start_plain};

const HOSTILE: &str = r#"{"note":"<script>alert(1)</script><img src=x onerror='a()'>"}"#;

fn assert_harmless(page: &TestResponse) {
    let text = page.text();
    for forbidden in ["<script", "<img src=x", " style=", " onclick", "onerror='", "javascript:"] {
        assert!(!text.contains(forbidden), "the page contains {forbidden}");
    }
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn a_hostile_call_is_shown_as_text() {
    let running = start_plain().await;
    let headers = [("webhook-id", "<script>alert(2)</script>"), ("x-odd", "\"><script>")];
    send(&running, "POST /rmas", &headers, HOSTILE).await.unwrap();
    send(&running, "POST /%3Cscript%3E", &headers, "<script>").await;

    let overview = call(&running, "GET /", "").await;
    assert_eq!(overview.status, 200);
    assert_harmless(&overview);
    assert!(overview.text().contains("&#60;script&#62;alert(2)"));
    let page = call(&running, "GET /calls/1", "").await;
    assert_harmless(&page);
    assert!(page.text().contains("&#60;script&#62;alert(1)&#60;/script&#62;"));
    assert_harmless(&call(&running, "GET /calls/2", "").await);
    assert_eq!(call(&running, "GET /calls/99", "").await.status, 404);
}

#[tokio::test]
async fn the_overview_refreshes_only_when_asked() {
    let running = start_plain().await;
    let refresh = |page: TestResponse| page.text().contains("http-equiv=\"refresh\" content=\"2\"");
    assert!(!refresh(call(&running, "GET /", "").await));
    assert!(refresh(call(&running, "GET /?refresh=2", "").await));
    assert!(!refresh(call(&running, "GET /?refresh=x", "").await));
    let style = call(&running, "GET /sim.css", "").await;
    assert!(style.text().contains("prefers-color-scheme: dark"));
}

#[tokio::test]
async fn the_form_changes_the_behavior() {
    let running = start_plain().await;
    let form = "kind=rma&count=3&status=503&delay_ms=&retry_after_s=&instead=";
    let response = call(&running, "POST /behaviour", form).await;
    assert_eq!((response.status.as_u16(), response.header("location")), (303, "/"));
    let behavior = Behavior::status(503).of(domain::messages::kind::MessageKind::Rma).times(3);
    assert_eq!(running.merchant().behaviors(), [behavior]);
    let page = call(&running, "GET /", "").await;
    assert!(page.text().contains("the next 3 rma: respond 503"));

    assert_eq!(call(&running, "POST /behaviour/normal", "").await.status, 303);
    assert_eq!(running.merchant().behaviors(), []);
}

#[tokio::test]
async fn a_mistake_in_the_form_is_named_and_the_fields_are_kept() {
    let running = start_plain().await;
    let response = call(&running, "POST /behaviour", "status=%22%3E%3Cscript%3E&count=4").await;
    assert_eq!(response.status, 422);
    assert_harmless(&response);
    let text = response.text();
    assert!(text.contains("Status: not a number."));
    assert!(text.contains("value=\"&#34;&#62;&#60;script&#62;\"") && text.contains("value=\"4\""));
    let contradiction = call(&running, "POST /behaviour", "instead=hang&status=200").await;
    assert_eq!(contradiction.status, 422);
}

#[tokio::test]
async fn a_form_of_a_foreign_page_does_nothing() {
    let running = start_plain().await;
    for origin in ["http://evil.example", "null"] {
        for path in ["POST /behaviour", "POST /behaviour/normal", "POST /calls/forget"] {
            let headers = [("origin", origin)];
            let response = send(&running, path, &headers, "status=500").await.unwrap();
            assert_eq!(response.status, 403, "{path}");
        }
    }
    let response = send(&running, "POST /calls/forget", &[("origin", "http://sim")], "").await;
    assert_eq!(response.unwrap().status, 303);
    assert_eq!(running.merchant().behaviors(), []);
}

#[tokio::test]
async fn the_page_of_a_merchant_with_tokens_can_revoke_them() {
    let auth = Auth::Oauth2 {
        token_url: String::new(),
        client_id: "homeward".to_owned(),
        client_secret: "s".to_owned(),
        scope: None,
    };
    let running = start(Settings { auth, ..Settings::default() }).await;
    assert!(call(&running, "GET /", "").await.text().contains("Revoke all tokens now"));
    let body = r#"{"grant_type":"client_credentials","client_id":"homeward","client_secret":"s"}"#;
    let json = [("content-type", "application/json")];
    let token = send(&running, "POST /oauth/token", &json, body).await.unwrap().json();
    let bearer = format!("Bearer {}", token["access_token"].as_str().unwrap());

    assert_eq!(call(&running, "POST /behaviour", "revoke=yes").await.status, 303);
    let refused = send(&running, "POST /rmas", &[("authorization", &bearer)], "{}").await;
    assert_eq!(refused.unwrap().status, 401);
}

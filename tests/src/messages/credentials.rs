//! How Homeward proves to a merchant's systems who it is.

use domain::messages::endpoint::Auth;
use serde_json::{Value, json};
use sim::{Behavior, Running, Settings};

use crate::harness::stage::{Stage, accepted, list_calls, receiver, servers, statuses};

fn text(text: &str) -> String {
    text.to_owned()
}

fn oauth2() -> Auth<String> {
    Auth::Oauth2 {
        token_url: text("unused"),
        client_id: text("homeward"),
        client_secret: text("its-secret:ä+/=&%"),
        scope: None,
    }
}

/// What an operator says to have this proved at `running`.
fn said(auth: &Auth<String>, running: &Running) -> Value {
    let mut said = serde_json::to_value(auth).unwrap();
    if let Some(token_url) = said.get_mut("token_url") {
        *token_url = json!(format!("{}/oauth/token", running.url()));
        said.as_object_mut().unwrap().remove("scope");
    }
    said
}

#[test]
fn each_way_to_prove_oneself_is_accepted() {
    let ways = [
        Auth::Basic { username: text("homeward"), password: text("with: colon and ä") },
        Auth::Header { name: text("X-Api-Key"), value: text("key") },
        Auth::Bearer { token: text("token") },
        oauth2(),
    ];
    for server in servers() {
        for auth in &ways {
            let stage = Stage::set(server);
            let running = receiver(Settings { auth: auth.clone(), ..stage.settings() });
            stage.point_to(&running.url(), &said(auth, &running));
            let id = stage.test("lane", 1);
            let message = stage.until(&id, "delivered");
            assert_eq!(statuses(&message), [200], "{auth:?}");
            assert_eq!(running.merchant().summary().unauthorized, 0, "{auth:?}");
        }
    }
}

#[test]
fn a_credential_that_is_refused_twice_is_a_failed_attempt() {
    for server in servers() {
        let stage = Stage::set(server);
        let auth = Auth::Bearer { token: text("right") };
        let running = receiver(Settings { auth, ..stage.settings() });
        stage.point_to(&running.url(), &json!({ "type": "bearer", "token": "wrong" }));

        let id = stage.test("lane", 1);

        assert_eq!(statuses(&stage.until(&id, "failed")), [401; 6]);
        assert_eq!(running.merchant().summary().unauthorized, 12, "each attempt asks twice");
    }
}

#[test]
fn a_revoked_token_is_renewed_once_for_all_and_costs_no_attempt() {
    const MESSAGES: usize = 60;
    for server in servers() {
        let stage = Stage::set(server);
        let running = receiver(Settings { auth: oauth2(), ..stage.settings() });
        // Several are under way at any moment.
        let slow = Behavior { delay_ms: 50, ..Behavior::NORMAL };
        running.merchant().behave(&[slow]).unwrap();
        stage.point_to(&running.url(), &said(&oauth2(), &running));
        let mut ids: Vec<_> =
            (0..MESSAGES).map(|lane| stage.test(&format!("l{lane}"), 1)).collect();
        accepted(&running, 1);
        assert_eq!(running.merchant().summary().token_requests, 1);

        running.merchant().revoke_tokens();
        ids.extend((0..MESSAGES).map(|lane| stage.test(&format!("l{lane}"), 2)));

        for id in ids {
            assert_eq!(statuses(&stage.until(&id, "delivered")), [200], "one attempt");
        }
        let summary = running.merchant().summary();
        assert_eq!(summary.token_requests, 2, "one refresh for all");
        assert!(summary.unauthorized >= 1, "{}", summary.unauthorized);
    }
}

#[test]
fn credentials_are_never_shown() {
    for server in servers() {
        let stage = Stage::set(server);
        let running = receiver(Settings { auth: oauth2(), ..stage.settings() });
        stage.point_to(&running.url(), &said(&oauth2(), &running));
        let id = stage.test("lane", 1);
        let message = stage.until(&id, "delivered").to_string();
        let shown = stage.get(&format!("/admin/merchants/{}/endpoints", stage.merchant.id));
        for text in [message, shown.said(), server.log()] {
            assert!(!text.contains("its-secret") && !text.contains("sim_token"), "{text}");
        }
        assert!(shown.text().contains(r#""auth":"oauth2""#), "{}", shown.said());
        assert_eq!(list_calls(&running).len(), 1);
    }
}

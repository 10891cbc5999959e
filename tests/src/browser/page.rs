//! A page as the server sent it, found in what the browser wrote down of its requests.
//!
//! Every request is looked at on the way: none may go to another host.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::session::Session;
use crate::harness::home::text;

/// What the server answered, before the browser made anything of it.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) address: String,
    pub(crate) status: u64,
    headers: BTreeMap<String, String>,
    pub(crate) html: String,
}

impl Page {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn is_html(&self) -> bool {
        self.header("content-type").starts_with("text/html")
    }
}

/// The page that was opened last, or nothing while it is not there; `answer` is kept from one look
/// to the next, until its body has arrived as well. All requests since the last look must have
/// stayed on the host whose address begins with `base`.
pub(super) fn opened(session: &Session, base: &str, answer: &mut Option<Value>) -> Option<Page> {
    let entries = session.log("performance");
    let messages = entries.iter().map(|entry| {
        let entry: Value = serde_json::from_str(&text(&entry["message"])).unwrap();
        entry["message"].clone()
    });
    for message in messages {
        let about = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => assert_at_home(about, base),
            "Network.responseReceived" if about["type"] == "Document" => {
                *answer = Some(about.clone());
            }
            _ => (),
        }
    }
    let answer = answer.as_ref()?;
    let request = json!({ "requestId": answer["requestId"] });
    let body = session.try_chrome("Network.getResponseBody", &request).ok()?;
    let response = &answer["response"];
    let headers = response["headers"].as_object()?.iter();
    Some(Page {
        address: text(&response["url"]),
        status: response["status"].as_u64()?,
        headers: headers.map(|(name, value)| (name.to_lowercase(), text(value))).collect(),
        html: text(&body["body"]),
    })
}

fn assert_at_home(request: &Value, base: &str) {
    let address = text(&request["request"]["url"]);
    let at_home = address.starts_with(&format!("{base}/")) || address.starts_with("data:");
    assert!(at_home, "{} asks another host: {address}", request["documentURL"]);
}

/// Fails when the browser complained: about the content security policy, a script, or something
/// that a page names and that is not there. That a page itself was answered with a refusal is no
/// complaint, nor that there is no icon for what is no page.
pub(super) fn assert_no_complaint(session: &Session, page: &Page) {
    for entry in session.log("browser") {
        let words = text(&entry["message"]);
        let refusal = format!("{} - Failed to load resource", page.address);
        let known = words.starts_with(&refusal) || words.contains("/favicon.ico - Failed to load");
        let severe = entry["level"] == "SEVERE" && !known;
        assert!(!severe, "{}: {words}", page.address);
    }
}

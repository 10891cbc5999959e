//! One browser behind the driver, spoken to in the words of the WebDriver protocol.
//!
//! A browser takes a second to start, so those that a test is done with are kept for the next one,
//! which gets them without cookies, without anything cached, and with an empty log.

use std::{
    env,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use serde_json::{Value, json};

use super::driver::{Driver, WAIT_MAX, start_driver};
use crate::harness::{
    home::text,
    http::{Connection, Request},
};

/// Nothing here leaves the machine, and nothing runs that no test asked for.
const FLAGS: [&str; 10] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
];

/// The key under which the protocol writes an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(super) struct Session {
    driver: &'static Driver,
    /// `/session/...`
    path: String,
}

/// What the driver could not do.
#[derive(Debug)]
pub(super) struct Failure(pub(super) String);

/// Something on a page.
#[derive(Clone, Debug)]
pub(super) struct Element(String);

static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

impl Session {
    /// A browser that knows nothing, or none when there is no driver.
    pub(super) fn fresh() -> Option<Self> {
        let driver = start_driver()?;
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let session = idle.unwrap_or_else(|| Self::start(driver));
        session.go("about:blank");
        session.chrome("Network.clearBrowserCookies", &json!({}));
        session.chrome("Network.clearBrowserCache", &json!({}));
        session.log("performance");
        session.log("browser");
        Some(session)
    }

    fn start(driver: &'static Driver) -> Self {
        let mut options = json!({
            "args": FLAGS,
            "perfLoggingPrefs": { "enableNetwork": true, "enablePage": false },
        });
        if let Some(shell) = find_shell() {
            options["binary"] = json!(shell);
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "performance": "ALL", "browser": "ALL" },
            "timeouts": { "script": WAIT_MAX.as_millis(), "pageLoad": WAIT_MAX.as_millis() },
        } } });
        let mut session = Self { driver, path: "/session".to_owned() };
        let started = session.post("", &wanted).unwrap();
        session.path = format!("/session/{}", text(&started["sessionId"]));
        session
    }

    /// Keeps the browser for another test.
    pub(super) fn keep(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    /// Ends the browser: nobody knows what it is about.
    pub(super) fn end(self) {
        drop(self.send(&Request::new("DELETE", &self.path)));
    }

    fn post(&self, what: &str, body: &Value) -> Result<Value, Failure> {
        self.send(&Request::post(&format!("{}{what}", self.path)).json(body.to_string()))
    }

    fn send(&self, request: &Request) -> Result<Value, Failure> {
        // It answers nobody who takes it for a server on the internet.
        let request = request.clone().header("Host", "localhost");
        let reply = Connection::open(&self.driver.address).and_then(|mut it| it.send(&request));
        let reply = reply.map_err(|error| Failure(error.to_string()))?;
        let value = reply.json()["value"].take();
        if reply.status == 200 {
            return Ok(value);
        }
        let message = value["message"].as_str().unwrap_or_default().lines().next();
        Err(Failure(format!("{}: {}", value["error"], message.unwrap_or_default())))
    }

    /// Opens an address and waits until all of it is there.
    pub(super) fn go(&self, address: &str) {
        self.post("/url", &json!({ "url": address })).unwrap();
    }

    /// A command of the browser's own protocol.
    pub(super) fn chrome(&self, command: &str, parameters: &Value) -> Value {
        self.try_chrome(command, parameters).unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    pub(super) fn try_chrome(&self, command: &str, parameters: &Value) -> Result<Value, Failure> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// What a script of ours returns. It runs even where the page's own scripts may not.
    pub(super) fn script(&self, source: &str, arguments: &[Value]) -> Value {
        self.try_script(source, arguments).unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    pub(super) fn try_script(&self, source: &str, arguments: &[Value]) -> Result<Value, Failure> {
        self.post("/execute/sync", &json!({ "script": source, "args": arguments }))
    }

    /// What was written to a log since it was last read.
    pub(super) fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.post("/se/log", &json!({ "type": kind })).unwrap();
        entries.as_array().unwrap().clone()
    }

    pub(super) fn click(&self, element: &Element) -> Result<(), Failure> {
        self.post(&format!("/element/{}/click", element.0), &json!({})).map(drop)
    }

    /// Writes into a field in the place of what stands there.
    pub(super) fn write(&self, element: &Element, words: &str) -> Result<(), Failure> {
        self.post(&format!("/element/{}/clear", element.0), &json!({}))?;
        self.post(&format!("/element/{}/value", element.0), &json!({ "text": words })).map(drop)
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(super) fn keys(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
        });
        let strokes: Vec<Value> = strokes.collect();
        let board = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.post("/actions", &json!({ "actions": [board] })).unwrap();
    }
}

/// Chromium without what a window needs, which renders pages with little more than half of the
/// processor time. Without it, the driver takes the whole browser.
fn find_shell() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|it| it.join("chromium-headless-shell")).find(|it| it.is_file())
}

impl Element {
    /// The element that a script returned.
    pub(super) fn of(value: &Value) -> Option<Self> {
        Some(Self(value.get(ELEMENT)?.as_str()?.to_owned()))
    }
}

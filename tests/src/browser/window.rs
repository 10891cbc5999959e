//! The window that a test looks through: it opens pages, finds things by their names, and presses
//! them.
//!
//! Whatever page comes up is checked at once: its HTML ([`assert_sound`]), its requests, and what
//! the browser had to say. Nothing waits for a time to pass; everything waits for what it needs to
//! be there.

use std::{
    env,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{
    axe::{self, Rules},
    driver::WAIT_MAX,
    html::assert_sound,
    page::{Page, assert_no_complaint, opened},
    session::{Element, Failure, Session},
};
use crate::harness::{binary::target, server::Server, within};

const LOCATE: &str = include_str!("locate.js");
const CONTROL: &str = include_str!("control.js");
/// Pictures of pages that are longer are cut.
const PICTURE_HEIGHT_MAX: u64 = 5_000;
/// The narrowest screen on which nothing may stick out.
const NARROWEST: u64 = 360;

/// The keys that have no letter.
pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";

/// Whether the page's own scripts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scripts {
    On,
    Off,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Screen {
    Phone,
    Desktop,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// A page has the same elements in both themes.
    fn rules(self) -> Rules {
        match self {
            Self::Light => Rules::All,
            Self::Dark => Rules::Colors,
        }
    }
}

/// The looks in which a page is examined.
const LOOKS: [(Screen, Theme); 4] = [
    (Screen::Desktop, Theme::Light),
    (Screen::Desktop, Theme::Dark),
    (Screen::Phone, Theme::Light),
    (Screen::Phone, Theme::Dark),
];

pub(crate) struct Browser {
    session: Option<Session>,
    /// `http://127.0.0.1:41234`
    base: String,
    scripts: Scripts,
}

/// Captions that are wider than what is visible of their tables, and buttons that are wider than
/// the lists that they are in.
const CUT_TEXTS: &str = "return [...document.querySelectorAll('.scroll caption, .keys .key')]
    .filter((it) => !it.classList.contains('unseen'))
    .filter((it) => it.getBoundingClientRect().right
        > it.closest('.scroll, .keys').getBoundingClientRect().right + 1)
    .map((it) => it.textContent)";

impl Browser {
    /// A window on a server, or nothing when this machine has no browser.
    pub(crate) fn open(server: &Server, scripts: Scripts) -> Option<Self> {
        Self::open_at(&format!("http://{}", server.address), scripts)
    }

    pub(crate) fn open_at(base: &str, scripts: Scripts) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let session = Session::fresh()?;
        let disabled = json!({ "value": scripts == Scripts::Off });
        session.chrome("Emulation.setScriptExecutionDisabled", &disabled);
        // Each window is a client of its own where the server believes a proxy: guesses are limited
        // by address.
        let [_, high, middle, low] = COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let headers = json!({ "X-Forwarded-For": format!("10.{high}.{middle}.{low}") });
        session.chrome("Network.setExtraHTTPHeaders", &json!({ "headers": headers }));
        let browser = Self { session: Some(session), base: base.to_owned(), scripts };
        browser.show_as(Screen::Desktop, Theme::Light);
        Some(browser)
    }

    fn session(&self) -> &Session {
        self.session.as_ref().unwrap()
    }

    /// Opens an address of the server.
    pub(crate) fn visit(&self, path: &str) -> Page {
        self.session().go(&format!("{}{path}", self.base));
        self.arrived()
    }

    /// The page that just came up, after it was checked.
    fn arrived(&self) -> Page {
        let mut answer = None;
        let page =
            within(WAIT_MAX, "a page comes up", || opened(self.session(), &self.base, &mut answer));
        assert_no_complaint(self.session(), &page);
        if page.is_html() {
            assert_sound(&page);
        }
        page
    }

    /// Does something that leads to another page, and waits for that.
    fn leave(&self, what: &str, by: impl FnMut() -> Result<(), Failure>) -> Page {
        let begun = "return document.readyState === 'complete' ? performance.timeOrigin : null";
        let before = self.session().script(begun, &[]);
        self.insist(what, by);
        within(WAIT_MAX, &format!("{what} leads to another page"), || {
            let now = self.session().try_script(begun, &[]).ok()?;
            (!now.is_null() && now != before).then_some(())
        });
        self.arrived()
    }

    /// Tries until it succeeds: what is asked for may not be there yet, or may be covered.
    fn insist(&self, what: &str, mut act: impl FnMut() -> Result<(), Failure>) {
        let begun = std::time::Instant::now();
        while let Err(Failure(why)) = act() {
            assert!(begun.elapsed() < WAIT_MAX, "{what}: {why}\n{}", self.text());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn locate(&self, kind: &str, name: &str) -> Result<Element, Failure> {
        let found = self.session().try_script(LOCATE, &[json!(kind), json!(name)])?;
        Element::of(&found).ok_or_else(|| Failure(format!("there is no {kind} {name:?}")))
    }

    fn click(&self, kind: &str, name: &str) -> Result<(), Failure> {
        self.session().click(&self.locate(kind, name)?)
    }

    /// Presses a button that leads to another page.
    pub(crate) fn press(&self, button: &str) -> Page {
        self.leave(&format!("the button {button:?}"), || self.click("button", button))
    }

    pub(crate) fn follow(&self, link: &str) -> Page {
        self.leave(&format!("the link {link:?}"), || self.click("link", link))
    }

    /// Writes into the field with this label.
    pub(crate) fn fill(&self, label: &str, words: &str) {
        self.insist(&format!("the field {label:?}"), || {
            self.session().write(&self.locate("field", label)?, words)
        });
    }

    /// Ticks the box with this label, or chooses it.
    pub(crate) fn tick(&self, label: &str) {
        self.insist(&format!("the field {label:?}"), || self.click("field", label));
    }

    /// Gives a value to the field of this name, whether it is a list, a choice, a box or a line.
    pub(crate) fn set(&self, field: &str, value: &str) {
        self.insist(&format!("{field} becomes {value:?}"), || {
            let control = self.session().try_script(CONTROL, &[json!(field), json!(value)])?;
            if let Some(line) = Element::of(&control["write"]) {
                return self.session().write(&line, value);
            }
            if let Some(choice) = Element::of(&control["click"]) {
                return self.session().click(&choice);
            }
            let missing = || Failure(format!("there is no {field} with the value {value:?}"));
            control.is_object().then_some(()).ok_or_else(missing)
        });
    }

    /// Goes from one thing to the next with the keyboard until this one has the focus: what has
    /// this name for a person, or the field that has it in a form.
    pub(crate) fn tab_to(&self, name: &str) {
        const THINGS_MAX: usize = 60;
        for _ in 0..THINGS_MAX {
            self.session().keys(TAB);
            if self.session().script(LOCATE, &[json!("focus"), json!(name)]) == true {
                return;
            }
        }
        panic!("{name:?} cannot be reached with the keyboard:\n{}", self.text());
    }

    pub(crate) fn keys(&self, keys: &str) {
        self.session().keys(keys);
    }

    /// Presses a key that leads to another page.
    pub(crate) fn key(&self, key: &str) -> Page {
        self.leave("a key", || {
            self.session().keys(key);
            Ok(())
        })
    }

    /// What is to be read on the page, without what is hidden.
    pub(crate) fn text(&self) -> String {
        let words = self.session().script("return document.body.innerText", &[]);
        words.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until this is to be read.
    pub(crate) fn see(&self, words: &str) {
        let missing = || Failure(format!("{words:?} is not to be read"));
        self.insist("the page", || self.text().contains(words).then_some(()).ok_or_else(missing));
    }

    /// What a script of ours returns.
    pub(crate) fn script(&self, source: &str, arguments: &[Value]) -> Value {
        self.session().script(source, arguments)
    }

    pub(crate) fn show_as(&self, screen: Screen, theme: Theme) {
        let (width, height, mobile) = match screen {
            Screen::Phone => (390, 844, true),
            Screen::Desktop => (1280, 900, false),
        };
        let scheme = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        self.resize(width, height, mobile);
        // A page that is still on its way to where it scrolls cannot be clicked at.
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.session().chrome("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    fn resize(&self, width: u64, height: u64, mobile: bool) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile
        });
        self.session().chrome("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Fails when something sticks out of a small screen.
    pub(crate) fn assert_fits(&self, name: &str) {
        self.resize(NARROWEST, 640, true);
        let wide = "return Math.max(document.documentElement.scrollWidth, Math.ceil(innerWidth))";
        let wide = self.script(wide, &[]).as_u64().unwrap();
        assert!(wide <= NARROWEST, "{name} is {wide} wide on a screen of {NARROWEST}");
        let cut = self.script(CUT_TEXTS, &[]);
        assert_eq!(cut, json!([]), "{name} has texts that stick out of their boxes");
    }

    /// Examines the page in every look. With `SCREENSHOTS`, also takes a picture of each:
    /// `target/screenshots/NAME-phone-dark.png`. Without scripts there is nothing to examine it
    /// with, and the look is the same.
    pub(crate) fn examine(&self, name: &str) {
        self.examine_as(name, &LOOKS);
    }

    /// Examines a page that is one of many: on a desk in the dark, and on a phone in the light.
    pub(super) fn examine_briefly(&self, name: &str) {
        let [_, desk, phone, _] = LOOKS;
        self.examine_as(name, &[desk, phone]);
    }

    fn examine_as(&self, name: &str, looks: &[(Screen, Theme)]) {
        if self.scripts == Scripts::Off {
            return;
        }
        self.assert_fits(name);
        let examiner = axe::Examiner::of(self.session());
        for &(screen, theme) in looks {
            self.show_as(screen, theme);
            let look = format!("{name}-{screen:?}-{theme:?}").to_lowercase();
            if let Some(examiner) = &examiner {
                examiner.assert_nothing_found(&look, theme.rules());
            }
            if env::var_os("SCREENSHOTS").is_some() {
                self.photograph(&look);
            }
        }
        self.show_as(Screen::Desktop, Theme::Light);
    }

    /// Writes a picture of the page, from top to bottom, to `target/screenshots/NAME.png`.
    pub(crate) fn photograph(&self, name: &str) {
        self.picture(name, PICTURE_HEIGHT_MAX);
    }

    /// Writes a picture of the page's upper part, as high as that.
    pub(crate) fn picture(&self, name: &str, height_max: u64) {
        let file = picture_file(name);
        let layout = self.session().chrome("Page.getLayoutMetrics", &json!({}));
        let size = |key: &str| layout["cssContentSize"][key].as_f64().unwrap();
        let height = layout["cssContentSize"]["height"].as_u64().unwrap_or(height_max);
        let clip = json!({
            "x": 0, "y": 0, "width": size("width"), "height": height.min(height_max), "scale": 1
        });
        let shot = json!({ "captureBeyondViewport": true, "clip": clip });
        let shot = self.session().chrome("Page.captureScreenshot", &shot);
        let bytes = BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
}

/// Where a picture goes.
fn picture_file(name: &str) -> PathBuf {
    let file = target().join(format!("screenshots/{name}.png"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    file
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.session.take().unwrap().keep();
            return;
        }
        let session = self.session.take().unwrap();
        let name = std::thread::current().name().unwrap_or("a test").replace("::", "-");
        let shown = session.try_script("return [location.href, document.body.innerText]", &[]);
        if let Ok(shown) = shown {
            let words: String = shown[1].as_str().unwrap_or_default().chars().take(2_000).collect();
            eprintln!("the browser shows {}:\n{words}", shown[0]);
        }
        if let Ok(shot) = session.try_chrome("Page.captureScreenshot", &json!({})) {
            let bytes = shot["data"].as_str().and_then(|data| BASE64_STANDARD.decode(data).ok());
            let file = picture_file(&format!("failed-{name}"));
            if bytes.is_some_and(|bytes| std::fs::write(&file, bytes).is_ok()) {
                eprintln!("a picture of it is in {}", file.display());
            }
        }
        session.end();
    }
}

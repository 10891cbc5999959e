//! The Enter key in a text field submits nothing where a form has several buttons: the first one
//! is not what an operator means who finishes a note.

use super::{open_console, open_failures, search, shared_server};
use crate::{
    browser::window::{Browser, ENTER, Scripts},
    console::fixture::ConsoleFixture,
    harness::stage::Stage,
};

/// Remembers that something was changed, also on the page that follows. A filter changes nothing,
/// and a slow page may be filtered twice.
const LISTEN: &str = "document.addEventListener('submit', event => {
    if (event.target.method === 'post') sessionStorage.setItem('sent', 1);
})";

/// Writes into a field, and presses Enter there.
fn enter(browser: &Browser, label: &str, words: &str) {
    browser.script(LISTEN, &[]);
    browser.fill(label, words);
    browser.keys(ENTER);
    assert!(browser.script("return sessionStorage.getItem('sent')", &[]).is_null(), "{label}");
}

#[test]
fn the_enter_key_retries_and_discards_nothing() {
    let Some(browser) = open_console(Scripts::On) else { return };
    let (stage, _running, ids) = Stage::with_failures(shared_server(), 1);
    open_failures(&browser, &stage);
    browser.tick(&format!("Select {}", ids[0]));
    enter(&browser, "Reason", "sent by hand");
    browser.see("1 message");

    browser.press("Discard");
    browser.see("Discarded 1 message.");
}

#[test]
fn the_enter_key_accepts_no_difference() {
    let Some(browser) = open_console(Scripts::On) else { return };
    let console = ConsoleFixture::new(shared_server());
    let order = console.unique("A");
    let rma = console.start_return(&order, "refund");
    console.wait_for_label(&rma);
    console.pay_a_cent_short(&order, &rma);
    browser.visit(&format!("/console/refunds?merchant={}", console.merchant()));
    enter(&browser, "Note", "a cent");
    search(&browser, &rma);
    assert!(!browser.text().contains("Accepted differences"), "{}", browser.text());
}

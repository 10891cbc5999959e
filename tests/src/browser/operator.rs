//! What an operator does in the console, step by step.

use super::{page::Page, window::Browser};

const LOG_IN: &str = "Log in";

/// Opens the console as somebody who is known to it.
pub(crate) fn log_in(browser: &Browser, name: &str, password: &str) -> Page {
    browser.visit("/console");
    browser.set("name", name);
    browser.set("password", password);
    browser.press(LOG_IN)
}

//! What an operator does in the console, step by step.

use super::{page::Page, window::Browser};

/// Opens the console as somebody who is known to it.
pub(crate) fn log_in(browser: &Browser, name: &str, password: &str) -> Page {
    browser.visit("/console");
    browser.fill("Name", name);
    browser.fill("Password", password);
    browser.press("Log in")
}

/// Asks the box at the top of every page.
pub(crate) fn search(browser: &Browser, words: &str) -> Page {
    browser.fill("Search", words);
    browser.press("Search")
}

//! Steps of operators in the console.

use super::{page::Page, window::Browser};

/// Opens the console and logs in.
pub(crate) fn log_in(browser: &Browser, name: &str, password: &str) -> Page {
    browser.visit("/console");
    browser.fill("Name", name);
    browser.fill("Password", password);
    browser.press("Log in")
}

/// Uses the search box at the top of every page.
pub(crate) fn search(browser: &Browser, query: &str) -> Page {
    browser.fill("Search", query);
    browser.press("Search")
}

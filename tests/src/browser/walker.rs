//! Follows all links from a page, and examines every page that it finds.

use std::collections::{BTreeSet, VecDeque};

use super::window::Browser;

/// A walk with more pages fails: pages would generate addresses without end.
const PAGES_MAX: usize = 100;

/// The targets of the links of a page, on the same host.
const LINKS: &str = "return [...document.querySelectorAll('a[href]')]
  .filter((link) => link.origin === location.origin && !link.hasAttribute('download'))
  .map((link) => link.pathname + link.search);";

/// Removes all but the first articles. The API reference has many similar ones, and axe would need
/// a minute for them.
const SHORTEN: &str = "for (const article of [...document.querySelectorAll('article')].slice(3)) {
  article.remove();
}";

/// Walks from these addresses, and returns the kinds of pages that it found.
pub(super) fn walk(browser: &Browser, starts: &[&str]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut ahead: VecDeque<String> = starts.iter().map(|&path| path.to_owned()).collect();
    while let Some(path) = ahead.pop_front() {
        if !seen.insert(kind(&path)) {
            continue;
        }
        assert!(seen.len() <= PAGES_MAX, "too many pages: {seen:?}");
        let page = browser.visit(&path);
        assert_eq!(page.status, 200, "a link to {path} is broken: {}", page.html);
        if page.is_html() {
            let links = browser.script(LINKS, &[]);
            browser.assert_fits(&path);
            browser.script(SHORTEN, &[]);
            browser.examine_briefly(&format!("walk{}", kind(&path).replace('/', "-")));
            ahead.extend(
                links.as_array().unwrap().iter().filter_map(|it| it.as_str()).map(str::to_owned),
            );
        }
    }
    seen
}

/// The kind of a page: its address with `any` in place of identifiers, which are the segments with
/// a digit or in capitals, and with the names of the query only.
fn kind(path: &str) -> String {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let named = |part: &str| {
        let is_sign = |it: char| it.is_ascii_digit() || it.is_ascii_uppercase();
        if part.contains(is_sign) { "any" } else { part }.to_owned()
    };
    let mut place: Vec<String> = place.split('/').map(named).collect();
    // There is a page for each kind of message, and for each kind and language of a mail, which
    // another test looks at.
    for (parent, parts) in [("endpoints", 1), ("mail", 2)] {
        if let Some(position) = place.iter().position(|part| part == parent) {
            place.iter_mut().skip(position + 1).take(parts).for_each(|it| "any".clone_into(it));
        }
    }
    let query =
        query.split('&').filter_map(|pair| pair.split('=').next()).filter(|it| !it.is_empty());
    [vec![place.join("/")], query.map(str::to_owned).collect()].concat().join("+")
}

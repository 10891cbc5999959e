//! Goes through all pages that links lead to, and examines each: for soundness, as every page, and
//! for whether everybody can use it, in every look.

use std::collections::{BTreeSet, VecDeque};

use super::window::Browser;

/// No walk is longer than that; a page that makes up addresses without end would be one.
const PAGES_MAX: usize = 100;

/// Where the links of a page lead, on the same host.
const LINKS: &str = "return [...document.querySelectorAll('a[href]')]
  .filter((link) => link.origin === location.origin && !link.hasAttribute('download'))
  .map((link) => link.pathname + link.search);";

/// Takes away all but the first articles: those of the API reference are many and made alike, and
/// axe would need a minute for them.
const SHORTEN: &str = "for (const article of [...document.querySelectorAll('article')].slice(3)) {
  article.remove();
}";

/// Walks from these addresses on, and gives the kinds of pages that were seen.
pub(super) fn walk(browser: &Browser, starts: &[&str]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut ahead: VecDeque<String> = starts.iter().map(|&path| path.to_owned()).collect();
    while let Some(path) = ahead.pop_front() {
        if !seen.insert(kind(&path)) {
            continue;
        }
        assert!(seen.len() <= PAGES_MAX, "there is no end of pages: {seen:?}");
        let page = browser.visit(&path);
        assert_eq!(page.status, 200, "{path} is linked and does not answer: {}", page.html);
        if page.is_html() {
            let links = browser.script(LINKS, &[]);
            browser.assert_fits(&path);
            browser.script(SHORTEN, &[]);
            browser.examine(&format!("walk{}", kind(&path).replace('/', "-")));
            ahead.extend(
                links.as_array().unwrap().iter().filter_map(|it| it.as_str()).map(str::to_owned),
            );
        }
    }
    seen
}

/// What an address shares with all pages that are the same but for what they show: parts with a
/// digit in them are names of things, and of what is asked only the names count.
fn kind(path: &str) -> String {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let named = |part: &str| {
        if part.contains(|it: char| it.is_ascii_digit()) { "any" } else { part }.to_owned()
    };
    let place: Vec<String> = place.split('/').map(named).collect();
    let query =
        query.split('&').filter_map(|pair| pair.split('=').next()).filter(|it| !it.is_empty());
    [vec![place.join("/")], query.map(str::to_owned).collect()].concat().join("+")
}

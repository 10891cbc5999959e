//! A sentence for the next page: what was just done, told after the browser was sent on.
//!
//! It travels in a cookie, sealed, so that nobody else can put words into a page of ours.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::App;

const NOTICE: &str = "notice";

pub fn seal_notice(app: &App, words: &str) -> String {
    URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, NOTICE, words.as_bytes()))
}

/// The words, if it was us who sealed them.
pub fn open_notice(app: &App, sealed: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    String::from_utf8(app.vault.open(NOTICE, &bytes).ok()?).ok()
}

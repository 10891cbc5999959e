//! A notice for the next page: what the operator just did, shown after the redirect.
//!
//! It is sealed into a cookie, so that no other site can put text on our pages.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use world::{Purpose, SealContext};

use crate::App;

const NOTICE: SealContext<'_> = SealContext { purpose: Purpose::Notice, merchant: "", row: "" };

pub fn seal_notice(app: &App, text: &str) -> String {
    URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, NOTICE, text.as_bytes()))
}

/// The text, if this service sealed it.
pub fn open_notice(app: &App, sealed: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    String::from_utf8(app.vault.open(NOTICE, &bytes).ok()?).ok()
}

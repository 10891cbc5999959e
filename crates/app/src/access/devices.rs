//! Browsers in which an operator has logged in before. Each has a cookie that only we can write, so
//! that attempts to log in with it are not mixed up with guesses of others.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::access::operator::OperatorName;
use world::{Purpose, SealContext};

use crate::App;

const ID_LETTERS: usize = 16;

fn device_context(operator: &OperatorName) -> SealContext<'_> {
    SealContext { purpose: Purpose::Device, merchant: "", row: operator.as_str() }
}

/// The value of the cookie for a browser in which this operator just logged in.
pub fn seal_device(app: &App, operator: &OperatorName) -> String {
    let text = format!("{} {operator}", app.world.readable::<ID_LETTERS>());
    URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, device_context(operator), text.as_bytes()))
}

/// The identifier of the browser, if this operator has logged in with it.
pub fn open_device(app: &App, sealed: &str, operator: &OperatorName) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let text = String::from_utf8(app.vault.open(device_context(operator), &bytes).ok()?).ok()?;
    let (id, name) = text.split_once(' ')?;
    (name == operator.as_str()).then(|| id.to_owned())
}

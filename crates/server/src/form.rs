//! Forms, as browsers and OAuth clients send them.

use percent_encoding::percent_decode_str;

/// The names and values of a form, in its order.
pub fn from_form(body: &[u8]) -> Result<Vec<(String, String)>, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the form is not UTF-8".to_owned())?;
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

pub fn decoded(text: &str) -> Result<String, String> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8();
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| "the form is not UTF-8".to_owned())
}

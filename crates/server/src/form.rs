//! Parses forms of browsers and OAuth clients.

use percent_encoding::percent_decode_str;

/// The names and values of a form, in the order of the form.
pub fn parse_form(body: &[u8]) -> Result<Vec<(String, String)>, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the form is not UTF-8".to_owned())?;
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode_text(name)?, decode_text(value)?))
        })
        .collect()
}

pub fn decode_text(text: &str) -> Result<String, String> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8();
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| "the form is not UTF-8".to_owned())
}

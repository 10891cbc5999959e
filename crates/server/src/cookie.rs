//! Reads and sets cookies.

use axum::http::{HeaderMap, HeaderValue, header::COOKIE};

/// A cookie to set. Scripts cannot read it.
pub struct Cookie<'a> {
    pub name: &'static str,
    pub value: &'a str,
    pub path: &'a str,
    pub max_age_s: u32,
    pub same_site: &'static str,
    /// Whether browsers send it only over encrypted connections.
    pub secure: bool,
}

impl Cookie<'_> {
    /// The value of `Set-Cookie`. Names, values and paths must be visible ASCII.
    pub fn header(&self) -> Option<HeaderValue> {
        let Self { name, value, path, max_age_s, same_site, secure } = self;
        let secure = if *secure { "; Secure" } else { "" };
        let text = format!(
            "{name}={value}; Path={path}; Max-Age={max_age_s}; HttpOnly; SameSite={same_site}{secure}"
        );
        HeaderValue::try_from(text).ok()
    }
}

/// The value of a cookie that the browser sent.
pub fn read_cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let sent = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(known, _)| known.trim() == name)?;
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others_and_only_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; bb=2;c = 3"));
        headers.append(COOKIE, HeaderValue::from_static("d=4=5"));

        let found = ["a", "bb", "c", "d", "b", ""].map(|name| read_cookie(&headers, name));

        assert_eq!(found, [Some("1"), Some("2"), Some("3"), Some("4=5"), None, None]);
    }

    #[test]
    fn only_a_secure_cookie_says_so() {
        let cookie = |secure| Cookie {
            name: "a",
            value: "1",
            path: "/",
            max_age_s: 60,
            same_site: "Strict",
            secure,
        };
        let plain = "a=1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict";
        assert_eq!(cookie(false).header().unwrap(), plain);
        assert_eq!(cookie(true).header().unwrap(), format!("{plain}; Secure"));
    }
}

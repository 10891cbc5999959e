//! Which language a reader is spoken to in, and how to change it.
//!
//! `?lang=de` asks for a language, and is remembered in a cookie; without it the cookie counts, then what the
//! browser likes, then what the merchant likes.

use axum::http::{
    HeaderMap, HeaderValue, Uri,
    header::{ACCEPT_LANGUAGE, SET_COOKIE},
};
use axum::response::Response;
use domain::merchants::{language::Language, portal::Portal};

use crate::words::{Words, words};
use server::cookie::{Cookie, read_cookie};

const COOKIE_NAME: &str = "homeward_language";
const YEAR_S: u32 = 365 * 24 * 60 * 60;

/// The language of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spoken {
    pub(crate) language: Language,
    /// It was asked for, and shall be remembered.
    asked: bool,
}

impl Spoken {
    pub(crate) fn new(portal: &Portal, uri: &Uri, headers: &HeaderMap) -> Self {
        let query = uri.query().unwrap_or_default();
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let asked = pairs.find(|(name, _)| *name == "lang");
        let asked = asked.and_then(|(_, code)| Language::parse(code));
        let kept = read_cookie(headers, COOKIE_NAME).and_then(Language::parse);
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let language = portal.language_for([asked, kept], accepted.unwrap_or_default());
        Self { language, asked: asked == Some(language) }
    }

    pub(crate) fn words(self) -> &'static Words {
        words(self.language)
    }

    /// The answer, with the language remembered when it was asked for.
    pub(crate) fn remembered(self, mut response: Response, secure: bool) -> Response {
        let cookie = Cookie {
            name: COOKIE_NAME,
            value: self.language.code(),
            path: "/",
            max_age_s: YEAR_S,
            same_site: "Lax",
            secure,
        };
        if let Some(cookie) = cookie.header().filter(|_| self.asked) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response.headers_mut().insert("content-language", self.header());
        response
    }

    fn header(self) -> HeaderValue {
        HeaderValue::from_static(self.language.code())
    }
}

/// The languages that a reader can change to. On a page that a form led to, changing sends the form again.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    /// The address of the page.
    pub(crate) here: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) choices: Vec<Choice>,
}

#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) current: bool,
}

impl Switch {
    /// Nothing to choose from is no choice.
    pub(crate) fn new(portal: &Portal, spoken: Spoken, here: String) -> Self {
        let choice = |language: &Language| Choice {
            code: language.code(),
            name: language.own_name(),
            current: *language == spoken.language,
        };
        let several = portal.languages.len() > 1;
        let offered = portal.languages.iter().filter(|_| several);
        Self { here, fields: Vec::new(), choices: offered.map(choice).collect() }
    }
}

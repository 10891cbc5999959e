//! The language of a page, and how a reader changes it.
//!
//! `?lang=de` requests a language, which a cookie then remembers. Without it the cookie decides,
//! then the browser's preference, then the merchant's default.

use axum::{
    extract::Request,
    http::{
        HeaderMap, HeaderValue, Uri,
        header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, SET_COOKIE},
    },
    response::Response,
};
use domain::merchants::{language::Language, portal::Portal};
use server::cookie::{Cookie, read_cookie};

use crate::words::{Words, words_in};

const COOKIE_NAME: &str = "homeward_language";
const COOKIE_MAX_AGE_S: u32 = 365 * 24 * 60 * 60;

/// The language of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageLanguage {
    pub(crate) language: Language,
    /// Whether the reader requested it, so that the cookie has to remember it.
    requested: bool,
}

impl PageLanguage {
    pub(crate) fn new(portal: &Portal, uri: &Uri, headers: &HeaderMap) -> Self {
        let query = uri.query().unwrap_or_default();
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let requested = pairs.find(|(name, _)| *name == "lang");
        let requested = requested.and_then(|(_, code)| Language::parse(code));
        let remembered = read_cookie(headers, COOKIE_NAME).and_then(Language::parse);
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let language = portal.language_for([requested, remembered], accepted.unwrap_or_default());
        Self { language, requested: requested == Some(language) }
    }

    /// The language of a page that does not belong to a merchant's portal.
    pub(crate) fn of_any_portal(request: &Request) -> Self {
        Self::new(&Portal::default(), request.uri(), request.headers())
    }

    pub(crate) fn words(self) -> &'static Words {
        words_in(self.language)
    }

    /// Names the language in the response, and remembers it when the reader requested it.
    pub(crate) fn mark(self, mut response: Response, secure: bool) -> Response {
        let code = self.language.code();
        let cookie = Cookie {
            name: COOKIE_NAME,
            value: code,
            path: "/",
            max_age_s: COOKIE_MAX_AGE_S,
            same_site: "Lax",
            secure,
        };
        if let Some(cookie) = cookie.header().filter(|_| self.requested) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response.headers_mut().insert(CONTENT_LANGUAGE, HeaderValue::from_static(code));
        response
    }
}

/// The languages to choose from. On a page that a form led to, a change submits the form again.
#[derive(Clone, Debug)]
pub(crate) struct LanguageSwitch {
    /// The address of the page.
    pub(crate) address: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) choices: Vec<LanguageChoice>,
}

#[derive(Clone, Debug)]
pub(crate) struct LanguageChoice {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) current: bool,
}

impl LanguageSwitch {
    /// A portal with a single language offers no choice.
    pub(crate) fn new(portal: &Portal, page: PageLanguage, address: String) -> Self {
        let choice = |language: &Language| LanguageChoice {
            code: language.code(),
            name: language.own_name(),
            current: *language == page.language,
        };
        let several = portal.languages.len() > 1;
        let offered = portal.languages.iter().filter(|_| several);
        Self { address, fields: Vec::new(), choices: offered.map(choice).collect() }
    }
}

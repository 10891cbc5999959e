//! What every page of the console has: who is logged in, where one can go, what was just done.
//!
//! A page is a template that extends `templates/core/frame.html` and has a field `frame`. Its
//! handler ends in [`page`], or in [`redirect`] or [`done`] after a form.

use askama::Template;
use axum::{
    http::{
        HeaderName, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, SET_COOKIE,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::{Html, IntoResponse, Response},
};
use domain::access::operator::Role;

use crate::access::visit::{NOTICE, Visitor};
use server::{Web, assets::assets, cookie::Cookie};

/// Scripts, styles and pictures of ours, forms and calls to here, and nothing else at all. Pages
/// name where they come from to ourselves only: without it a browser would not say who sent a form.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
    ),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// The parts of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Orders,
    Returns,
    Failures,
    Messages,
    Refunds,
    Exceptions,
    Receive,
    Merchants,
    Audit,
    /// What is found, which may be anywhere.
    Search,
    /// What concerns the visitor alone. It is reached by its name, not by the navigation.
    Visitor,
}

/// Where one can go, in the order of the navigation, and what it is called.
const NAVIGATION: &[(Section, &str, &str)] = &[
    (Section::Overview, "/console", "Overview"),
    (Section::Orders, "/console/orders", "Orders"),
    (Section::Returns, "/console/returns", "Returns"),
    (Section::Failures, "/console/failures", "Failures"),
    (Section::Messages, "/console/messages", "Messages"),
    (Section::Refunds, "/console/refunds", "Refunds"),
    (Section::Exceptions, "/console/exceptions", "Exceptions"),
    (Section::Receive, "/console/receive", "Receive"),
    (Section::Merchants, "/console/merchants", "Merchants"),
    (Section::Audit, "/console/audit", "Audit"),
];

impl Section {
    /// Whether people with this role find anything there.
    fn is_for(self, role: Role) -> bool {
        match self {
            Self::Exceptions | Self::Receive | Self::Visitor => true,
            Self::Overview
            | Self::Orders
            | Self::Returns
            | Self::Failures
            | Self::Messages
            | Self::Refunds
            | Self::Merchants
            | Self::Audit
            | Self::Search => role == Role::Operator,
        }
    }
}

/// The first page for people with this role.
pub(crate) const fn home(role: Role) -> &'static str {
    match role {
        Role::Operator => "/console",
        Role::Warehouse => "/console/receive",
    }
}

/// What a page needs besides its own content.
pub(crate) struct Frame<'a> {
    pub(crate) title: String,
    pub(crate) styles: Styles,
    pub(crate) visitor: &'a Visitor,
    section: Section,
}

/// A link of the navigation.
pub(crate) struct Link {
    pub(crate) address: &'static str,
    pub(crate) words: &'static str,
    /// Whether it leads to the part that the page belongs to.
    pub(crate) here: bool,
}

/// The addresses of what a page loads.
pub(crate) struct Styles {
    pub(crate) base: String,
    pub(crate) console: String,
    pub(crate) script: String,
    pub(crate) icon: String,
}

impl Styles {
    pub(crate) fn new() -> Self {
        Self {
            base: assets().base_style.address(),
            console: assets().console_style.address(),
            script: assets().console_script.address(),
            icon: assets().icon.address(),
        }
    }
}

impl<'a> Frame<'a> {
    pub(crate) fn new(visitor: &'a Visitor, section: Section, title: impl Into<String>) -> Self {
        Self { title: title.into(), styles: Styles::new(), visitor, section }
    }

    /// Where this visitor can go.
    pub(crate) fn links(&self) -> Vec<Link> {
        let role = self.visitor.session.role;
        let all = NAVIGATION.iter().filter(|(section, ..)| section.is_for(role));
        all.map(|(section, address, words)| Link { address, words, here: *section == self.section })
            .collect()
    }

    /// Whether there is a box to search by.
    pub(crate) fn has_search(&self) -> bool {
        Section::Search.is_for(self.visitor.session.role)
    }

    pub(crate) fn home(&self) -> &'static str {
        home(self.visitor.session.role)
    }

    /// What every form of this page sends along; see `templates/core/form_token.html`.
    pub(crate) fn form_token(&self) -> &str {
        &self.visitor.session.form_token
    }
}

/// A page, which nobody keeps. What it tells once is not told again.
pub(crate) fn page(visitor: &Visitor, status: StatusCode, page: &impl Template) -> Response {
    let mut response = bare_page(status, page);
    if visitor.notice.is_some() {
        set_cookie(&mut response, &format!("{NOTICE}=; Path=/console; Max-Age=0"));
    }
    response
}

/// A page for somebody who is not known.
pub(crate) fn bare_page(status: StatusCode, page: &impl Template) -> Response {
    let html = page.render().expect("writing to a string does not fail");
    (status, HEADERS, Html(html)).into_response()
}

pub(crate) fn redirect(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, to), (CACHE_CONTROL, "no-store")]).into_response()
}

/// Sends the browser on to a page that tells what was done.
pub(crate) fn done(web: &Web, to: &str, words: &str) -> Response {
    let mut response = redirect(to);
    let sealed = app::core::notice::seal_notice(&web.app, words);
    let notice = Cookie {
        name: NOTICE,
        value: &sealed,
        path: "/console",
        max_age_s: 60,
        same_site: "Strict",
        secure: web.settings.secure_cookies,
    };
    if let Some(cookie) = notice.header() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

pub(crate) fn set_cookie(response: &mut Response, cookie: &str) {
    let cookie = HeaderValue::try_from(cookie).expect("our cookies are visible ASCII");
    response.headers_mut().append(SET_COOKIE, cookie);
}

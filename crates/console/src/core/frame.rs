//! What every page of the console contains: the visitor, the navigation, and what was just done.
//!
//! A page is a template that extends `templates/core/frame.html` and has a field `frame`. Its
//! handler ends in [`render_page`], or after a form in [`redirect`] or [`redirect_with_notice`].

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

use crate::access::visitor::{NOTICE, Visitor};
use server::{Web, assets::assets, cookie::Cookie};

/// Pages load scripts, styles and images only from this server and send forms only to it. The
/// referrer stays on this server too; without it a browser would not say which page sent a form.
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

/// The sections of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Orders,
    Returns,
    Withdrawals,
    Failures,
    Messages,
    Refunds,
    Finance,
    Exceptions,
    Receiving,
    DropShip,
    Asns,
    Shipments,
    Warehouses,
    Merchants,
    Audit,
    /// Search results and pages that are reached only by search.
    Search,
    /// The visitor's own settings, which are not in the navigation.
    Visitor,
}

/// A section in the navigation, with its address and label.
type NavigationEntry = (Section, &'static str, &'static str);

/// Sections that belong together, with their heading. The first group needs none.
type NavigationGroup = (&'static str, &'static [NavigationEntry]);

const OPERATOR_NAVIGATION: &[NavigationGroup] = &[
    ("", &[(Section::Overview, "/console", "Overview")]),
    (
        "Sales",
        &[
            (Section::Orders, "/console/orders", "Orders"),
            (Section::Returns, "/console/returns", "Returns"),
            (Section::Withdrawals, "/console/withdrawals", "Withdrawals"),
        ],
    ),
    ("Money", MONEY),
    ("Integration", INTEGRATION),
    ("Warehouse", WAREHOUSE),
    (
        "Administration",
        &[
            (Section::Merchants, "/console/merchants", "Merchants"),
            (Section::Warehouses, "/console/warehouses", "Warehouses"),
            (Section::Audit, "/console/audit", "Audit"),
        ],
    ),
];

const MERCHANT_NAVIGATION: &[NavigationGroup] = &[
    (
        "",
        &[
            (Section::Merchants, "/console/merchant", "Settings"),
            (Section::Orders, "/console/orders", "Orders"),
            (Section::Returns, "/console/returns", "Returns"),
            (Section::Withdrawals, "/console/withdrawals", "Withdrawals"),
        ],
    ),
    ("Money", MONEY),
    ("Integration", INTEGRATION),
];

const MONEY: &[NavigationEntry] = &[
    (Section::Refunds, "/console/refunds", "Refunds"),
    (Section::Finance, "/console/finance", "Finance"),
];

const INTEGRATION: &[NavigationEntry] = &[
    (Section::Failures, "/console/failures", "Failures"),
    (Section::Messages, "/console/messages", "Messages"),
];

const WAREHOUSE: &[NavigationEntry] = &[
    (Section::Receiving, "/console/receive", "Receiving"),
    (Section::Exceptions, "/console/exceptions", "Exceptions"),
    (Section::Asns, "/console/asns", "ASNs"),
    (Section::Shipments, "/console/shipments", "Shipments"),
    (Section::DropShip, "/console/drop-ship", "Drop ship"),
];

/// The sections that this role sees, in their order.
const fn navigation(role: Role) -> &'static [NavigationGroup] {
    match role {
        Role::Operator => OPERATOR_NAVIGATION,
        Role::Warehouse => &[("", WAREHOUSE)],
        Role::Merchant => MERCHANT_NAVIGATION,
    }
}

/// Leads to the page that the visitor's role starts on.
pub(crate) const START_PATH: &str = "/console/start";

/// The page that this role starts on.
pub(crate) const fn home_url(role: Role) -> &'static str {
    match role {
        Role::Operator => "/console",
        Role::Warehouse => "/console/receive",
        Role::Merchant => "/console/merchant",
    }
}

/// What a page contains besides its own content.
pub(crate) struct Frame<'a> {
    pub(crate) title: String,
    pub(crate) styles: Styles,
    pub(crate) visitor: &'a Visitor,
    section: Section,
}

/// A group of the navigation.
pub(crate) struct LinkGroup {
    /// Empty where the group needs no heading.
    pub(crate) heading: &'static str,
    pub(crate) links: Vec<NavigationLink>,
}

/// A link of the navigation.
pub(crate) struct NavigationLink {
    pub(crate) url: &'static str,
    pub(crate) label: &'static str,
    /// Whether the page belongs to this section.
    pub(crate) current: bool,
}

/// The addresses of the assets that a page loads.
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

    /// The navigation for this visitor.
    pub(crate) fn navigation(&self) -> Vec<LinkGroup> {
        let link = |(section, url, label): &NavigationEntry| NavigationLink {
            url,
            label,
            current: *section == self.section,
        };
        let group = |(heading, entries): &NavigationGroup| LinkGroup {
            heading,
            links: entries.iter().map(link).collect(),
        };
        navigation(self.visitor.session.role).iter().map(group).collect()
    }

    /// Whether the page has a search box.
    pub(crate) fn has_search(&self) -> bool {
        match self.visitor.session.role {
            Role::Operator | Role::Merchant => true,
            Role::Warehouse => false,
        }
    }

    pub(crate) fn home_url(&self) -> &'static str {
        home_url(self.visitor.session.role)
    }

    /// Part of every form of this page; see `templates/core/form_token.html`.
    pub(crate) fn form_token(&self) -> &str {
        &self.visitor.session.form_token
    }
}

/// The status of a page with a form: 422 if the form was refused.
pub(crate) const fn form_status(is_refused: bool) -> StatusCode {
    if is_refused { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }
}

/// A page for a visitor. Its notice is shown once, so its cookie is deleted.
pub(crate) fn render_page(visitor: &Visitor, status: StatusCode, page: &impl Template) -> Response {
    let mut response = render_bare_page(status, page);
    if visitor.notice.is_some() {
        set_cookie(&mut response, &format!("{NOTICE}=; Path=/console; Max-Age=0"));
    }
    response
}

/// A page without a visitor.
pub(crate) fn render_bare_page(status: StatusCode, page: &impl Template) -> Response {
    let html = page.render().expect("writing to a string does not fail");
    (status, HEADERS, Html(html)).into_response()
}

pub(crate) fn redirect(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, to), (CACHE_CONTROL, "no-store")]).into_response()
}

/// Sends the browser to a page that shows what was done.
pub(crate) fn redirect_with_notice(web: &Web, to: &str, notice: &str) -> Response {
    let mut response = redirect(to);
    let sealed = app::core::notice::seal_notice(&web.app, notice);
    let cookie = Cookie {
        name: NOTICE,
        value: &sealed,
        path: "/console",
        max_age_s: 60,
        same_site: "Strict",
        secure: web.settings.secure_cookies,
    };
    if let Some(cookie) = cookie.header() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

pub(crate) fn set_cookie(response: &mut Response, cookie: &str) {
    let cookie = HeaderValue::try_from(cookie).expect("our cookies are visible ASCII");
    response.headers_mut().append(SET_COOKIE, cookie);
}

//! A request for a page of the portal: which merchant, which shopper, which language.

use app::{
    AppError,
    core::scope::{RequestId, RequestScope},
    merchants::{
        pictures::create_picture_token,
        portals::{PortalFront, load_portal_front},
    },
    returns::shopper::Shopper,
    withdrawal::offer::may_withdraw,
};
use askama::Template;
use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, SET_COOKIE},
        request::Parts,
    },
    response::{Html, IntoResponse, Response},
};
use domain::merchants::locale::{format_date, format_money};
use domain::{
    identifier::{ClientId, MerchantId},
    merchants::language::Language,
    returns::rma::Rma,
};
use jiff::Timestamp;
use server::{
    Web,
    assets::{PAGE_HEADERS, assets},
    cookie::{Cookie, read_cookie},
    error::ApiError,
    observe::{note_merchant, request_id},
};

use crate::{
    form::PortalForm,
    language::{LanguageSwitch, PageLanguage},
    words::Words,
};

const PASS_COOKIE: &str = "homeward_shopper";
const PASS_MAX_AGE_S: u32 = 60 * 60;

/// Pages load from our own address only, and their forms are sent to it only.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

pub(super) struct PortalVisit {
    pub(super) web: Web,
    pub(super) storefront: PortalFront,
    pub(super) page_language: PageLanguage,
    /// The shopper, if the browser sent a valid pass for this portal.
    pub(super) shopper: Option<Shopper>,
    /// Whether the shopper comes from requesting a code.
    pub(super) code_sent: bool,
    pub(super) request: Option<RequestId>,
}

impl FromRequestParts<Web> for PortalVisit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let not_found = || AppError::NotFound("portal");
        let path = RawPathParams::from_request_parts(parts, web).await.map_err(|_| not_found())?;
        let merchant = path.iter().find(|(name, _)| *name == "merchant");
        let merchant = merchant.map(|(_, value)| value).unwrap_or_default();
        let merchant = MerchantId::parse(merchant).map_err(|_| not_found())?;
        let storefront = load_portal_front(&web.app, &merchant).await?;
        note_merchant(&merchant);
        let pass = read_cookie(&parts.headers, PASS_COOKIE);
        Ok(Self {
            page_language: PageLanguage::new(&storefront.portal, &parts.uri, &parts.headers),
            shopper: pass.and_then(|pass| Shopper::of_pass(&web.app, &merchant, pass)),
            code_sent: parts.uri.query().is_some_and(|query| query.contains("code=sent")),
            storefront,
            web: web.clone(),
            request: request_id(&parts.extensions),
        })
    }
}

impl PortalVisit {
    pub(super) fn words(&self) -> &'static Words {
        self.page_language.words()
    }

    pub(super) fn language(&self) -> Language {
        self.page_language.language
    }

    pub(super) fn format_money(&self, cents: i64, currency: &str) -> String {
        format_money(self.language(), cents, currency)
    }

    pub(super) fn format_date(&self, moment: Timestamp) -> String {
        format_date(self.language(), moment)
    }

    /// The address of a page of this portal.
    pub(super) fn address_of(&self, rest: &str) -> String {
        format!("/portal/{}{rest}", self.storefront.merchant)
    }

    /// The address at which we serve a picture; without one, that of a placeholder.
    pub(super) fn picture_address(&self, url: Option<&str>) -> String {
        let token =
            url.and_then(|url| create_picture_token(&self.web.app, &self.storefront.merchant, url));
        token.map_or_else(
            || assets().no_picture.address(),
            |token| self.address_of(&format!("/pictures/{token}")),
        )
    }

    /// What all pages share; `rest` is the address of the page within the portal.
    pub(super) fn frame(&self, title: &'static str, rest: &str) -> PageFrame {
        let PortalFront { name, portal, has_logo, .. } = &self.storefront;
        let words = self.words();
        let own_texts = portal.texts_in(self.language());
        let help = own_texts.and_then(|texts| texts.help.clone());
        PageFrame {
            home: self.address_of(""),
            name: name.clone(),
            title,
            language_code: self.language().code(),
            words,
            help: help.unwrap_or_else(|| (words.frame.contact)(name)),
            footer: own_texts.and_then(|texts| texts.footer.clone()),
            has_theme: portal.accent.is_some(),
            has_logo: *has_logo,
            offers_withdrawal: self.offers_withdrawal(),
            switch: LanguageSwitch::new(portal, self.page_language, self.address_of(rest)),
            base_style: assets().base_style.address(),
            portal_style: assets().portal_style.address(),
            icon: assets().icon.address(),
        }
    }

    /// The visit of the page of a return, which may be opened without a pass for its order.
    pub(super) async fn for_return(mut self, rma: &Rma) -> Result<Self, AppError> {
        let has_pass = self.shopper.as_ref().is_some_and(|shopper| shopper.may_change(rma));
        if self.storefront.offers_withdrawal && !has_pass {
            self.shopper = None;
            let merchant = &self.storefront.merchant;
            self.storefront.offers_withdrawal = may_withdraw(&self.web.app, merchant, rma).await?;
        }
        Ok(self)
    }

    /// Whether the visitor may have the right of withdrawal: always, until the order is known.
    fn offers_withdrawal(&self) -> bool {
        let applies = self.shopper.as_ref().is_none_or(|shopper| shopper.may_withdraw);
        self.storefront.offers_withdrawal && applies
    }

    /// The response with a page. It must not be cached, because it is about a person.
    pub(super) fn render(&self, status: StatusCode, page: &impl Template) -> Response {
        self.page_language.mark(render_page(status, page), self.web.settings.secure_cookies)
    }

    /// A change that the shopper makes.
    pub(super) fn scope<'a>(&'a self, client: &'a ClientId) -> RequestScope<'a> {
        RequestScope {
            app: &self.web.app,
            client,
            address: None,
            merchant: Some(&self.storefront.merchant),
            idempotency: None,
            request: self.request,
        }
    }

    pub(super) fn redirect(&self, rest: &str) -> Response {
        let headers = [(LOCATION, self.address_of(rest)), (CACHE_CONTROL, "no-store".to_owned())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }

    /// The same for a request that asks for a page, perhaps in another language.
    pub(super) fn redirect_read(&self, rest: &str) -> Response {
        self.page_language.mark(self.redirect(rest), self.web.settings.secure_cookies)
    }

    /// Gives the shopper a pass and shows the order.
    pub(super) fn admit(&self, shopper: &Shopper) -> Response {
        self.with_pass(self.redirect("/return"), shopper)
    }

    /// Gives the shopper a pass with the response.
    pub(super) fn with_pass(&self, mut response: Response, shopper: &Shopper) -> Response {
        let cookie = Cookie {
            name: PASS_COOKIE,
            value: &shopper.pass(&self.web.app),
            path: &self.address_of(""),
            max_age_s: PASS_MAX_AGE_S,
            same_site: "Strict",
            secure: self.web.settings.secure_cookies,
        };
        if let Some(cookie) = cookie.header() {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }
}

/// The response with a page.
pub(super) fn render_page(status: StatusCode, page: &impl Template) -> Response {
    let html = page.render().expect("writing to a string does not fail");
    let mut response =
        (status, PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], Html(html)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    // Under a stricter policy, browsers would not say where a form comes from.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// What all pages share.
pub(super) struct PageFrame {
    pub(super) home: String,
    pub(super) name: String,
    pub(super) title: &'static str,
    pub(super) language_code: &'static str,
    pub(super) words: &'static Words,
    pub(super) help: String,
    pub(super) footer: Option<String>,
    /// Whether the merchant has colors of its own.
    pub(super) has_theme: bool,
    pub(super) has_logo: bool,
    /// Whether the page links to the withdrawal function.
    pub(super) offers_withdrawal: bool,
    pub(super) switch: LanguageSwitch,
    pub(super) base_style: String,
    pub(super) portal_style: String,
    pub(super) icon: String,
}

impl PageFrame {
    /// Submits the form that led to the page again when the language changes.
    pub(super) fn with_form(mut self, form: &PortalForm) -> Self {
        self.switch.fields = form.fields().to_vec();
        self
    }
}

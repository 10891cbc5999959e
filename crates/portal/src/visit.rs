//! Who asks for a page of the portal, of which merchant, and in which language.

use app::{
    AppError,
    merchants::{
        pictures::picture_token,
        portals::{Front, front},
    },
    returns::shopper::Shopper,
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
use domain::{identifier::MerchantId, merchants::language::Language};
use jiff::Timestamp;

use super::selection::Form;
use crate::{
    language::{Spoken, Switch},
    locale,
    words::Words,
};
use server::{
    Web,
    assets::{PAGE_HEADERS, assets},
    cookie::{Cookie, read_cookie},
    error::ApiError,
};

const COOKIE_NAME: &str = "homeward_shopper";
const PASS_S: u32 = 60 * 60;

/// Forms go to us, and the address of a page is told to nobody else.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

pub(super) struct Visit {
    pub(super) web: Web,
    pub(super) front: Front,
    pub(super) spoken: Spoken,
    /// Whoever showed a pass of this portal.
    pub(super) shopper: Option<Shopper>,
}

impl FromRequestParts<Web> for Visit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let missing = || AppError::NotFound("portal");
        let path = RawPathParams::from_request_parts(parts, web).await.map_err(|_| missing())?;
        let merchant = path.iter().find(|(name, _)| *name == "merchant");
        let merchant = merchant.map(|(_, value)| value).unwrap_or_default();
        let merchant = MerchantId::parse(merchant).map_err(|_| missing())?;
        let front = front(&web.app, &merchant).await?;
        let pass = read_cookie(&parts.headers, COOKIE_NAME);
        Ok(Self {
            spoken: Spoken::new(&front.portal, &parts.uri, &parts.headers),
            shopper: pass.and_then(|pass| Shopper::of_pass(&web.app, &merchant, pass)),
            front,
            web: web.clone(),
        })
    }
}

impl Visit {
    pub(super) fn words(&self) -> &'static Words {
        self.spoken.words()
    }

    pub(super) fn language(&self) -> Language {
        self.spoken.language
    }

    pub(super) fn money(&self, cents: i64, currency: &str) -> String {
        locale::money(self.language(), cents, currency)
    }

    pub(super) fn date(&self, moment: Timestamp) -> String {
        locale::date(self.language(), moment)
    }

    /// The address of a page of this portal.
    pub(super) fn at(&self, rest: &str) -> String {
        format!("/portal/{}{rest}", self.front.merchant)
    }

    /// The address at which we show a picture; of none, one that says so.
    pub(super) fn picture(&self, url: Option<&str>) -> String {
        let token = url.and_then(|url| picture_token(&self.web.app, &self.front.merchant, url));
        token.map_or_else(
            || assets().no_picture.address(),
            |token| self.at(&format!("/pictures/{token}")),
        )
    }

    /// What every page has; `here` is where it is found again.
    pub(super) fn frame(&self, title: &'static str, here: &str) -> Frame {
        let Front { name, portal, has_logo, .. } = &self.front;
        let words = self.words();
        let said = portal.texts_in(self.language());
        let help = said.and_then(|said| said.help.clone());
        Frame {
            home: self.at(""),
            name: name.clone(),
            title,
            code: self.language().code(),
            words,
            help: help.unwrap_or_else(|| (words.frame.contact)(name)),
            footer: said.and_then(|said| said.footer.clone()),
            look: portal.accent.is_some(),
            has_logo: *has_logo,
            switch: Switch::new(portal, self.spoken, self.at(here)),
            base_style: assets().base_style.address(),
            portal_style: assets().portal_style.address(),
            icon: assets().icon.address(),
        }
    }

    /// A page, which nobody keeps: it is about a person.
    pub(super) fn page(&self, status: StatusCode, page: &impl Template) -> Response {
        self.spoken.remembered(shown(status, page), self.web.settings.secure_cookies)
    }

    pub(super) fn redirect(&self, rest: &str) -> Response {
        let headers = [(LOCATION, self.at(rest)), (CACHE_CONTROL, "no-store".to_owned())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }

    /// Lets a shopper in.
    pub(super) fn admit(&self, shopper: &Shopper) -> Response {
        let cookie = Cookie {
            name: COOKIE_NAME,
            value: &shopper.pass(&self.web.app),
            path: &self.at(""),
            max_age_s: PASS_S,
            same_site: "Strict",
            secure: self.web.settings.secure_cookies,
        };
        let mut response = self.redirect("/return");
        if let Some(cookie) = cookie.header() {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        response
    }
}

/// A page as an answer.
pub(super) fn shown(status: StatusCode, page: &impl Template) -> Response {
    let html = page.render().expect("writing to a string does not fail");
    let mut response =
        (status, PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], Html(html)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // Without any, browsers would not say where a form comes from.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// What every page has.
pub(super) struct Frame {
    pub(super) home: String,
    pub(super) name: String,
    pub(super) title: &'static str,
    /// The language, by its code.
    pub(super) code: &'static str,
    pub(super) words: &'static Words,
    pub(super) help: String,
    pub(super) footer: Option<String>,
    pub(super) look: bool,
    pub(super) has_logo: bool,
    pub(super) switch: Switch,
    pub(super) base_style: String,
    pub(super) portal_style: String,
    pub(super) icon: String,
}

impl Frame {
    /// The page came from a form, which is sent again when the language changes.
    pub(super) fn after(mut self, form: &Form) -> Self {
        self.switch.fields.clone_from(&form.0);
        self
    }
}

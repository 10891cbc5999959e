//! The pages for people: what came, what it was answered, what is left on the shelves, and a
//! form to change what happens next.
//!
//! They need no script, and the policy that is sent with them allows none: whatever a body
//! holds, it is text. A form that comes from a page of somebody else is refused.

use std::sync::Arc;

use askama::Template;
use axum::{
    Router,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{get, post},
};
use serde::Deserialize;

use crate::{
    access::token::form,
    calls::call::CallQuery,
    merchant::{Merchant, SimulatedMerchant},
    pages::{
        form::BehaviourForm,
        view::{CallPage, Overview},
    },
    shop::picture,
};

const CALLS_SHOWN: usize = 50;
const REFRESH_MAX_S: u32 = 60;
const STYLE: &str = include_str!("../../static/sim.css");
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

pub(crate) fn routes() -> Router<Arc<Merchant>> {
    Router::new()
        .route("/", get(overview))
        .route("/calls/{number}", get(call))
        .route("/sim.css", get(style))
        .route("/images/{file}", get(image))
        .route("/behaviour", post(behave))
        .route("/behaviour/normal", post(behave_normally))
        .route("/calls/forget", post(forget_calls))
}

#[derive(Deserialize)]
struct Look {
    refresh: Option<u32>,
}

async fn overview(
    State(merchant): State<Arc<Merchant>>,
    look: Result<Query<Look>, QueryRejection>,
) -> Response {
    let refresh_s = look.ok().and_then(|Query(look)| look.refresh);
    let refresh_s = refresh_s.map(|seconds| seconds.clamp(1, REFRESH_MAX_S));
    let merchant = SimulatedMerchant(merchant);
    let page = whole_page(&merchant, BehaviourForm::default(), None);
    shown(StatusCode::OK, &Overview { refresh_s, ..page })
}

fn whole_page(
    merchant: &SimulatedMerchant,
    form: BehaviourForm,
    mistake: Option<String>,
) -> Overview {
    let query = CallQuery { limit: Some(CALLS_SHOWN), ..CallQuery::default() };
    let mut calls = merchant.calls(&query).calls;
    calls.reverse();
    let stock = merchant.shelves();
    let uses_tokens = merchant.0.proof.uses_tokens();
    let page = Overview::of(&merchant.summary(), &calls, &merchant.behaviours());
    Overview { form, mistake, uses_tokens, stock, ..page }
}

async fn call(State(merchant): State<Arc<Merchant>>, Path(number): Path<u64>) -> Response {
    match SimulatedMerchant(merchant).call(number) {
        Some(call) => shown(StatusCode::OK, &CallPage::of(&call)),
        None => (StatusCode::NOT_FOUND, "This call is not kept.").into_response(),
    }
}

async fn behave(
    State(merchant): State<Arc<Merchant>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(form) = form::<BehaviourForm>(&body).filter(|_| comes_from_here(&headers)) else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let merchant = SimulatedMerchant(merchant);
    let told = form
        .read()
        .and_then(|behaviour| merchant.behave(&[behaviour]).map_err(|error| format!("{error}.")));
    match told {
        Ok(()) => Redirect::to("/").into_response(),
        Err(mistake) => {
            let page = whole_page(&merchant, form, Some(mistake));
            shown(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
    }
}

async fn behave_normally(State(merchant): State<Arc<Merchant>>, headers: HeaderMap) -> Response {
    pressed(&headers, || SimulatedMerchant(merchant).behave_normally())
}

async fn forget_calls(State(merchant): State<Arc<Merchant>>, headers: HeaderMap) -> Response {
    pressed(&headers, || SimulatedMerchant(merchant).forget_calls())
}

/// A button without fields: does it, and shows the page again.
fn pressed(headers: &HeaderMap, deed: impl FnOnce()) -> Response {
    if !comes_from_here(headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    deed();
    Redirect::to("/").into_response()
}

/// Browsers say which page a form was on. What is not a browser need not say.
fn comes_from_here(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(origin) = text(header::ORIGIN) else { return true };
    let here = text(header::HOST).unwrap_or_default();
    origin.split_once("://").is_some_and(|(_, origin)| origin == here)
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

async fn image(State(merchant): State<Arc<Merchant>>, Path(file): Path<String>) -> Response {
    let shop = merchant.shop();
    let variant = file.strip_suffix(".svg").and_then(|sku| shop.catalogue.variant(sku));
    match variant {
        Some(variant) => {
            let headers = [
                (header::CONTENT_TYPE, "image/svg+xml"),
                (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
            ];
            (headers, picture::svg(variant)).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn shown(status: StatusCode, page: &impl Template) -> Response {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    match page.render() {
        Ok(html) => (status, headers, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page of the simulated merchant cannot be shown");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_on_a_foreign_page_is_refused() {
        let from = |origin: &'static str| {
            HeaderMap::from_iter([
                (header::HOST, "127.0.0.1:9000".parse().unwrap()),
                (header::ORIGIN, origin.parse().unwrap()),
            ])
        };
        assert!(comes_from_here(&from("http://127.0.0.1:9000")));
        assert!(comes_from_here(&HeaderMap::new()));
        for origin in ["http://evil.example", "null", "http://127.0.0.1:9001", ""] {
            assert!(!comes_from_here(&from(origin)), "{origin}");
        }
    }
}

//! The pages for people: the calls and their outcomes, the stock, and a form for the behavior.
//!
//! They need no script, and their content security policy allows none: a body can only be shown as
//! text. A form on a page of another site is refused.

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
    access::token::read_form,
    calls::call::CallQuery,
    merchant::{Merchant, SimulatedMerchant},
    pages::{
        form::BehaviorForm,
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
struct OverviewQuery {
    refresh: Option<u32>,
}

async fn overview(
    State(merchant): State<Arc<Merchant>>,
    query: Result<Query<OverviewQuery>, QueryRejection>,
) -> Response {
    let refresh_s = query.ok().and_then(|Query(query)| query.refresh);
    let refresh_s = refresh_s.map(|seconds| seconds.clamp(1, REFRESH_MAX_S));
    let merchant = SimulatedMerchant(merchant);
    let page = build_overview(&merchant, BehaviorForm::default(), None);
    render(StatusCode::OK, &Overview { refresh_s, ..page })
}

fn build_overview(
    merchant: &SimulatedMerchant,
    form: BehaviorForm,
    mistake: Option<String>,
) -> Overview {
    let query = CallQuery { limit: Some(CALLS_SHOWN), ..CallQuery::default() };
    let mut calls = merchant.calls(&query).calls;
    calls.reverse();
    let stock = merchant.stock_rows();
    let uses_tokens = merchant.0.auth.uses_tokens();
    let page = Overview::of(&merchant.summary(), &calls, &merchant.behaviors());
    Overview { form, mistake, uses_tokens, stock, ..page }
}

async fn call(State(merchant): State<Arc<Merchant>>, Path(number): Path<u64>) -> Response {
    match SimulatedMerchant(merchant).call(number) {
        Some(call) => render(StatusCode::OK, &CallPage::of(&call)),
        None => (StatusCode::NOT_FOUND, "This call is not kept.").into_response(),
    }
}

async fn behave(
    State(merchant): State<Arc<Merchant>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(form) = read_form::<BehaviorForm>(&body).filter(|_| is_same_origin(&headers)) else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let merchant = SimulatedMerchant(merchant);
    let done = form
        .read()
        .and_then(|behavior| merchant.behave(&[behavior]).map_err(|error| format!("{error}.")));
    match done {
        Ok(()) => Redirect::to("/").into_response(),
        Err(mistake) => {
            let page = build_overview(&merchant, form, Some(mistake));
            render(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
    }
}

async fn behave_normally(State(merchant): State<Arc<Merchant>>, headers: HeaderMap) -> Response {
    run_action(&headers, || SimulatedMerchant(merchant).behave_normally())
}

async fn forget_calls(State(merchant): State<Arc<Merchant>>, headers: HeaderMap) -> Response {
    run_action(&headers, || SimulatedMerchant(merchant).forget_calls())
}

/// Handles a button without fields: runs the action and shows the page again.
fn run_action(headers: &HeaderMap, action: impl FnOnce()) -> Response {
    if !is_same_origin(headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    action();
    Redirect::to("/").into_response()
}

/// Browsers send the origin of a form. Other clients need not.
fn is_same_origin(headers: &HeaderMap) -> bool {
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
    let variant = file.strip_suffix(".svg").and_then(|sku| shop.catalog.variant(sku));
    match variant {
        Some(variant) => {
            let headers = [
                (header::CONTENT_TYPE, "image/svg+xml"),
                (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
            ];
            (headers, picture::draw_svg(variant)).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn render(status: StatusCode, page: &impl Template) -> Response {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    match page.render() {
        Ok(html) => (status, headers, Html(html)).into_response(),
        Err(error) => {
            tracing::error!("rendering a page of the simulated merchant failed: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_of_another_site_is_refused() {
        let from = |origin: &'static str| {
            HeaderMap::from_iter([
                (header::HOST, "127.0.0.1:9000".parse().unwrap()),
                (header::ORIGIN, origin.parse().unwrap()),
            ])
        };
        assert!(is_same_origin(&from("http://127.0.0.1:9000")));
        assert!(is_same_origin(&HeaderMap::new()));
        for origin in ["http://evil.example", "null", "http://127.0.0.1:9001", ""] {
            assert!(!is_same_origin(&from(origin)), "{origin}");
        }
    }
}

//! The rate limit and the time limit around every route of the API.

use std::time::Duration;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::RETRY_AFTER},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::error::respond_now;
use crate::{
    Web,
    guard::{RequestOrigin, rate_limit::RateDecision},
    observe::run_to_end,
};

/// No request may take longer. Its body alone may take half of this time.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

pub async fn limit(State(web): State<Web>, request: Request, next: Next) -> Response {
    let Some(origin) = request.extensions().get::<RequestOrigin>() else {
        // The listener adds it to every request.
        return respond_now(StatusCode::INTERNAL_SERVER_ERROR, "the client is unknown");
    };
    let decision = web.rate_limit.check(origin.address, web.started.elapsed());
    if !decision.allowed {
        let why = format!(
            "more than {} requests in a minute from your address; try again in {} s",
            decision.limit, decision.reset_s
        );
        let mut response = respond_now(StatusCode::TOO_MANY_REQUESTS, why);
        response.headers_mut().insert(RETRY_AFTER, decision.reset_s.into());
        return (headers(decision), response).into_response();
    }
    let is_change = !request.method().is_safe();
    let handling = async {
        let handling = next.run(request);
        if is_change { run_to_end(handling).await } else { handling.await }
    };
    let response = match tokio::time::timeout(ANSWER_TIME_MAX, handling).await {
        Ok(response) => response,
        Err(_) => respond_now(StatusCode::SERVICE_UNAVAILABLE, "took too long; try again"),
    };
    (headers(decision), response).into_response()
}

fn headers(decision: RateDecision) -> HeaderMap {
    let all = [
        ("ratelimit-limit", decision.limit),
        ("ratelimit-remaining", decision.remaining),
        ("ratelimit-reset", decision.reset_s),
    ];
    all.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from(value)))
        .into_iter()
        .collect()
}

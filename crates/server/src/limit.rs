//! The rate limit, the time limit and the number of changes at once, around every route of the API.

use std::time::Duration;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::RETRY_AFTER},
    middleware::Next,
    response::{IntoResponse, Response},
};

use app::messages::certify_endpoints::CERTIFY_TIME_MAX;

use super::error::respond_now;
use crate::{
    Web,
    guard::{RequestOrigin, rate_limit::RateDecision},
    observe::run_to_end,
};

/// No request may take longer, except the check of endpoints. Its body alone may take half of this
/// time.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

pub async fn limit(State(web): State<Web>, request: Request, next: Next) -> Response {
    let Some(origin) = request.extensions().get::<RequestOrigin>().copied() else {
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
    let time_max = time_limit(request.uri().path());
    let is_change = !request.method().is_safe();
    let handling = async {
        if !is_change {
            return next.run(request).await;
        }
        let slot = match web.changes.take(origin.address) {
            Ok(slot) => slot,
            Err(why) => return respond_now(StatusCode::SERVICE_UNAVAILABLE, why),
        };
        let handling = next.run(request);
        run_to_end(async move {
            let response = handling.await;
            drop(slot);
            response
        })
        .await
    };
    let response = match tokio::time::timeout(time_max, handling).await {
        Ok(response) => response,
        Err(_) => respond_now(StatusCode::SERVICE_UNAVAILABLE, "took too long; try again"),
    };
    (headers(decision), response).into_response()
}

/// How long a request to this path may take. A check of endpoints has a time limit of its own, and
/// what was found must reach the caller.
fn time_limit(path: &str) -> Duration {
    if path.ends_with("/certify") { ANSWER_TIME_MAX + CERTIFY_TIME_MAX } else { ANSWER_TIME_MAX }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_of_endpoints_may_take_as_long_as_it_says_and_everything_else_a_minute() {
        let minute = Duration::from_secs(60);
        assert_eq!(time_limit("/admin/merchants/acme/certify"), CERTIFY_TIME_MAX + minute);
        assert_eq!(time_limit("/admin/merchants/acme/endpoints"), minute);
    }
}

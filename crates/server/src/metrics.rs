//! What the routes count, for `/metrics`: requests by route, method and status, and their time.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

use crate::Web;

#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: String,
    route: String,
}

impl Metrics {
    pub fn register(registry: &mut Registry) -> Self {
        let seconds: Family<_, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.000_5, 2.0, 14)));
        let metrics = Self { requests: Family::default(), seconds };
        registry.register("http_requests", "Requests answered", metrics.requests.clone());
        registry.register(
            "http_request_seconds",
            "Time from the head of a request to the head of its answer",
            metrics.seconds.clone(),
        );
        metrics
    }
}

/// Counts every request. A path that is no route is counted under one name, so that guesses at
/// addresses cannot fill the memory.
pub async fn observe(State(web): State<Web>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("no route", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let started = Instant::now();
    let response = next.run(request).await;
    let (took, status) = (started.elapsed(), response.status().as_u16());
    tracing::debug!(
        method,
        route,
        status,
        duration_ms = took.as_secs_f64() * 1000.0,
        "{method} {route} answered {status}"
    );
    let labels = RouteLabels { method: method.clone(), route: route.clone() };
    web.metrics.seconds.get_or_create(&labels).observe(took.as_secs_f64());
    web.metrics.requests.get_or_create(&RequestLabels { method, route, status }).inc();
    response
}

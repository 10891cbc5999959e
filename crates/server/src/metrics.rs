//! Metrics of the routes: requests by route, method and status, and how long they take.

use std::time::Duration;

use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::{counter::Counter, family::Family};
use prometheus_client::{encoding::EncodeLabelSet, registry::Registry};

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

    /// Counts one response.
    pub(crate) fn record(&self, method: String, route: String, status: u16, duration: Duration) {
        let labels = RouteLabels { method: method.clone(), route: route.clone() };
        self.seconds.get_or_create(&labels).observe(duration.as_secs_f64());
        self.requests.get_or_create(&RequestLabels { method, route, status }).inc();
    }
}

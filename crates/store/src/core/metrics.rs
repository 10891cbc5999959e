//! The metrics of the store.

use std::time::Duration;

use prometheus_client::{
    metrics::{
        counter::Counter,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

#[derive(Clone, Debug)]
pub struct StoreMetrics {
    queries: Counter,
    transactions: Counter,
    seconds: Histogram,
    group: Histogram,
    waited: Histogram,
}

impl StoreMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            queries: Counter::default(),
            transactions: Counter::default(),
            seconds: Histogram::new(exponential_buckets(0.000_25, 2.0, 14)),
            group: Histogram::new(exponential_buckets(1.0, 2.0, 11)),
            waited: Histogram::new(exponential_buckets(0.000_1, 4.0, 9)),
        };
        registry.register("store_queries", "Queries", metrics.queries.clone());
        registry.register(
            "store_transactions",
            "Transactions committed or refused by a guard",
            metrics.transactions.clone(),
        );
        registry.register(
            "store_commit_seconds",
            "Time from the start of a commit until it is durable",
            metrics.seconds.clone(),
        );
        registry.register(
            "store_commit_transactions",
            "Transactions that one commit covered",
            metrics.group.clone(),
        );
        registry.register(
            "store_connection_wait_seconds",
            "Time that a query waited for a connection",
            metrics.waited.clone(),
        );
        metrics
    }

    pub(crate) fn record_wait(&self, waited: Duration) {
        self.waited.observe(waited.as_secs_f64());
    }

    pub(crate) fn record_query(&self) {
        self.queries.inc();
    }

    pub(crate) fn record_commit(&self, transactions: u32, took: Duration) {
        self.transactions.inc_by(u64::from(transactions));
        self.seconds.observe(took.as_secs_f64());
        self.group.observe(f64::from(transactions));
    }
}

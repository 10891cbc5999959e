//! The metrics of the use cases, for `/metrics`.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

#[derive(Clone, Debug, Default)]
pub struct AppMetrics {
    orders: Family<OrderLabels, Counter>,
    tokens: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OrderLabels {
    merchant: String,
    result: &'static str,
}

impl AppMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "orders_taken_in",
            "Orders received, by merchant and result",
            metrics.orders.clone(),
        );
        registry.register("tokens_issued", "Access tokens issued", metrics.tokens.clone());
        metrics
    }

    pub(crate) fn count_token(&self) {
        self.tokens.inc();
    }

    pub(crate) fn count_order(&self, merchant: &str, result: &'static str) {
        self.orders.get_or_create(&OrderLabels { merchant: merchant.to_owned(), result }).inc();
    }
}

//! The metrics of the use cases, for `/metrics`.

use std::sync::atomic::AtomicU64;

use delivery::MerchantLabels;
use domain::{
    merchants::merchant::CarrierMode, messages::kind::MessageKind, returns::rma::RmaStatus,
};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};
use store::Backlog;

#[derive(Clone, Debug, Default)]
pub struct AppMetrics {
    merchants: MerchantLabels,
    orders: Family<OrderLabels, Counter>,
    tokens: Counter,
    returns: Family<StatusLabels, Counter>,
    waiting: Family<KindLabels, Gauge>,
    oldest: Family<KindLabels, Gauge<f64, AtomicU64>>,
    failed: Family<KindLabels, Gauge>,
    label_requests: Family<CarrierLabels, Gauge>,
    owed: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OrderLabels {
    merchant: String,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabels {
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CarrierLabels {
    carrier: &'static str,
}

/// What waits of one kind of message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KindBacklog {
    pub(crate) messages: i64,
    /// How long the oldest of them waits.
    pub(crate) oldest_seconds: f64,
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
        registry.register(
            "returns_changed",
            "Changes of returns, by the status after the change",
            metrics.returns.clone(),
        );
        registry.register(
            "messages_waiting",
            "Messages that are not finished, by kind, up to a million",
            metrics.waiting.clone(),
        );
        registry.register(
            "messages_oldest_waiting_seconds",
            "Age of the oldest message that is not finished, by kind",
            metrics.oldest.clone(),
        );
        registry.register(
            "messages_failed",
            "Messages in the failure queue, by kind, up to a million",
            metrics.failed.clone(),
        );
        registry.register(
            "label_requests",
            "Returns that wait for a label, by carrier, up to 100000",
            metrics.label_requests.clone(),
        );
        registry.register(
            "returns_owed",
            "Returns for which something is still due, up to 100000",
            metrics.owed.clone(),
        );
        metrics
    }

    pub(crate) fn count_token(&self) {
        self.tokens.inc();
    }

    pub(crate) fn count_order(&self, merchant: &str, result: &'static str) {
        let merchant = self.merchants.label(merchant);
        self.orders.get_or_create(&OrderLabels { merchant, result }).inc();
    }

    pub(crate) fn count_return(&self, status: RmaStatus) {
        self.returns.get_or_create(&StatusLabels { status: status.name() }).inc();
    }

    pub(crate) fn set_backlog(&self, backlog: Backlog, kind: MessageKind, measured: KindBacklog) {
        let labels = KindLabels { kind: kind.name() };
        match backlog {
            Backlog::Waiting => {
                self.waiting.get_or_create(&labels).set(measured.messages);
                self.oldest.get_or_create(&labels).set(measured.oldest_seconds);
            }
            Backlog::Failed => {
                self.failed.get_or_create(&labels).set(measured.messages);
            }
        }
    }

    pub(crate) fn set_label_requests(&self, carrier: CarrierMode, count: i64) {
        self.label_requests.get_or_create(&CarrierLabels { carrier: carrier.name() }).set(count);
    }

    pub(crate) fn set_owed_returns(&self, count: i64) {
        self.owed.set(count);
    }
}

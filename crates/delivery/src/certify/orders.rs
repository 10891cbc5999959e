//! Calls that the receiver must answer with something: exchange orders and variants.

use domain::messages::{certificate::CertifyRule, kind::MessageKind};
use futures_util::future::join;
use serde_json::Value;

use super::{Check, calls::Answer};
use crate::sender::probe::Probe;

impl Check<'_> {
    /// Asks for an order twice at the same time and once more, and for another one.
    pub(super) async fn check_orders(&mut self) {
        let (kind, caller) = (MessageKind::ExchangeOrder, &self.caller);
        let first = caller.sample_probe(kind);
        let second = Probe { attempt: 2, ..first.clone() };
        let (one, other) = join(caller.send(kind, &first), caller.send(kind, &second)).await;
        let again = caller.send(kind, &Probe { attempt: 3, ..first }).await;
        let different = caller.send(kind, &caller.sample_probe(kind)).await;

        // A response of 4xx or 5xx to one of two calls at the same time is retried, and so allowed.
        let placed = [&one, &other, &again].map(Answer::order_identifier);
        let [_, _, last] = &placed;
        let is_same = placed.iter().flatten().all(|placed| Some(placed) == last.as_ref());
        let is_once = again.is_success() && is_same;
        let is_new =
            different.is_success() && (last.is_none() || different.order_identifier() != *last);
        let answers = [one, other, again];
        let faults = if is_once { Vec::new() } else { answers.iter().collect() };
        self.decide(CertifyRule::PlacesOrdersOnce, faults, &answers);
        let faults = if is_new { Vec::new() } else { vec![&different] };
        self.decide(CertifyRule::PlacesEveryOrder, faults, std::slice::from_ref(&different));
    }

    pub(super) async fn check_variants(&mut self) {
        let caller = &self.caller;
        let probe = caller.probe_at(None, caller.now_s());
        let answer = caller.send(MessageKind::ExchangeVariants, &probe).await;
        let faults = if lists_variants(&answer) { Vec::new() } else { vec![&answer] };
        self.decide(CertifyRule::ListsVariants, faults, std::slice::from_ref(&answer));
    }
}

/// A list, or an object that has it under `variants`; each variant has an SKU.
fn lists_variants(answer: &Answer) -> bool {
    if answer.has_status(404) {
        return true;
    }
    let listed: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
    let listed = listed.get("variants").unwrap_or(&listed);
    let has_sku = |variant: &Value| variant.get("sku").is_some_and(Value::is_string);
    let is_list = listed.as_array().is_some_and(|variants| variants.iter().all(has_sku));
    answer.is_success() && is_list
}

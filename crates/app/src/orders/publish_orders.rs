//! A merchant publishes orders. Either all orders of a message are stored, or none.

use std::collections::HashSet;

use boxed::boxed;
use bytes::Bytes;
use domain::{
    faults::{Faults, Warning},
    json,
    orders::{
        intake::IntakeOutcome,
        order_message::{self, FoundRefund, OrderMessage, OrderReadContext, RefundCheck},
    },
};
use serde::{Deserialize, Serialize};

use crate::core::idempotency::replayable;
use crate::{
    AppError,
    access::secrets::hash,
    core::{commit_once::commit_once, idempotency::replay_response, scope::RequestScope},
    orders::{
        incoming_order::{IncomingOrder, read_with_recorded_refunds},
        intake_conflict::{IntakeConflict, RefundConflict, conflict_faults},
        order_intake::decide_intake,
    },
};
use store::IntakeKey;

/// Larger bodies are read on a separate thread, so that other requests do not wait.
const READ_INLINE_MAX_BYTES: usize = 256 << 10;

/// A message with orders, as it arrived.
#[derive(Clone, Debug)]
pub struct OrdersMessage {
    pub body: Bytes,
    /// Respond as if the orders were stored, but store nothing.
    pub dry_run: bool,
    /// Whether values that look wrong are refused instead of accepted with a warning.
    pub strict: bool,
}

/// What happened to the orders of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TakenIn)]
pub struct IntakeResult {
    /// One element per order, in the order of the message.
    pub orders: Vec<OrderResult>,
    /// Values that were accepted although they look wrong, and unknown fields.
    pub warnings: Vec<Warning>,
}

replayable!(IntakeResult);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OrderResult {
    pub identifier: String,
    pub result: IntakeOutcome,
}

#[boxed]
pub async fn publish_orders(
    scope: RequestScope<'_>,
    message: OrdersMessage,
) -> Result<IntakeResult, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    if let Some(response) = replay_response(scope).await? {
        return Ok(response);
    }
    let context = OrderReadContext {
        now: app.world.now(),
        strict: message.strict,
        refunds: RefundCheck::All,
    };
    let (orders, warnings) = match read_orders(message.body, context).await? {
        Ok(reading) => (reading.orders, reading.warnings),
        Err(faulty) => return Err(AppError::Invalid(compare_with_stored(scope, faulty).await?)),
    };
    let decide = || async {
        let decided = decide_intake(scope, &orders).await?;
        if !decided.conflicts.is_empty() {
            return Err(AppError::Invalid(conflict_faults(&decided.conflicts, order_path)));
        }
        let results = orders
            .iter()
            .zip(decided.outcomes)
            .map(|(order, result)| OrderResult { identifier: order.order_id.clone(), result });
        let doubtful = decided.doubtful.into_iter().map(|it| {
            let refund = it.refund.map(|refund| format!("[{refund}]")).unwrap_or_default();
            let field = format!("$.returns_portal_order.orders[{}].refunds{refund}", it.order);
            Warning { field, message: it.reason }
        });
        let warnings = warnings.iter().cloned().chain(doubtful).collect();
        let response = IntakeResult { orders: results.collect(), warnings };
        Ok((response, decided.transaction))
    };
    if message.dry_run {
        return decide().await.map(|(response, _)| response);
    }
    let response: IntakeResult = commit_once(scope, decide).await?;
    for order in &response.orders {
        app.metrics.count_order(merchant.as_str(), order.result.as_str());
    }
    Ok(response)
}

/// The path of an order in a message.
fn order_path(order: usize) -> String {
    format!("$.returns_portal_order.orders[{order}]")
}

/// A message that cannot be accepted.
struct FaultyMessage {
    faults: Faults,
    /// Its refunds, which may also contradict what is stored.
    refunds: Vec<FoundRefund>,
}

async fn read_orders(
    body: Bytes,
    context: OrderReadContext,
) -> Result<Result<OrderMessage<IncomingOrder>, FaultyMessage>, AppError> {
    let bytes = body.len();
    let read = move || {
        let document = json::parse(&body)?;
        let keep = |snapshot| IncomingOrder::new(snapshot, &body, &context);
        let reading = read_with_recorded_refunds(&context, |context| {
            order_message::read_message_into(&document, context, keep)
        });
        let refunds = || order_message::find_refunds(&document);
        Ok(reading.map_err(|faulty| FaultyMessage { faults: faulty.faults, refunds: refunds() }))
    };
    run_on_suitable_thread(bytes, read).await
}

/// The faults of a message, compared with what is stored: refunds that are recorded may have a date
/// that has passed, and lines that no longer fit, but no other content.
async fn compare_with_stored(
    scope: RequestScope<'_>,
    FaultyMessage { faults, refunds }: FaultyMessage,
) -> Result<Faults, AppError> {
    let mut keys: Vec<IntakeKey<'_>> = Vec::new();
    for found in &refunds {
        let refund_id = found.refund.identifier.as_str();
        match keys.last_mut().filter(|key| key.order_id == found.order_identifier) {
            Some(key) => key.refund_ids.push(refund_id),
            None => keys.push(IntakeKey {
                order_id: &found.order_identifier,
                refund_ids: vec![refund_id],
                as_exchange: false,
            }),
        }
    }
    let known = scope.app.store.intake_state(scope.merchant()?, &keys).await?;
    let (mut accepted, mut conflicts) = (HashSet::new(), Vec::new());
    for FoundRefund { order, position, order_identifier, refund, canonical } in &refunds {
        let Some(recorded) = known.refunds.get(&refund.identifier) else { continue };
        let path = format!("{}.refunds[{position}]", order_path(*order));
        accepted.insert(format!("{path}.created_at"));
        if recorded.hash != hash(canonical) || recorded.order_id != *order_identifier {
            let contradicted = RefundConflict::Content;
            conflicts.push(IntakeConflict::of_refund(*order, *position, contradicted));
            continue;
        }
        for line in 0..refund.refund_line_items.len() {
            let line = format!("{path}.refund_line_items[{line}]");
            accepted.extend([format!("{line}.order_item_identifier"), format!("{line}.quantity")]);
        }
    }
    let stored = conflict_faults(&conflicts, order_path);
    Ok(faults.without(&accepted).and(stored))
}

/// Runs `read` at once if there are few bytes, and on a thread for long work otherwise.
pub(crate) async fn run_on_suitable_thread<T: Send + 'static>(
    bytes: usize,
    read: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= READ_INLINE_MAX_BYTES {
        return read();
    }
    match tokio::task::spawn_blocking(read).await {
        Ok(value) => value,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

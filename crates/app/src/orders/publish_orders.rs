//! A merchant publishes orders. Either all orders of a message are stored, or none.

use bytes::Bytes;
use domain::{
    faults::{FaultCode, Faults, FieldError, Warning},
    json,
    orders::{
        intake::IntakeOutcome,
        order_message::{self, OrderReadContext},
    },
};
use serde::{Deserialize, Serialize};

use crate::core::idempotency::replayable;
use crate::{
    AppError,
    core::{commit_once::commit_once, idempotency::replay_response, scope::RequestScope},
    orders::order_intake::{
        ConflictReason, IncomingOrder, IntakeConflict, RefundConflict, decide_intake,
        read_with_past_refunds,
    },
};
use futures_util::future::BoxFuture;

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

/// Boxed, so that it is compiled once, in this crate, and fully optimized.
pub fn publish_orders(
    scope: RequestScope<'_>,
    message: OrdersMessage,
) -> BoxFuture<'_, Result<IntakeResult, AppError>> {
    Box::pin(read_and_store(scope, message))
}

async fn read_and_store(
    scope: RequestScope<'_>,
    message: OrdersMessage,
) -> Result<IntakeResult, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    if let Some(response) = replay_response(scope).await? {
        return Ok(response);
    }
    let context = OrderReadContext { now: app.world.now(), strict: message.strict };
    let (orders, warnings) = read_orders(message.body, context).await?;
    let decide = || async {
        let decided = decide_intake(scope, &orders).await?;
        if !decided.conflicts.is_empty() {
            let root = |order| format!("$.returns_portal_order.orders[{order}]");
            return Err(AppError::Invalid(conflict_faults(&decided.conflicts, root)));
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

async fn read_orders(
    body: Bytes,
    context: OrderReadContext,
) -> Result<(Vec<IncomingOrder>, Vec<Warning>), AppError> {
    let bytes = body.len();
    let read = move || {
        let document = json::parse(&body)?;
        let keep = |snapshot| IncomingOrder::new(snapshot, &body, &context);
        let reading = read_with_past_refunds(&context, |context| {
            order_message::read_message_into(&document, context, keep)
        });
        let reading = reading.map_err(AppError::Invalid)?;
        Ok((reading.orders, reading.warnings))
    };
    run_on_suitable_thread(bytes, read).await
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

/// The faults of orders and refunds that cannot be recorded. `root` is the path of an order.
pub(crate) fn conflict_faults(
    conflicts: &[IntakeConflict],
    root: impl Fn(usize) -> String,
) -> Faults {
    let errors = conflicts.iter().map(|conflict| {
        let order = root(conflict.order);
        let (field, reason) = match conflict.reason {
            ConflictReason::Currency => (
                format!("{order}.currency"),
                "must not change, because money was promised or paid for the order",
            ),
            ConflictReason::Refund(position, reason) => {
                describe_conflict(format!("{order}.refunds[{position}]"), reason)
            }
        };
        FieldError { field, code: FaultCode::Invalid, reason: reason.to_owned() }
    });
    Faults { errors: errors.collect(), total: conflicts.len() }
}

/// Which field of the refund is wrong, and why.
fn describe_conflict(refund: String, conflict: RefundConflict) -> (String, &'static str) {
    match conflict {
        RefundConflict::Line(line) => (
            format!("{refund}.refund_line_items[{line}].identifier"),
            "must be unique in all refunds of the order, including those recorded before",
        ),
        RefundConflict::Content => (
            format!("{refund}.identifier"),
            "refers to a refund that was already recorded with different content",
        ),
        RefundConflict::Past => (format!("{refund}.created_at"), "should be in the future"),
        RefundConflict::TooMany => (
            refund,
            "is one new refund too many for returns of this size; send the refunds before it \
             first, and the others with a later message",
        ),
    }
}

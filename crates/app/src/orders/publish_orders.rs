//! A merchant publishes orders: all of a message is stored, or nothing of it.

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

use crate::{
    AppError,
    core::{commit_once::commit_once, idempotency::replay_response, scope::RequestScope},
    orders::order_intake::{IncomingOrder, RefundConflict, decide_intake},
};

/// Bodies beyond this are read on a thread where they keep nobody waiting.
const READ_INLINE_MAX_BYTES: usize = 256 << 10;

/// A message as it arrived.
#[derive(Clone, Debug)]
pub struct OrdersMessage {
    pub body: Bytes,
    /// Respond as if the orders were stored, but store nothing.
    pub dry_run: bool,
    /// Whether unknown fields are refused.
    pub strict: bool,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TakenIn)]
pub struct IntakeResult {
    /// One element for each order, in the order of the message.
    pub orders: Vec<OrderResult>,
    /// What was accepted although it looks wrong, and fields that are not known.
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OrderResult {
    pub identifier: String,
    pub result: IntakeOutcome,
}

pub async fn publish_orders(
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
        let decided = decide_intake(app, merchant, &orders).await?;
        if !decided.conflicts.is_empty() {
            let root = |order| format!("$.returns_portal_order.orders[{order}]");
            return Err(AppError::Invalid(refund_conflict_faults(&decided.conflicts, root)));
        }
        let results = orders
            .iter()
            .zip(decided.outcomes)
            .map(|(order, result)| OrderResult { identifier: order.order_id.clone(), result });
        let to_review = decided.to_review.into_iter().map(|it| Warning {
            field: format!("$.returns_portal_order.orders[{}].refunds[{}]", it.order, it.refund),
            message: it.reason,
        });
        let warnings = warnings.iter().cloned().chain(to_review).collect();
        let answer = IntakeResult { orders: results.collect(), warnings };
        Ok((answer, decided.transaction))
    };
    if message.dry_run {
        return decide().await.map(|(answer, _)| answer);
    }
    let answer: IntakeResult = commit_once(scope, decide).await?;
    for order in &answer.orders {
        app.metrics.count_order(merchant.as_str(), order.result.as_str());
    }
    Ok(answer)
}

async fn read_orders(
    body: Bytes,
    context: OrderReadContext,
) -> Result<(Vec<IncomingOrder>, Vec<Warning>), AppError> {
    let bytes = body.len();
    let read = move || {
        let document = json::parse(&body)?;
        let reading =
            order_message::read_message(&document, &context).map_err(AppError::Invalid)?;
        let orders = reading.orders.into_iter().map(|order| IncomingOrder::new(order, &body));
        Ok((orders.collect(), reading.warnings))
    };
    run_on_suitable_thread(bytes, read).await
}

/// Runs `read` here when there is little of it, on a thread for long work otherwise.
pub(crate) async fn run_on_suitable_thread<T: Send + 'static>(
    bytes: usize,
    read: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= READ_INLINE_MAX_BYTES {
        return read();
    }
    match tokio::task::spawn_blocking(read).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

/// The faults of refunds that contradict what is recorded, in orders found at `root(position)`.
pub(crate) fn refund_conflict_faults(
    conflicts: &[RefundConflict],
    root: impl Fn(usize) -> String,
) -> Faults {
    let errors = conflicts.iter().map(|conflict| FieldError {
        field: format!("{}.refunds[{}].identifier", root(conflict.order), conflict.refund),
        code: FaultCode::Invalid,
        reason: "refers to a refund that was already recorded with different content".to_owned(),
    });
    Faults { errors: errors.collect(), total: conflicts.len() }
}

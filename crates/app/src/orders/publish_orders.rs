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
    App, AppError,
    access::authenticate::Caller,
    core::commit_once::{IdempotencyKey, Request, commit_once, replay_response},
    orders::order_intake::{IncomingOrder, RefundConflict, decide_intake},
};

/// Bodies beyond this are read on a thread where they keep nobody waiting.
const READ_INLINE_MAX_BYTES: usize = 256 << 10;

/// A message as it arrived.
#[derive(Clone, Debug)]
pub struct OrdersMessage {
    pub body: Bytes,
    /// Answer as if, but store nothing.
    pub dry_run: bool,
    pub repeatable: Option<IdempotencyKey>,
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
    app: &App,
    caller: &Caller,
    message: OrdersMessage,
) -> Result<IntakeResult, AppError> {
    let merchant = caller.merchant.as_ref().ok_or(AppError::NotFound("merchant"))?;
    let request = Request { client: &caller.client, repeatable: message.repeatable.as_ref() };
    if let Some(answer) = replay_response(app, request).await? {
        return Ok(answer);
    }
    let context = OrderReadContext { now: app.world.now(), strict: caller.settings.strict };
    let (orders, warnings) = read(message.body, context).await?;
    let decide = || async {
        let decided = decide_intake(app, merchant, &orders).await?;
        if !decided.clashes.is_empty() {
            let root = |order| format!("$.returns_portal_order.orders[{order}]");
            return Err(AppError::Invalid(refund_conflict_faults(&decided.clashes, root)));
        }
        let results = orders
            .iter()
            .zip(decided.outcomes)
            .map(|(order, result)| OrderResult { identifier: order.order_id.clone(), result });
        let doubts = decided.doubts.into_iter().map(|doubt| Warning {
            field: format!(
                "$.returns_portal_order.orders[{}].refunds[{}]",
                doubt.order, doubt.refund
            ),
            message: doubt.words,
        });
        let warnings = warnings.iter().cloned().chain(doubts).collect();
        let answer = IntakeResult { orders: results.collect(), warnings };
        Ok((answer, decided.transaction))
    };
    if message.dry_run {
        return decide().await.map(|(answer, _)| answer);
    }
    let answer: IntakeResult = commit_once(app, request, decide).await?;
    for order in &answer.orders {
        app.meters.order_taken_in(merchant.as_str(), order.result.as_str());
    }
    Ok(answer)
}

async fn read(
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
    clashes: &[RefundConflict],
    root: impl Fn(usize) -> String,
) -> Faults {
    let errors = clashes.iter().map(|clash| FieldError {
        field: format!("{}.refunds[{}].identifier", root(clash.order), clash.refund),
        code: FaultCode::Invalid,
        reason: "names a refund that is already recorded with other content".to_owned(),
    });
    Faults { errors: errors.collect(), total: clashes.len() }
}

//! Exchange orders that were requested: listed, and settled once the merchant has responded.
//!
//! An exchange order is requested by a message like any other. If the message was delivered, the
//! response says which order was placed. If all attempts failed, or the merchant refused it, the
//! units are refunded instead, and the message is discarded so that it cannot be retried.

use boxed::boxed;
use domain::{
    exchanges::{
        answer::{ExchangeAnswer, read_answer},
        record::{ExchangeRecord, ExchangeState},
    },
    identifier::{MerchantId, MessageId},
    json,
    messages::{kind::MessageKind, state::MessageState},
    returns::{identifier::RmaId, rma::RmaEvent},
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use store::{
    Cursor, ExchangeFilter, FailureKey, IntakeKey, MessageFilter, MessageRow, StoreError,
    Transaction, Versioned, next_page, with_causes,
};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{commit_once::retry_conflicts, list_query::read_position},
    messages::message_log::filter_by_reference,
    orders::load_order::find_order,
    returns::{
        change_return::{ReturnTarget, apply_event},
        origin::Origin,
        return_draft::ReturnDraft,
        settle_refunds::exchange_events,
    },
};

/// How many pending exchange orders are loaded at once.
const PENDING_PAGE: usize = 500;
const REFUSED: &str = "the order was not placed; its units are refunded";

/// A page of exchange orders.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExchangeOrders {
    /// Newest first.
    pub exchange_orders: Vec<ExchangeRecord>,
    /// Pass as `before` to read on; absent on the last page.
    pub next: Option<String>,
}

/// Which exchange orders to list.
#[derive(Clone, Debug, Default)]
pub struct ExchangeOrderQuery {
    pub state: Option<ExchangeState>,
    pub rma: Option<String>,
    pub before: Option<String>,
    pub limit: usize,
}

/// The exchange orders of a merchant, so that finance can reconcile them.
#[boxed]
pub async fn list_exchange_orders(
    app: &App,
    merchant: &MerchantId,
    wanted: &ExchangeOrderQuery,
) -> Result<ExchangeOrders, AppError> {
    let before = read_position("before", wanted.before.as_deref(), Cursor::parse)?;
    let rma = wanted.rma.as_deref();
    let filter = ExchangeFilter {
        before: before.unwrap_or_else(Cursor::newest),
        state: wanted.state,
        rma_id: rma.map(|text| RmaId::parse(text).map_or(text.to_owned(), |id| id.to_string())),
        limit: wanted.limit,
    };
    let exchange_orders = app.store.exchange_orders(merchant, &filter).await?;
    let position = |it: &ExchangeRecord| Cursor {
        at_us: it.created_at.as_microsecond(),
        merchant: merchant.to_string(),
        id: it.original_order_id.clone(),
    };
    let next = next_page(&exchange_orders, wanted.limit, position);
    Ok(ExchangeOrders { exchange_orders, next })
}

/// Settles the exchange order that a finished message requested.
#[boxed]
pub async fn settle_exchange_order(app: &App, id: &MessageId) -> Result<(), AppError> {
    let merchant = &id.merchant;
    let Some((message, _)) = app.store.message(merchant, id.number).await? else { return Ok(()) };
    retry_conflicts(|| async {
        let record = app.store.exchange_order(merchant, &message.reference).await?;
        match record.filter(|record| record.value.state == ExchangeState::Pending) {
            Some(pending) => settle_pending(app, merchant, &pending).await,
            None => Ok(()),
        }
    })
    .await
}

/// Settles every pending exchange order whose message is finished, and returns how many were
/// pending. This finds the messages of nodes that were stopped between storing the outcome and
/// settling the order. If one order cannot be settled, the others still are.
#[boxed]
pub async fn settle_exchange_orders(app: &App) -> Result<usize, AppError> {
    let (mut count, mut after) = (0, (String::new(), String::new()));
    loop {
        let page = app.store.pending_exchange_orders(&after.0, &after.1, PENDING_PAGE).await?;
        for (merchant, record) in &page {
            match settle_pending(app, merchant, record).await {
                // Another request was faster. The order is checked again soon.
                Ok(()) | Err(AppError::Store(StoreError::Conflict)) => (),
                Err(error) => {
                    let order = record.value.original_order_id.as_str();
                    let cause = with_causes(&error);
                    tracing::warn!(
                        "settling the exchange order for order {order} of {merchant} failed, \
                         will retry: {cause}"
                    );
                }
            }
        }
        count += page.len();
        match page.last().filter(|_| page.len() == PENDING_PAGE) {
            Some((merchant, last)) => {
                after = (merchant.to_string(), last.value.original_order_id.clone());
            }
            None => return Ok(count),
        }
    }
}

async fn settle_pending(
    app: &App,
    merchant: &MerchantId,
    record: &Versioned<ExchangeRecord>,
) -> Result<(), AppError> {
    let Some(message) = find_message(app, merchant, &record.value).await? else { return Ok(()) };
    match message.state {
        MessageState::Waiting => Ok(()),
        MessageState::Delivered => {
            let answer = load_answer(app, merchant, message.message_id).await?;
            let origin = origin_of(merchant, &message);
            mark_placed(app, merchant, record, &answer, &origin).await
        }
        MessageState::Failed | MessageState::Discarded => {
            mark_failed(app, merchant, record, &message).await
        }
    }
}

/// The message that requests an exchange order.
async fn find_message(
    app: &App,
    merchant: &MerchantId,
    record: &ExchangeRecord,
) -> Result<Option<MessageRow>, AppError> {
    let filter = MessageFilter {
        kind: Some(MessageKind::ExchangeOrder),
        ..filter_by_reference(&record.original_order_id, 1)
    };
    Ok(app.store.messages(merchant, &filter).await?.0.into_iter().next())
}

/// The merchant's response to the attempt that succeeded.
async fn load_answer(
    app: &App,
    merchant: &MerchantId,
    message_id: i64,
) -> Result<ExchangeAnswer, AppError> {
    let attempts = app.store.attempts(merchant, message_id).await?;
    let body = attempts.into_iter().next_back().and_then(|attempt| attempt.answer);
    let document = body.as_deref().and_then(|body| json::parse(body).ok());
    Ok(document.map(|document| read_answer(&document)).unwrap_or_default())
}

async fn mark_placed(
    app: &App,
    merchant: &MerchantId,
    record: &Versioned<ExchangeRecord>,
    answer: &ExchangeAnswer,
    origin: &Origin,
) -> Result<(), AppError> {
    let answer = without_taken_name(app, merchant, &record.value, answer).await?;
    let placed = record.value.placed(&answer, app.world.now());
    let identifier = placed.exchange_order_identifier.clone().unwrap_or_default();
    let placed_event = RmaEvent::ExchangePlaced {
        order_identifier: placed.original_order_id.clone(),
        exchange_order_identifier: identifier.clone(),
    };
    // The merchant may have published the order as shipped or canceled before its response was
    // applied.
    let ended = find_published_events(app, merchant, &identifier).await?;
    let is_cancellation = |it: &RmaEvent| matches!(it, RmaEvent::ExchangeCanceled { .. });
    let cancelled = ended.iter().any(is_cancellation);
    let not_yet = ended.is_empty();
    let events: Vec<RmaEvent> = std::iter::once(placed_event).chain(ended).collect();
    let kept = if cancelled { placed.cancelled() } else { placed };
    let mut transaction = Transaction::new("placing an exchange order");
    transaction.update_exchange_order(merchant, &kept, record.version);
    let target = ReturnTarget { app, merchant, rma: &kept.rma_identifier, origin };
    apply_events(target, &mut transaction, &events).await?;
    app.commit(transaction).await?;
    if !not_yet {
        return Ok(());
    }
    // Or at the same time.
    for event in find_published_events(app, merchant, &identifier).await? {
        let version = record.version + 1;
        apply_event(target, &event, |_, transaction| {
            if is_cancellation(&event) {
                transaction.update_exchange_order(merchant, &kept.cancelled(), version);
            }
        })
        .await?;
    }
    Ok(())
}

/// The response without its identifier, if another exchange order has it. Two orders with one name
/// could not be distinguished when they are published, and one of the returns would never end.
async fn without_taken_name(
    app: &App,
    merchant: &MerchantId,
    record: &ExchangeRecord,
    answer: &ExchangeAnswer,
) -> Result<ExchangeAnswer, AppError> {
    let Some(named) = record.named_by(answer) else { return Ok(answer.clone()) };
    let original = &record.original_order_id;
    let key = IntakeKey { order_id: named, refund_ids: Vec::new(), as_exchange: true };
    let known = app.store.intake_state(merchant, &[key]).await?;
    let owner = known.exchanges.get(named).map(|owner| &owner.value.original_order_id);
    match owner {
        Some(other) if other != original => {
            let ours = record.own_name();
            let cause = format!("it is the identifier of the exchange order for order {other}");
            tracing::warn!(
                "naming the exchange order for order {original} of {merchant} {named} failed, \
                 naming it {ours}: {cause}"
            );
            Ok(ExchangeAnswer { order_identifier: None, ..answer.clone() })
        }
        Some(_) | None => Ok(answer.clone()),
    }
}

async fn mark_failed(
    app: &App,
    merchant: &MerchantId,
    record: &Versioned<ExchangeRecord>,
    message: &MessageRow,
) -> Result<(), AppError> {
    let failed = record.value.failed(app.world.now());
    let order_identifier = failed.original_order_id.clone();
    let mut transaction = Transaction::new("giving up an exchange order");
    transaction.update_exchange_order(merchant, &failed, record.version);
    if message.state == MessageState::Failed {
        app.store.update_message_index(merchant.as_str()).await?;
        let message_id = message.message_id;
        let key = FailureKey { merchant, kind: MessageKind::ExchangeOrder, message_id };
        transaction.discard_failure(key, REFUSED, app.world.now_us());
    }
    let events = [RmaEvent::ExchangeFailed { order_identifier }];
    let origin = origin_of(merchant, message);
    let target = ReturnTarget { app, merchant, rma: &failed.rma_identifier, origin: &origin };
    apply_events(target, &mut transaction, &events).await?;
    Ok(app.commit(transaction).await?)
}

/// What happens to a return after the message that requested its exchange order.
fn origin_of(merchant: &MerchantId, message: &MessageRow) -> Origin {
    Origin::of_message(&MessageId { merchant: merchant.clone(), number: message.message_id })
}

/// Applies events to a return, one after the other, and enqueues a message about each change. An
/// event that the return refuses is skipped.
async fn apply_events(
    target: ReturnTarget<'_>,
    transaction: &mut Transaction,
    events: &[RmaEvent],
) -> Result<(), AppError> {
    let ReturnTarget { app, merchant, rma: id, origin } = target;
    let Some(before) = app.store.rma(merchant, id).await? else { return Ok(()) };
    let mut draft = ReturnDraft::new(before);
    for event in events {
        if let Err(refusal) = draft.apply(event, app.world.now()) {
            let rma = id.as_str();
            tracing::warn!(
                "applying an event to return {rma} of {merchant} failed, \
                 skipping the event: {refusal}"
            );
        }
    }
    draft.put(app, transaction, merchant, origin).await
}

/// What follows from the exchange order as the merchant published it.
async fn find_published_events(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Vec<RmaEvent>, AppError> {
    let order = find_order(app, merchant, order_id).await?;
    Ok(order.as_ref().map(exchange_events).unwrap_or_default())
}

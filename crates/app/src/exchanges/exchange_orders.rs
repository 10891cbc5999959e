//! Exchange orders on their way: what the merchant made of them becomes part of the return.
//!
//! An exchange order is a message like any other. When it was delivered, its answer says what was placed; when
//! its tries are used up, or the merchant refused it, its units are refunded instead and the message is
//! discarded, so that nobody can place the order after all.

use std::sync::{Mutex, PoisonError};

use delivery::OutcomeObserver;
use domain::{
    exchanges::{
        order::{ExchangeAnswer, read_answer},
        record::{ExchangeRecord, ExchangeState},
    },
    identifier::MerchantId,
    json,
    messages::{kind::MessageKind, state::MessageState},
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaEvent, apply},
    },
};
use serde::{Deserialize, Serialize};
use store::{
    Attempt, Cursor, ExchangeFilter, FailureKey, MessageFilter, MessageRow, StoreError,
    Transaction, Versioned, next_page,
};
use tokio::sync::Notify;
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::commit_once::retry_conflicts,
    orders::returnability::find_order,
    returns::{
        change_return::{apply_event, enqueue_message},
        settle_refunds::exchange_event,
    },
};

/// How many are read in one go.
const PENDING_PAGE: usize = 500;
const REFUSED: &str = "the order was not placed; its units are refunded";

/// Messages about exchange orders that ended, until somebody looks at what the merchants made of them.
#[derive(Debug, Default)]
pub struct ExchangeAnswers {
    finished: Mutex<Vec<(MerchantId, i64)>>,
    news: Notify,
}

impl OutcomeObserver for ExchangeAnswers {
    fn outcome_stored(&self, attempt: &Attempt) {
        let message = &attempt.message;
        if attempt.outcome.is_final() && message.kind == MessageKind::ExchangeOrder {
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            finished.push((message.merchant.clone(), message.message_id));
            self.news.notify_one();
        }
    }
}

impl ExchangeAnswers {
    /// Waits until there are some.
    pub async fn next(&self) -> Vec<(MerchantId, i64)> {
        self.news.notified().await;
        std::mem::take(&mut *self.finished.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A page of exchange orders.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExchangeOrders {
    /// Newest first.
    pub exchange_orders: Vec<ExchangeRecord>,
    /// Pass as `before` to read on; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// What was asked of a merchant, for finance to reconcile.
pub async fn list_exchange_orders(
    app: &App,
    merchant: &MerchantId,
    wanted: &ExchangeOrderQuery,
) -> Result<ExchangeOrders, AppError> {
    let before = wanted.before.as_deref().and_then(Cursor::parse);
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

/// Enters what a merchant made of the exchange order that a message asked for.
pub async fn settle_exchange_order(
    app: &App,
    merchant: &MerchantId,
    message_id: i64,
) -> Result<(), AppError> {
    let Some((message, _)) = app.store.message(merchant, message_id).await? else { return Ok(()) };
    retry_conflicts(|| async {
        let record = app.store.exchange_order(merchant, &message.reference).await?;
        match record.filter(|record| record.value.state == ExchangeState::Pending) {
            Some(pending) => settle_pending(app, merchant, &pending).await,
            None => Ok(()),
        }
    })
    .await
}

/// Looks at every exchange order that is being placed, and tells how many there were: a node that is killed after the answer was stored cannot
/// enter it. However many of a merchant's wait, and whatever is wrong with one, the others are looked at.
pub async fn settle_exchange_orders(app: &App) -> Result<usize, AppError> {
    let (mut found, mut after) = (0, (String::new(), String::new()));
    loop {
        let page = app.store.pending_exchange_orders(&after.0, &after.1, PENDING_PAGE).await?;
        for (merchant, record) in &page {
            match settle_pending(app, merchant, record).await {
                // Somebody else was faster: it is looked at again soon.
                Ok(()) | Err(AppError::Store(StoreError::Conflict)) => (),
                Err(error) => {
                    let order = record.value.original_order_id.as_str();
                    let merchant = merchant.as_str();
                    tracing::warn!(%error, merchant, order, "an exchange order waits: {error}");
                }
            }
        }
        found += page.len();
        match page.last().filter(|_| page.len() == PENDING_PAGE) {
            Some((merchant, last)) => {
                after = (merchant.to_string(), last.value.original_order_id.clone());
            }
            None => return Ok(found),
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
            mark_placed(app, merchant, record, &answer).await
        }
        MessageState::Failed | MessageState::Discarded => {
            mark_failed(app, merchant, record, &message).await
        }
    }
}

/// The message that asks for an exchange order.
async fn find_message(
    app: &App,
    merchant: &MerchantId,
    record: &ExchangeRecord,
) -> Result<Option<MessageRow>, AppError> {
    let filter = MessageFilter {
        before: i64::MAX,
        state: None,
        kind: Some(MessageKind::ExchangeOrder),
        reference: Some(record.original_order_id.clone()),
        limit: 1,
    };
    Ok(app.store.messages(merchant, &filter).await?.0.into_iter().next())
}

/// What the merchant answered to the attempt that succeeded.
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
) -> Result<(), AppError> {
    let now = app.world.now();
    let placed = record.value.placed(answer, now);
    let identifier = placed.exchange_order_identifier.clone().unwrap_or_default();
    let placed_event = RmaEvent::ExchangePlaced {
        order_identifier: placed.original_order_id.clone(),
        exchange_order_identifier: identifier.clone(),
    };
    // The merchant may have published the order as shipped or cancelled before we knew that it was placed.
    let ended = find_published_event(app, merchant, &identifier).await?;
    let events: Vec<RmaEvent> = std::iter::once(placed_event).chain(ended.clone()).collect();
    let cancelled = matches!(ended, Some(RmaEvent::ExchangeCancelled { .. }));
    let kept = if cancelled { placed.cancelled() } else { placed };
    let mut transaction = Transaction::new("placing an exchange order");
    transaction.update_exchange_order(merchant, &kept, record.version);
    apply_events(app, &mut transaction, merchant, &kept.rma_identifier, &events).await?;
    app.commit(transaction).await?;
    // Or at the same moment.
    if ended.is_none()
        && let Some(event) = find_published_event(app, merchant, &identifier).await?
    {
        let (id, version) = (&kept.rma_identifier, record.version + 1);
        apply_event(app, merchant, id, &event, |_, transaction| {
            if let RmaEvent::ExchangeCancelled { .. } = event {
                transaction.update_exchange_order(merchant, &kept.cancelled(), version);
            }
        })
        .await?;
    }
    Ok(())
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
        let message_id = message.message_id;
        let key = FailureKey { merchant, kind: MessageKind::ExchangeOrder, message_id };
        transaction.discard_failure(key, REFUSED, app.world.now_us());
    }
    let events = [RmaEvent::ExchangeFailed { order_identifier }];
    apply_events(app, &mut transaction, merchant, &failed.rma_identifier, &events).await?;
    Ok(app.commit(transaction).await?)
}

/// Applies events to a return, one after the other, and enqueues a message about each change. An event
/// that the return refuses is skipped.
async fn apply_events(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    id: &RmaId,
    events: &[RmaEvent],
) -> Result<(), AppError> {
    let Some(before) = app.store.rma(merchant, id).await? else { return Ok(()) };
    let mut after: Option<Rma> = None;
    for event in events {
        match apply(after.as_ref().unwrap_or(&before.value), event, app.world.now()) {
            Ok(decision) if decision.changed => {
                enqueue_message(app, transaction, merchant, &decision.rma);
                after = Some(decision.rma);
            }
            Ok(_) => (),
            Err(refusal) => {
                let (rma, merchant) = (id.as_str(), merchant.as_str());
                tracing::warn!(rma, merchant, "event skipped for return {rma}: {refusal}");
            }
        }
    }
    if let Some(rma) = after {
        transaction.update_return(merchant, &rma, before.version, before.value.status);
    }
    Ok(())
}

/// What the merchant published of an exchange order means for its return, if anything.
async fn find_published_event(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<RmaEvent>, AppError> {
    let found = find_order(app, merchant, order_id).await?;
    Ok(found.and_then(|order| exchange_event(order_id, order.status)))
}

//! Changes of a return after it was started: events change it, and its merchant gets a message.

use std::collections::BTreeSet;

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{
        identifier::RmaId,
        message::RmaMessage,
        rma::{Rma, RmaEvent, RmaRefusal, apply},
    },
};
use store::{Transaction, Versioned};

use crate::{
    App, AppError,
    core::{
        commit_once::{commit_once, retry_conflicts},
        scope::RequestScope,
    },
    messages::outbox::{self, About},
};

pub async fn load_return(app: &App, merchant: &MerchantId, rma: &str) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    Ok(find_versioned(app, merchant, &id).await?.value)
}

/// Cancels a return. Its units can be returned again.
pub async fn cancel_return(scope: RequestScope<'_>, rma: &str) -> Result<Rma, AppError> {
    let merchant = scope.merchant()?;
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    commit_once(scope, || decide_cancellation(scope.app, merchant, &id)).await
}

/// The canceled return, and the transaction that cancels it.
pub(crate) async fn decide_cancellation(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<(Rma, Transaction), AppError> {
    let before = find_versioned(app, merchant, id).await?;
    let mut transaction = Transaction::new("canceling a return");
    let rma = put_after_event(app, &mut transaction, merchant, &before, &RmaEvent::Canceled)?;
    if rma != before.value {
        transaction.end_label_request(merchant, id);
        for order_id in order_ids(&rma) {
            let ledger = app.store.ledger(merchant, order_id).await?;
            let released = ledger.value.release(id.as_str());
            transaction.put_ledger(merchant, order_id, &released, ledger.version);
        }
    }
    Ok((rma, transaction))
}

/// Closes the receiving of a return: the warehouse expects no more units of it.
pub async fn close_receiving(scope: RequestScope<'_>, rma: &str) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    let merchant = find_owner(scope, &id).await?.ok_or(AppError::NotFound("return"))?;
    commit_once(scope, || decide_closing(scope.app, &merchant, &id)).await
}

/// The return with its receiving closed, and the transaction that closes it.
pub(crate) async fn decide_closing(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<(Rma, Transaction), AppError> {
    let before = find_versioned(app, merchant, id).await?;
    let mut transaction = Transaction::new("closing the receiving of a return");
    let rma =
        put_after_event(app, &mut transaction, merchant, &before, &RmaEvent::ReceivingClosed)?;
    Ok((rma, transaction))
}

/// The orders that the units of a return belong to.
pub(crate) fn order_ids(rma: &Rma) -> BTreeSet<&str> {
    rma.units.iter().map(|unit| unit.goods.order_identifier.as_str()).collect()
}

/// The merchant of a return, if the request may know of the return.
pub(crate) async fn find_owner(
    scope: RequestScope<'_>,
    rma: &RmaId,
) -> Result<Option<MerchantId>, AppError> {
    let store = &scope.app.store;
    match scope.merchant {
        Some(merchant) => Ok(store.rma(merchant, rma).await?.map(|_| merchant.clone())),
        None => Ok(store.merchant_of_rma(rma).await?),
    }
}

async fn find_versioned(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<Versioned<Rma>, AppError> {
    app.store.rma(merchant, id).await?.ok_or(AppError::NotFound("return"))
}

/// Applies an event and stores the return if it changed. An event that contradicts the return is a
/// conflict.
fn put_after_event(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    before: &Versioned<Rma>,
    event: &RmaEvent,
) -> Result<Rma, AppError> {
    let decision = apply(&before.value, event, app.world.now())
        .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
    if decision.changed {
        put_return(app, transaction, merchant, before, &decision.rma);
    }
    Ok(decision.rma)
}

/// Stores a changed return and enqueues the message about it.
pub(crate) fn put_return(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    before: &Versioned<Rma>,
    rma: &Rma,
) {
    transaction.update_return(merchant, rma, before.version, before.value.status);
    enqueue_message(app, transaction, merchant, rma);
}

/// Enqueues the message about a return as it is now.
pub(crate) fn enqueue_message(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
) {
    let body = serde_json::to_vec(&RmaMessage::of(rma)).expect("a message has string keys");
    let about = About {
        kind: MessageKind::Rma,
        reference: rma.rma_identifier.as_str(),
        sequence: rma.messages_sent,
    };
    transaction.enqueue(outbox::message(app, merchant, &about, Bytes::from(body)));
}

/// The effect of an event on a return.
pub(crate) enum EventEffect {
    Changed,
    /// The event was already applied, or it came too late.
    Unchanged,
    /// The event contradicts the return.
    Refused(RmaRefusal),
    /// The return does not exist.
    Unknown,
}

/// Applies an event to a return. `add_changes` adds to the transaction what else must be committed
/// with the changed return.
pub(crate) async fn apply_event(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
    event: &RmaEvent,
    add_changes: impl Fn(&Rma, &mut Transaction) + Sync,
) -> Result<EventEffect, AppError> {
    retry_conflicts(|| async {
        let Some(before) = app.store.rma(merchant, id).await? else {
            return Ok(EventEffect::Unknown);
        };
        let decision = match apply(&before.value, event, app.world.now()) {
            Ok(decision) => decision,
            Err(refusal) => return Ok(EventEffect::Refused(refusal)),
        };
        if !decision.changed {
            return Ok(EventEffect::Unchanged);
        }
        let mut transaction = Transaction::new("applying an event to a return");
        put_return(app, &mut transaction, merchant, &before, &decision.rma);
        add_changes(&decision.rma, &mut transaction);
        app.commit(transaction).await?;
        Ok(EventEffect::Changed)
    })
    .await
}

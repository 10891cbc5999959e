//! What happens to a return after it began: events from outside change it, and its merchant is told.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{
        identifier::RmaId,
        message::message,
        rma::{Rma, RmaEvent, RmaRefusal, apply},
    },
};
use store::{StoreError, Transaction, Versioned};

use crate::{
    App, AppError,
    access::authenticate::Caller,
    core::commit_once::{COMMIT_ATTEMPTS_MAX, Request, commit_once},
    messages::outbox::{self, About},
};

/// A return as it stands.
pub async fn load_return(app: &App, merchant: &MerchantId, rma: &str) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    Ok(found(app, merchant, &id).await?.value)
}

/// The shopper or the merchant takes a return back. Its units can be returned again.
pub async fn cancel_return(
    app: &App,
    merchant: &MerchantId,
    request: Request<'_>,
    rma: &str,
) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    commit_once(app, request, || decide_cancellation(app, merchant, &id)).await
}

/// The return when it is canceled, and what that changes.
pub(crate) async fn decide_cancellation(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<(Rma, Transaction), AppError> {
    let before = found(app, merchant, id).await?;
    let mut transaction = Transaction::new("cancelling a return");
    let rma = changed(app, &mut transaction, merchant, (&before, &RmaEvent::Canceled))?;
    if rma != before.value {
        transaction.end_label_request(merchant, id);
        let mut orders: Vec<&str> =
            rma.units.iter().map(|unit| unit.goods.order_identifier.as_str()).collect();
        orders.sort_unstable();
        orders.dedup();
        for order_id in orders {
            let ledger = app.store.ledger(merchant, order_id).await?;
            let released = ledger.value.release(id.as_str());
            transaction.put_ledger(merchant, order_id, &released, ledger.version);
        }
    }
    Ok((rma, transaction))
}

/// The warehouse awaits nothing more of a return.
pub async fn close_receiving(
    app: &App,
    caller: &Caller,
    request: Request<'_>,
    rma: &str,
) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    let merchant = find_owner(app, caller, &id).await?.ok_or(AppError::NotFound("return"))?;
    commit_once(app, request, || decide_closing(app, &merchant, &id)).await
}

/// The return when its receiving is closed, and what that changes.
pub(crate) async fn decide_closing(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<(Rma, Transaction), AppError> {
    let before = found(app, merchant, id).await?;
    let mut transaction = Transaction::new("closing the receiving of a return");
    let rma = changed(app, &mut transaction, merchant, (&before, &RmaEvent::ReceivingClosed))?;
    Ok((rma, transaction))
}

/// Whose return this is, as far as the caller may know.
pub(crate) async fn find_owner(
    app: &App,
    caller: &Caller,
    rma: &RmaId,
) -> Result<Option<MerchantId>, AppError> {
    match &caller.merchant {
        Some(merchant) => Ok(app.store.rma(merchant, rma).await?.map(|_| merchant.clone())),
        None => Ok(app.store.merchant_of_rma(rma).await?),
    }
}

async fn found(app: &App, merchant: &MerchantId, id: &RmaId) -> Result<Versioned<Rma>, AppError> {
    app.store.rma(merchant, id).await?.ok_or(AppError::NotFound("return"))
}

/// The return after an event, put into the transaction if it is another; what the event contradicts
/// is a conflict.
fn changed(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    (before, event): (&Versioned<Rma>, &RmaEvent),
) -> Result<Rma, AppError> {
    let decision = apply(&before.value, event, app.world.now())
        .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
    if decision.changed {
        put_return(app, transaction, merchant, (&decision.rma, before));
    }
    Ok(decision.rma)
}

/// Stores a return that was another before, and owes the message that tells of it.
pub(crate) fn put_return(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    (rma, before): (&Rma, &Versioned<Rma>),
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
    let body = serde_json::to_vec(&message(rma)).expect("a message has string keys");
    let about = About {
        kind: MessageKind::Rma,
        reference: rma.rma_identifier.as_str(),
        sequence: rma.messages_sent,
    };
    transaction.enqueue(outbox::message(app, merchant, &about, Bytes::from(body)));
}

/// What an event did to a return.
pub(crate) enum EventEffect {
    Changed(Rma),
    /// It is told again, or too late.
    Unchanged,
    /// It contradicts what is known.
    Refused(RmaRefusal),
    /// There is no such return.
    Unknown,
}

/// Applies an event to a return; `beside` adds what else is to be committed with the changed one.
pub(crate) async fn apply_event(
    app: &App,
    merchant: &MerchantId,
    (id, event): (&RmaId, &RmaEvent),
    beside: impl Fn(&Rma, &mut Transaction),
) -> Result<EventEffect, AppError> {
    for _ in 0..COMMIT_ATTEMPTS_MAX {
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
        let mut transaction = Transaction::new("telling a return what happened");
        put_return(app, &mut transaction, merchant, (&decision.rma, &before));
        beside(&decision.rma, &mut transaction);
        match app.commit(transaction).await {
            Ok(()) => return Ok(EventEffect::Changed(decision.rma)),
            Err(StoreError::Conflict) => (),
            Err(error) => return Err(error.into()),
        }
    }
    Err(StoreError::Conflict.into())
}

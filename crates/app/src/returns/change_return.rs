//! Changes of a return after it was started: events change it, and its merchant gets a message.

use std::collections::BTreeSet;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaEvent},
    },
};
use store::{Transaction, Versioned};

use crate::{
    App, AppError,
    carriers::jobs::enqueue_refund,
    core::{
        commit_once::{commit_once, retry_conflicts},
        scope::RequestScope,
    },
    returns::{origin::Origin, return_draft::ReturnDraft},
};

#[boxed]
pub async fn load_return(app: &App, merchant: &MerchantId, rma: &str) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    Ok(find_versioned(app, merchant, &id).await?.value)
}

/// Cancels a return. Its units can be returned again.
#[boxed]
pub async fn cancel_return(scope: RequestScope<'_>, rma: &str) -> Result<Rma, AppError> {
    let merchant = scope.merchant()?;
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    let target =
        ReturnTarget { app: scope.app, merchant, rma: &id, origin: &Origin::of_request(scope) };
    commit_once(scope, || decide_cancellation(target)).await
}

/// The canceled return, and the transaction that cancels it.
pub(crate) async fn decide_cancellation(
    target: ReturnTarget<'_>,
) -> Result<(Rma, Transaction), AppError> {
    let ReturnTarget { app, merchant, rma: id, .. } = target;
    let mut transaction = Transaction::new("canceling a return");
    let (rma, changed) = target.put_event(&mut transaction, &RmaEvent::Canceled).await?;
    if changed {
        transaction.end_label_request(merchant, id);
        enqueue_refund(app, &mut transaction, merchant, &rma, rma.label_generation).await?;
        for order_id in order_ids(&rma) {
            let ledger = app.store.ledger(merchant, order_id).await?;
            let released = ledger.value.release(id.as_str());
            transaction.put_ledger(merchant, order_id, &released, ledger.version);
        }
    }
    Ok((rma, transaction))
}

/// Closes the receiving of a return: the warehouse expects no more units of it.
#[boxed]
pub async fn close_receiving(scope: RequestScope<'_>, rma: &str) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    let merchant = find_owner(scope, &id).await?.ok_or(AppError::NotFound("return"))?;
    let target = ReturnTarget {
        app: scope.app,
        merchant: &merchant,
        rma: &id,
        origin: &Origin::of_warehouse(scope),
    };
    commit_once(scope, || decide_closing(target)).await
}

/// The return with its receiving closed, and the transaction that closes it.
pub(crate) async fn decide_closing(
    target: ReturnTarget<'_>,
) -> Result<(Rma, Transaction), AppError> {
    let mut transaction = Transaction::new("closing the receiving of a return");
    let (rma, _) = target.put_event(&mut transaction, &RmaEvent::ReceivingClosed).await?;
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

/// A return that something happened to.
#[derive(Clone, Copy)]
pub(crate) struct ReturnTarget<'a> {
    pub(crate) app: &'a App,
    pub(crate) merchant: &'a MerchantId,
    pub(crate) rma: &'a RmaId,
    /// Who reports it.
    pub(crate) origin: &'a Origin,
}

impl ReturnTarget<'_> {
    /// Applies an event that must not contradict the return, and says whether it changed.
    pub(crate) async fn put_event(
        &self,
        transaction: &mut Transaction,
        event: &RmaEvent,
    ) -> Result<(Rma, bool), AppError> {
        let mut draft = ReturnDraft::new(find_versioned(self.app, self.merchant, self.rma).await?);
        let decision = draft
            .apply(event, self.app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        draft.put(self.app, transaction, self.merchant, self.origin).await?;
        Ok((decision.rma, decision.changed))
    }
}

/// The effect of an event on a return.
pub(crate) enum EventEffect {
    Changed,
    /// The event was already applied, or it came too late.
    Unchanged,
    /// The event contradicts the return, or cannot be applied, and why.
    Refused(String),
    /// The return does not exist.
    Unknown,
}

/// Applies an event to a return. `add_changes` adds to the transaction what else must be committed
/// with the changed return.
pub(crate) async fn apply_event(
    target: ReturnTarget<'_>,
    event: &RmaEvent,
    add_changes: impl Fn(&Rma, &mut Transaction) + Sync,
) -> Result<EventEffect, AppError> {
    let ReturnTarget { app, merchant, rma: id, origin } = target;
    retry_conflicts(|| async {
        let Some(before) = app.store.rma(merchant, id).await? else {
            return Ok(EventEffect::Unknown);
        };
        let mut draft = ReturnDraft::new(before);
        let decision = match draft.apply(event, app.world.now()) {
            Ok(decision) => decision,
            Err(refusal) => return Ok(EventEffect::Refused(refusal.to_string())),
        };
        if !decision.changed {
            return Ok(EventEffect::Unchanged);
        }
        let mut transaction = Transaction::new("applying an event to a return");
        draft.put(app, &mut transaction, merchant, origin).await?;
        add_changes(&decision.rma, &mut transaction);
        app.commit(transaction).await?;
        Ok(EventEffect::Changed)
    })
    .await
}

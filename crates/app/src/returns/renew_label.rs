//! A shopper or an operator asks for a new label instead of one that cannot be used.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    merchants::merchant::CarrierMode,
    orders::erasure::{is_erased, is_marked_as_erased},
    returns::{
        ReturnMethod,
        identifier::RmaId,
        rma::{Rma, RmaEvent, VoidReason},
    },
};
use serde_json::json;
use store::Transaction;

use crate::{
    App, AppError,
    carriers::jobs::{enqueue_purchase, enqueue_refund},
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    orders::load_order::find_newest_snapshot,
    returns::{
        change_return::{ReturnTarget, load_return, order_ids},
        origin::Origin,
    },
};

/// Labels cost money. A shopper who needs more than this many calls the merchant.
const BY_SHOPPER_MAX: i64 = 3;

/// Who asks for a new label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelRequester {
    Shopper,
    /// Recorded in the audit trail.
    Operator,
    /// The merchant's own system.
    Client,
}

/// An operator asks for the shopper. `reason` is the name of one.
#[boxed]
pub async fn renew_by_hand(
    scope: RequestScope<'_>,
    rma: &str,
    reason: &str,
) -> Result<Rma, AppError> {
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    let merchant = scope.app.store.merchant_of_rma(&id).await?;
    let merchant = merchant.ok_or(AppError::NotFound("return"))?;
    let reason = VoidReason::parse_request(reason)
        .ok_or_else(|| AppError::Conflict("a new label needs a reason".to_owned()))?;
    renew_label(scope.for_merchant(&merchant), LabelRequester::Operator, rma, reason).await
}

/// Ends the labels of a return and requests new ones from its carrier.
#[boxed]
pub async fn renew_label(
    scope: RequestScope<'_>,
    requester: LabelRequester,
    rma: &str,
    reason: VoidReason,
) -> Result<Rma, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
    let owner = app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let carrier = owner.value.settings.carrier;
    let origin = Origin::of_request(scope);
    let target = ReturnTarget { app, merchant, rma: &id, origin: &origin };
    let renewed = commit_once(scope, || async {
        let before = load_return(app, merchant, id.as_str()).await?;
        if !has_sender(app, merchant, &before).await? {
            let why = "the data of the shopper was erased, so a label would have no sender";
            return Err(AppError::Conflict(why.to_owned()));
        }
        let generation = before.label_generation;
        if requester == LabelRequester::Shopper && generation > BY_SHOPPER_MAX {
            return Err(AppError::Conflict("too many labels were requested".to_owned()));
        }
        let mut transaction = Transaction::new("requesting a new label");
        let event = RmaEvent::LabelRenewed { generation, reason };
        let (rma, changed) = target.put_event(&mut transaction, &event).await?;
        if changed {
            enqueue_refund(app, &mut transaction, merchant, &rma, generation).await?;
            request_label(app, &mut transaction, merchant, &rma, carrier);
        }
        if requester == LabelRequester::Operator {
            let detail = json!({ "return": id, "reason": reason });
            record_change(scope, &mut transaction, "label.renew", &detail);
        }
        Ok((rma, transaction))
    })
    .await?;
    notify_carrier(app, carrier);
    Ok(renewed)
}

/// Whether a label of the return would have a sender: not after the shopper was erased.
pub(crate) async fn has_sender(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<bool, AppError> {
    if rma.email.is_some() || rma.giftee_email.is_some() {
        return Ok(!is_marked_as_erased(rma));
    }
    // Only its orders show whether they were erased with it.
    for order_id in order_ids(rma) {
        let order = find_newest_snapshot(app, merchant, order_id).await?;
        if order.is_some_and(|order| is_erased(&order)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks the carrier for the labels of a return, in the transaction that needs them.
pub(crate) fn request_label(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    carrier: CarrierMode,
) {
    if rma.return_method == ReturnMethod::CustomerKeep {
        return;
    }
    if carrier == CarrierMode::Easypost {
        // The merchant may have used another carrier before.
        transaction.end_label_request(merchant, &rma.rma_identifier);
        enqueue_purchase(app, transaction, merchant, rma);
    } else {
        let now_us = app.world.now_us();
        transaction.request_label(merchant, &rma.rma_identifier, carrier.name(), now_us);
    }
}

/// After the commit: other carriers ask for label requests themselves.
pub(crate) fn notify_carrier(app: &App, carrier: CarrierMode) {
    if carrier == CarrierMode::Simulated {
        app.labels_wanted.notify_one();
    }
}

//! Units that arrive for a return: received, or kept as an exception until an operator decides.

use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        receipt::Receipt,
        rma::{Rma, RmaRefusal, RmaUnit},
    },
    warehouse::{
        receiving::{ReturnedUnit, receive_for_return},
        unit::{UnitRecord, UnitRefusal},
    },
};
use store::{Transaction, UnitRow, Versioned};

use crate::{
    App, AppError,
    core::{commit_once::retry_conflicts, scope::RequestScope},
    returns::{
        carrier_events::EventResult,
        change_return::{EventEffect, find_owner},
        origin::Origin,
        return_draft::ReturnDraft,
    },
    warehouse::{
        asn_receipts::{NamedReceipt, receive_for_asn},
        disposition::with_channel,
    },
};

/// Receives a unit for a return. The unit is here even if the return does not expect it, so it is
/// kept then.
pub(crate) async fn receive_returned_unit(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'_>,
    rma: &RmaId,
) -> Result<EventResult, AppError> {
    let Some(merchant) = find_owner(scope, rma).await? else {
        let kept = set_aside(scope, named, rma).await?;
        return Ok(with_reason(kept, "the return is unknown"));
    };
    let scope = scope.for_merchant(&merchant);
    match receive(scope, &merchant, named, rma).await? {
        Ok(effect) => Ok(EventResult::of(Some(rma), &effect)),
        // The goods of the merchant are received elsewhere, so the report is a mistake.
        Err(NotReceived::Return(refusal @ RmaRefusal::ReceivingNotManaged)) => {
            Ok(EventResult::of(Some(rma), &EventEffect::Refused(refusal.to_string())))
        }
        Err(refused) => {
            let kept = set_aside(scope, named, rma).await?;
            let kept = match refused {
                NotReceived::Return(refusal) => with_reason(kept, &refusal.to_string()),
                NotReceived::Elsewhere => kept,
            };
            Ok(EventResult { rma_identifier: Some(rma.to_string()), ..kept })
        }
    }
}

/// Keeps a unit as an exception, like a unit that its ASN does not announce.
async fn set_aside(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'_>,
    rma: &RmaId,
) -> Result<EventResult, AppError> {
    let asn_number = Some(rma.to_string());
    let receipt = Receipt { rma_identifier: None, asn_number, ..named.receipt.clone() };
    let kept = NamedReceipt { name: named.name.clone(), receipt: &receipt };
    Ok(receive_for_asn(scope, &kept).await?.view())
}

/// The result of a unit that was set aside, with what the return has against it. A unit that was
/// asked about before needs no reason.
fn with_reason(kept: EventResult, reason: &str) -> EventResult {
    let message = kept.message.is_some().then(|| reason.to_owned());
    EventResult { message, ..kept }
}

/// Why a unit is not received for a return.
enum NotReceived {
    /// The return does not expect it.
    Return(RmaRefusal),
    /// The unit was received elsewhere, was rejected or leaves.
    Elsewhere,
}

/// The effect of the receipt on the return, or why the unit is not received.
async fn receive(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    named: &NamedReceipt<'_>,
    rma: &RmaId,
) -> Result<Result<EventEffect, NotReceived>, AppError> {
    let (app, origin) = (scope.app, Origin::of_warehouse(scope));
    let receipt = with_channel(app, merchant, named.receipt, rma).await?;
    let event = receipt.rma_event(&named.name);
    retry_conflicts(|| async {
        let Some(before) = app.store.rma(merchant, rma).await? else {
            return Ok(Ok(EventEffect::Unknown));
        };
        let mut draft = ReturnDraft::new(before);
        let decision = match draft.apply(&event, app.world.now()) {
            Ok(decision) => decision,
            Err(refusal) => return Ok(Err(NotReceived::Return(refusal))),
        };
        if !decision.changed {
            return Ok(Ok(EventEffect::Unchanged));
        }
        let mut transaction = Transaction::new("receiving a unit for a return");
        draft.put(app, &mut transaction, merchant, &origin).await?;
        let recorded = record_unit(app, &mut transaction, merchant, &decision.rma, &receipt);
        if recorded.await?.is_err() {
            return Ok(Err(NotReceived::Elsewhere));
        }
        app.commit(transaction).await?;
        Ok(Ok(EventEffect::Changed))
    })
    .await
}

/// Records a unit that the return `rma` has just received. A unit without a license plate has no
/// record.
async fn record_unit(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    receipt: &Receipt,
) -> Result<Result<(), UnitRefusal>, AppError> {
    let received = receipt.unit_identifier.as_deref().and_then(|plate| {
        let is_meant = |unit: &&RmaUnit| {
            unit.receipt.as_ref().is_some_and(|receipt| receipt.receipt_identifier == plate)
        };
        Some((plate, rma.units.iter().find(is_meant)?))
    });
    let Some((plate, received)) = received else { return Ok(Ok(())) };
    let known = app.store.units(merchant, [plate].into_iter()).await?.pop();
    let known = known.unwrap_or_else(|| Versioned { value: UnitRecord::new(plate), version: 0 });
    let returned = ReturnedUnit {
        rma: &rma.rma_identifier,
        line_identifier: &received.goods.order_line_item_identifier,
        scanned: receipt,
    };
    Ok(receive_for_return(&known.value, returned, app.world.now()).map(|unit| {
        transaction.put_units(merchant, vec![UnitRow { replaces: known.version, unit }]);
    }))
}

//! Units that arrive for a return: received, or kept as an exception until an operator decides.

use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        receipt::Receipt,
        rma::{Rma, RmaRefusal},
    },
    warehouse::unit::{ReceivingAnswer, UnitEvent, WarehouseUnitReceipt, apply},
};
use store::{Transaction, UnitRow};

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
pub(crate) async fn receive_for_return(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'_>,
    rma: &RmaId,
) -> Result<EventResult, AppError> {
    let Some(merchant) = find_owner(scope, rma).await? else {
        return set_aside(scope, named, rma, "the return is unknown").await;
    };
    let scope = scope.for_merchant(&merchant);
    match receive(scope, &merchant, named, rma).await? {
        Ok(effect) => Ok(EventResult::of(Some(rma), &effect)),
        // The goods of the merchant are received elsewhere, so the report is a mistake.
        Err(refusal @ RmaRefusal::ReceivingNotManaged) => {
            Ok(EventResult::of(Some(rma), &EventEffect::Refused(refusal.to_string())))
        }
        Err(refusal) => {
            let kept = set_aside(scope, named, rma, &refusal.to_string()).await?;
            Ok(EventResult { rma_identifier: Some(rma.to_string()), ..kept })
        }
    }
}

/// Keeps a unit as an exception, like a unit that its ASN does not announce.
async fn set_aside(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'_>,
    rma: &RmaId,
    reason: &str,
) -> Result<EventResult, AppError> {
    let asn_number = Some(rma.to_string());
    let receipt = Receipt { rma_identifier: None, asn_number, ..named.receipt.clone() };
    let kept = NamedReceipt { name: named.name.clone(), receipt: &receipt };
    let result = receive_for_asn(scope, &kept).await?.view();
    let message = result.message.is_some().then(|| reason.to_owned());
    Ok(EventResult { message, ..result })
}

/// The effect of the receipt on the return, or why the return does not expect the unit.
async fn receive(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    named: &NamedReceipt<'_>,
    rma: &RmaId,
) -> Result<Result<EventEffect, RmaRefusal>, AppError> {
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
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !decision.changed {
            return Ok(Ok(EventEffect::Unchanged));
        }
        let mut transaction = Transaction::new("receiving a unit for a return");
        draft.put(app, &mut transaction, merchant, &origin).await?;
        answer_question(app, &mut transaction, merchant, &decision.rma, &receipt).await?;
        app.commit(transaction).await?;
        Ok(Ok(EventEffect::Changed))
    })
    .await
}

/// Ends the question about a unit that was set aside for the return before, because the return
/// expects it after all.
async fn answer_question(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    receipt: &Receipt,
) -> Result<(), AppError> {
    let Some(plate) = receipt.unit_identifier.as_deref() else { return Ok(()) };
    let Some(known) = app.store.units(merchant, [plate].into_iter()).await?.pop() else {
        return Ok(());
    };
    let number = rma.rma_identifier.as_str();
    let is_open = known.value.question(number).is_some_and(|it| it.answer.is_none());
    let received = rma.units.iter().find(|unit| {
        unit.receipt.as_ref().is_some_and(|receipt| receipt.receipt_identifier == plate)
    });
    let Some(received) = received.filter(|_| is_open) else { return Ok(()) };
    let (now, line) = (app.world.now(), &received.goods.order_line_item_identifier);
    let answer = ReceivingAnswer::MatchReturn {
        rma_identifier: rma.rma_identifier.clone(),
        line_identifier: line.clone(),
    };
    let answered = UnitEvent::Answered { asn_number: number.to_owned(), answer };
    let arrived = UnitEvent::Received(Box::new(WarehouseUnitReceipt {
        asn_number: number.to_owned(),
        line_identifier: Some(line.clone()),
        received_at: now,
        scanned: receipt.clone(),
    }));
    let after = apply(&known.value, &answered, now);
    // A unit that was received elsewhere stays a question.
    if let Ok(after) = after.and_then(|it| apply(&it.unit, &arrived, now)) {
        transaction
            .put_units(merchant, vec![UnitRow { replaces: known.version, unit: after.unit }]);
    }
    Ok(())
}

//! Changes of a return by an operator. Each is recorded in the audit trail, with the reason.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, rma::Rma},
};
use serde_json::{Value, json};
use store::Transaction;

use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    returns::{
        change_return::{ReturnTarget, decide_cancellation, decide_closing},
        origin::Origin,
    },
};

/// Cancels a return for the shopper or the merchant.
#[boxed]
pub async fn cancel_by_hand(
    scope: RequestScope<'_>,
    rma: &str,
    reason: &str,
) -> Result<Rma, AppError> {
    let found = find_return(scope.app, rma).await?;
    let (scope, id, origin) = (found.scope(scope), &found.id, Origin::of_request(scope));
    commit_once(scope, || async {
        let (rma, mut transaction) = decide_cancellation(found.target(scope, &origin)).await?;
        let mut detail = json!({ "rma_identifier": id.as_str() });
        if let (false, Some(fields)) = (reason.is_empty(), detail.as_object_mut()) {
            fields.insert("reason".to_owned(), reason.into());
        }
        record_if_changed(scope, &mut transaction, "return.cancel", &detail);
        Ok((rma, transaction))
    })
    .await
}

/// Closes the receiving of a return.
#[boxed]
pub async fn close_receiving_by_hand(scope: RequestScope<'_>, rma: &str) -> Result<Rma, AppError> {
    let found = find_return(scope.app, rma).await?;
    let (scope, id, origin) = (found.scope(scope), &found.id, Origin::of_request(scope));
    commit_once(scope, || async {
        let (rma, mut transaction) = decide_closing(found.target(scope, &origin)).await?;
        let detail = json!({ "rma_identifier": id.as_str() });
        record_if_changed(scope, &mut transaction, "return.close_receiving", &detail);
        Ok((rma, transaction))
    })
    .await
}

/// A return whose merchant was found by its identifier.
struct FoundReturn {
    merchant: MerchantId,
    id: RmaId,
}

impl FoundReturn {
    fn scope<'a>(&'a self, scope: RequestScope<'a>) -> RequestScope<'a> {
        scope.for_merchant(&self.merchant)
    }

    fn target<'a>(&'a self, scope: RequestScope<'a>, origin: &'a Origin) -> ReturnTarget<'a> {
        ReturnTarget { app: scope.app, merchant: &self.merchant, rma: &self.id, origin }
    }
}

/// The merchant of a return, if there is such a return.
#[boxed]
pub async fn find_return_owner(app: &App, rma: &str) -> Result<Option<MerchantId>, AppError> {
    match RmaId::parse(rma) {
        Some(id) => Ok(app.store.merchant_of_rma(&id).await?),
        None => Ok(None),
    }
}

async fn find_return(app: &App, rma: &str) -> Result<FoundReturn, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let merchant = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    Ok(FoundReturn { merchant, id })
}

/// Records a change; an action that changed nothing is not recorded.
fn record_if_changed(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    action: &str,
    detail: &Value,
) {
    if !transaction.is_empty() {
        record_change(scope, transaction, action, detail);
    }
}

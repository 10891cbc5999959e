//! Changes of a return by an operator. Each is recorded in the audit trail, with the reason.

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
pub async fn cancel_by_hand(
    scope: RequestScope<'_>,
    rma: &str,
    reason: &str,
) -> Result<Rma, AppError> {
    let app = scope.app;
    let (merchant, id) = find_return(app, rma).await?;
    let scope = scope.for_merchant(&merchant);
    let origin = Origin::of_request(scope);
    let target = ReturnTarget { app, merchant: &merchant, rma: &id, origin: &origin };
    commit_once(scope, || async {
        let (rma, mut transaction) = decide_cancellation(target).await?;
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
pub async fn close_receiving_by_hand(scope: RequestScope<'_>, rma: &str) -> Result<Rma, AppError> {
    let app = scope.app;
    let (merchant, id) = find_return(app, rma).await?;
    let scope = scope.for_merchant(&merchant);
    let origin = Origin::of_request(scope);
    let target = ReturnTarget { app, merchant: &merchant, rma: &id, origin: &origin };
    commit_once(scope, || async {
        let (rma, mut transaction) = decide_closing(target).await?;
        let detail = json!({ "rma_identifier": id.as_str() });
        record_if_changed(scope, &mut transaction, "return.close_receiving", &detail);
        Ok((rma, transaction))
    })
    .await
}

async fn find_return(app: &App, rma: &str) -> Result<(MerchantId, RmaId), AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let merchant = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    Ok((merchant, id))
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

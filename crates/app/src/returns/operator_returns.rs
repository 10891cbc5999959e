//! What an operator does to a return by hand. Each is noted in the audit trail, with the reason.

use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, rma::Rma},
};
use serde_json::json;
use store::Transaction;

use crate::{
    App, AppError,
    core::{
        audit_trail,
        commit_once::{Request, commit_once},
    },
    returns::change_return::{decide_cancellation, decide_closing},
};

/// Takes a return back for the shopper or the merchant.
pub async fn cancel_by_hand(
    app: &App,
    request: Request<'_>,
    rma: &str,
    reason: &str,
) -> Result<Rma, AppError> {
    let (merchant, id) = whose(app, rma).await?;
    commit_once(app, request, || async {
        let (rma, mut transaction) = decide_cancellation(app, &merchant, &id).await?;
        note(app, &mut transaction, request, (&merchant, "return.cancel", &id, reason));
        Ok((rma, transaction))
    })
    .await
}

/// Awaits nothing more of a return.
pub async fn close_receiving_by_hand(
    app: &App,
    request: Request<'_>,
    rma: &str,
) -> Result<Rma, AppError> {
    let (merchant, id) = whose(app, rma).await?;
    commit_once(app, request, || async {
        let (rma, mut transaction) = decide_closing(app, &merchant, &id).await?;
        note(app, &mut transaction, request, (&merchant, "return.close_receiving", &id, ""));
        Ok((rma, transaction))
    })
    .await
}

async fn whose(app: &App, rma: &str) -> Result<(MerchantId, RmaId), AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let merchant = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    Ok((merchant, id))
}

/// Notes what was changed; what changed nothing is not worth a note.
fn note(
    app: &App,
    transaction: &mut Transaction,
    request: Request<'_>,
    (merchant, action, rma, reason): (&MerchantId, &str, &RmaId, &str),
) {
    if transaction.is_empty() {
        return;
    }
    let mut detail = json!({ "rma_identifier": rma.as_str() });
    if let (false, Some(fields)) = (reason.is_empty(), detail.as_object_mut()) {
        fields.insert("reason".to_owned(), reason.into());
    }
    audit_trail::record_change(app, transaction, request.client, (merchant, action, detail));
}

//! Withdrawals with the state of their refunds, newest first.

use std::collections::HashMap;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::rma::Rma,
    withdrawal::{
        clock::{RefundState, find_refund_state},
        identifier::WithdrawalId,
        record::{WithdrawalOutcome, WithdrawalRecord},
    },
};
use serde::Serialize;
use store::WithdrawalRow;

use crate::{
    App, AppError, core::list_query::ListQuery, withdrawal::acknowledgement::parse_record,
};

/// A withdrawal, as its merchant sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct WithdrawalView {
    #[serde(flatten)]
    #[schema(inline)]
    pub record: WithdrawalRecord,
    /// The hash of the record, which is in the shopper's acknowledgement.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: String,
    /// Where the refund is now.
    pub refund_state: RefundState,
}

/// Withdrawals, and the cursor of the next page, if there may be one.
#[boxed]
pub async fn list_withdrawals(
    app: &App,
    query: &ListQuery<'_, WithdrawalOutcome>,
) -> Result<(Vec<WithdrawalView>, Option<String>), AppError> {
    let (rows, last) = app.store.withdrawals(&query.filter()?).await?;
    let views = view_withdrawals(app, &rows).await?;
    Ok((views, last.map(|row| row.cursor().to_string())))
}

/// One withdrawal of a merchant.
#[boxed]
pub async fn find_withdrawal(
    app: &App,
    merchant: &MerchantId,
    id: &WithdrawalId,
) -> Result<Option<WithdrawalView>, AppError> {
    let row = app.store.withdrawal(merchant, id).await?;
    Ok(view_withdrawals(app, row.as_slice()).await?.pop())
}

async fn view_withdrawals(
    app: &App,
    rows: &[WithdrawalRow],
) -> Result<Vec<WithdrawalView>, AppError> {
    let started = rows.iter().filter(|row| !row.rma_id.is_empty());
    let names = started.map(|row| (row.merchant.as_str(), row.rma_id.as_str()));
    let returns: HashMap<String, Rma> = app
        .store
        .returns_named(names)
        .await?
        .into_iter()
        .map(|(_, rma)| (rma.rma_identifier.to_string(), rma))
        .collect();
    let now = app.world.now();
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let record = parse_record(row)?;
        let refund_state = find_refund_state(&record, returns.get(&row.rma_id), now);
        views.push(WithdrawalView { record, sha256: row.sha256.clone(), refund_state });
    }
    Ok(views)
}

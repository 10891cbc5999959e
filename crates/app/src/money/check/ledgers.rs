//! The check of ledgers: what is spent of each order agrees with the order's returns, which are the
//! results of their journals, and with the recorded refunds.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        ledger::{Ledger, agreement::find_disagreements},
        rma::Rma,
    },
};
use store::{LedgerRow, Store};

use super::{BooksCheck, PAGE};
use crate::{AppError, returns::change_return::order_ids};

pub(super) async fn check_ledgers(store: &Store, check: &mut BooksCheck) -> Result<(), AppError> {
    let (mut merchant, mut order) = (String::new(), String::new());
    loop {
        let page = store.ledger_page(&merchant, &order, PAGE).await?;
        for row in &page {
            for problem in check_ledger(store, row).await? {
                let problem = format!("the ledger of order {} {problem}", row.order_id);
                check.add(&row.merchant, None, problem);
            }
            check.ledgers += 1;
        }
        let Some(last) = page.last() else { return Ok(()) };
        (merchant, order) = (last.merchant.to_string(), last.order_id.clone());
    }
}

/// What is wrong with a ledger. One that changes meanwhile is read again.
async fn check_ledger(store: &Store, row: &LedgerRow) -> Result<Vec<String>, AppError> {
    let LedgerRow { merchant, order_id, .. } = row;
    let mut ledger = row.ledger.clone();
    loop {
        let returns = load_returns(store, merchant, &ledger.value).await?;
        let refunds: BTreeSet<String> =
            store.refund_ids(merchant, order_id).await?.into_iter().collect();
        let found = find_disagreements(&ledger.value, order_id, &returns, &refunds);
        if found.is_empty() {
            return Ok(found);
        }
        let now = store.ledger(merchant, order_id).await?;
        if now.version == ledger.version {
            return Ok(found);
        }
        ledger = now;
    }
}

async fn load_returns(
    store: &Store,
    merchant: &MerchantId,
    ledger: &Ledger,
) -> Result<BTreeMap<String, Rma>, AppError> {
    let mut returns = BTreeMap::new();
    for id in ledger.rmas().iter().filter_map(|id| RmaId::parse(id)) {
        if let Some(rma) = store.rma(merchant, &id).await? {
            returns.insert(id.to_string(), rma.value);
        }
    }
    Ok(returns)
}

/// What is wrong if the ledgers of a return's orders do not name the return.
pub(super) async fn is_in_ledgers(
    store: &Store,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<Vec<String>, AppError> {
    let mut problems = Vec::new();
    for order_id in order_ids(rma) {
        let ledger = store.ledger(merchant, order_id).await?.value;
        if !ledger.rmas().iter().any(|id| id == rma.rma_identifier.as_str()) {
            problems.push(format!("is not in the ledger of order {order_id}"));
        }
    }
    Ok(problems)
}

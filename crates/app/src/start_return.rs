//! A shopper starts a return, or asks what it would come to.

use std::collections::BTreeMap;

use domain::{
    identifier::MerchantId,
    merchant::Settings,
    returns::{
        ReturnMethod,
        identifier::RmaId,
        quote::Quote,
        request::ReturnRequest,
        rma::Rma,
        start::{Basis, Refused, Started, start},
    },
};
use serde::{Deserialize, Serialize};
use store::Transaction;

use crate::{
    App, AppError,
    authenticate::Caller,
    change_return::owe_message,
    commit_once::{Repeatable, Request, commit_once},
    policies::policy,
    returnability::order,
};

/// A return, and what it comes to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begun {
    pub rma: Rma,
    pub quote: Quote,
}

/// What a return would be. Nothing is stored.
pub async fn quote_return(
    app: &App,
    caller: &Caller,
    request: &ReturnRequest,
) -> Result<Begun, AppError> {
    let merchant = caller.merchant.as_ref().ok_or(AppError::NotFound("merchant"))?;
    let (started, _) = decide(app, merchant, caller.settings, request).await?;
    Ok(Begun { rma: started.rma, quote: started.quote })
}

/// Starts a return: its units are spent, its merchant is told, and a label is asked for.
pub async fn start_return(
    app: &App,
    caller: &Caller,
    request: &ReturnRequest,
    repeatable: Option<&Repeatable>,
) -> Result<Begun, AppError> {
    let merchant = caller.merchant.as_ref().ok_or(AppError::NotFound("merchant"))?;
    let asked = Request { client: &caller.client, repeatable };
    let begun = commit_once(app, asked, || async {
        let (started, versions) = decide(app, merchant, caller.settings, request).await?;
        let mut transaction = Transaction::new("starting a return");
        for (order_id, ledger) in &started.ledgers {
            let version = versions.get(order_id).copied().unwrap_or_default();
            transaction.put_ledger(merchant, order_id, ledger, version);
        }
        let rma = started.rma;
        transaction.insert_return(merchant, &rma);
        owe_message(app, &mut transaction, merchant, &rma);
        if rma.return_method != ReturnMethod::CustomerKeep {
            let carrier = caller.settings.carrier.name();
            let now_us = app.world.now_us();
            transaction.request_label(merchant, &rma.rma_identifier, carrier, now_us);
        }
        Ok((Begun { rma, quote: started.quote }, transaction))
    })
    .await?;
    app.labels_wanted.notify_one();
    Ok(begun)
}

/// The return that the request asks for, and the versions of the ledgers it was decided on.
async fn decide(
    app: &App,
    merchant: &MerchantId,
    settings: Settings,
    request: &ReturnRequest,
) -> Result<(Started, BTreeMap<String, i64>), AppError> {
    let policy = policy(app, merchant).await?;
    let (mut orders, mut versions) = (BTreeMap::new(), BTreeMap::new());
    for item in &request.items {
        let id = &item.order_identifier;
        if orders.contains_key(id) {
            continue;
        }
        // The ledger first: whatever changes the order's refunds later changes the ledger, too.
        let ledger = app.store.ledger(merchant, id).await?;
        if let Some(order) = order(app, merchant, id).await? {
            versions.insert(id.clone(), ledger.version);
            orders.insert(id.clone(), (order, ledger.value));
        }
    }
    let basis = Basis {
        request,
        orders: &orders,
        policy: &policy.policy,
        policy_version: policy.version,
        managed_receiving: settings.managed_receiving,
        now: app.world.now(),
    };
    let rma_identifier = RmaId::from_random(app.world.random());
    let started = start(&basis, rma_identifier).map_err(refusal)?;
    Ok((started, versions))
}

fn refusal(refused: Vec<Refused>) -> AppError {
    if !refused.iter().all(Refused::is_taken) {
        return AppError::Refused(refused);
    }
    let facts: Vec<String> =
        refused.iter().map(|it| format!("{}: {}", it.field, it.message)).collect();
    AppError::Conflict(format!("somebody else returns these units: {}", facts.join("; ")))
}

//! The warehouse reports which units arrived.

use std::collections::{HashMap, hash_map::Entry};

use boxed::boxed;
use domain::{identifier::MerchantId, returns::receipt::Receipt};
use serde::{Deserialize, Serialize};
use store::Transaction;
use utoipa::ToSchema;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{
        commit_once::commit_once,
        idempotency::replay_response,
        scope::{IdempotencyKey, RequestScope},
    },
    returns::{carrier_events::EventResult, change_return::EventEffect},
    warehouse::{
        asn_receipts::{
            NamedReceipt, ScanResult, TOGETHER_MAX, choose_owner, receive_for_asn, receive_together,
        },
        disposition::load_warehouse_rules,
        return_receipts::receive_returned_unit,
    },
};

/// The result of each receipt, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReceiptResults {
    /// One per receipt.
    pub results: Vec<EventResult>,
}

replayable!(ReceiptResults);

#[boxed]
pub async fn record_receipts(
    scope: RequestScope<'_>,
    receipts: &[Receipt],
) -> Result<ReceiptResults, AppError> {
    if let Some(response) = replay_response(scope).await? {
        return Ok(response);
    }
    if let Some(merchant) = scope.merchant {
        scope.app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    }
    let batch = name_batch(scope, receipts).await?;
    let ruled = propose_channels(scope, &name_all(&batch, receipts)).await?;
    let named = name_all(&batch, ruled.as_deref().unwrap_or(receipts));
    let results = receive_all(scope, &named).await?;
    // A unit that is reported again is not received twice, so the response may be stored after
    // them.
    commit_once(scope, || async {
        let results = results.clone();
        Ok((ReceiptResults { results }, Transaction::new("storing a response")))
    })
    .await
}

/// The name of the receipts of this request, for units without a license plate. A key names it only
/// for its client and for a day, so it is not the name. With a key the name is stored before the
/// units are: after a crash the same request finds it, and those that were received are repeats.
pub(crate) async fn name_batch(
    scope: RequestScope<'_>,
    receipts: &[Receipt],
) -> Result<String, AppError> {
    let app = scope.app;
    let key = scope.idempotency.filter(|_| receipts.iter().any(|it| it.unit_identifier.is_none()));
    let Some(key) = key else { return Ok(random_name(app)) };
    // The space keeps it apart from the keys of requests, which have none.
    let key = IdempotencyKey {
        key: format!("{} names", key.key),
        request_hash: key.request_hash.clone(),
    };
    commit_once(RequestScope { idempotency: Some(&key), ..scope }, || async {
        Ok((random_name(app), Transaction::new("naming the units of a request")))
    })
    .await
}

fn name_all<'a>(batch: &str, receipts: &'a [Receipt]) -> Vec<NamedReceipt<'a>> {
    let name = |(position, receipt)| NamedReceipt { name: format!("{batch}-{position}"), receipt };
    receipts.iter().enumerate().map(name).collect()
}

/// The receipts with the channels that the rules propose. None if all of those against ASNs name
/// one. What is received for a return gets its channel with the return, and what was not
/// announced when it is known whose it is.
async fn propose_channels(
    scope: RequestScope<'_>,
    receipts: &[NamedReceipt<'_>],
) -> Result<Option<Vec<Receipt>>, AppError> {
    let is_open = |it: &Receipt| it.channel.is_none() && it.asn_number.is_some();
    if !receipts.iter().any(|it| is_open(it.receipt)) {
        return Ok(None);
    }
    // Many receipts name the same ASN and warehouse, so what they need is read once.
    let (mut owners, mut rules) = (HashMap::new(), HashMap::new());
    let mut completed = Vec::with_capacity(receipts.len());
    for named in receipts {
        let receipt = named.receipt;
        let mut owner = None;
        if let Some(asn) = receipt.asn_number.as_deref().filter(|_| is_open(receipt)) {
            let owners = match owners.entry(asn) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(scope.app.store.merchants_of_asn(asn).await?),
            };
            owner = choose_owner(scope, owners, named).await?;
        }
        let Some(owner) = owner.filter(|it| *it != MerchantId::platform()) else {
            completed.push(receipt.clone());
            continue;
        };
        let warehouse = receipt.warehouse_identifier.as_deref();
        let of_warehouse = match rules.entry((owner.clone(), warehouse)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(load_warehouse_rules(scope.app, &owner, warehouse).await?)
            }
        };
        completed.push(of_warehouse.complete(receipt));
    }
    Ok(Some(completed))
}

/// Receives as many units as possible in one commit. A unit that cannot be received with others is
/// received alone. After it, batches start small again, because more such units may follow.
async fn receive_all(
    scope: RequestScope<'_>,
    mut left: &[NamedReceipt<'_>],
) -> Result<Vec<EventResult>, AppError> {
    let mut results = Vec::with_capacity(left.len());
    let mut most = TOGETHER_MAX;
    while let [first, others @ ..] = left {
        let some = left.get(..most).unwrap_or(left);
        let together = match some {
            [_] => Vec::new(),
            _ => receive_together(scope, some).await?,
        };
        results.extend(together.iter().map(ScanResult::view));
        if together.is_empty() {
            results.push(receive_one(scope, first).await?);
            left = others;
            most = 2;
        } else {
            left = left.get(together.len()..).unwrap_or_default();
            most = if together.len() == some.len() { TOGETHER_MAX.min(2 * most) } else { 1 };
        }
    }
    Ok(results)
}

async fn receive_one(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'_>,
) -> Result<EventResult, AppError> {
    let receipt = named.receipt;
    if receipt.asn_number.is_some() {
        return Ok(receive_for_asn(scope, named).await?.view());
    }
    match &receipt.rma_identifier {
        Some(rma) => receive_returned_unit(scope, named, rma).await,
        None => Ok(EventResult::of(None, &EventEffect::Unknown)),
    }
}

fn random_name(app: &App) -> String {
    format!("{:016x}", u64::from_be_bytes(app.world.random()))
}

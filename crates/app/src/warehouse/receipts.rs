//! The warehouse reports which units arrived.

use std::collections::{HashMap, hash_map::Entry};

use domain::{identifier::MerchantId, returns::receipt::Receipt};
use serde::{Deserialize, Serialize};
use store::Transaction;
use utoipa::ToSchema;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{commit_once::commit_once, idempotency::replay_response, scope::RequestScope},
    returns::{
        carrier_events::{EventOutcome, EventResult},
        change_return::{EventEffect, ReturnTarget, apply_event, find_owner},
        origin::Origin,
    },
    warehouse::{
        asn_receipts::{NamedReceipt, ScanResult, TOGETHER_MAX, receive_for_asn, receive_together},
        disposition::{load_warehouse_rules, with_channel},
        resolve_merchant::resolve_merchant,
    },
};
use futures_util::future::BoxFuture;

/// The result of each receipt, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReceiptResults {
    /// One per receipt.
    pub results: Vec<EventResult>,
}

replayable!(ReceiptResults);

/// Boxed, so that it is compiled once, in this crate, and fully optimized.
pub fn record_receipts<'a>(
    scope: RequestScope<'a>,
    receipts: &'a [Receipt],
) -> BoxFuture<'a, Result<ReceiptResults, AppError>> {
    Box::pin(record_all(scope, receipts))
}

async fn record_all(
    scope: RequestScope<'_>,
    receipts: &[Receipt],
) -> Result<ReceiptResults, AppError> {
    if let Some(response) = replay_response(scope).await? {
        return Ok(response);
    }
    let ruled = propose_channels(scope, receipts).await?;
    let receipts = ruled.as_deref().unwrap_or(receipts);
    let batch = scope.idempotency.map_or_else(|| random_name(scope.app), |it| it.key.clone());
    let name = |(position, receipt)| NamedReceipt { name: format!("{batch}-{position}"), receipt };
    let named: Vec<NamedReceipt<'_>> = receipts.iter().enumerate().map(name).collect();
    let results = receive_all(scope, &named).await?;
    // A unit that is reported again is not received twice, so the response may be stored after
    // them.
    commit_once(scope, || async {
        let results = results.clone();
        Ok((ReceiptResults { results }, Transaction::new("storing a response")))
    })
    .await
}

/// The receipts with the channels that the rules propose. None if all of those against ASNs name
/// one. What is received for a return gets its channel with the return, and what was not
/// announced when it is known whose it is.
async fn propose_channels(
    scope: RequestScope<'_>,
    receipts: &[Receipt],
) -> Result<Option<Vec<Receipt>>, AppError> {
    let is_open = |it: &Receipt| it.channel.is_none() && it.asn_number.is_some();
    if !receipts.iter().any(is_open) {
        return Ok(None);
    }
    // Many receipts name the same ASN and warehouse, so what they need is read once.
    let (mut owners, mut rules) = (HashMap::new(), HashMap::new());
    let mut completed = Vec::with_capacity(receipts.len());
    for receipt in receipts {
        let Some(asn) = receipt.asn_number.as_deref().filter(|_| is_open(receipt)) else {
            completed.push(receipt.clone());
            continue;
        };
        let owner = match owners.entry(asn) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(find_asn_owner(scope, asn).await?),
        };
        let Some(owner) = owner else {
            completed.push(receipt.clone());
            continue;
        };
        let warehouse = receipt.warehouse_identifier.as_deref();
        let of_warehouse = match rules.entry((owner.clone(), warehouse)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(load_warehouse_rules(scope.app, owner, warehouse).await?)
            }
        };
        completed.push(of_warehouse.complete(receipt));
    }
    Ok(Some(completed))
}

/// The merchant whose rules apply to the units of an ASN. None if there is no such ASN.
async fn find_asn_owner(
    scope: RequestScope<'_>,
    asn: &str,
) -> Result<Option<MerchantId>, AppError> {
    let owners = scope.app.store.merchants_of_asn(asn).await?;
    if owners.is_empty() {
        return Ok(None);
    }
    let owner = resolve_merchant(scope.merchant, &owners).ok().flatten();
    Ok(Some(owner.unwrap_or_else(MerchantId::platform)))
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
        results.extend(together.iter().map(view_scan));
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
        let result = receive_for_asn(scope, named).await?;
        return Ok(view_scan(&result));
    }
    let Some(rma) = &receipt.rma_identifier else {
        return Ok(EventResult::of(None, &EventEffect::Unknown));
    };
    let Some(merchant) = find_owner(scope, rma).await? else {
        return Ok(EventResult::of(None, &EventEffect::Unknown));
    };
    let receipt = with_channel(scope.app, &merchant, receipt, rma).await?;
    let event = receipt.rma_event(&named.name);
    let origin = Origin::of_warehouse(scope);
    let target = ReturnTarget { app: scope.app, merchant: &merchant, rma, origin: &origin };
    let effect = apply_event(target, &event, |_, _| ()).await?;
    Ok(EventResult::of(Some(rma), &effect))
}

fn view_scan(scan: &ScanResult) -> EventResult {
    let (result, message) = match scan {
        ScanResult::Received => (EventOutcome::Applied, None),
        ScanResult::Repeat => (EventOutcome::Unchanged, None),
        ScanResult::Exception(reason) => (EventOutcome::Exception, Some(reason.clone())),
    };
    EventResult { result, rma_identifier: None, message }
}

fn random_name(app: &App) -> String {
    format!("{:016x}", u64::from_be_bytes(app.world.random()))
}

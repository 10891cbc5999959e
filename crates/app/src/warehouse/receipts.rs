//! The warehouse tells which units arrived.

use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, receipt::Receipt},
};
use serde::{Deserialize, Serialize};
use store::Transaction;
use utoipa::ToSchema;

use crate::{
    App, AppError,
    access::authenticate::Caller,
    core::commit_once::{IdempotencyKey, Request, commit_once, replay_response},
    returns::{
        carrier_events::EventResult,
        change_return::{EventEffect, apply_event, find_owner},
    },
    warehouse::asn_receipts::{TOGETHER_MAX, receive_for_asn, receive_together},
};

/// What became of each receipt, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReceiptResults {
    /// One for each receipt.
    pub results: Vec<EventResult>,
}

pub async fn record_receipts(
    app: &App,
    caller: &Caller,
    receipts: &[Receipt],
    repeatable: Option<&IdempotencyKey>,
) -> Result<ReceiptResults, AppError> {
    let request = Request { client: &caller.client, repeatable };
    if let Some(answer) = replay_response(app, request).await? {
        return Ok(answer);
    }
    let batch = repeatable.map_or_else(|| random_name(app), |repeatable| repeatable.key.clone());
    let named = receipts.iter().enumerate();
    let named: Vec<(String, &Receipt)> =
        named.map(|(position, receipt)| (format!("{batch}-{position}"), receipt)).collect();
    let results = receive_all(app, caller, &named).await?;
    // A unit that is told again is not received twice, so the answer may be kept after them.
    commit_once(app, request, || async {
        let results = results.clone();
        Ok((ReceiptResults { results }, Transaction::new("keeping an answer")))
    })
    .await
}

/// What came of each receipt. As many as fit are received together, and one that does not fit by itself; after it
/// fewer are looked at, because there may be more of its kind.
async fn receive_all(
    app: &App,
    caller: &Caller,
    mut left: &[(String, &Receipt)],
) -> Result<Vec<EventResult>, AppError> {
    let mut results = Vec::with_capacity(left.len());
    let mut most = TOGETHER_MAX;
    while let [(name, receipt), others @ ..] = left {
        let some = left.get(..most).unwrap_or(left);
        let together = match some {
            [_] => Vec::new(),
            _ => receive_together(app, caller, some).await?,
        };
        results.extend(together.iter().map(EventResult::of_scan));
        if together.is_empty() {
            results.push(receive(app, caller, receipt, name).await?);
            left = others;
            most = 2;
        } else {
            left = left.get(together.len()..).unwrap_or_default();
            most = if together.len() == some.len() { TOGETHER_MAX.min(2 * most) } else { 1 };
        }
    }
    Ok(results)
}

/// `name` tells the receipt from others, where the unit has no license plate.
async fn receive(
    app: &App,
    caller: &Caller,
    receipt: &Receipt,
    name: &str,
) -> Result<EventResult, AppError> {
    if receipt.asn_number.is_some() {
        let scanned = receive_for_asn(app, caller, receipt, name).await?;
        return Ok(EventResult::of_scan(&scanned));
    }
    let found = match &receipt.rma_identifier {
        Some(rma) => find_owner(app, caller, rma).await?.map(|merchant| (merchant, rma)),
        None => None,
    };
    let Some((merchant, rma)): Option<(MerchantId, &RmaId)> = found else {
        return Ok(EventResult::of(None, &EventEffect::Unknown));
    };
    let effect = apply_event(app, &merchant, (rma, &receipt.event(name)), |_, _| ()).await?;
    Ok(EventResult::of(Some(rma), &effect))
}

fn random_name(app: &App) -> String {
    format!("{:016x}", u64::from_be_bytes(app.world.random()))
}

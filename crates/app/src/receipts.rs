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
    asn_receipts::receive_for_asn,
    authenticate::Caller,
    carrier_events::EventResult,
    change_return::{Effect, owner, tell},
    commit_once::{Repeatable, Request, answered, commit_once},
};

/// What became of each receipt, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReceiptResults {
    /// One for each receipt.
    pub results: Vec<EventResult>,
}

pub async fn take_in_receipts(
    app: &App,
    caller: &Caller,
    receipts: &[Receipt],
    repeatable: Option<&Repeatable>,
) -> Result<ReceiptResults, AppError> {
    let request = Request { client: &caller.client, repeatable };
    if let Some(answer) = answered(app, request).await? {
        return Ok(answer);
    }
    let batch = repeatable.map_or_else(|| random_name(app), |repeatable| repeatable.key.clone());
    let mut results = Vec::with_capacity(receipts.len());
    for (position, receipt) in receipts.iter().enumerate() {
        results.push(receive(app, caller, receipt, &format!("{batch}-{position}")).await?);
    }
    // A unit that is told again is not received twice, so the answer may be kept after them.
    commit_once(app, request, || async {
        let results = results.clone();
        Ok((ReceiptResults { results }, Transaction::new("keeping an answer")))
    })
    .await
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
        Some(rma) => owner(app, caller, rma).await?.map(|merchant| (merchant, rma)),
        None => None,
    };
    let Some((merchant, rma)): Option<(MerchantId, &RmaId)> = found else {
        return Ok(EventResult::of(None, &Effect::Unknown));
    };
    let effect = tell(app, &merchant, (rma, &receipt.event(name)), |_, _| ()).await?;
    Ok(EventResult::of(Some(rma), &effect))
}

fn random_name(app: &App) -> String {
    format!("{:016x}", u64::from_be_bytes(app.world.random()))
}

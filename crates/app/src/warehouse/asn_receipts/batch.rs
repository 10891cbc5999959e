//! Units that arrive together are received in one commit, as long as nothing is unusual about them.
//!
//! What they are decided on is loaded for all of them together (`loaded`). Then the units are
//! decided one after the other, each on what those before it left. The first unit that is
//! unexpected, or that cannot be decided on what was loaded, ends the batch. It is received alone.

mod loaded;

use domain::warehouse::{
    receipt_message::received,
    receiving::{Acceptance, AsnState, ReceivingDecision, return_of},
};
use store::{StoreError, Transaction, UnitRow, Versioned};

use self::loaded::{LoadedBatch, OwnedReceipt};
use super::{NamedReceipt, ScanResult, choose_owner, enqueue_receipt};
use crate::{App, AppError, core::scope::RequestScope};

/// The most units that one commit receives.
pub(crate) const TOGETHER_MAX: usize = 250;

/// Receives units in one commit, starting with the first. Returns the results of those that fit,
/// which may be none.
pub(crate) async fn receive_together(
    scope: RequestScope<'_>,
    named: &[NamedReceipt<'_>],
) -> Result<Vec<ScanResult>, AppError> {
    let app = scope.app;
    let receipts = resolve_owners(scope, named).await?;
    let mut batch = LoadedBatch::load(app, &receipts).await?;
    let mut transaction = Transaction::new("receiving units");
    let mut results = Vec::with_capacity(receipts.len());
    for receipt in &receipts {
        match receive_one(app, &mut batch, &mut transaction, receipt) {
            Some(result) => results.push(result),
            None => break,
        }
    }
    batch.put(&mut transaction, app.world.now_us());
    match app.commit(transaction).await {
        Ok(()) => Ok(results),
        // Another request received units of the same ASN.
        Err(StoreError::Conflict) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The first receipts that are against the ASN of one merchant, each with its merchant.
async fn resolve_owners<'a>(
    scope: RequestScope<'_>,
    named: &'a [NamedReceipt<'a>],
) -> Result<Vec<OwnedReceipt<'a>>, AppError> {
    let mut receipts: Vec<OwnedReceipt<'a>> = Vec::with_capacity(named.len());
    let (mut number, mut owners) = ("", Vec::new());
    for named in named.iter().take_while(|it| it.receipt.asn_number.is_some()) {
        if named.asn_number() != number {
            number = named.asn_number();
            owners = scope.app.store.merchants_of_asn(number).await?;
        }
        let Some(merchant) = choose_owner(scope, &owners, named).await? else { break };
        receipts.push(OwnedReceipt { merchant, named });
    }
    Ok(receipts)
}

/// Receives one more unit, unless it must be received alone.
fn receive_one(
    app: &App,
    batch: &mut LoadedBatch,
    transaction: &mut Transaction,
    owned: &OwnedReceipt<'_>,
) -> Option<ScanResult> {
    let scan = batch.scan(owned)?;
    let acceptance = match scan.decide(app.world.now()) {
        ReceivingDecision::Accepted(acceptance) => acceptance,
        ReceivingDecision::Repeat => return Some(ScanResult::Repeat),
        ReceivingDecision::Exception(_) => return None,
    };
    let Versioned { value: asn, .. } = scan.asn;
    if belongs_to_return(asn, &acceptance) {
        return None;
    }
    if let Some(message) = received(&asn.asn, &acceptance.unit) {
        enqueue_receipt(app, transaction, &owned.merchant, &message, &acceptance.unit);
    }
    let row = UnitRow { replaces: scan.replaces, unit: acceptance.unit.clone() };
    batch.count(owned, &acceptance, row);
    Some(ScanResult::Received)
}

/// Whether the unit belongs to a return. The return changes with each of its units.
fn belongs_to_return(asn: &AsnState, acceptance: &Acceptance) -> bool {
    let line = acceptance.line_identifier.as_deref().and_then(|id| asn.asn.line(id));
    line.is_some_and(|line| return_of(&line).is_some())
}

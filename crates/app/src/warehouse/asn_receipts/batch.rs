//! Units that arrive together are received in one commit, as long as nothing is unusual about them.
//!
//! What each unit is decided on is loaded for several units at the same time. Then the units are
//! decided one after the other, as if those before them were received already. The first unit that
//! is unexpected, or that cannot be decided on what was loaded, ends the batch. It is received
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    identifier::MerchantId,
    returns::receipt::Receipt,
    warehouse::receiving::{Acceptance, AsnState, ReceivingDecision, returned},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use store::{StoreError, Transaction, Versioned};

use super::{
    AcceptedUnit, NamedReceipt, ScanContext, ScanResult, accept_unit, line_filter,
    load_scan_context, resolve_owner,
};
use crate::{AppError, core::scope::RequestScope, returns::origin::Origin};

/// The most units that one commit receives.
pub(crate) const TOGETHER_MAX: usize = 250;
/// How many units are loaded at the same time.
const LOADED_AT_ONCE: usize = 8;

/// Receives units in one commit, starting with the first. Returns the results of those that fit,
/// which may be none.
pub(crate) async fn receive_together(
    scope: RequestScope<'_>,
    named: &[NamedReceipt<'_>],
) -> Result<Vec<ScanResult>, AppError> {
    let app = scope.app;
    let mut loads = Vec::with_capacity(named.len());
    for receipt in named.iter().take_while(|it| it.receipt.asn_number.is_some()) {
        loads.push(load_unit(scope, receipt));
    }
    let loaded: Vec<_> = stream::iter(loads).buffered(LOADED_AT_ONCE).try_collect().await?;
    let mut batch = ReceiptBatch::new();
    let mut results = Vec::new();
    for unit in loaded {
        match batch.add(scope, unit).await? {
            Some(result) => results.push(result),
            None => break,
        }
    }
    match app.commit(batch.transaction).await {
        Ok(()) => Ok(results),
        // Another request received units of the same ASN.
        Err(StoreError::Conflict) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// A receipt with everything that it is decided on.
struct LoadedReceipt<'a> {
    merchant: MerchantId,
    context: ScanContext,
    receipt: &'a Receipt,
}

async fn load_unit<'a>(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'a>,
) -> Result<LoadedReceipt<'a>, AppError> {
    let (app, receipt) = (scope.app, named.receipt);
    let merchant = resolve_owner(scope, named).await?;
    let filter = line_filter(receipt, false);
    let context = load_scan_context(app, &merchant, named, &filter).await?;
    Ok(LoadedReceipt { merchant, context, receipt })
}

struct ReceiptBatch {
    transaction: Transaction,
    asns: BTreeMap<(MerchantId, String, String), AsnChange>,
    units: BTreeSet<(MerchantId, String)>,
}

/// How the batch changes an ASN.
struct AsnChange {
    /// The version of the ASN when it was loaded.
    loaded_version: i64,
    here: i64,
    told: i64,
    units: i64,
    by_line: BTreeMap<String, i64>,
}

impl ReceiptBatch {
    fn new() -> Self {
        let transaction = Transaction::new("receiving units");
        Self { transaction, asns: BTreeMap::new(), units: BTreeSet::new() }
    }

    /// Adds one more unit, unless it must be received alone.
    async fn add(
        &mut self,
        scope: RequestScope<'_>,
        LoadedReceipt { merchant, mut context, receipt }: LoadedReceipt<'_>,
    ) -> Result<Option<ScanResult>, AppError> {
        let (app, origin) = (scope.app, Origin::of_warehouse(scope));
        let unit = (merchant.clone(), context.plate.clone());
        let Some(asn) = &mut context.asn else { return Ok(None) };
        let (program, number) = (&asn.value.asn.program_identifier, &asn.value.asn.asn_number);
        let key = (merchant.clone(), program.clone(), number.to_string());
        let change = self.asns.entry(key).or_insert_with(|| AsnChange::new(asn));
        if !change.apply_to(asn) || self.units.contains(&unit) {
            return Ok(None);
        }
        let acceptance = match context.decide(receipt, app.world.now()) {
            ReceivingDecision::Accepted(acceptance) => acceptance,
            ReceivingDecision::Repeat => return Ok(Some(ScanResult::Repeat)),
            ReceivingDecision::Exception(_) => return Ok(None),
        };
        let replaces = context.unit.as_ref().map_or(0, |it| it.version);
        let Some(asn) = context.asn.filter(|asn| !belongs_to_return(&asn.value, &acceptance))
        else {
            return Ok(None);
        };
        change.count(&acceptance);
        let accepted = AcceptedUnit { asn, acceptance: &acceptance, replaces, origin: &origin };
        accept_unit(app, &mut self.transaction, &merchant, accepted).await?;
        self.units.insert(unit);
        Ok(Some(ScanResult::Received))
    }
}

impl AsnChange {
    fn new(asn: &Versioned<AsnState>) -> Self {
        let Versioned { value: AsnState { here, told, .. }, version } = asn;
        Self {
            loaded_version: *version,
            here: *here,
            told: *told,
            units: 0,
            by_line: BTreeMap::new(),
        }
    }

    /// Applies the batch so far to an ASN that was loaded. False if another version was loaded.
    fn apply_to(&self, asn: &mut Versioned<AsnState>) -> bool {
        let same = asn.version == self.loaded_version;
        asn.version += self.units;
        asn.value.here = self.here;
        asn.value.told = self.told;
        for (line, more) in &self.by_line {
            if let Some(received) = asn.value.received.get_mut(line) {
                *received += more;
            }
        }
        same
    }

    fn count(&mut self, acceptance: &Acceptance) {
        self.units += 1;
        self.here += 1;
        self.told += 1;
        if let Some(line) = &acceptance.line_identifier {
            *self.by_line.entry(line.clone()).or_default() += 1;
        }
    }
}

/// Whether the unit belongs to a return. The return changes with each of its units.
fn belongs_to_return(asn: &AsnState, acceptance: &Acceptance) -> bool {
    let line = acceptance.line_identifier.as_deref().and_then(|id| asn.asn.line(id));
    line.is_some_and(|line| returned(&line, &acceptance.unit).is_some())
}

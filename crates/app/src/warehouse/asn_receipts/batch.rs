//! Units that arrive together: received in one commit, as long as they are ordinary.
//!
//! What is known of each is read for some of them at the same time. Then one after another is decided as if those before
//! it were received already. The first that is anything else than expected, or not to be decided from what was
//! read, ends the batch; it is received by itself.

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
use crate::{App, AppError, core::scope::RequestScope};

/// Units that one commit may receive.
pub(crate) const TOGETHER_MAX: usize = 250;
/// Units that are looked up at the same time.
const LOADED_AT_ONCE: usize = 8;

/// Receives units from the first on, and gives what they came to: of those that fit into one commit, which may be none.
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
        match batch.add(app, unit).await? {
            Some(scanned) => results.push(scanned),
            None => break,
        }
    }
    match app.commit(batch.transaction).await {
        Ok(()) => Ok(results),
        // Somebody else receives, too.
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

/// How the batch changes an ASN that was read at a version.
struct AsnChange {
    read: i64,
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

    /// Takes one more unit in, unless it has to be received by itself.
    async fn add(
        &mut self,
        app: &App,
        LoadedReceipt { merchant, mut context, receipt }: LoadedReceipt<'_>,
    ) -> Result<Option<ScanResult>, AppError> {
        let unit = (merchant.clone(), context.plate.clone());
        let Some(asn) = &mut context.asn else { return Ok(None) };
        let (program, number) = (&asn.value.asn.program_identifier, &asn.value.asn.asn_number);
        let key = (merchant.clone(), program.clone(), number.to_string());
        let changed = self.asns.entry(key).or_insert_with(|| AsnChange::nothing(asn));
        if !changed.bring_up_to_date(asn) || self.units.contains(&unit) {
            return Ok(None);
        }
        let acceptance = match context.decide(receipt, app.world.now()) {
            ReceivingDecision::Accepted(acceptance) => acceptance,
            ReceivingDecision::Repeat => return Ok(Some(ScanResult::Repeat)),
            ReceivingDecision::Exception(_) => return Ok(None),
        };
        let replaces = context.unit.as_ref().map_or(0, |it| it.version);
        let Some(asn) = context.asn.filter(|asn| !is_of_a_return(&asn.value, &acceptance)) else {
            return Ok(None);
        };
        changed.count(&acceptance);
        let accepted = AcceptedUnit { asn, acceptance: &acceptance, replaces };
        accept_unit(app, &mut self.transaction, &merchant, accepted).await?;
        self.units.insert(unit);
        Ok(Some(ScanResult::Received))
    }
}

impl AsnChange {
    fn nothing(asn: &Versioned<AsnState>) -> Self {
        let Versioned { value: AsnState { here, told, .. }, version } = asn;
        Self { read: *version, here: *here, told: *told, units: 0, by_line: BTreeMap::new() }
    }

    /// Makes of an ASN what it is after the batch so far; whether that is known.
    fn bring_up_to_date(&self, asn: &mut Versioned<AsnState>) -> bool {
        let known = asn.version == self.read;
        asn.version += self.units;
        asn.value.here = self.here;
        asn.value.told = self.told;
        for (line, more) in &self.by_line {
            if let Some(received) = asn.value.received.get_mut(line) {
                *received += more;
            }
        }
        known
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

/// Whether a return is told of the unit, which changes with each.
fn is_of_a_return(asn: &AsnState, acceptance: &Acceptance) -> bool {
    let line = acceptance.line_identifier.as_deref().and_then(|id| asn.asn.line(id));
    line.is_some_and(|line| returned(&line, &acceptance.unit).is_some())
}

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

use super::{ScanContext, ScanResult, accept_unit, line_filter, load_scan_context, resolve_owner};
use crate::{App, AppError, access::authenticate::Caller};

/// Units that one commit may receive.
pub(crate) const TOGETHER_MAX: usize = 250;
/// Units that are looked up at the same time.
const LOOKED_UP_AT_ONCE: usize = 8;

/// Receives units from the first on, and gives what they came to: of those that fit into one commit, which may be none.
pub(crate) async fn receive_together(
    app: &App,
    caller: &Caller,
    named: &[(String, &Receipt)],
) -> Result<Vec<ScanResult>, AppError> {
    let mut looks = Vec::with_capacity(named.len());
    for (name, receipt) in named {
        if receipt.asn_number.is_none() {
            break;
        }
        looks.push(look_up(app, caller, name, receipt));
    }
    let looked: Vec<_> = stream::iter(looks).buffered(LOOKED_UP_AT_ONCE).try_collect().await?;
    let mut batch = ReceiptBatch::new();
    let mut results = Vec::new();
    for (merchant, known, receipt) in looked {
        match batch.add(app, merchant, known, receipt).await? {
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

async fn look_up<'a>(
    app: &App,
    caller: &Caller,
    name: &str,
    receipt: &'a Receipt,
) -> Result<(MerchantId, ScanContext, &'a Receipt), AppError> {
    let merchant = resolve_owner(app, caller, receipt).await?;
    let known =
        load_scan_context(app, &merchant, (receipt, name), &line_filter(receipt, false)).await?;
    Ok((merchant, known, receipt))
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
        merchant: MerchantId,
        mut known: ScanContext,
        receipt: &Receipt,
    ) -> Result<Option<ScanResult>, AppError> {
        let unit = (merchant.clone(), known.plate.clone());
        let Some(asn) = &mut known.asn else { return Ok(None) };
        let (program, number) = (&asn.value.asn.program_identifier, &asn.value.asn.asn_number);
        let key = (merchant.clone(), program.clone(), number.to_string());
        let changed = self.asns.entry(key).or_insert_with(|| AsnChange::nothing(asn));
        if !changed.bring_up_to_date(asn) || self.units.contains(&unit) {
            return Ok(None);
        }
        let acceptance = match known.decide(receipt, app.world.now()) {
            ReceivingDecision::Accepted(acceptance) => acceptance,
            ReceivingDecision::Repeat => return Ok(Some(ScanResult::Repeat)),
            ReceivingDecision::Exception(_) => return Ok(None),
        };
        let replaces = known.unit.as_ref().map_or(0, |it| it.version);
        let Some(asn) = known.asn.filter(|asn| !is_of_a_return(&asn.value, &acceptance)) else {
            return Ok(None);
        };
        changed.count(&acceptance);
        accept_unit(app, &merchant, (asn, &acceptance, replaces), &mut self.transaction).await?;
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

//! Finds the return of a unit that came without one. Everything is looked up by key: the codes on
//! the parcel, what was scanned on the unit, and what the worker reads on the slip.

use std::collections::{BTreeMap, BTreeSet};

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, receipt::Receipt},
    warehouse::stray::{
        SlipDetails, StrayProposal, StraySign, article_key, order_key, person_key, rank,
    },
};

use crate::{App, AppError, warehouse::parcel_search::load_merchant_name};

/// The most returns that one key finds.
const FOUND_MAX: usize = 20;
/// The most returns that are read to be compared.
const COMPARED_MAX: usize = 40;

/// A return that a unit could belong to.
#[derive(Clone, Debug)]
pub struct ReturnProposal {
    pub merchant: MerchantId,
    pub merchant_name: String,
    pub rma_identifier: RmaId,
    pub line: StrayProposal,
}

/// Returns that were found, with what they have in common with the unit.
#[derive(Default)]
struct FoundReturns(BTreeMap<(MerchantId, RmaId), BTreeSet<StraySign>>);

impl FoundReturns {
    fn add(&mut self, returns: Vec<(MerchantId, RmaId)>, sign: StraySign) {
        for found in returns {
            self.0.entry(found).or_default().insert(sign);
        }
    }

    /// Those with the strongest signs first.
    fn into_strongest(self) -> Vec<((MerchantId, RmaId), BTreeSet<StraySign>)> {
        let mut found: Vec<_> = self.0.into_iter().collect();
        let weight = |signs: &BTreeSet<StraySign>| signs.iter().map(|it| it.weight()).sum::<u32>();
        found.sort_by_key(|(_, signs)| std::cmp::Reverse(weight(signs)));
        found.truncate(COMPARED_MAX);
        found
    }
}

/// The returns that a scanned unit could belong to, the likeliest first: of its merchant, or of
/// all if that is unknown.
#[boxed]
pub async fn propose_returns(
    app: &App,
    merchant: &MerchantId,
    scanned: &Receipt,
    slip: &SlipDetails,
) -> Result<Vec<ReturnProposal>, AppError> {
    let named = Some(merchant).filter(|it| **it != MerchantId::platform());
    let mut found = FoundReturns::default();
    for code in [&scanned.tracking_number, &scanned.asn_number, &Some(slip.number.clone())] {
        let Some(code) = code.as_deref().filter(|code| !code.is_empty()) else { continue };
        let by_number = find_by_number(app, named, code).await?;
        found.add(by_number, StraySign::ReturnNumber);
        found.add(app.store.returns_by_parcel(named, code).await?, StraySign::TrackingNumber);
    }
    if let Some(serial) = &scanned.serial_number {
        let returns = app.store.returns_by_serial(named, serial, FOUND_MAX).await?;
        found.add(returns, StraySign::SerialNumber);
    }
    let order = Some(order_key(&slip.number)).filter(|_| !slip.number.is_empty());
    let person = person_key(&slip.name, &slip.postal_code);
    let articles = [&scanned.sku, &scanned.upc].into_iter().flatten();
    let keys = order.map(|key| (key, StraySign::OrderNumber)).into_iter();
    let keys = keys.chain(person.map(|key| (key, StraySign::NameAndPostalCode)));
    let keys = keys.chain(articles.map(|code| (article_key(code), StraySign::Article)));
    for (key, sign) in keys {
        found.add(app.store.returns_by_receiving_key(named, &key, FOUND_MAX).await?, sign);
    }
    compare(app, scanned, found).await
}

/// The return with this identifier.
async fn find_by_number(
    app: &App,
    named: Option<&MerchantId>,
    code: &str,
) -> Result<Vec<(MerchantId, RmaId)>, AppError> {
    let Some(id) = RmaId::parse(code) else { return Ok(Vec::new()) };
    let owner = app.store.merchant_of_rma(&id).await?;
    let owner = owner.filter(|owner| named.is_none_or(|named| named == owner));
    Ok(owner.map(|owner| (owner, id)).into_iter().collect())
}

async fn compare(
    app: &App,
    scanned: &Receipt,
    found: FoundReturns,
) -> Result<Vec<ReturnProposal>, AppError> {
    let mut proposals = Vec::new();
    for ((merchant, id), signs) in found.into_strongest() {
        let Some(rma) = app.store.rma(&merchant, &id).await? else { continue };
        let Some(line) = StrayProposal::of(&rma.value, scanned, &signs) else { continue };
        // Something else in the parcel of a return is rarely one of its units.
        let is_own = scanned.asn_number.as_deref() == Some(id.as_str());
        if is_own && !line.signs.contains(&StraySign::Article) {
            continue;
        }
        let merchant_name = String::new();
        proposals.push(ReturnProposal { merchant, merchant_name, rma_identifier: id, line });
    }
    rank(&mut proposals, |proposal| &proposal.line);
    for proposal in &mut proposals {
        proposal.merchant_name = load_merchant_name(app, &proposal.merchant).await?;
    }
    Ok(proposals)
}

//! What a batch of receipts is decided on, and what it changes so far.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    identifier::MerchantId,
    returns::receipt::Receipt,
    warehouse::{
        receiving::{
            Acceptance, AsnChoice, AsnState, ReceivingContext, ReceivingDecision, UnitScan,
            license_plate, receive,
        },
        unit::UnitRecord,
    },
};
use jiff::Timestamp;
use store::{ArticleCode, ScannedArticle, ScannedKeys, Transaction, UnitRow, Versioned};

use crate::{
    App, AppError,
    warehouse::asn_receipts::{NamedReceipt, choose_asn},
};

/// A receipt, and the merchant that its unit belongs to.
pub(super) struct OwnedReceipt<'a> {
    pub(super) merchant: MerchantId,
    pub(super) named: &'a NamedReceipt<'a>,
}

/// The ASNs of a merchant with one number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AsnKey {
    merchant: MerchantId,
    number: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnitKey {
    merchant: MerchantId,
    plate: String,
}

pub(super) struct LoadedBatch {
    asns: BTreeMap<AsnKey, LoadedAsns>,
    units: BTreeMap<UnitKey, Versioned<UnitRecord>>,
    /// The units that the batch stores, by merchant.
    received: BTreeMap<MerchantId, Vec<UnitRow>>,
}

struct LoadedAsns {
    /// One for each program, at the version that was loaded.
    asns: Vec<Versioned<AsnState>>,
    /// Scanned units that other ASNs announce.
    elsewhere: BTreeSet<String>,
    /// How many units the batch adds to lines, for each of the ASNs.
    counted: BTreeMap<usize, BTreeMap<String, i64>>,
}

/// A scan with everything that it is decided on.
pub(super) struct LoadedScan<'a> {
    pub(super) asn: &'a Versioned<AsnState>,
    /// The version of the unit that its record replaces.
    pub(super) replaces: i64,
    unit: Option<UnitRecord>,
    plate: &'a str,
    receipt: &'a Receipt,
}

impl LoadedScan<'_> {
    pub(super) fn decide(&self, now: Timestamp) -> ReceivingDecision {
        let context =
            ReceivingContext { asn: Some(&self.asn.value), others: &[], unit: self.unit.as_ref() };
        receive(&context, &UnitScan { unit_identifier: self.plate, receipt: self.receipt }, now)
    }
}

impl OwnedReceipt<'_> {
    fn asn_key(&self) -> AsnKey {
        AsnKey { merchant: self.merchant.clone(), number: self.named.asn_number().to_owned() }
    }

    fn unit_key(&self, plate: &str) -> UnitKey {
        UnitKey { merchant: self.merchant.clone(), plate: plate.to_owned() }
    }
}

impl LoadedBatch {
    /// Loads the ASNs first. They change with every unit that is received, so everything that is
    /// loaded after them stays true as long as their versions do.
    pub(super) async fn load(app: &App, receipts: &[OwnedReceipt<'_>]) -> Result<Self, AppError> {
        let mut keys: BTreeMap<AsnKey, ScannedKeys<'_>> = BTreeMap::new();
        for owned in receipts {
            add_keys(keys.entry(owned.asn_key()).or_default(), owned.named);
        }
        let mut asns = BTreeMap::new();
        for (key, keys) in keys {
            let found = app.store.scanned_asns(&key.merchant, &key.number, &keys).await?;
            let counted = BTreeMap::new();
            let loaded = LoadedAsns { asns: found.asns, elsewhere: found.elsewhere, counted };
            asns.insert(key, loaded);
        }
        let mut plates: BTreeMap<&MerchantId, BTreeSet<&str>> = BTreeMap::new();
        for owned in receipts {
            let plate = asns.get(&owned.asn_key()).and_then(|it| it.plate(owned.named));
            plates.entry(&owned.merchant).or_default().extend(plate);
        }
        let mut units = BTreeMap::new();
        for (merchant, plates) in plates {
            for unit in app.store.stored_units(merchant, &plates).await? {
                let plate = unit.value.unit_identifier.clone();
                units.insert(UnitKey { merchant: merchant.clone(), plate }, unit);
            }
        }
        Ok(Self { asns, units, received: BTreeMap::new() })
    }

    /// What the next receipt is decided on. None if its ASN, or what announces its unit, was not
    /// loaded.
    pub(super) fn scan<'a>(&'a self, owned: &'a OwnedReceipt<'a>) -> Option<LoadedScan<'a>> {
        let (receipt, loaded) = (owned.named.receipt, self.asns.get(&owned.asn_key())?);
        let asn = loaded.asns.get(loaded.choose(owned.named)?)?;
        let plate = loaded.plate(owned.named)?;
        let (unit, replaces) = match self.units.get(&owned.unit_key(plate)) {
            Some(unit) => (Some(unit.value.clone()), unit.version),
            None if loaded.is_announced_apart_from(asn, plate) => return None,
            None => (find_announced(&asn.value, plate), 0),
        };
        Some(LoadedScan { asn, replaces, unit, plate, receipt })
    }

    /// Counts a unit, which is a part of what the next receipts are decided on.
    pub(super) fn count(
        &mut self,
        owned: &OwnedReceipt<'_>,
        acceptance: &Acceptance,
        row: UnitRow,
    ) {
        if let Some(loaded) = self.asns.get_mut(&owned.asn_key())
            && let Some(chosen) = loaded.choose(owned.named)
            && let Some(asn) = loaded.asns.get_mut(chosen)
        {
            asn.value.count(acceptance);
            let by_line = loaded.counted.entry(chosen).or_default();
            if let Some(line) = &acceptance.line_identifier {
                *by_line.entry(line.clone()).or_default() += 1;
            }
        }
        let unit = Versioned { value: row.unit.clone(), version: row.replaces + 1 };
        self.units.insert(owned.unit_key(&row.unit.unit_identifier), unit);
        self.received.entry(owned.merchant.clone()).or_default().push(row);
    }

    /// Adds what the batch changes to a transaction: each ASN once.
    pub(super) fn put(self, transaction: &mut Transaction, now_us: i64) {
        for (AsnKey { merchant, .. }, loaded) in &self.asns {
            for (position, by_line) in &loaded.counted {
                if let Some(asn) = loaded.asns.get(*position) {
                    transaction.count_units(merchant, asn, by_line, now_us);
                }
            }
        }
        for (merchant, units) in self.received {
            transaction.put_units(&merchant, units);
        }
    }
}

impl LoadedAsns {
    /// The position of the ASN that a receipt is about, if it is about one.
    fn choose(&self, named: &NamedReceipt<'_>) -> Option<usize> {
        match choose_asn(&self.asns, named) {
            AsnChoice::One(position) => Some(position),
            AsnChoice::None | AsnChoice::Ambiguous => None,
        }
    }

    /// The license plate of a scanned unit. None if there is no ASN.
    fn plate<'a>(&'a self, named: &'a NamedReceipt<'_>) -> Option<&'a str> {
        let asn = self.asns.get(self.choose(named)?)?;
        Some(license_plate(Some(&asn.value), named.receipt, &named.name))
    }

    /// Whether a unit is announced, but not by this ASN.
    fn is_announced_apart_from(&self, asn: &Versioned<AsnState>, plate: &str) -> bool {
        let others = self
            .asns
            .iter()
            .filter(|it| it.value.asn.program_identifier != asn.value.asn.program_identifier);
        self.elsewhere.contains(plate)
            || others.map(|it| &it.value).any(|it| find_announced(it, plate).is_some())
    }
}

/// The unit as the ASN announces it.
fn find_announced(asn: &AsnState, plate: &str) -> Option<UnitRecord> {
    let line = asn.asn.lines().find(|it| it.detail.unit_identifier.as_deref() == Some(plate))?;
    Some(UnitRecord::announced(&line, asn.announced_at))
}

/// Adds what a receipt can be found by.
fn add_keys<'a>(keys: &mut ScannedKeys<'a>, named: &'a NamedReceipt<'a>) {
    let receipt = named.receipt;
    let line = receipt.line_identifier.as_deref();
    let own = receipt.client_unit_identifier.as_deref();
    keys.lines.extend(line);
    keys.own.extend(own);
    keys.units.extend(own);
    let unit = receipt.unit_identifier.as_deref();
    keys.units.extend(unit.or_else(|| own.is_none().then_some(named.name.as_str())));
    let code = match (&receipt.sku, &receipt.upc, &receipt.asin) {
        (Some(sku), _, _) => ArticleCode::Sku(sku),
        (None, Some(upc), _) => ArticleCode::Upc(upc),
        (None, None, Some(asin)) => ArticleCode::Asin(asin),
        (None, None, None) => return,
    };
    if line.is_none() {
        let carton = receipt.carton_identifier.as_deref().unwrap_or_default();
        *keys.articles.entry(ScannedArticle { code, carton }).or_default() += 1;
    }
}

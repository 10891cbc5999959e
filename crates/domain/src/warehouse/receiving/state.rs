//! An ASN together with what was received against it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Acceptance;
use crate::warehouse::asn::{AsnDetail, InboundAsn};

/// An ASN as it stands now. It is stored as this JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AsnState {
    pub asn: InboundAsn,
    /// When the merchant first announced it.
    #[schema(value_type = String, format = DateTime, example = "2026-02-28T16:00:00Z")]
    pub announced_at: Timestamp,
    /// The license plates of the units that were received, by line. Lines without one are absent.
    pub received: BTreeMap<String, BTreeSet<String>>,
    /// The license plates of units that were accepted though no line announces them.
    pub surplus: BTreeSet<String>,
    /// The license plates of units that came for the ASN and were rejected. They do not count.
    #[serde(default)]
    pub rejected: BTreeSet<String>,
}

/// What an update of an ASN comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub state: AsnState,
    pub changed: bool,
}

/// Why an ASN cannot be updated. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsnRefusal {
    /// The update is about another ASN.
    OtherAsn,
    /// Units were received already.
    Received,
}

impl fmt::Display for AsnRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OtherAsn => "the update names another ASN or program",
            Self::Received => "units of the ASN were received already",
        })
    }
}

impl std::error::Error for AsnRefusal {}

impl AsnState {
    /// An ASN that was just announced.
    pub fn announced(asn: InboundAsn, now: Timestamp) -> Self {
        Self {
            asn,
            announced_at: now,
            received: BTreeMap::new(),
            surplus: BTreeSet::new(),
            rejected: BTreeSet::new(),
        }
    }

    /// The ASN after the merchant sent it again. Once units were received, only what says the
    /// same is accepted.
    pub fn replaced(&self, asn: InboundAsn) -> Result<Replacement, AsnRefusal> {
        if asn.asn_number != self.asn.asn_number
            || asn.program_identifier != self.asn.program_identifier
        {
            return Err(AsnRefusal::OtherAsn);
        }
        if asn == self.asn {
            return Ok(Replacement { state: self.clone(), changed: false });
        }
        if !self.is_untouched() {
            return Err(AsnRefusal::Received);
        }
        let rejected = self.rejected.clone();
        let state = Self { rejected, ..Self::announced(asn, self.announced_at) };
        Ok(Replacement { state, changed: true })
    }

    /// Whether nothing was received.
    pub fn is_untouched(&self) -> bool {
        self.received.values().all(BTreeSet::is_empty) && self.surplus.is_empty()
    }

    /// Whether this license plate was received against the ASN.
    pub fn counts(&self, unit_identifier: &str) -> bool {
        self.surplus.contains(unit_identifier)
            || self.received.values().any(|units| units.contains(unit_identifier))
    }

    /// How many units of a line are still awaited.
    pub fn awaited(&self, detail: &AsnDetail) -> i64 {
        let here = self.received.get(&detail.line_identifier).map_or(0, BTreeSet::len);
        detail.quantity.saturating_sub(i64::try_from(here).unwrap_or(i64::MAX)).max(0)
    }

    /// How many units the merchant was told of: each once, whatever became of it.
    pub fn told(&self) -> usize {
        let received = self.received.values().map(BTreeSet::len).sum::<usize>();
        received.saturating_add(self.surplus.len()).saturating_add(self.rejected.len())
    }

    /// Counts a unit that was accepted. A unit that counts already does not count again.
    pub fn count(&mut self, acceptance: &Acceptance) {
        let unit = &acceptance.unit.unit_identifier;
        if self.counts(unit) {
            return;
        }
        match &acceptance.line_identifier {
            Some(line) => self.received.entry(line.clone()).or_default().insert(unit.clone()),
            None => self.surplus.insert(unit.clone()),
        };
    }
}

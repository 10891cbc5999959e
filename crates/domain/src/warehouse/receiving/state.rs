//! An ASN together with what was received against it.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;

use super::Acceptance;
use crate::warehouse::asn::{AsnDetail, InboundAsn};

/// An ASN as it stands now, as far as it is looked at: its lines are those that a scan can be
/// about, because an ASN may have very many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsnState {
    pub asn: InboundAsn,
    /// Two announcements with the same one say the same, in all of their lines.
    pub fingerprint: String,
    /// When the merchant first announced it.
    pub announced_at: Timestamp,
    /// How many units were received, by line. Lines without one may be absent.
    pub received: BTreeMap<String, i64>,
    /// How many units were received, those included that no line announces.
    pub here: i64,
    /// How many units the merchant was told of: each once, whatever became of it.
    pub told: i64,
}

/// What an update of an ASN comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsnUpdate {
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
    pub fn announced(asn: InboundAsn, fingerprint: String, now: Timestamp) -> Self {
        let received = BTreeMap::new();
        Self { asn, fingerprint, announced_at: now, received, here: 0, told: 0 }
    }

    /// The ASN after the merchant sent it again. Once units were received, only what says the
    /// same is accepted.
    pub fn replaced(&self, asn: InboundAsn, fingerprint: String) -> Result<AsnUpdate, AsnRefusal> {
        if asn.asn_number != self.asn.asn_number
            || asn.program_identifier != self.asn.program_identifier
        {
            return Err(AsnRefusal::OtherAsn);
        }
        if fingerprint == self.fingerprint {
            return Ok(AsnUpdate { state: self.clone(), changed: false });
        }
        if !self.is_untouched() {
            return Err(AsnRefusal::Received);
        }
        let announced = Self::announced(asn, fingerprint, self.announced_at);
        Ok(AsnUpdate { state: Self { told: self.told, ..announced }, changed: true })
    }

    /// Whether nothing was received.
    pub fn is_untouched(&self) -> bool {
        self.here == 0
    }

    /// How many units of a line are still awaited.
    pub fn awaited(&self, detail: &AsnDetail) -> i64 {
        let here = self.received.get(&detail.line_identifier).copied().unwrap_or(0);
        detail.quantity.saturating_sub(here).max(0)
    }

    /// Counts a unit that was accepted. That it is one that did not count before is known from its
    /// record.
    pub fn count(&mut self, acceptance: &Acceptance) {
        self.here = self.here.saturating_add(1);
        self.told = self.told.saturating_add(1);
        if let Some(line) = &acceptance.line_identifier {
            let here = self.received.entry(line.clone()).or_default();
            *here = here.saturating_add(1);
        }
    }

    /// No longer counts a unit of a line, because it was not received after all. Its merchant was
    /// told of it nevertheless.
    pub fn uncount(&mut self, line: Option<&str>) {
        self.here = self.here.saturating_sub(1).max(0);
        if let Some(here) = line.and_then(|line| self.received.get_mut(line)) {
            *here = here.saturating_sub(1).max(0);
        }
    }
}

//! Disposition: which channel a received unit goes to.
//!
//! A merchant has a table of rules, and may have another one for a warehouse. The first rule that
//! matches the unit proposes its channel. If none matches, the unit goes back to stock, unless it
//! is broken: what is broken is never restocked unless a rule names the condition.

mod read;
#[cfg(test)]
mod tests;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::read::read_disposition;
use super::gtin::is_same_code;
use crate::orders::tags::is_same_tag;
use crate::returns::condition::Condition;

/// A table has at most this many rules.
pub const RULES_MAX: usize = 200;
/// A rule names at most this many values of one kind.
pub const VALUES_MAX: usize = 500;
/// Back to stock.
pub const RESTOCK: &str = "RTS";
/// Where broken units go if no rule says otherwise.
pub const BROKEN: &str = "DAMAGED";

/// The rules of a merchant, for all warehouses or for one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DispositionTable {
    /// The first rule that matches a unit decides.
    #[schema(max_items = 200)]
    pub rules: Vec<DispositionRule>,
}

/// A rule matches a unit if everything that it names matches. What it does not name matches every
/// unit.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DispositionRule {
    /// Conditions, one of which the unit must have. A rule without conditions that leads back to
    /// stock does not match broken units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub conditions: Vec<Condition>,
    /// SKUs or barcodes, one of which the unit must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 500, example = json!(["TEE-NAVY-M"]))]
    pub skus: Vec<String>,
    /// Tags, one of which the order line must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 500, example = json!(["hazmat"]))]
    pub tags: Vec<String>,
    /// Return reasons, one of which the shopper must have chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 500, example = json!(["defective"]))]
    pub reasons: Vec<String>,
    /// The unit is worth at least this much, in minor units of the order's currency.
    #[schema(example = 1000, minimum = 0)]
    pub value_min_cents: Option<i64>,
    /// The unit is worth at most this much.
    #[schema(example = 5000, minimum = 0)]
    pub value_max_cents: Option<i64>,
    /// Where the unit goes.
    #[schema(example = "OUTLET", min_length = 1, max_length = 255)]
    pub channel: String,
}

/// What is known about a unit when it is received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoodsFacts {
    pub sku: Option<String>,
    pub upc: Option<String>,
    /// The tags of the order line.
    pub tags: Vec<String>,
    /// Why it is returned.
    pub reason: Option<String>,
    pub value_cents: Option<i64>,
}

impl DispositionTable {
    /// Whether a rule names tags, so that the order must be read.
    pub fn needs_tags(&self) -> bool {
        self.rules.iter().any(|rule| !rule.tags.is_empty())
    }

    /// The channel that the first matching rule names. `restock` is where units go by default.
    pub fn channel_for(
        &self,
        goods: &GoodsFacts,
        condition: Condition,
        restock: &str,
    ) -> Option<&str> {
        let matching = |rule: &&DispositionRule| rule.matches(goods, condition, restock);
        self.rules.iter().find(matching).map(|rule| rule.channel.as_str())
    }
}

impl DispositionRule {
    fn matches(&self, goods: &GoodsFacts, condition: Condition, restock: &str) -> bool {
        let is_broken = condition == Condition::X;
        let leads_to_stock = [RESTOCK, restock].contains(&self.channel.as_str());
        let conditions = match self.conditions.as_slice() {
            [] => !(is_broken && leads_to_stock),
            named => named.contains(&condition),
        };
        let has_code = |code: &String| {
            let own = [&goods.sku, &goods.upc].into_iter().flatten();
            own.into_iter().any(|own| is_same_code(own, code))
        };
        let has_tag = |tag: &String| goods.tags.iter().any(|own| is_same_tag(own, tag));
        let has_reason = |reason: &String| goods.reason.as_ref() == Some(reason);
        let is_worth = |holds: &dyn Fn(i64) -> bool| goods.value_cents.is_some_and(holds);
        conditions
            && (self.skus.is_empty() || self.skus.iter().any(has_code))
            && (self.tags.is_empty() || self.tags.iter().any(has_tag))
            && (self.reasons.is_empty() || self.reasons.iter().any(has_reason))
            && self.value_min_cents.is_none_or(|least| is_worth(&|value| value >= least))
            && self.value_max_cents.is_none_or(|most| is_worth(&|value| value <= most))
    }
}

/// The channel of a unit. The table of the warehouse is asked before the one for all warehouses;
/// `restock` is the default channel of the warehouse.
pub fn propose_channel(
    tables: &[DispositionTable],
    goods: &GoodsFacts,
    condition: Condition,
    restock: Option<&str>,
) -> String {
    let restock = restock.unwrap_or(RESTOCK);
    let by_default = if condition == Condition::X { BROKEN } else { restock };
    let ruled = tables.iter().find_map(|table| table.channel_for(goods, condition, restock));
    ruled.unwrap_or(by_default).to_owned()
}

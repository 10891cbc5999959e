//! A merchant: the tenant. Its orders, returns, and messages are separate from those of all other
//! merchants.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::identifier::MerchantId;
use crate::orders::order::PostalAddress;

/// How many signing secrets are valid at once: the new one and the one being rotated out.
pub const SIGNING_SECRETS_MAX: usize = 2;

/// A merchant and what an operator set for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merchant {
    pub id: MerchantId,
    pub name: String,
    pub settings: MerchantSettings,
    /// Where returns are sent, as labels show it.
    #[serde(default)]
    pub return_address: Option<PostalAddress>,
    /// Newest first. Encrypted: only the vault can decrypt them.
    pub signing_secrets: Vec<SealedSecret>,
    pub created_at: Timestamp,
    /// A disabled merchant's tokens are refused; its data is kept.
    pub disabled_at: Option<Timestamp>,
}

/// What an operator can set for one merchant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Settings)]
#[expect(clippy::struct_excessive_bools, reason = "each setting is a switch of its own")]
pub struct MerchantSettings {
    /// Whether amounts that do not add up, and refunds dated in the past, are refused with 422
    /// instead of accepted with a warning.
    #[serde(default)]
    pub strict: bool,
    /// Who issues labels and reports where parcels are.
    #[serde(default)]
    pub carrier: CarrierMode,
    /// Whether our warehouse receives returned goods, so that returns show what arrived.
    #[serde(default)]
    pub managed_receiving: bool,
    /// Whether the merchant's answer 409 or 422 to an exchange order ends it at once: its units are
    /// refunded. Otherwise these answers are retried like any other.
    #[serde(default)]
    pub exchange_refusal_is_final: bool,
    /// How many cents a refund may differ from the promise without being listed as a problem.
    #[serde(default)]
    #[schema(example = 0, minimum = 0)]
    pub refund_tolerance_cents: i64,
    /// Whether messages about returns and exchange orders have `extensions`.
    #[serde(default)]
    pub message_extensions: bool,
    /// The unit of the weights in the merchant's orders.
    #[serde(default)]
    pub weight_unit: WeightUnit,
}

/// Who transports returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Carrier)]
pub enum CarrierMode {
    /// A part of this service that issues labels immediately and moves parcels on command.
    Simulated,
    /// An external system that fetches label requests and reports events.
    #[default]
    External,
    /// EasyPost: labels are bought with the merchant's account, and webhooks report parcels.
    Easypost,
}

impl CarrierMode {
    pub const ALL: [Self; 3] = [Self::Simulated, Self::External, Self::Easypost];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::External => "external",
            Self::Easypost => "easypost",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|carrier| carrier.name() == name)
    }
}

/// The unit in which a merchant's orders state weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeightUnit {
    #[default]
    Grams,
    Kilograms,
    Ounces,
    Pounds,
}

impl WeightUnit {
    pub const ALL: [Self; 4] = [Self::Grams, Self::Kilograms, Self::Ounces, Self::Pounds];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Grams => "grams",
            Self::Kilograms => "kilograms",
            Self::Ounces => "ounces",
            Self::Pounds => "pounds",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// The weight in whole grams, if it can be that of a parcel: less than 100 tons.
    #[expect(clippy::cast_possible_truncation, clippy::as_conversions, reason = "checked range")]
    pub fn grams(self, weight: f64) -> Option<i64> {
        let factor = match self {
            Self::Grams => 1.0,
            Self::Kilograms => 1_000.0,
            Self::Ounces => 28.349_523_125,
            Self::Pounds => 453.592_37,
        };
        let grams = (weight * factor).round();
        (0.0..1e8).contains(&grams).then_some(grams as i64)
    }
}

/// An encrypted secret that is needed again later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedSecret {
    /// Base64 of the encrypted bytes.
    pub sealed: String,
    pub created_at: Timestamp,
}

impl Merchant {
    pub fn is_live(&self) -> bool {
        self.disabled_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_grams_and_impossible_ones_are_none() {
        let cases = [
            (WeightUnit::Grams, 180.4, Some(180)),
            (WeightUnit::Kilograms, 0.5, Some(500)),
            (WeightUnit::Ounces, 16.0, Some(454)),
            (WeightUnit::Pounds, 1.0, Some(454)),
            (WeightUnit::Grams, 0.0, Some(0)),
            (WeightUnit::Grams, -1.0, None),
            (WeightUnit::Kilograms, 1e300, None),
            (WeightUnit::Grams, f64::NAN, None),
        ];
        for (unit, weight, grams) in cases {
            assert_eq!(unit.grams(weight), grams, "{weight} {unit:?}");
        }
        for unit in WeightUnit::ALL {
            assert_eq!(WeightUnit::parse(unit.name()), Some(unit));
        }
    }
}

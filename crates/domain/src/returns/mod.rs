//! Returns: what can be returned, what it pays, and what happens to it.
//!
//! The types that all parts share are here: how goods are returned, what the shopper gets for them,
//! and what one unit is worth.

pub mod carrier;
pub mod condition;
pub mod identifier;
#[cfg(test)]
mod interleavings;
pub mod journal;
pub mod ledger;
pub mod message;
pub mod money;
pub mod policy;
pub mod quote;
pub mod receipt;
pub mod request;
pub mod returnability;
pub mod rma;
pub mod settlement;
pub mod start;
#[cfg(test)]
pub(crate) mod test_orders;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How goods are returned.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ReturnMethod {
    /// The shopper mails a parcel with a label.
    MailBack,
    /// The shopper brings the goods to a drop-off point, without a parcel.
    ExpressReturns,
    /// The shopper keeps the goods.
    CustomerKeep,
    /// The carrier picks up the goods at the shopper's home.
    HomePickup,
}

impl ReturnMethod {
    pub const ALL: [Self; 4] =
        [Self::MailBack, Self::ExpressReturns, Self::CustomerKeep, Self::HomePickup];

    pub const fn name(self) -> &'static str {
        match self {
            Self::MailBack => "mail-back",
            Self::ExpressReturns => "express-returns",
            Self::CustomerKeep => "customer-keep",
            Self::HomePickup => "home-pickup",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether the shopper packs the goods, so that there can be several parcels.
    pub const fn has_parcels(self) -> bool {
        match self {
            Self::MailBack | Self::HomePickup => true,
            Self::ExpressReturns | Self::CustomerKeep => false,
        }
    }
}

/// What the shopper wants for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Money, to the original payment method.
    Refund,
    /// Another variant of the product.
    Exchange,
    /// A gift card.
    GiftCard,
}

impl Resolution {
    pub const ALL: [Self; 3] = [Self::Refund, Self::Exchange, Self::GiftCard];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::Exchange => "exchange",
            Self::GiftCard => "gift_card",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resolution| resolution.name() == name)
    }
}

/// What one unit is worth to the shopper, in minor units of the order's currency: price less
/// discount, plus tax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitAmounts {
    /// The unit's price.
    #[schema(example = 4500, minimum = 0)]
    pub price_cents: i64,
    /// The unit's share of the discounts on its line and its order: never more than the price.
    #[schema(example = 250, minimum = 0)]
    pub discount_cents: i64,
    /// The unit's share of the tax.
    #[schema(example = 360, minimum = 0)]
    pub tax_cents: i64,
}

impl UnitAmounts {
    /// What is refunded for the unit, before fees.
    pub const fn refund_cents(&self) -> i64 {
        self.price_cents.saturating_sub(self.discount_cents).saturating_add(self.tax_cents)
    }

    /// What the unit is exchanged for, if one unit of the new variant has this price; the same
    /// price if it is not known. The new unit is never worth more than this one.
    ///
    /// A cheaper variant has its part of the discount and the tax, and the shopper gets what is
    /// left of the refund. Of a dearer one, the merchant absorbs the difference: it is a discount.
    #[must_use]
    pub fn exchanged_for(&self, price_cents: Option<i64>) -> Self {
        let price_cents = price_cents.map_or(self.price_cents, |price| price.max(0));
        if price_cents >= self.price_cents {
            let absorbed = price_cents.saturating_sub(self.price_cents);
            let discount_cents = self.discount_cents.saturating_add(absorbed);
            return Self { price_cents, discount_cents, tax_cents: self.tax_cents };
        }
        let part = |amount: i64| {
            let scaled = i128::from(amount) * i128::from(price_cents);
            money::cents(scaled / i128::from(self.price_cents))
        };
        let tax_cents = part(self.tax_cents);
        let worth = part(self.refund_cents());
        let discount_cents = price_cents.saturating_add(tax_cents).saturating_sub(worth);
        Self { price_cents, discount_cents, tax_cents }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_to_a_cheaper_variant_is_left_and_to_a_dearer_one_absorbed() {
        let unit = UnitAmounts { price_cents: 4500, discount_cents: 250, tax_cents: 360 };

        assert_eq!(unit.exchanged_for(None), unit);
        assert_eq!(unit.exchanged_for(Some(4500)), unit);
        let cheaper = unit.exchanged_for(Some(4000));
        assert_eq!((cheaper.price_cents, cheaper.tax_cents), (4000, 320));
        assert_eq!((cheaper.discount_cents, cheaper.refund_cents()), (223, 4097));
        let dearer = unit.exchanged_for(Some(5000));
        assert_eq!((dearer.discount_cents, dearer.refund_cents()), (750, 4610));
        assert_eq!(UnitAmounts::default().exchanged_for(Some(100)).refund_cents(), 0);
    }

    proptest::proptest! {
        #[test]
        fn a_new_unit_is_never_worth_more_than_the_returned_one(
            price_cents in 0..100_000_i64, discount in 0..=1000_i64, tax_cents in 0..20_000_i64,
            new_price in 0..200_000_i64,
        ) {
            let discount_cents = price_cents * discount / 1000;
            let unit = UnitAmounts { price_cents, discount_cents, tax_cents };
            let new = unit.exchanged_for(Some(new_price));
            proptest::prop_assert!((0..=unit.refund_cents()).contains(&new.refund_cents()));
            proptest::prop_assert!((0..=new.price_cents).contains(&new.discount_cents));
            proptest::prop_assert_eq!(new.price_cents, new_price);
        }
    }

    #[test]
    fn methods_and_resolutions_are_parsed_from_their_names() {
        for method in ReturnMethod::ALL {
            assert_eq!(ReturnMethod::parse(method.name()), Some(method));
            assert_eq!(serde_json::to_value(method).unwrap(), method.name());
        }
        for resolution in Resolution::ALL {
            assert_eq!(Resolution::parse(resolution.name()), Some(resolution));
            assert_eq!(serde_json::to_value(resolution).unwrap(), resolution.name());
        }
    }
}

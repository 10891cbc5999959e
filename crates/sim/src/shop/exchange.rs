//! Exchange orders: one for each original order, for ever.
//!
//! `original_order_id` is the key. The first order with a key takes the goods from the stock
//! and gets a number; whoever comes with the same key gets that order back. A second order that
//! is not the same byte for byte gets it back too, but has broken a promise.
//!
//! The merchant computes the tax itself: a flat rate on what is paid for goods. A gift card is
//! not taxed, and like everything else that is not in the catalogue it is never out of stock.

use serde::{Deserialize, Serialize};

use crate::{calls::recent::Recent, shop::catalog::Catalogue};

const TAX_PERCENT: i64 = 8;
const REMEMBERED_ORDERS: usize = 1 << 18;

/// What the merchant reads of an exchange order.
#[derive(Deserialize)]
struct ExchangeOrder {
    original_order_id: Option<String>,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    sku: String,
    quantity: u32,
    unit_price_amount_cents: i64,
    #[serde(default)]
    discount_amount_cents: i64,
}

/// An order that was placed, in the words of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlacedOrder {
    pub(crate) order_identifier: String,
    pub(crate) total_amount_cents: i64,
    pub(crate) product_amount_cents: i64,
    pub(crate) tax_amount_cents: i64,
}

/// What came of an order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Placed(PlacedOrder),
    /// The order was placed before, with another content.
    Changed {
        first: PlacedOrder,
        original_order_id: String,
    },
    OutOfStock {
        sku: String,
    },
    /// 400.
    Unreadable(String),
    /// 422: there is no `original_order_id`.
    WithoutKey,
}

pub(crate) struct Shop {
    pub(crate) catalogue: Catalogue,
    orders: Recent<(u64, PlacedOrder)>,
    first_number: u64,
    placed: u64,
}

impl Shop {
    pub(crate) fn new(catalogue: Catalogue, first_number: u64) -> Self {
        Self { catalogue, orders: Recent::new(REMEMBERED_ORDERS), first_number, placed: 0 }
    }

    /// How many orders were placed.
    pub(crate) fn placed(&self) -> u64 {
        self.placed
    }

    /// Takes in an order. `hash` tells keys and contents apart.
    pub(crate) fn place(&mut self, body: &[u8], hash: impl Fn(&[u8]) -> u64) -> Outcome {
        let order: ExchangeOrder = match serde_json::from_slice(body) {
            Ok(order) => order,
            Err(error) => return Outcome::Unreadable(error.to_string()),
        };
        let Some(original_order_id) = order.original_order_id else { return Outcome::WithoutKey };
        let (key, content) = (hash(original_order_id.as_bytes()), hash(body));
        if let Some((first_content, first)) = self.orders.get_mut(key) {
            let first = first.clone();
            return if *first_content == content {
                Outcome::Placed(first)
            } else {
                Outcome::Changed { first, original_order_id }
            };
        }
        if let Some(sku) = self.lacking(&order.items) {
            return Outcome::OutOfStock { sku };
        }
        let placed = self.sell(&order.items);
        self.orders.insert(key, (content, placed.clone()));
        Outcome::Placed(placed)
    }

    /// An article of which fewer are left than `items` ask for altogether.
    fn lacking(&self, items: &[Item]) -> Option<String> {
        let lacks = |item: &&Item| {
            let same = items.iter().filter(|other| other.sku == item.sku);
            let wanted: u64 = same.map(|other| u64::from(other.quantity)).sum();
            let variant = self.catalogue.variant(&item.sku);
            variant.is_some_and(|variant| u64::from(variant.quantity_in_stock) < wanted)
        };
        items.iter().find(lacks).map(|item| item.sku.clone())
    }

    fn sell(&mut self, items: &[Item]) -> PlacedOrder {
        let (mut product, mut total, mut tax) = (0_i64, 0_i64, 0_i64);
        for item in items {
            let gross = item.unit_price_amount_cents.saturating_mul(i64::from(item.quantity));
            let net = gross.saturating_sub(item.discount_amount_cents);
            product = product.saturating_add(gross);
            total = total.saturating_add(net);
            if let Some(variant) = self.catalogue.variant_mut(&item.sku) {
                variant.quantity_in_stock = variant.quantity_in_stock.saturating_sub(item.quantity);
                tax = tax.saturating_add(net.saturating_mul(TAX_PERCENT) / 100);
            }
        }
        let number = self.first_number.saturating_add(self.placed);
        self.placed += 1;
        PlacedOrder {
            order_identifier: format!("EX-{number}"),
            total_amount_cents: total.saturating_add(tax),
            product_amount_cents: product,
            tax_amount_cents: tax,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use serde_json::json;

    use super::*;

    fn shop() -> Shop {
        Shop::new(Catalogue::new(""), crate::settings::FIRST_ORDER_NUMBER)
    }

    fn place(shop: &mut Shop, key: &str, items: &[(&str, u32)]) -> Outcome {
        let item = |(sku, quantity): &(&str, u32)| {
            json!({ "sku": sku, "quantity": quantity, "unit_price_amount_cents": 1_000,
                    "discount_amount_cents": 100 })
        };
        let items: Vec<_> = items.iter().map(item).collect();
        let body = json!({ "original_order_id": key, "items": items }).to_string();
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        shop.place(body.as_bytes(), |bytes| hasher.hash_one(bytes))
    }

    fn stock(shop: &Shop, sku: &str) -> u32 {
        shop.catalogue.variant(sku).unwrap().quantity_in_stock
    }

    #[test]
    fn the_same_key_gets_the_same_order_and_goods_are_taken_once() {
        let mut shop = shop();
        let items = [("TEE-NAVY-M", 2), ("GIFT-CARD", 1)];
        let expected = PlacedOrder {
            order_identifier: "EX-100001".to_owned(),
            total_amount_cents: 2_952,
            product_amount_cents: 3_000,
            tax_amount_cents: 152,
        };
        for _ in 0..3 {
            assert_eq!(place(&mut shop, "O-1", &items), Outcome::Placed(expected.clone()));
        }
        assert_eq!((stock(&shop, "TEE-NAVY-M"), shop.placed()), (5, 1));

        let changed = place(&mut shop, "O-1", &[("TEE-NAVY-M", 1)]);
        let original_order_id = "O-1".to_owned();
        assert_eq!(changed, Outcome::Changed { first: expected, original_order_id });
        assert_eq!((stock(&shop, "TEE-NAVY-M"), shop.placed()), (5, 1));
    }

    #[test]
    fn an_order_that_cannot_be_filled_takes_nothing() {
        let mut shop = shop();
        let items = [("TEE-NAVY-S", 1), ("TEE-NAVY-M", 4), ("TEE-NAVY-M", 4)];
        let sku = "TEE-NAVY-M".to_owned();
        assert_eq!(place(&mut shop, "O-1", &items), Outcome::OutOfStock { sku });
        assert_eq!((stock(&shop, "TEE-NAVY-S"), shop.placed()), (12, 0));
        assert!(matches!(place(&mut shop, "O-1", &[("TEE-NAVY-S", 1)]), Outcome::Placed(_)));
    }

    #[test]
    fn what_is_not_an_order_is_refused() {
        let mut shop = shop();
        assert!(matches!(shop.place(b"[", |_| 0), Outcome::Unreadable(_)));
        assert!(matches!(shop.place(br#"{"items": {}}"#, |_| 0), Outcome::Unreadable(_)));
        assert_eq!(shop.place(br#"{"items": []}"#, |_| 0), Outcome::WithoutKey);
    }
}

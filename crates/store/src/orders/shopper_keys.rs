//! What finds the data of a shopper by key: orders by their own column, returns and drop-ship
//! orders by rows of their own.

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{
    EngineError, ListedOrder, Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_merchant},
        value::{Row, params},
    },
};

/// What a key of a shopper finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShopperKeyKind {
    Return,
    DropShipOrder,
}

impl ShopperKeyKind {
    const ALL: [Self; 2] = [Self::Return, Self::DropShipOrder];

    const fn name(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::DropShipOrder => "drop_ship_order",
        }
    }
}

/// Something that may be about a shopper.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShopperReference {
    pub merchant: MerchantId,
    pub kind: ShopperKeyKind,
    /// The identifier of the return or of the drop-ship order.
    pub reference: String,
}

/// A place in the list of a shopper's orders. The default is before the first one.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderPosition<'a> {
    pub merchant: &'a str,
    pub order_id: &'a str,
}

const LOOKING: &str = "looking for the data of a shopper";

impl Transaction {
    /// Makes something findable by the hash of its shopper.
    pub fn put_shopper_key(
        &mut self,
        merchant: &MerchantId,
        shopper_hash: i64,
        kind: ShopperKeyKind,
        reference: &str,
    ) {
        self.any_rows_each(
            "INSERT INTO shopper_keys (merchant_id, shopper_hash, kind, reference)
             SELECT r.merchant_id, r.shopper_hash, r.kind, r.reference
             FROM ROWS(merchant_id, shopper_hash, kind, reference)
             WHERE true ON CONFLICT DO NOTHING",
            vec![params![merchant, shopper_hash, kind.name(), reference]],
        );
    }

    /// The data was erased, so nothing finds it by this hash.
    pub fn delete_shopper_key(
        &mut self,
        merchant: &MerchantId,
        shopper_hash: i64,
        kind: ShopperKeyKind,
        reference: &str,
    ) {
        self.any_rows(
            "DELETE FROM shopper_keys
             WHERE merchant_id = $1 AND shopper_hash = $2 AND kind = $3 AND reference = $4",
            params![merchant, shopper_hash, kind.name(), reference],
        );
    }

    /// Something that is older than the keys has its keys now.
    pub fn end_unkeyed(&mut self, unkeyed: &ShopperReference) {
        self.any_rows(
            "DELETE FROM unkeyed_shoppers
             WHERE merchant_id = $1 AND kind = $2 AND reference = $3",
            params![&unkeyed.merchant, unkeyed.kind.name(), unkeyed.reference.as_str()],
        );
    }
}

impl Store {
    /// Orders with this hash of a shopper at one merchant or at all, by merchant and number, after
    /// one of them. Another shopper may have the same hash.
    #[boxed]
    pub async fn orders_of_shopper_after(
        &self,
        merchant: Option<&MerchantId>,
        shopper_hash: i64,
        after: OrderPosition<'_>,
        limit: usize,
    ) -> Result<Vec<ListedOrder>, StoreError> {
        let named = merchant.map(MerchantId::as_str).unwrap_or_default();
        self.read_all(
            LOOKING,
            "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
             WHERE shopper_hash = $1 AND (merchant_id, order_id) > ($2, $3)
                 AND ($4 = '' OR merchant_id = $4)
             ORDER BY merchant_id, order_id LIMIT $5",
            params![shopper_hash, after.merchant, after.order_id, named, limit],
            super::order_lists::read_listed,
        )
        .await
    }

    /// Returns and drop-ship orders with this hash, of one merchant or of all.
    #[boxed]
    pub async fn shopper_references(
        &self,
        merchant: Option<&MerchantId>,
        shopper_hash: i64,
        limit: usize,
    ) -> Result<Vec<ShopperReference>, StoreError> {
        let named = merchant.map(MerchantId::as_str).unwrap_or_default();
        self.read_all(
            LOOKING,
            "SELECT merchant_id, kind, reference FROM shopper_keys
             WHERE shopper_hash = $1 AND ($2 = '' OR merchant_id = $2)
             ORDER BY merchant_id, kind, reference LIMIT $3",
            params![shopper_hash, named, limit],
            |row| read_reference("shopper_keys", row),
        )
        .await
    }

    /// What is older than the keys of shoppers and has none yet.
    #[boxed]
    pub async fn unkeyed_shoppers(
        &self,
        limit: usize,
    ) -> Result<Vec<ShopperReference>, StoreError> {
        self.read_all(
            "looking for data without the key of its shopper",
            "SELECT merchant_id, kind, reference FROM unkeyed_shoppers WHERE merchant_id > ''
             ORDER BY merchant_id, kind, reference LIMIT $1",
            params![limit],
            |row| read_reference("unkeyed_shoppers", row),
        )
        .await
    }
}

fn read_reference(table: &'static str, row: &Row) -> Result<ShopperReference, EngineError> {
    let name = row.text(1)?;
    let kind = ShopperKeyKind::ALL.into_iter().find(|kind| kind.name() == name);
    Ok(ShopperReference {
        merchant: parse_merchant(table, row.text(0)?)?,
        kind: kind.ok_or_else(|| corrupt(table, name, &"not a kind of key"))?,
        reference: row.text(2)?.to_owned(),
    })
}

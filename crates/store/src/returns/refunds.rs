//! Refunds that merchants reported. An entry is never changed or removed.

use boxed::boxed;
use bytes::Bytes;
use domain::identifier::MerchantId;

use crate::{Store, StoreError, Transaction, core::value::params};

/// A refund to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRow {
    pub refund_id: String,
    pub order_id: String,
    pub hash: Bytes,
    pub body: Bytes,
}

impl Transaction {
    /// Records new refunds; a conflict when one of the identifiers is taken.
    pub fn insert_refunds(
        &mut self,
        merchant: &MerchantId,
        mut refunds: Vec<RefundRow>,
        now_us: i64,
    ) {
        refunds.sort_by(|a, b| a.refund_id.cmp(&b.refund_id));
        self.one_row_each(
            "INSERT INTO refunds (merchant_id, refund_id, order_id, received_us, hash, body)
             SELECT r.merchant_id, r.refund_id, r.order_id, r.received_us, r.hash, r.body
             FROM ROWS(merchant_id, refund_id, order_id, received_us, hash, body)
             WHERE true ON CONFLICT DO NOTHING",
            refunds
                .into_iter()
                .map(|refund| {
                    params![
                        merchant,
                        refund.refund_id,
                        refund.order_id,
                        now_us,
                        refund.hash,
                        refund.body
                    ]
                })
                .collect(),
        );
    }
}

impl Store {
    /// The identifiers of an order's recorded refunds.
    #[boxed]
    pub async fn refund_ids(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Vec<String>, StoreError> {
        self.read_all(
            "listing the refunds of an order",
            "SELECT refund_id FROM refunds WHERE merchant_id = $1 AND order_id = $2",
            params![merchant, order_id],
            |row| Ok(row.text(0)?.to_owned()),
        )
        .await
    }

    /// The recorded refunds of these orders, each with its order, in the order of arrival.
    pub async fn refunds_of_orders(
        &self,
        merchant: &MerchantId,
        order_ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<(String, Bytes)>, StoreError> {
        self.read_each(
            "reading the refunds of orders",
            "SELECT f.order_id, f.body
             FROM ROWS(merchant_id, order_id)
             JOIN refunds f ON f.merchant_id = r.merchant_id AND f.order_id = r.order_id
             ORDER BY f.received_us, f.refund_id",
            order_ids.map(|id| params![merchant, id]).collect(),
            |row| Ok((row.text(0)?.to_owned(), row.bytes(1)?)),
        )
        .await
    }
}

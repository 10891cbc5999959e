//! What leaves the warehouse: shipments and drop-ship orders.

use std::sync::Arc;

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    time::micros,
    warehouse::{
        drop_ship::DropShipOrder,
        shipment::{Shipment, ShipmentHead},
    },
};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, parse_merchant, read_versioned},
        value::{Row, params},
    },
};

/// A shipment to store.
#[derive(Clone, Debug)]
pub struct ShipmentRow {
    /// The shipment without its units, for lists.
    pub head: ShipmentHead,
    /// The shipment as JSON.
    pub body: Arc<str>,
}

impl Transaction {
    /// Adds a shipment with the numbers of its messages; a conflict when one of them is taken.
    pub fn insert_shipment<'a>(
        &mut self,
        merchant: &MerchantId,
        shipment: ShipmentRow,
        numbers: impl Iterator<Item = &'a str>,
    ) {
        self.one_row_each(
            "INSERT INTO shipment_numbers (merchant_id, asn_number)
             SELECT r.merchant_id, r.asn_number FROM ROWS(merchant_id, asn_number)
             WHERE true ON CONFLICT DO NOTHING",
            numbers.map(|number| params![merchant, number]).collect(),
        );
        self.one_row(
            "INSERT INTO shipments
                 (merchant_id, asn_number, version, body, status, head, changed, changed_us)
             VALUES ($1, $2, 1, $3, $4, $5, CHANGE_NUMBER, $6) ON CONFLICT DO NOTHING",
            params![
                merchant,
                shipment.head.asn_number.as_str(),
                shipment.body,
                shipment.head.status.name(),
                shipment.head.to_json(),
                micros(shipment.head.updated_at)
            ],
        );
    }

    /// Replaces a shipment read at `version`.
    pub fn update_shipment(&mut self, merchant: &MerchantId, shipment: ShipmentRow, version: i64) {
        self.one_row(
            "UPDATE shipments SET version = version + 1, body = $4, status = $5, head = $6,
                 changed = CHANGE_NUMBER, changed_us = $7
             WHERE merchant_id = $1 AND asn_number = $2 AND version = $3",
            params![
                merchant,
                shipment.head.asn_number.as_str(),
                version,
                shipment.body,
                shipment.head.status.name(),
                shipment.head.to_json(),
                micros(shipment.head.updated_at)
            ],
        );
    }

    /// Replaces a drop-ship order that was read at `version`; 0 when there was none.
    pub fn put_drop_ship_order(
        &mut self,
        merchant: &MerchantId,
        order: &DropShipOrder,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO drop_ship_orders
                 (merchant_id, client_identifier, version, body, status, changed, changed_us)
             VALUES ($1, $2, 1, $3, $5, CHANGE_NUMBER, $6)
             ON CONFLICT (merchant_id, client_identifier) DO UPDATE
                 SET version = drop_ship_orders.version + 1, body = excluded.body,
                     status = excluded.status, changed = excluded.changed,
                     changed_us = excluded.changed_us
                 WHERE drop_ship_orders.version = $4",
            params![
                merchant,
                order.client_identifier.as_str(),
                order.to_json(),
                version,
                order.status.name(),
                micros(order.updated_at)
            ],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn shipment(
        &self,
        merchant: &MerchantId,
        asn_number: &str,
    ) -> Result<Option<Versioned<Shipment>>, StoreError> {
        self.read_first(
            "reading a shipment",
            "SELECT version, body FROM shipments WHERE merchant_id = $1 AND asn_number = $2",
            params![merchant, asn_number],
            |row| read_versioned("shipments", asn_number, row),
        )
        .await
    }

    /// The heads of these shipments, each with its merchant, in any order.
    pub async fn shipment_heads(
        &self,
        names: impl Iterator<Item = (&str, &str)>,
    ) -> Result<Vec<(String, ShipmentHead)>, StoreError> {
        self.read_each(
            "listing shipments",
            "SELECT t.merchant_id, t.asn_number, t.head FROM ROWS(merchant_id, asn_number)
             JOIN shipments t ON t.merchant_id = r.merchant_id AND t.asn_number = r.asn_number",
            names.map(|(merchant, number)| params![merchant, number]).collect(),
            |row| {
                let head = parse_body("shipments", row.text(1)?, row.text(2)?)?;
                Ok((row.text(0)?.to_owned(), head))
            },
        )
        .await
    }

    /// These drop-ship orders, each with its merchant, in any order.
    pub async fn drop_ship_orders_named(
        &self,
        names: impl Iterator<Item = (&str, &str)>,
    ) -> Result<Vec<(String, DropShipOrder)>, StoreError> {
        self.read_each(
            "listing drop-ship orders",
            "SELECT t.merchant_id, t.client_identifier, t.body
             FROM ROWS(merchant_id, client_identifier) JOIN drop_ship_orders t
                 ON t.merchant_id = r.merchant_id AND t.client_identifier = r.client_identifier",
            names.map(|(merchant, identifier)| params![merchant, identifier]).collect(),
            |row| {
                let order = parse_body("drop_ship_orders", row.text(1)?, row.text(2)?)?;
                Ok((row.text(0)?.to_owned(), order))
            },
        )
        .await
    }

    /// The numbers among `numbers` that messages about shipments already carry.
    pub async fn taken_shipment_numbers(
        &self,
        merchant: &MerchantId,
        numbers: impl Iterator<Item = &str>,
    ) -> Result<Vec<String>, StoreError> {
        self.read_each(
            "looking up numbers of shipments",
            "SELECT n.asn_number FROM ROWS(merchant_id, asn_number)
             JOIN shipment_numbers n
                 ON n.merchant_id = r.merchant_id AND n.asn_number = r.asn_number",
            numbers.map(|number| params![merchant, number]).collect(),
            |row| Ok(row.text(0)?.to_owned()),
        )
        .await
    }

    /// Merchants that have a shipment with this number.
    #[boxed]
    pub async fn merchants_of_shipment(
        &self,
        asn_number: &str,
    ) -> Result<Vec<MerchantId>, StoreError> {
        self.read_merchants(
            "shipments",
            "SELECT merchant_id FROM shipments WHERE asn_number = $1 ORDER BY merchant_id LIMIT 20",
            asn_number,
        )
        .await
    }

    #[boxed]
    pub async fn drop_ship_order(
        &self,
        merchant: &MerchantId,
        client_identifier: &str,
    ) -> Result<Option<Versioned<DropShipOrder>>, StoreError> {
        self.read_first(
            "reading a drop-ship order",
            "SELECT version, body FROM drop_ship_orders
             WHERE merchant_id = $1 AND client_identifier = $2",
            params![merchant, client_identifier],
            |row| read_versioned("drop_ship_orders", client_identifier, row),
        )
        .await
    }

    /// Merchants that have a drop-ship order with this identifier.
    #[boxed]
    pub async fn merchants_of_drop_ship_order(
        &self,
        client_identifier: &str,
    ) -> Result<Vec<MerchantId>, StoreError> {
        self.read_merchants(
            "drop_ship_orders",
            "SELECT merchant_id FROM drop_ship_orders WHERE client_identifier = $1
             ORDER BY merchant_id LIMIT 20",
            client_identifier,
        )
        .await
    }

    /// The merchants that have something with this key.
    pub(crate) async fn read_merchants(
        &self,
        table: &'static str,
        sql: &'static str,
        key: &str,
    ) -> Result<Vec<MerchantId>, StoreError> {
        let read = |row: &Row| parse_merchant(table, row.text(0)?);
        self.read_all("looking up merchants", sql, params![key], read).await
    }
}

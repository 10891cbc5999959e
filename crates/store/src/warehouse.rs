//! What the warehouse knows: announced goods, units, shipments and drop-ship orders.

use domain::{
    identifier::MerchantId,
    time::micros,
    warehouse::{
        drop_ship::DropShipOrder, receiving::AsnState, shipment::Shipment, unit::UnitRecord,
    },
};

use crate::{
    Store, StoreError, Transaction, Versioned, corrupt,
    error::Doing,
    json, parsed,
    value::{Row, params},
};

/// A unit to store.
#[derive(Clone, Debug)]
pub struct UnitRow {
    /// The version that it replaces; 0 for a unit that was not known.
    pub replaces: i64,
    pub unit: UnitRecord,
}

impl UnitRow {
    /// Since when an operator is asked about it; 0 while nobody is.
    fn doubt_us(&self) -> i64 {
        self.unit.asked_since().map_or(0, micros)
    }
}

impl Transaction {
    /// Stores an ASN in the place of the one read at `version`; 0 when there was none.
    pub fn put_asn(&mut self, merchant: &MerchantId, asn: &AsnState, version: i64) {
        self.one_row(
            "INSERT INTO asns (merchant_id, asn_number, program_id, version, body)
             VALUES ($1, $2, $3, 1, $4)
             ON CONFLICT (merchant_id, asn_number, program_id) DO UPDATE
                 SET version = asns.version + 1, body = excluded.body
                 WHERE asns.version = $5",
            params![
                merchant.as_str(),
                asn.asn.asn_number.as_str(),
                asn.asn.program_identifier.as_str(),
                json(asn),
                version
            ],
        );
    }

    /// Stores units in the place of those read at their versions.
    pub fn put_units(&mut self, merchant: &MerchantId, mut units: Vec<UnitRow>) {
        // Always in one order, so that two shipments of the same units cannot wait for each other.
        units.sort_by(|a, b| a.unit.unit_identifier.cmp(&b.unit.unit_identifier));
        let (fresh, known) = units.into_iter().partition::<Vec<_>, _>(|unit| unit.replaces == 0);
        self.one_row_each(
            "INSERT INTO units (merchant_id, unit_id, version, doubt_us, body)
             SELECT r.merchant_id, r.unit_id, 1, r.doubt_us, r.body
             FROM ROWS(merchant_id, unit_id, doubt_us, body) WHERE true ON CONFLICT DO NOTHING",
            fresh
                .iter()
                .map(|row| {
                    let id = row.unit.unit_identifier.as_str();
                    params![merchant.as_str(), id, row.doubt_us(), json(&row.unit)]
                })
                .collect(),
        );
        self.one_row_each(
            "UPDATE units SET version = units.version + 1, doubt_us = r.doubt_us, body = r.body
             FROM ROWS(merchant_id, unit_id, version, doubt_us, body)
             WHERE units.merchant_id = r.merchant_id AND units.unit_id = r.unit_id
                 AND units.version = r.version",
            known
                .iter()
                .map(|row| {
                    let id = row.unit.unit_identifier.as_str();
                    params![merchant.as_str(), id, row.replaces, row.doubt_us(), json(&row.unit)]
                })
                .collect(),
        );
    }

    /// Forgets units that were announced by mistake.
    pub fn delete_units<'a>(
        &mut self,
        merchant: &MerchantId,
        units: impl Iterator<Item = (&'a str, i64)>,
    ) {
        self.one_row_each(
            "DELETE FROM units WHERE EXISTS (
                 SELECT 1 FROM ROWS(merchant_id, unit_id, version)
                 WHERE units.merchant_id = r.merchant_id AND units.unit_id = r.unit_id
                     AND units.version = r.version)",
            units.map(|(unit, version)| params![merchant.as_str(), unit, version]).collect(),
        );
    }

    /// Adds a shipment with the numbers of its messages; a conflict when one of them is taken.
    pub fn insert_shipment<'a>(
        &mut self,
        merchant: &MerchantId,
        shipment: &Shipment,
        numbers: impl Iterator<Item = &'a str>,
    ) {
        self.one_row_each(
            "INSERT INTO shipment_numbers (merchant_id, asn_number)
             SELECT r.merchant_id, r.asn_number FROM ROWS(merchant_id, asn_number)
             WHERE true ON CONFLICT DO NOTHING",
            numbers.map(|number| params![merchant.as_str(), number]).collect(),
        );
        self.one_row(
            "INSERT INTO shipments (merchant_id, asn_number, version, body)
             VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING",
            params![merchant.as_str(), shipment.asn_number.as_str(), json(shipment)],
        );
    }

    /// Replaces a shipment read at `version`.
    pub fn update_shipment(&mut self, merchant: &MerchantId, shipment: &Shipment, version: i64) {
        self.one_row(
            "UPDATE shipments SET version = version + 1, body = $4
             WHERE merchant_id = $1 AND asn_number = $2 AND version = $3",
            params![merchant.as_str(), shipment.asn_number.as_str(), version, json(shipment)],
        );
    }

    /// Stores a drop-ship order in the place of the one read at `version`; 0 when there was none.
    pub fn put_drop_ship_order(
        &mut self,
        merchant: &MerchantId,
        order: &DropShipOrder,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO drop_ship_orders (merchant_id, client_identifier, version, body)
             VALUES ($1, $2, 1, $3)
             ON CONFLICT (merchant_id, client_identifier) DO UPDATE
                 SET version = drop_ship_orders.version + 1, body = excluded.body
                 WHERE drop_ship_orders.version = $4",
            params![merchant.as_str(), order.client_identifier.as_str(), json(order), version],
        );
    }
}

impl Store {
    /// The ASNs of a merchant with this number: one for each of its programs that uses it.
    pub async fn asns(
        &self,
        merchant: &MerchantId,
        asn_number: &str,
    ) -> Result<Vec<Versioned<AsnState>>, StoreError> {
        let rows = self
            .rows(
                "reading ASNs",
                "SELECT version, body FROM asns WHERE merchant_id = $1 AND asn_number = $2
                 ORDER BY program_id LIMIT 20",
                params![merchant.as_str(), asn_number],
            )
            .await?;
        rows.iter().map(|row| versioned("asns", asn_number, row)).collect()
    }

    /// Merchants that announced an ASN with this number.
    pub async fn merchants_of_asn(&self, asn_number: &str) -> Result<Vec<MerchantId>, StoreError> {
        self.owners(
            "SELECT DISTINCT merchant_id FROM asns WHERE asn_number = $1
             ORDER BY merchant_id LIMIT 20",
            asn_number,
        )
        .await
    }

    /// Those of `unit_ids` that are known.
    pub async fn units(
        &self,
        merchant: &MerchantId,
        unit_ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<Versioned<UnitRecord>>, StoreError> {
        let wanted = unit_ids.map(|id| params![merchant.as_str(), id]).collect();
        let rows = self
            .engine
            .query_each(
                "SELECT u.version, u.body FROM ROWS(merchant_id, unit_id)
                 JOIN units u ON u.merchant_id = r.merchant_id AND u.unit_id = r.unit_id",
                wanted,
            )
            .await
            .doing("reading units")?;
        rows.iter().map(|row| versioned("units", "a unit", row)).collect()
    }

    /// Merchants that have a unit of this name. The platform is none: what it keeps is a unit of
    /// which nobody knew whose it is.
    pub async fn merchants_of_unit(&self, unit_id: &str) -> Result<Vec<MerchantId>, StoreError> {
        let mut owners = self
            .owners(
                "SELECT merchant_id FROM units WHERE unit_id = $1 ORDER BY merchant_id LIMIT 21",
                unit_id,
            )
            .await?;
        owners.retain(|owner| *owner != MerchantId::platform());
        Ok(owners)
    }

    /// Units that an operator is asked about, the oldest question first, behind a time, merchant and unit.
    pub async fn units_in_doubt(
        &self,
        after: &(i64, String, String),
        limit: i64,
    ) -> Result<Vec<(i64, String, UnitRecord)>, StoreError> {
        let doing = "listing units in doubt";
        let rows = self
            .rows(
                doing,
                "SELECT version, body, doubt_us, merchant_id FROM units
                 WHERE doubt_us > 0 AND (doubt_us, merchant_id, unit_id) > ($1, $2, $3)
                 ORDER BY doubt_us, merchant_id, unit_id LIMIT $4",
                params![after.0, after.1.as_str(), after.2.as_str(), limit],
            )
            .await?;
        let read = |row: &Row| {
            let (since, merchant) =
                row.int(2).and_then(|it| Ok((it, row.text(3)?.to_owned()))).doing(doing)?;
            Ok((since, merchant, versioned("units", "a unit", row)?.value))
        };
        rows.iter().map(read).collect()
    }

    pub async fn shipment(
        &self,
        merchant: &MerchantId,
        asn_number: &str,
    ) -> Result<Option<Versioned<Shipment>>, StoreError> {
        let rows = self
            .rows(
                "reading a shipment",
                "SELECT version, body FROM shipments WHERE merchant_id = $1 AND asn_number = $2",
                params![merchant.as_str(), asn_number],
            )
            .await?;
        rows.first().map(|row| versioned("shipments", asn_number, row)).transpose()
    }

    /// Those of `numbers` that messages about shipments carry already.
    pub async fn taken_shipment_numbers(
        &self,
        merchant: &MerchantId,
        numbers: impl Iterator<Item = &str>,
    ) -> Result<Vec<String>, StoreError> {
        let doing = "looking up numbers of shipments";
        let wanted = numbers.map(|number| params![merchant.as_str(), number]).collect();
        let rows = self
            .engine
            .query_each(
                "SELECT n.asn_number FROM ROWS(merchant_id, asn_number)
                 JOIN shipment_numbers n
                     ON n.merchant_id = r.merchant_id AND n.asn_number = r.asn_number",
                wanted,
            )
            .await
            .doing(doing)?;
        rows.iter().map(|row| Ok(row.text(0).doing(doing)?.to_owned())).collect()
    }

    /// Merchants whose goods leave with a shipment of this number.
    pub async fn merchants_of_shipment(
        &self,
        asn_number: &str,
    ) -> Result<Vec<MerchantId>, StoreError> {
        self.owners(
            "SELECT merchant_id FROM shipments WHERE asn_number = $1 ORDER BY merchant_id LIMIT 20",
            asn_number,
        )
        .await
    }

    pub async fn drop_ship_order(
        &self,
        merchant: &MerchantId,
        client_identifier: &str,
    ) -> Result<Option<Versioned<DropShipOrder>>, StoreError> {
        let rows = self
            .rows(
                "reading a drop-ship order",
                "SELECT version, body FROM drop_ship_orders
                 WHERE merchant_id = $1 AND client_identifier = $2",
                params![merchant.as_str(), client_identifier],
            )
            .await?;
        rows.first().map(|row| versioned("drop_ship_orders", client_identifier, row)).transpose()
    }

    /// Merchants with a drop-ship order of this name.
    pub async fn merchants_of_drop_ship_order(
        &self,
        client_identifier: &str,
    ) -> Result<Vec<MerchantId>, StoreError> {
        self.owners(
            "SELECT merchant_id FROM drop_ship_orders WHERE client_identifier = $1
             ORDER BY merchant_id LIMIT 20",
            client_identifier,
        )
        .await
    }

    async fn owners(&self, sql: &'static str, key: &str) -> Result<Vec<MerchantId>, StoreError> {
        let doing = "looking up whose it is";
        let rows = self.rows(doing, sql, params![key]).await?;
        let owner = |row: &Row| {
            let text = row.text(0).doing(doing)?;
            MerchantId::parse_stored(text).map_err(|why| corrupt("warehouse", text, &why))
        };
        rows.iter().map(owner).collect()
    }
}

fn versioned<T: serde::de::DeserializeOwned>(
    table: &'static str,
    id: &str,
    row: &Row,
) -> Result<Versioned<T>, StoreError> {
    let read = || Ok((row.int(0)?, row.text(1)?));
    let (version, body) = read().doing("reading what the warehouse knows")?;
    Ok(Versioned { value: parsed(table, id, body)?, version })
}

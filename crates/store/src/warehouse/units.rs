//! Units: what is known of single pieces of goods.
//!
//! A unit that is only announced is a line of its ASN and nothing else; it has a row of its own from the moment
//! on in which more is known of it. That row holds the unit as JSON. What changes little of it is written
//! beside it, step by step, and read together with it.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    identifier::MerchantId,
    time::micros,
    warehouse::unit::{StoryStep, UnitRecord},
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, to_json},
        cursor::Cursor,
        error::During,
        value::{Row, Value, params},
    },
    warehouse::asns::announced_unit,
};

const READING: &str = "reading units";

/// A unit to store.
#[derive(Clone, Debug)]
pub struct UnitRow {
    /// The version that it replaces; 0 for a unit that was not known, or announced only.
    pub replaces: i64,
    pub unit: UnitRecord,
}

/// What happened to a unit that has a row: graded, moved, packed, unpacked or shipped.
#[derive(Clone, Debug)]
pub struct UnitSteps<'a> {
    pub unit_id: &'a str,
    /// The version of the unit before.
    pub replaces: i64,
    pub steps: &'a [StoryStep],
}

/// A unit that an operator is asked about.
#[derive(Clone, Debug)]
pub struct DoubtfulUnit {
    pub since_us: i64,
    pub merchant: String,
    pub unit: UnitRecord,
}

impl DoubtfulUnit {
    /// Its position among the questions.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.clone(), self.unit.unit_identifier.clone());
        Cursor { at_us: self.since_us, merchant, id }
    }
}

impl UnitRow {
    /// Since when an operator is asked about it; 0 while nobody is.
    fn doubt_us(&self) -> i64 {
        self.unit.asked_since().map_or(0, micros)
    }
}

impl Transaction {
    /// Stores units in the place of those read at their versions.
    pub fn put_units(&mut self, merchant: &MerchantId, mut units: Vec<UnitRow>) {
        // Always in one order, so that two shipments of the same units cannot wait for each other.
        units.sort_by(|a, b| a.unit.unit_identifier.cmp(&b.unit.unit_identifier));
        let (fresh, known) = units.into_iter().partition::<Vec<_>, _>(|unit| unit.replaces == 0);
        self.one_row_each(
            "INSERT INTO units (merchant_id, unit_id, version, body_version, doubt_us, body)
             SELECT r.merchant_id, r.unit_id, 1, 1, r.doubt_us, r.body
             FROM ROWS(merchant_id, unit_id, doubt_us, body) WHERE true ON CONFLICT DO NOTHING",
            fresh
                .iter()
                .map(|row| {
                    let id = row.unit.unit_identifier.as_str();
                    params![merchant, id, row.doubt_us(), to_json(&row.unit)]
                })
                .collect(),
        );
        self.one_row_each(
            "UPDATE units SET version = units.version + 1, body_version = units.version + 1,
                 doubt_us = r.doubt_us, body = r.body
             FROM ROWS(merchant_id, unit_id, version, doubt_us, body)
             WHERE units.merchant_id = r.merchant_id AND units.unit_id = r.unit_id
                 AND units.version = r.version",
            known
                .iter()
                .map(|row| {
                    let id = row.unit.unit_identifier.as_str();
                    params![merchant, id, row.replaces, row.doubt_us(), to_json(&row.unit)]
                })
                .collect(),
        );
    }

    /// Writes down what happened to units since they were read, in the order of their names.
    pub fn put_unit_steps(&mut self, merchant: &MerchantId, units: &[UnitSteps<'_>]) {
        self.one_row_each(
            "UPDATE units SET version = units.version + 1 FROM ROWS(merchant_id, unit_id, version)
             WHERE units.merchant_id = r.merchant_id AND units.unit_id = r.unit_id
                 AND units.version = r.version",
            units.iter().map(|it| params![merchant, it.unit_id, it.replaces]).collect(),
        );
        let mut bodies = Bodies::default();
        self.one_row_each(
            "INSERT INTO unit_steps (merchant_id, unit_id, version, body)
             SELECT r.merchant_id, r.unit_id, r.version + 1, r.body
             FROM ROWS(merchant_id, unit_id, version, body) WHERE true",
            units
                .iter()
                .map(|it| params![merchant, it.unit_id, it.replaces, bodies.of(it.steps)])
                .collect(),
        );
    }
}

/// Texts of what happened, one for all units in a row to which the same happened: a shipment may have very many.
#[derive(Default)]
struct Bodies(Arc<str>);

impl Bodies {
    fn of(&mut self, steps: &[StoryStep]) -> Value {
        let text = to_json(&steps);
        if *text != *self.0 {
            self.0 = text.into();
        }
        Value::Shared(Arc::clone(&self.0))
    }
}

impl Store {
    /// Those of `unit_ids` that are known, in any order. The version of one that is only announced is 0.
    pub async fn units(
        &self,
        merchant: &MerchantId,
        unit_ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<Versioned<UnitRecord>>, StoreError> {
        let wanted: BTreeSet<&str> = unit_ids.collect();
        let rows = wanted.iter().map(|id| params![merchant, *id]).collect();
        let mut found = self.units_with_rows(rows).await?;
        let known: BTreeSet<&str> =
            found.iter().map(|it| it.value.unit_identifier.as_str()).collect();
        let others = wanted.difference(&known).map(|id| params![merchant, *id]);
        let announced = self.announced_units(others.collect()).await?;
        found.extend(announced.into_iter().map(|value| Versioned { value, version: 0 }));
        Ok(found)
    }

    /// The units of these merchants and names that have a row.
    async fn units_with_rows(
        &self,
        wanted: Vec<Vec<Value>>,
    ) -> Result<Vec<Versioned<UnitRecord>>, StoreError> {
        let rows = self
            .query_each(
                READING,
                "SELECT u.merchant_id, u.unit_id, u.version, u.body, s.body
                 FROM ROWS(merchant_id, unit_id)
                 JOIN units u ON u.merchant_id = r.merchant_id AND u.unit_id = r.unit_id
                 LEFT JOIN unit_steps s ON s.merchant_id = u.merchant_id
                     AND s.unit_id = u.unit_id AND s.version > u.body_version
                 ORDER BY u.merchant_id, u.unit_id, s.version",
                wanted,
            )
            .await?;
        let whose = |row: &Row| -> Result<(String, String), EngineError> {
            Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()))
        };
        let mut units: Vec<Versioned<UnitRecord>> = Vec::new();
        let mut last = None;
        for row in &rows {
            let name = whose(row).during(READING)?;
            if last.as_ref() != Some(&name) {
                let version = row.int(2).during(READING)?;
                let value = parse_body("units", &name.1, row.text(3).during(READING)?)?;
                units.push(Versioned { value, version });
            }
            let steps = row.optional_text(4).during(READING)?;
            if let Some((steps, unit)) = steps.zip(units.last_mut()) {
                let steps: Vec<StoryStep> = parse_body("unit_steps", &name.1, steps)?;
                let before = std::mem::replace(&mut unit.value, UnitRecord::new(""));
                unit.value = before.resumed(steps);
            }
            last = Some(name);
        }
        Ok(units)
    }

    /// The units of these merchants and names that are announced.
    async fn announced_units(
        &self,
        wanted: Vec<Vec<Value>>,
    ) -> Result<Vec<UnitRecord>, StoreError> {
        let rows = self
            .query_each(
                READING,
                "SELECT a.body, a.announced_us, l.carton, l.body
                 FROM ROWS(merchant_id, unit_id)
                 LEFT JOIN asn_lines l ON l.unit_id = r.unit_id AND l.merchant_id = r.merchant_id
                     AND l.unit_id <> ''
                 LEFT JOIN asns a ON a.merchant_id = l.merchant_id AND a.asn_number = l.asn_number
                     AND a.program_id = l.program_id",
                wanted,
            )
            .await?;
        // From the unit to its line to its ASN and not the other way round: the joins are left ones for that.
        let found = rows.iter().filter(|row| matches!(row.optional_text(0), Ok(Some(_))));
        found.map(announced_unit).collect()
    }

    /// Whoever has or announced a unit of this name: merchants, and the platform for one of which nobody knew whose
    /// it is.
    pub async fn owners_of_unit(&self, unit_id: &str) -> Result<Vec<MerchantId>, StoreError> {
        self.owners(
            "SELECT merchant_id FROM units WHERE unit_id = $1
             UNION SELECT merchant_id FROM asn_lines WHERE unit_id = $1 AND unit_id <> ''
             ORDER BY merchant_id LIMIT 21",
            unit_id,
        )
        .await
    }

    /// Merchants that have or announced a unit of this name. The platform is none: what it keeps is a unit of
    /// which nobody knew whose it is.
    pub async fn merchants_of_unit(&self, unit_id: &str) -> Result<Vec<MerchantId>, StoreError> {
        let mut owners = self.owners_of_unit(unit_id).await?;
        owners.retain(|owner| *owner != MerchantId::platform());
        Ok(owners)
    }

    /// Units that an operator is asked about, the oldest question first.
    pub async fn units_in_doubt(
        &self,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<DoubtfulUnit>, StoreError> {
        let operation = "listing units in doubt";
        let rows = self
            .query(
                operation,
                "SELECT doubt_us, merchant_id, unit_id FROM units
                 WHERE doubt_us > 0 AND (doubt_us, merchant_id, unit_id) > ($1, $2, $3)
                 ORDER BY doubt_us, merchant_id, unit_id LIMIT $4",
                params![after.at_us, after.merchant.as_str(), after.id.as_str(), limit],
            )
            .await?;
        let mut units = Vec::with_capacity(rows.len());
        for row in &rows {
            let read = || Ok((row.int(0)?, row.text(1)?.to_owned(), row.text(2)?.to_owned()));
            let (since_us, merchant, id) = read().during(operation)?;
            let wanted = vec![params![merchant.as_str(), id.as_str()]];
            let found = self.units_with_rows(wanted).await?.pop();
            units.extend(found.map(|it| DoubtfulUnit { since_us, merchant, unit: it.value }));
        }
        Ok(units)
    }
}

//! Units: single pieces of goods.
//!
//! A unit that is only announced is a line of its ASN and nothing else; it gets a row of its own
//! when more is known about it. That row holds the unit as JSON. Small changes are stored beside
//! it, step by step, and read together with it.

use std::{collections::BTreeSet, sync::Arc};

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    time::micros,
    warehouse::unit::{StoryStep, UnitRecord},
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::parse_body,
        cursor::Cursor,
        error::During,
        value::{Row, Value, params},
    },
    warehouse::asns::read_announced_unit,
};

const READING: &str = "reading units";

/// A unit to store.
#[derive(Clone, Debug)]
pub struct UnitRow {
    /// The version that it replaces; 0 for a unit that is new or only announced.
    pub replaces: i64,
    pub unit: UnitRecord,
}

/// What happened to a unit that has a row: graded, moved, packed, unpacked or shipped.
#[derive(Clone, Debug)]
pub struct UnitSteps<'a> {
    pub unit_id: &'a str,
    /// The version of the unit that the steps follow.
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
    /// Since when an operator is asked about it; 0 while there is no question.
    fn doubt_us(&self) -> i64 {
        self.unit.asked_since().map_or(0, micros)
    }
}

impl Transaction {
    /// Replaces units that were read at their versions.
    pub fn put_units(&mut self, merchant: &MerchantId, mut units: Vec<UnitRow>) {
        // Always in the same order, so that two shipments of the same units cannot deadlock.
        units.sort_by(|a, b| a.unit.unit_identifier.cmp(&b.unit.unit_identifier));
        let (new, updated) = units.into_iter().partition::<Vec<_>, _>(|unit| unit.replaces == 0);
        self.one_row_each(
            "INSERT INTO units (merchant_id, unit_id, version, body_version, doubt_us, body)
             SELECT r.merchant_id, r.unit_id, 1, 1, r.doubt_us, r.body
             FROM ROWS(merchant_id, unit_id, doubt_us, body) WHERE true ON CONFLICT DO NOTHING",
            new.iter()
                .map(|row| {
                    let id = row.unit.unit_identifier.as_str();
                    params![merchant, id, row.doubt_us(), row.unit.to_json()]
                })
                .collect(),
        );
        self.one_row_each(
            "UPDATE units SET version = units.version + 1, body_version = units.version + 1,
                 doubt_us = r.doubt_us, body = r.body
             FROM ROWS(merchant_id, unit_id, version, doubt_us, body)
             WHERE units.merchant_id = r.merchant_id AND units.unit_id = r.unit_id
                 AND units.version = r.version",
            updated
                .iter()
                .map(|row| {
                    let id = row.unit.unit_identifier.as_str();
                    params![merchant, id, row.replaces, row.doubt_us(), row.unit.to_json()]
                })
                .collect(),
        );
    }

    /// Stores what happened to units since they were read, in the order of their identifiers.
    pub fn put_unit_steps(&mut self, merchant: &MerchantId, units: &[UnitSteps<'_>]) {
        self.one_row_each(
            "UPDATE units SET version = units.version + 1 FROM ROWS(merchant_id, unit_id, version)
             WHERE units.merchant_id = r.merchant_id AND units.unit_id = r.unit_id
                 AND units.version = r.version",
            units.iter().map(|it| params![merchant, it.unit_id, it.replaces]).collect(),
        );
        let mut texts = SharedTexts::default();
        self.one_row_each(
            "INSERT INTO unit_steps (merchant_id, unit_id, version, body)
             SELECT r.merchant_id, r.unit_id, r.version + 1, r.body
             FROM ROWS(merchant_id, unit_id, version, body) WHERE true",
            units
                .iter()
                .map(|it| params![merchant, it.unit_id, it.replaces, texts.text_of(it.steps)])
                .collect(),
        );
    }

    /// Removes what is stored beside units that are replaced in the same transaction. Nothing reads
    /// it any more, so only an erasure has a reason to.
    pub fn delete_unit_steps<'a>(
        &mut self,
        merchant: &MerchantId,
        unit_ids: impl Iterator<Item = &'a str>,
    ) {
        self.any_rows_each(
            "DELETE FROM unit_steps USING ROWS(merchant_id, unit_id)
             WHERE unit_steps.merchant_id = r.merchant_id AND unit_steps.unit_id = r.unit_id",
            unit_ids.map(|id| params![merchant, id]).collect(),
        );
    }
}

/// Texts of steps. Units in sequence with the same steps share one text: a shipment may have very
/// many units.
#[derive(Default)]
struct SharedTexts(Arc<str>);

impl SharedTexts {
    fn text_of(&mut self, steps: &[StoryStep]) -> Value {
        let text = steps.to_json();
        if *text != *self.0 {
            self.0 = text.into();
        }
        Value::Shared(Arc::clone(&self.0))
    }
}

impl Store {
    /// The known units among `unit_ids`, in any order. A unit that is only announced has version 0.
    pub async fn units(
        &self,
        merchant: &MerchantId,
        unit_ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<Versioned<UnitRecord>>, StoreError> {
        let wanted: BTreeSet<&str> = unit_ids.collect();
        let mut units = self.stored_units(merchant, &wanted).await?;
        let with_rows: BTreeSet<&str> =
            units.iter().map(|it| it.value.unit_identifier.as_str()).collect();
        let others = wanted.difference(&with_rows).map(|id| params![merchant, *id]);
        let announced = self.announced_units(others.collect()).await?;
        units.extend(announced.into_iter().map(|value| Versioned { value, version: 0 }));
        Ok(units)
    }

    /// The units among `unit_ids` that are more than announced.
    #[boxed]
    pub async fn stored_units(
        &self,
        merchant: &MerchantId,
        unit_ids: &BTreeSet<&str>,
    ) -> Result<Vec<Versioned<UnitRecord>>, StoreError> {
        self.units_with_rows(unit_ids.iter().map(|id| params![merchant, *id]).collect()).await
    }

    /// The units of these merchants and identifiers that have a row.
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
        read_units(&rows).during(READING)
    }

    /// The units of these merchants and identifiers that are announced. The joins are outer joins
    /// so that planners go from the unit to its line to its ASN, and not the other way round.
    async fn announced_units(
        &self,
        wanted: Vec<Vec<Value>>,
    ) -> Result<Vec<UnitRecord>, StoreError> {
        let units = self
            .read_each(
                READING,
                "SELECT a.body, a.announced_us, l.carton, l.body
                 FROM ROWS(merchant_id, unit_id)
                 LEFT JOIN asn_lines l ON l.unit_id = r.unit_id AND l.merchant_id = r.merchant_id
                     AND l.unit_id <> ''
                 LEFT JOIN asns a ON a.merchant_id = l.merchant_id AND a.asn_number = l.asn_number
                     AND a.program_id = l.program_id",
                wanted,
                |row| row.optional_text(0)?.map(|_| read_announced_unit(row)).transpose(),
            )
            .await?;
        Ok(units.into_iter().flatten().collect())
    }

    /// The merchants that have or announced a unit with this identifier, and the platform if it
    /// keeps such a unit without knowing its merchant.
    #[boxed]
    pub async fn owners_of_unit(&self, unit_id: &str) -> Result<Vec<MerchantId>, StoreError> {
        self.read_merchants(
            "units",
            "SELECT merchant_id FROM units WHERE unit_id = $1
             UNION SELECT merchant_id FROM asn_lines WHERE unit_id = $1 AND unit_id <> ''
             ORDER BY merchant_id LIMIT 21",
            unit_id,
        )
        .await
    }

    /// The merchants that have or announced a unit with this identifier, without the platform.
    #[boxed]
    pub async fn merchants_of_unit(&self, unit_id: &str) -> Result<Vec<MerchantId>, StoreError> {
        let mut owners = self.owners_of_unit(unit_id).await?;
        owners.retain(|owner| *owner != MerchantId::platform());
        Ok(owners)
    }

    /// Units that an operator is asked about, the oldest question first.
    #[boxed]
    pub async fn units_in_doubt(
        &self,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<DoubtfulUnit>, StoreError> {
        let listed = self
            .read_all(
                "listing units in doubt",
                "SELECT doubt_us, merchant_id, unit_id FROM units
                 WHERE doubt_us > 0 AND (doubt_us, merchant_id, unit_id) > ($1, $2, $3)
                 ORDER BY doubt_us, merchant_id, unit_id LIMIT $4",
                params![after.at_us, after.merchant.as_str(), after.id.as_str(), limit],
                |row| Ok((row.int(0)?, row.text(1)?.to_owned(), row.text(2)?.to_owned())),
            )
            .await?;
        let mut units = Vec::with_capacity(listed.len());
        for (since_us, merchant, id) in listed {
            let wanted = vec![params![merchant.as_str(), id.as_str()]];
            let found = self.units_with_rows(wanted).await?.pop();
            units.extend(found.map(|it| DoubtfulUnit { since_us, merchant, unit: it.value }));
        }
        Ok(units)
    }
}

/// Puts the rows of units and their steps together; the rows of a unit are in sequence.
fn read_units(rows: &[Row]) -> Result<Vec<Versioned<UnitRecord>>, EngineError> {
    let mut units: Vec<Versioned<UnitRecord>> = Vec::new();
    let mut last = None;
    for row in rows {
        let (merchant, id) = (row.text(0)?, row.text(1)?);
        if last != Some((merchant, id)) {
            let value = parse_body("units", id, row.text(3)?)?;
            units.push(Versioned { value, version: row.int(2)? });
        }
        if let Some((steps, unit)) = row.optional_text(4)?.zip(units.last_mut()) {
            let steps: Vec<StoryStep> = parse_body("unit_steps", id, steps)?;
            let before = std::mem::replace(&mut unit.value, UnitRecord::new(""));
            unit.value = before.resumed(steps);
        }
        last = Some((merchant, id));
    }
    Ok(units)
}

//! Announced goods: ASNs, and their lines as rows of their own.
//!
//! An ASN may have a hundred thousand lines, and a scan is about a handful of them. So an ASN is
//! read only with the lines that a scan can be about (`asn_lines`, `asn_scans`), and a unit that is
//! received changes the counters of its ASN and of its line, nothing else.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    time::{from_micros, micros},
    warehouse::{
        asn::{AsnCarton, AsnDetail, AsnLine, DetailsType, InboundAsn},
        gtin::normalize_code,
        receiving::AsnState,
        unit::UnitRecord,
    },
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::{corrupt, parse_body},
        value::{Row, Value, params},
    },
};

const READING: &str = "reading ASNs";
/// Lines that one statement inserts.
const LINES_AT_ONCE: usize = 1_000;

/// A line of an ASN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsnLineRow {
    /// Units that were received for it.
    pub received: i64,
    /// Its carton, without lines.
    pub carton: AsnCarton,
    pub detail: AsnDetail,
}

impl Transaction {
    /// Adds an ASN; a conflict when its number is taken.
    pub fn insert_asn(&mut self, merchant: &MerchantId, state: &AsnState) {
        self.one_row(
            "INSERT INTO asns (merchant_id, asn_number, program_id, version, announced_us,
                 fingerprint, here, told, body, status, changed, changed_us)
             VALUES ($1, $2, $3, 1, $4, $5, 0, 0, $6, $7, CHANGE_NUMBER, $4)
             ON CONFLICT DO NOTHING",
            params![
                merchant,
                state.asn.asn_number.as_str(),
                state.asn.program_identifier.as_str(),
                micros(state.announced_at),
                state.fingerprint.as_str(),
                head_to_json(&state.asn),
                state.asn.status.name()
            ],
        );
        self.insert_lines(merchant, &state.asn);
        self.insert_asn_codes(merchant, &state.asn);
    }

    /// Replaces an ASN that was read at `version`, with all of its lines.
    pub fn replace_asn(
        &mut self,
        merchant: &MerchantId,
        state: &AsnState,
        version: i64,
        now_us: i64,
    ) {
        let (number, program) = (state.asn.asn_number.as_str(), &state.asn.program_identifier);
        self.one_row(
            "UPDATE asns SET version = version + 1, fingerprint = $5, body = $6, status = $7,
                 changed = CHANGE_NUMBER, changed_us = $8
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND version = $4",
            params![
                merchant,
                number,
                program.as_str(),
                version,
                state.fingerprint.as_str(),
                head_to_json(&state.asn),
                state.asn.status.name(),
                now_us
            ],
        );
        self.any_rows(
            "DELETE FROM asn_lines
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3",
            params![merchant, number, program.as_str()],
        );
        self.insert_lines(merchant, &state.asn);
        self.replace_asn_codes(merchant, &state.asn);
    }

    fn insert_lines(&mut self, merchant: &MerchantId, asn: &InboundAsn) {
        let mut lines = asn.lines().zip(1..).peekable();
        while lines.peek().is_some() {
            let batch = lines.by_ref().take(LINES_AT_ONCE);
            self.one_row_each(
                "INSERT INTO asn_lines (merchant_id, asn_number, program_id, line_id, place,
                     unit_id, own_id, serial_number, sku, upc, asin, carton_id, quantity, received,
                     complete, carton, body)
                 SELECT r.merchant_id, r.asn_number, r.program_id, r.line_id, r.place, r.unit_id,
                     r.own_id, r.serial_number, r.sku, r.upc, r.asin, r.carton_id, r.quantity, 0,
                     0, r.carton, r.body
                 FROM ROWS(merchant_id, asn_number, program_id, line_id, place, unit_id, own_id,
                     serial_number, sku, upc, asin, carton_id, quantity, carton, body)
                 WHERE true ON CONFLICT DO NOTHING",
                batch.map(|(line, place)| line_values(merchant, &line, place)).collect(),
            );
        }
    }

    /// Stores the counters of an ASN at the version it was read at, and adds the units to the lines
    /// that they were received for: how many to which.
    pub fn count_units(
        &mut self,
        merchant: &MerchantId,
        asn: &Versioned<AsnState>,
        by_line: &BTreeMap<String, i64>,
        now_us: i64,
    ) {
        let Versioned { value: state, version } = asn;
        let (number, program) = (state.asn.asn_number.as_str(), &state.asn.program_identifier);
        self.one_row(
            "UPDATE asns SET version = version + 1, here = $5, told = $6,
                 changed = CHANGE_NUMBER, changed_us = $7
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND version = $4",
            params![merchant, number, program.as_str(), *version, state.here, state.told, now_us],
        );
        let units = by_line.iter();
        self.one_row_each(
            "UPDATE asn_lines SET received = asn_lines.received + r.units
             FROM ROWS(merchant_id, asn_number, program_id, line_id, units)
             WHERE asn_lines.merchant_id = r.merchant_id AND asn_lines.asn_number = r.asn_number
                 AND asn_lines.program_id = r.program_id AND asn_lines.line_id = r.line_id",
            units
                .map(|(line, units)| {
                    params![merchant, number, program.as_str(), line.as_str(), *units]
                })
                .collect(),
        );
        // A statement of its own, because only this one touches indexes.
        let lines = by_line.keys().filter(|line| completes_line(state, line));
        self.one_row_each(
            "UPDATE asn_lines SET complete = 1
             FROM ROWS(merchant_id, asn_number, program_id, line_id)
             WHERE asn_lines.merchant_id = r.merchant_id AND asn_lines.asn_number = r.asn_number
                 AND asn_lines.program_id = r.program_id AND asn_lines.line_id = r.line_id",
            lines.map(|line| params![merchant, number, program.as_str(), line.as_str()]).collect(),
        );
    }
}

impl Transaction {
    /// Stores the counters of an ASN at the version it was read at, after a unit of `line` was not
    /// received after all.
    pub fn uncount_unit(
        &mut self,
        merchant: &MerchantId,
        asn: &Versioned<AsnState>,
        line: Option<&str>,
        now_us: i64,
    ) {
        self.count_units(merchant, asn, &BTreeMap::new(), now_us);
        let Some(line) = line else { return };
        let Versioned { value: state, .. } = asn;
        let (number, program) = (state.asn.asn_number.as_str(), &state.asn.program_identifier);
        self.one_row(
            "UPDATE asn_lines SET received = received - 1, complete = 0
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND line_id = $4
                 AND received > 0",
            params![merchant, number, program.as_str(), line],
        );
    }
}

/// Whether indexes must know that a line awaits no more units. Each line of an ASN by unit is one
/// unit, which is not looked for by its article.
fn completes_line(state: &AsnState, line: &str) -> bool {
    let line = state.asn.line(line).filter(|_| state.asn.details_type == DetailsType::Sku);
    line.is_some_and(|line| state.awaited(line.detail) == 0)
}

/// The ASN without its lines, as JSON.
fn head_to_json(asn: &InboundAsn) -> String {
    let InboundAsn { from, to, .. } = asn;
    let head = InboundAsn {
        program_identifier: asn.program_identifier.clone(),
        asn_number: asn.asn_number.clone(),
        status: asn.status,
        details_type: asn.details_type,
        asn_type: asn.asn_type.clone(),
        message_timestamp: asn.message_timestamp.clone(),
        shipment_identifier: asn.shipment_identifier.clone(),
        from: from.clone(),
        to: to.clone(),
        tracking_number: asn.tracking_number.clone(),
        carrier: asn.carrier.clone(),
        ship_date: asn.ship_date,
        merchant: asn.merchant.clone(),
        concept: asn.concept.clone(),
        cartons: Vec::new(),
    };
    head.to_json()
}

fn line_values(merchant: &MerchantId, line: &AsnLine<'_>, place: i64) -> Vec<Value> {
    fn text(optional: Option<&String>) -> &str {
        optional.map_or("", String::as_str)
    }
    let AsnLine { asn, carton, detail } = line;
    let AsnCarton { identifier, reference, .. } = carton;
    let outside = AsnCarton {
        identifier: identifier.clone(),
        reference: reference.clone(),
        details: Vec::new(),
    };
    params![
        merchant,
        asn.asn_number.as_str(),
        asn.program_identifier.as_str(),
        detail.line_identifier.as_str(),
        place,
        text(detail.unit_identifier.as_ref()),
        text(detail.client_unit_identifier.as_ref()),
        text(detail.serial_number.as_ref()),
        detail.sku.as_str(),
        normalize_code(text(detail.upc.as_ref())).as_ref(),
        text(detail.asin.as_ref()).to_ascii_uppercase(),
        text(identifier.as_ref()),
        detail.quantity,
        outside.to_json(),
        detail.to_json()
    ]
}

impl Store {
    /// The ASNs of a merchant with this number, without their lines.
    #[boxed]
    pub async fn asn_heads(
        &self,
        merchant: &MerchantId,
        asn_number: &str,
    ) -> Result<Vec<Versioned<AsnState>>, StoreError> {
        self.read_all(
            READING,
            "SELECT version, announced_us, fingerprint, here, told, body FROM asns
             WHERE merchant_id = $1 AND asn_number = $2 ORDER BY program_id LIMIT 20",
            params![merchant, asn_number],
            |row| read_head(asn_number, row),
        )
        .await
    }

    /// The ASNs with these merchants and numbers, without their lines, each with its merchant.
    pub async fn asn_heads_named(
        &self,
        names: impl Iterator<Item = (&str, &str)>,
    ) -> Result<Vec<(String, AsnState)>, StoreError> {
        self.read_each(
            READING,
            "SELECT t.version, t.announced_us, t.fingerprint, t.here, t.told, t.body, t.merchant_id
             FROM ROWS(merchant_id, asn_number)
             JOIN asns t ON t.merchant_id = r.merchant_id AND t.asn_number = r.asn_number",
            names.map(|(merchant, number)| params![merchant, number]).collect(),
            |row| Ok((row.text(6)?.to_owned(), read_head("an ASN", row)?.value)),
        )
        .await
    }

    /// Lines of an ASN after another, in the order of their identifiers, which is that of the key.
    #[boxed]
    pub async fn asn_lines_page(
        &self,
        merchant: &MerchantId,
        asn: &InboundAsn,
        after: &str,
        limit: usize,
    ) -> Result<Vec<AsnLineRow>, StoreError> {
        let (number, program) = (asn.asn_number.as_str(), asn.program_identifier.as_str());
        self.read_all(
            READING,
            "SELECT line_id, received, carton, body FROM asn_lines
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND line_id > $4
             ORDER BY line_id LIMIT $5",
            params![merchant, number, program, after, limit],
            |row| {
                Ok(AsnLineRow {
                    received: row.int(1)?,
                    carton: parse_body("asn_lines", row.text(0)?, row.text(2)?)?,
                    detail: parse_body("asn_lines", row.text(0)?, row.text(3)?)?,
                })
            },
        )
        .await
    }

    /// Merchants that announced an ASN with this number.
    #[boxed]
    pub async fn merchants_of_asn(&self, asn_number: &str) -> Result<Vec<MerchantId>, StoreError> {
        self.read_merchants(
            "asns",
            "SELECT DISTINCT merchant_id FROM asns WHERE asn_number = $1
             ORDER BY merchant_id LIMIT 20",
            asn_number,
        )
        .await
    }
}

fn read_head(asn_number: &str, row: &Row) -> Result<Versioned<AsnState>, EngineError> {
    let asn: InboundAsn = parse_body("asns", asn_number, row.text(5)?)?;
    let state = AsnState::announced(asn, row.text(2)?.to_owned(), read_time(row, 1)?);
    let value = AsnState { here: row.int(3)?, told: row.int(4)?, ..state };
    Ok(Versioned { value, version: row.int(0)? })
}

fn read_time(row: &Row, column: usize) -> Result<jiff::Timestamp, EngineError> {
    let at_us = row.int(column)?;
    from_micros(at_us).ok_or_else(|| corrupt("asns", &at_us.to_string(), &"not a time"))
}

/// A unit that is only announced: from an ASN, its time, and the carton and detail of a line.
pub(crate) fn read_announced_unit(row: &Row) -> Result<UnitRecord, EngineError> {
    let asn: InboundAsn = parse_body("asns", "an ASN", row.text(0)?)?;
    let carton: AsnCarton = parse_body("asn_lines", "a line", row.text(2)?)?;
    let detail = parse_body("asn_lines", "a line", row.text(3)?)?;
    let line = AsnLine { asn: &asn, carton: &carton, detail: &detail };
    Ok(UnitRecord::announced(&line, read_time(row, 1)?))
}

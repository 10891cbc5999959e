//! Announced goods: ASNs, and their lines as rows of their own.
//!
//! An ASN may have a hundred thousand lines, and a scan is about a handful of them. So an ASN is
//! read only with the lines that a scan can be about ([`AsnLineFilter`]), and a unit that is
//! received changes the counters of its ASN and of its line, nothing else.

use domain::{
    identifier::MerchantId,
    time::{from_micros, micros},
    warehouse::{
        asn::{AsnCarton, AsnLine, InboundAsn},
        gtin::normalize_code,
        receiving::AsnState,
        unit::UnitRecord,
    },
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::{corrupt, parse_body, to_json},
        error::During,
        value::{Row, Value, params},
    },
};

const READING: &str = "reading ASNs";
/// Lines that one statement inserts.
const LINES_AT_ONCE: usize = 1_000;

/// Which lines of an ASN to read: those that match any of these fields. An empty field matches
/// none.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsnLineFilter<'a> {
    pub line: &'a str,
    /// The license plate that a line announces.
    pub unit: &'a str,
    /// The merchant's own identifier of the unit that a line announces.
    pub own: &'a str,
    /// A few lines with this SKU, UPC or ASIN; those that await a unit, and those in the carton,
    /// come first.
    pub sku: &'a str,
    /// As it was scanned; it is compared as a GTIN.
    pub upc: &'a str,
    pub asin: &'a str,
    pub carton: &'a str,
    /// Whether to add a few lines that await a unit: with the serial number, in the carton, and
    /// any.
    pub more: bool,
    pub serial_number: &'a str,
    /// How many lines to add that await a unit, and as many that do not, for a person who looks at
    /// the ASN.
    pub any: i64,
}

impl Transaction {
    /// Adds an ASN; a conflict when its number is taken.
    pub fn insert_asn(&mut self, merchant: &MerchantId, state: &AsnState) {
        self.one_row(
            "INSERT INTO asns (merchant_id, asn_number, program_id, version, announced_us,
                 fingerprint, here, told, body)
             VALUES ($1, $2, $3, 1, $4, $5, 0, 0, $6) ON CONFLICT DO NOTHING",
            params![
                merchant,
                state.asn.asn_number.as_str(),
                state.asn.program_identifier.as_str(),
                micros(state.announced_at),
                state.fingerprint.as_str(),
                head_to_json(&state.asn)
            ],
        );
        self.insert_lines(merchant, &state.asn);
    }

    /// Replaces an ASN that was read at `version`, with all of its lines.
    pub fn replace_asn(&mut self, merchant: &MerchantId, state: &AsnState, version: i64) {
        let (number, program) = (state.asn.asn_number.as_str(), &state.asn.program_identifier);
        self.one_row(
            "UPDATE asns SET version = version + 1, fingerprint = $5, body = $6
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND version = $4",
            params![
                merchant,
                number,
                program.as_str(),
                version,
                state.fingerprint.as_str(),
                head_to_json(&state.asn)
            ],
        );
        self.any_rows(
            "DELETE FROM asn_lines
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3",
            params![merchant, number, program.as_str()],
        );
        self.insert_lines(merchant, &state.asn);
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

    /// Stores the counters of an ASN at the version it was read at, and adds a unit to the line
    /// that it was received for, if any.
    pub fn count_unit(
        &mut self,
        merchant: &MerchantId,
        asn: &Versioned<AsnState>,
        line: Option<&str>,
    ) {
        let Versioned { value: state, version } = asn;
        let (number, program) = (state.asn.asn_number.as_str(), &state.asn.program_identifier);
        self.one_row(
            "UPDATE asns SET version = version + 1, here = $5, told = $6
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND version = $4",
            params![merchant, number, program.as_str(), *version, state.here, state.told],
        );
        if let Some(line) = line {
            self.one_row(
                "UPDATE asn_lines SET received = received + 1,
                     complete = CASE WHEN received + 1 >= quantity THEN 1 ELSE 0 END
                 WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND line_id = $4",
                params![merchant, number, program.as_str(), line],
            );
        }
    }
}

/// The ASN without its lines, as JSON.
fn head_to_json(asn: &InboundAsn) -> String {
    let InboundAsn { from, to, .. } = asn;
    to_json(&InboundAsn {
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
    })
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
        to_json(&outside),
        to_json(detail)
    ]
}

/// Lines of one ASN that match a condition.
macro_rules! lines_where {
    ($condition:literal) => {
        concat!(
            "SELECT line_id, place, received, carton, body FROM asn_lines
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND ",
            $condition
        )
    };
    ($condition:literal, $most:literal) => {
        concat!("SELECT * FROM (", lines_where!($condition), " LIMIT ", $most, ") few")
    };
}

/// The line that announces a unit. The number of the ASN is compared as an expression, so that a
/// planner finds the line by its unit and does not read all lines of the ASN first.
macro_rules! line_of_unit {
    ($unit:literal) => {
        concat!(
            "SELECT line_id, place, received, carton, body FROM asn_lines
             WHERE merchant_id = $1 AND unit_id <> '' AND asn_number || '' = $2
                 AND program_id || '' = $3 AND unit_id = ",
            $unit
        )
    };
}

/// Each part uses an index that leads to the few rows it is about.
const LINES: &str = concat!(
    lines_where!("line_id = $4"),
    " UNION ALL ",
    line_of_unit!("$5"),
    " UNION ALL ",
    line_of_unit!("$6"),
    " UNION ALL ",
    lines_where!("own_id = $6 AND own_id <> '' ORDER BY place", "10"),
    " UNION ALL ",
    lines_where!("sku = $7 ORDER BY complete, carton_id, place", "10"),
    " UNION ALL ",
    lines_where!("sku = $7 AND complete = 0 AND carton_id = $9 AND $9 <> '' ORDER BY place", "1"),
    " UNION ALL ",
    lines_where!("upc = $8 AND upc <> '' ORDER BY complete, carton_id, place", "10"),
    " UNION ALL ",
    lines_where!(
        "upc = $8 AND upc <> '' AND complete = 0 AND carton_id = $9 AND $9 <> '' ORDER BY place",
        "1"
    ),
    " UNION ALL ",
    lines_where!("asin = $13 AND asin <> '' ORDER BY complete, carton_id, place", "10"),
    " UNION ALL ",
    lines_where!(
        "asin = $13 AND asin <> '' AND complete = 0 AND carton_id = $9 AND $9 <> '' ORDER BY place",
        "1"
    ),
    " UNION ALL ",
    lines_where!(
        "serial_number = $10 AND serial_number <> '' AND complete = 0 ORDER BY place",
        "$11"
    ),
    " UNION ALL ",
    lines_where!("complete = 0 AND carton_id = $9 AND $9 <> '' ORDER BY place", "$11"),
    " UNION ALL ",
    lines_where!("complete = 0 ORDER BY carton_id, place", "$11"),
    " UNION ALL ",
    lines_where!("complete = 0 ORDER BY carton_id, place", "$12"),
    " UNION ALL ",
    lines_where!("complete = 1 ORDER BY carton_id, place", "$12"),
);

impl Store {
    /// The ASNs of a merchant with this number, one for each of its programs that uses it, with the
    /// lines that match the filter.
    pub async fn asns(
        &self,
        merchant: &MerchantId,
        asn_number: &str,
        filter: &AsnLineFilter<'_>,
    ) -> Result<Vec<Versioned<AsnState>>, StoreError> {
        let mut asns = self.asn_heads(merchant, asn_number).await?;
        for Versioned { value, .. } in &mut asns {
            let values = params![
                merchant,
                asn_number,
                value.asn.program_identifier.as_str(),
                filter.line,
                filter.unit,
                filter.own,
                filter.sku,
                normalize_code(filter.upc).as_ref(),
                filter.carton,
                filter.serial_number,
                if filter.more { 10_i64 } else { 0 },
                filter.any,
                filter.asin.to_ascii_uppercase()
            ];
            let rows = self.query(READING, LINES, values).await?;
            read_lines(&rows, value).during(READING)?;
        }
        Ok(asns)
    }

    /// The ASNs of a merchant with this number, without their lines.
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

    /// Merchants that announced an ASN with this number.
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

/// A line as it is stored, in the order of the columns that sort it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LineRow<'a> {
    place: i64,
    line_id: &'a str,
    received: i64,
    carton: &'a str,
    detail: &'a str,
}

/// Adds lines to an ASN, each once and in the order of the ASN.
fn read_lines(rows: &[Row], state: &mut AsnState) -> Result<(), EngineError> {
    let mut lines = rows.iter().map(read_line).collect::<Result<Vec<_>, _>>()?;
    lines.sort_unstable();
    lines.dedup();
    for LineRow { line_id, received, carton, detail, .. } in lines {
        let mut carton: AsnCarton = parse_body("asn_lines", line_id, carton)?;
        carton.details.push(parse_body("asn_lines", line_id, detail)?);
        state.asn.cartons.push(carton);
        state.received.insert(line_id.to_owned(), received);
    }
    Ok(())
}

fn read_line(row: &Row) -> Result<LineRow<'_>, EngineError> {
    Ok(LineRow {
        place: row.int(1)?,
        line_id: row.text(0)?,
        received: row.int(2)?,
        carton: row.text(3)?,
        detail: row.text(4)?,
    })
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

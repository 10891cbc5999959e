//! The lines of ASNs, read as far as scans can be about them.
//!
//! Whether a line awaits a unit is `received < quantity`. In an ASN by quantity, `complete` says so
//! too, and indexes find the open lines of an article by it. In an ASN by unit it stays 0, because
//! each unit would change it: there, a scan that looks for open lines skips those that were
//! received, and looks at no more than a thousand.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    warehouse::{asn::AsnCarton, gtin::normalize_code, receiving::AsnState},
};

use crate::{
    EngineError, Store, StoreError, Versioned,
    core::{
        body::parse_body,
        error::During,
        value::{Row, params},
    },
};

const READING: &str = "reading ASNs";

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
    /// the ASN. As many more are of the carton, and have the serial number.
    pub any: i64,
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

/// Lines of one ASN that match a condition and await a unit, among the first that match.
macro_rules! open_lines_where {
    ($condition:literal, $most:literal) => {
        concat!(
            "SELECT * FROM (SELECT line_id, place, received, carton, body
             FROM (SELECT line_id, place, received, carton, body, quantity FROM asn_lines
                 WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3 AND complete = 0
                     AND ",
            $condition,
            " LIMIT 1000) near WHERE received < quantity LIMIT ",
            $most,
            ") few"
        )
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

/// Each part uses an index that leads to the few rows it is about. An article has a line even when
/// all of its lines are complete: then there is one unit too many of it.
const LINES: &str = concat!(
    lines_where!("line_id = $4"),
    " UNION ALL ",
    line_of_unit!("$5"),
    " UNION ALL ",
    line_of_unit!("$6"),
    " UNION ALL ",
    lines_where!("own_id = $6 AND own_id <> '' ORDER BY place", "10"),
    " UNION ALL ",
    lines_where!("sku = $7 ORDER BY complete, carton_id, place", "1"),
    " UNION ALL ",
    open_lines_where!("sku = $7 ORDER BY carton_id, place", "10"),
    " UNION ALL ",
    open_lines_where!("sku = $7 AND carton_id = $9 AND $9 <> '' ORDER BY place", "1"),
    " UNION ALL ",
    lines_where!("upc = $8 AND upc <> '' ORDER BY complete, carton_id, place", "1"),
    " UNION ALL ",
    open_lines_where!("upc = $8 AND upc <> '' ORDER BY carton_id, place", "10"),
    " UNION ALL ",
    open_lines_where!("upc = $8 AND upc <> '' AND carton_id = $9 AND $9 <> '' ORDER BY place", "1"),
    " UNION ALL ",
    lines_where!("asin = $13 AND asin <> '' ORDER BY complete, carton_id, place", "1"),
    " UNION ALL ",
    open_lines_where!("asin = $13 AND asin <> '' ORDER BY carton_id, place", "10"),
    " UNION ALL ",
    open_lines_where!(
        "asin = $13 AND asin <> '' AND carton_id = $9 AND $9 <> '' ORDER BY place",
        "1"
    ),
    " UNION ALL ",
    open_lines_where!("serial_number = $10 AND serial_number <> '' ORDER BY place", "$11"),
    " UNION ALL ",
    open_lines_where!("carton_id = $9 AND $9 <> '' ORDER BY place", "$11"),
    " UNION ALL ",
    open_lines_where!("line_id <> '' ORDER BY carton_id, place", "$11"),
    " UNION ALL ",
    lines_where!("complete = 0 AND received < quantity ORDER BY carton_id, place", "$12"),
    " UNION ALL ",
    lines_where!("complete = 0 AND received >= quantity ORDER BY carton_id, place", "$12"),
    " UNION ALL ",
    lines_where!("complete = 1 ORDER BY carton_id, place", "$12"),
);

impl Store {
    /// The ASNs of a merchant with this number, one for each of its programs that uses it, with the
    /// lines that match the filter.
    #[boxed]
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
                filter.any.max(if filter.more { 10 } else { 0 }),
                filter.any,
                filter.asin.to_ascii_uppercase()
            ];
            let rows = self.query(READING, LINES, values).await?;
            read_lines(rows.iter(), value).during(READING)?;
        }
        Ok(asns)
    }
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
pub(super) fn read_lines<'a>(
    rows: impl Iterator<Item = &'a Row>,
    state: &mut AsnState,
) -> Result<(), EngineError> {
    let mut lines = rows.map(read_line).collect::<Result<Vec<_>, _>>()?;
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

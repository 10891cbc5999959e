//! What the scans of a batch are decided on: the lines that any of them can match, in a few queries
//! for all of them together.

use std::collections::{BTreeMap, BTreeSet};

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    warehouse::{asn::DetailsType, gtin::normalize_code, receiving::AsnState},
};

use super::asn_lines::read_lines;
use crate::{
    Store, StoreError, Versioned,
    core::{
        error::During,
        value::{Row, Value, params},
    },
};

const READING: &str = "reading ASNs";

/// What the scans of a batch name. They are all about ASNs with the same number.
#[derive(Clone, Debug, Default)]
pub struct ScannedKeys<'a> {
    pub lines: BTreeSet<&'a str>,
    /// License plates, and merchant's own identifiers, which may be license plates too.
    pub units: BTreeSet<&'a str>,
    /// The merchant's own identifiers of units.
    pub own: BTreeSet<&'a str>,
    /// Articles of scans that name no line, with the number of scans.
    pub articles: BTreeMap<ScannedArticle<'a>, i64>,
}

/// A code of an article, and the carton that it was scanned in, which may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScannedArticle<'a> {
    pub code: ArticleCode<'a>,
    pub carton: &'a str,
}

/// A code of an article, as it was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArticleCode<'a> {
    Sku(&'a str),
    Upc(&'a str),
    Asin(&'a str),
}

/// The ASNs of a merchant with one number, with the lines that scans can match.
#[derive(Clone, Debug)]
pub struct ScannedAsns {
    /// One for each program that uses the number.
    pub asns: Vec<Versioned<AsnState>>,
    /// Those of the scanned units that other ASNs of the merchant announce.
    pub elsewhere: BTreeSet<String>,
}

/// The lines of an article, as many as there are scans of it. Those that await a unit come first.
macro_rules! lines_by_code {
    ($column:literal) => {
        concat!(
            "SELECT few.line_id, few.place, few.received, few.carton, few.body, few.program_id
             FROM ROWS(merchant_id, asn_number, program_id, code, units), LATERAL (
                 SELECT line_id, place, received, carton, body, program_id FROM asn_lines
                 WHERE merchant_id = r.merchant_id AND asn_number = r.asn_number
                     AND program_id = r.program_id AND ",
            $column,
            " = r.code AND ",
            $column,
            " <> '' ORDER BY complete, carton_id, place LIMIT r.units) few"
        )
    };
}

/// The same, but only lines of one carton that await a unit.
macro_rules! lines_by_code_in_carton {
    ($column:literal) => {
        concat!(
            "SELECT few.line_id, few.place, few.received, few.carton, few.body, few.program_id
             FROM ROWS(merchant_id, asn_number, program_id, code, carton_id, units), LATERAL (
                 SELECT line_id, place, received, carton, body, program_id FROM asn_lines
                 WHERE merchant_id = r.merchant_id AND asn_number = r.asn_number
                     AND program_id = r.program_id AND complete = 0 AND carton_id = r.carton_id
                     AND ",
            $column,
            " = r.code AND ",
            $column,
            " <> '' ORDER BY place LIMIT r.units) few"
        )
    };
}

/// How lines are found by a kind of code.
struct CodeQueries {
    anywhere: &'static str,
    in_carton: &'static str,
}

const BY_SKU: CodeQueries =
    CodeQueries { anywhere: lines_by_code!("sku"), in_carton: lines_by_code_in_carton!("sku") };
const BY_UPC: CodeQueries =
    CodeQueries { anywhere: lines_by_code!("upc"), in_carton: lines_by_code_in_carton!("upc") };
const BY_ASIN: CodeQueries =
    CodeQueries { anywhere: lines_by_code!("asin"), in_carton: lines_by_code_in_carton!("asin") };

impl Store {
    /// The ASNs of a merchant with this number, with the lines that scans can match.
    #[boxed]
    pub async fn scanned_asns(
        &self,
        merchant: &MerchantId,
        asn_number: &str,
        keys: &ScannedKeys<'_>,
    ) -> Result<ScannedAsns, StoreError> {
        let mut asns = self.asn_heads(merchant, asn_number).await?;
        let mut rows = Vec::new();
        let mut elsewhere = BTreeSet::new();
        for row in self.lines_of_units(merchant, &keys.units).await? {
            if row.text(6).during(READING)? == asn_number {
                rows.push(row);
            } else {
                elsewhere.insert(row.text(7).during(READING)?.to_owned());
            }
        }
        for asn in &asns {
            let program = asn.value.asn.program_identifier.as_str();
            let own = Identified { merchant, asn_number, program };
            rows.extend(self.named_lines(&own, keys).await?);
            if asn.value.asn.details_type == DetailsType::Sku {
                rows.extend(self.lines_of_articles(&own, keys).await?);
            }
        }
        for Versioned { value, .. } in &mut asns {
            let program = value.asn.program_identifier.clone();
            let own = rows.iter().filter(|row| row.text(5).is_ok_and(|it| it == program));
            read_lines(own, value).during(READING)?;
        }
        Ok(ScannedAsns { asns, elsewhere })
    }

    /// The lines that announce these units, of all ASNs of the merchant.
    async fn lines_of_units(
        &self,
        merchant: &MerchantId,
        units: &BTreeSet<&str>,
    ) -> Result<Vec<Row>, StoreError> {
        self.query_each(
            READING,
            "SELECT l.line_id, l.place, l.received, l.carton, l.body, l.program_id, l.asn_number,
                 l.unit_id
             FROM asn_lines l, ROWS(merchant_id, unit_id)
             WHERE l.merchant_id = r.merchant_id AND l.unit_id = r.unit_id AND l.unit_id <> ''",
            units.iter().map(|unit| params![merchant, *unit]).collect(),
        )
        .await
    }

    /// The lines with these identifiers, and those that announce units by the merchant's own.
    async fn named_lines(
        &self,
        asn: &Identified<'_>,
        keys: &ScannedKeys<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = self
            .query_each(
                READING,
                "SELECT l.line_id, l.place, l.received, l.carton, l.body, l.program_id
                 FROM asn_lines l, ROWS(merchant_id, asn_number, program_id, line_id)
                 WHERE l.merchant_id = r.merchant_id AND l.asn_number = r.asn_number
                     AND l.program_id = r.program_id AND l.line_id = r.line_id",
                keys.lines.iter().map(|line| asn.values(&[*line])).collect(),
            )
            .await?;
        let own = self.query_each(
            READING,
            "SELECT few.line_id, few.place, few.received, few.carton, few.body, few.program_id
             FROM ROWS(merchant_id, asn_number, program_id, own_id), LATERAL (
                 SELECT line_id, place, received, carton, body, program_id FROM asn_lines
                 WHERE merchant_id = r.merchant_id AND asn_number = r.asn_number
                     AND program_id = r.program_id AND own_id = r.own_id AND own_id <> ''
                 ORDER BY place LIMIT 10) few",
            keys.own.iter().map(|own| asn.values(&[*own])).collect(),
        );
        rows.extend(own.await?);
        Ok(rows)
    }

    async fn lines_of_articles(
        &self,
        asn: &Identified<'_>,
        keys: &ScannedKeys<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        for queries in [BY_SKU, BY_UPC, BY_ASIN] {
            let mut anywhere: BTreeMap<String, i64> = BTreeMap::new();
            let mut in_carton = Vec::new();
            for (article, units) in &keys.articles {
                let Some(code) = article.code_for(&queries) else { continue };
                if !article.carton.is_empty() {
                    let mut values = asn.values(&[&code, article.carton]);
                    values.push(Value::Int(*units));
                    in_carton.push(values);
                }
                *anywhere.entry(code).or_default() += units;
            }
            let anywhere = anywhere.iter().map(|(code, units)| {
                let mut values = asn.values(&[code]);
                values.push(Value::Int(*units));
                values
            });
            rows.extend(self.query_each(READING, queries.anywhere, anywhere.collect()).await?);
            rows.extend(self.query_each(READING, queries.in_carton, in_carton).await?);
        }
        Ok(rows)
    }
}

impl ScannedArticle<'_> {
    /// The code as it is stored, if it is of the kind that these queries look for.
    fn code_for(&self, queries: &CodeQueries) -> Option<String> {
        let (own, code) = match self.code {
            ArticleCode::Sku(sku) => (BY_SKU, sku.to_owned()),
            ArticleCode::Upc(upc) => (BY_UPC, normalize_code(upc).into_owned()),
            ArticleCode::Asin(asin) => (BY_ASIN, asin.to_ascii_uppercase()),
        };
        (own.anywhere == queries.anywhere).then_some(code)
    }
}

/// An ASN, by what identifies it.
struct Identified<'a> {
    merchant: &'a MerchantId,
    asn_number: &'a str,
    program: &'a str,
}

impl Identified<'_> {
    /// The values of a row that starts with the ASN.
    fn values(&self, others: &[&str]) -> Vec<Value> {
        let mut values = params![self.merchant, self.asn_number, self.program];
        values.extend(others.iter().map(|it| Value::from(*it)));
        values
    }
}

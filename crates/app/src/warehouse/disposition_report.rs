//! What became of returned goods: how many units went to which channel, in which condition, and
//! what they weigh.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    time::{from_micros, micros},
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};
use store::DisposedGoods;
use utoipa::ToSchema;

use crate::{App, AppError};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// The longest period of a report.
const DAYS_MAX: i64 = 3_660;
/// The period of a report that names none.
const DAYS: i64 = 30;

/// What became of the units of returns that were received in a period.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DispositionReport {
    /// The first day, in UTC.
    #[schema(value_type = String, format = Date, example = "2026-03-01")]
    pub from: Date,
    /// The last day, in UTC.
    #[schema(value_type = String, format = Date, example = "2026-03-31")]
    pub to: Date,
    /// Sorted by channel, condition and outcome.
    pub goods: Vec<DispositionRow>,
}

/// Units with the same fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DispositionRow {
    /// The channel that the units were assigned to. Empty if none was named.
    #[schema(example = "OUTLET")]
    pub channel: String,
    /// The condition of the units.
    #[schema(example = "B")]
    pub condition: String,
    /// `received` or `rejected`.
    #[schema(example = "received")]
    pub outcome: String,
    /// How many units.
    #[schema(example = 12)]
    pub units: i64,
    /// How many of them have a known weight.
    #[schema(example = 10)]
    pub weighed_units: i64,
    /// The sum of the known weights, in the merchant's unit of weight.
    #[schema(example = "4.250")]
    pub weight: String,
}

impl DispositionRow {
    fn of(goods: DisposedGoods) -> Self {
        let DisposedGoods { channel, condition, outcome, units, weighed, weight_thousandths } =
            goods;
        let weight = format_weight(weight_thousandths);
        Self { channel, condition, outcome, units, weighed_units: weighed, weight }
    }
}

fn format_weight(thousandths: i64) -> String {
    let (whole, rest) = (thousandths.unsigned_abs() / 1_000, thousandths.unsigned_abs() % 1_000);
    let sign = if thousandths < 0 { "-" } else { "" };
    format!("{sign}{whole}.{rest:03}")
}

/// The report for the days from `from` to `to`, by default the last thirty.
#[boxed]
pub async fn report_dispositions(
    app: &App,
    merchant: &MerchantId,
    from: Option<Date>,
    to: Option<Date>,
) -> Result<DispositionReport, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let to = to.unwrap_or_else(|| app.world.now().to_zoned(TimeZone::UTC).date());
    let to_us = day_us(to);
    let from_us = from.map_or(to_us - (DAYS - 1) * DAY_US, day_us);
    let from_us = from_us.max(to_us - DAYS_MAX * DAY_US).min(to_us);
    let goods = app.store.disposed_goods(merchant, from_us, to_us + DAY_US).await?;
    Ok(DispositionReport {
        from: from_micros(from_us).map_or(to, |at| at.to_zoned(TimeZone::UTC).date()),
        to,
        goods: goods.into_iter().map(DispositionRow::of).collect(),
    })
}

fn day_us(day: Date) -> i64 {
    day.to_zoned(TimeZone::UTC).map_or(0, |start| micros(Timestamp::from(&start)))
}

/// The report as a table for spreadsheets.
pub fn format_csv(report: &DispositionReport) -> String {
    let mut text = "channel,condition,outcome,units,weighed_units,weight\r\n".to_owned();
    for row in &report.goods {
        let DispositionRow { channel, condition, outcome, units, weighed_units, weight } = row;
        let channel = quote(channel);
        let line = format!("{channel},{condition},{outcome},{units},{weighed_units},{weight}\r\n");
        text.push_str(&line);
    }
    text
}

/// A cell of a table. A channel could look like a formula, which spreadsheets would run.
fn quote(cell: &str) -> String {
    let guard = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", cell.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_three_decimals() {
        for (thousandths, text) in
            [(0, "0.000"), (4_250, "4.250"), (7, "0.007"), (-1_001, "-1.001")]
        {
            assert_eq!(format_weight(thousandths), text);
        }
    }

    #[test]
    fn a_channel_in_a_table_is_text() {
        assert_eq!(quote("RTS"), "\"RTS\"");
        assert_eq!(quote("a\"b,c"), "\"a\"\"b,c\"");
        assert_eq!(quote("=HYPERLINK(1)"), "\"'=HYPERLINK(1)\"");
    }
}

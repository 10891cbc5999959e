//! How long a shopper can withdraw from a contract.
//!
//! The period is 14 days, counted from the day after the last parcel was delivered, and ends with
//! the last hour of its last day where the goods were sent (Directive 2011/83/EU, Article 9). If
//! the merchant did not inform about the right, it is twelve months longer (Article 10). A last day
//! that is a Saturday, a Sunday, or a holiday in the whole EU moves to the next working day
//! (Regulation 1182/71, Article 3(4)). While goods are still to be sent, the period has no end.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::terms::WithdrawalTerms;
use crate::orders::order::{Order, OrderLine, OrderStatus, PostalAddress};

/// The days of the period.
const PERIOD_DAYS: i64 = 14;
/// The days in which the merchant must refund, after it received the statement.
const REFUND_DAYS: i64 = 14;
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// The member states of the EU, by ISO 3166.
const MEMBER_STATES: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT",
    "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// The time zones of the EU, with their rules for summer time.
const WESTERN: &str = "WET0WEST,M3.5.0/1,M10.5.0/2";
const CENTRAL: &str = "CET-1CEST,M3.5.0/2,M10.5.0/3";
const EASTERN: &str = "EET-2EEST,M3.5.0/3,M10.5.0/4";
const AZORES: &str = "AZT1AZST,M3.5.0/0,M10.5.0/1";
const FRENCH_CARIBBEAN: &str = "AST4";
const FRENCH_GUIANA: &str = "GFT3";

/// When a shopper can withdraw.
#[omit_none]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WithdrawalPeriod {
    /// The day on which the last parcel was delivered, or is assumed to be.
    #[schema(value_type = Option<String>, format = Date, example = "2026-06-22")]
    pub delivered_on: Option<Date>,
    /// Whether that day is calculated from the day of shipping.
    pub assumed: bool,
    /// The last day of the period. Absent while goods are still to be delivered.
    #[schema(value_type = Option<String>, format = Date, example = "2026-07-06")]
    pub last_day: Option<Date>,
    /// The first moment after the period.
    #[schema(example = "2026-07-06T22:00:00Z")]
    pub ends_at: Option<Timestamp>,
}

impl WithdrawalPeriod {
    const OPEN: Self = Self { delivered_on: None, assumed: false, last_day: None, ends_at: None };

    /// Whether the period has not ended.
    pub fn includes(&self, now: Timestamp) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

/// Whether the right of withdrawal applies to an order: it was shipped to a member state.
pub fn is_shipped_to_eu(order: &Order) -> bool {
    let country = order.shipping_address.country_code.trim().to_ascii_uppercase();
    // The EU itself writes EL for Greece.
    country == "EL" || MEMBER_STATES.contains(&country.as_str())
}

/// The period in which the shopper can withdraw from an order.
pub fn withdrawal_period(order: &Order, terms: &WithdrawalTerms) -> WithdrawalPeriod {
    let zone = zone_of(&order.shipping_address);
    let is_awaited = |line: &OrderLine| unshipped_units(order, line) > 0;
    let shipped = order.items.iter().filter(|line| line.quantity_shipped > 0);
    let deliveries = shipped.map(|line| delivery_of(order, line, terms, &zone));
    // Of two on the same day, the one that is known counts.
    let last = deliveries.max_by_key(|delivery| (delivery.day, !delivery.assumed));
    let Some(last) = last.filter(|_| !order.items.iter().any(is_awaited)) else {
        return WithdrawalPeriod::OPEN;
    };
    let last_day = last_day_after(last.day, terms.informed);
    WithdrawalPeriod {
        delivered_on: Some(last.day),
        assumed: last.assumed,
        last_day,
        ends_at: last_day.and_then(|day| end_of(day, &zone)),
    }
}

/// Until when the merchant must refund what a statement asks for: 14 days, with the whole last day.
pub fn refund_due_at(order: &Order, stated_at: Timestamp) -> Option<Timestamp> {
    let zone = zone_of(&order.shipping_address);
    let day = zone.to_datetime(stated_at).date();
    end_of(day.checked_add(REFUND_DAYS.days()).ok()?, &zone)
}

/// The units of a line that are still to be shipped.
pub(super) fn unshipped_units(order: &Order, line: &OrderLine) -> i64 {
    let sent_or_not = line.quantity_shipped.saturating_add(line.quantity_canceled);
    match order.status {
        OrderStatus::Created | OrderStatus::Shipped => {
            line.quantity.saturating_sub(sent_or_not).max(0)
        }
        OrderStatus::Cancelled => 0,
    }
}

struct Delivery {
    day: Date,
    assumed: bool,
}

/// When a line was delivered. If it is not known when it was shipped, it was before the order last
/// changed.
fn delivery_of(
    order: &Order,
    line: &OrderLine,
    terms: &WithdrawalTerms,
    zone: &TimeZone,
) -> Delivery {
    if let Some(delivered) = line.delivered_date {
        return Delivery { day: day_of(delivered, zone), assumed: false };
    }
    let shipped = day_of(line.shipped_date.unwrap_or(order.updated_at), zone);
    let travels = i64::from(terms.delivery_days_assumed).days();
    Delivery { day: shipped.checked_add(travels).unwrap_or(Date::MAX), assumed: true }
}

/// The day of a moment. A date without a time was read as midnight in UTC and is that date.
fn day_of(moment: Timestamp, zone: &TimeZone) -> Date {
    if moment.as_microsecond().rem_euclid(DAY_US) == 0 {
        return TimeZone::UTC.to_datetime(moment).date();
    }
    zone.to_datetime(moment).date()
}

fn last_day_after(delivered: Date, informed: bool) -> Option<Date> {
    let last_day = delivered.checked_add(PERIOD_DAYS.days()).ok().map(next_working_day)?;
    if informed {
        return Some(last_day);
    }
    last_day.checked_add(12.months()).ok().map(next_working_day)
}

/// The day itself if it is a working day, or the next one. The first of January and the 25th of
/// December are holidays in every member state.
fn next_working_day(day: Date) -> Date {
    let is_holiday = |day: Date| matches!((day.month(), day.day()), (1, 1) | (12, 25));
    let is_weekend = |day: Date| matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
    let mut days = std::iter::successors(Some(day), |day| day.tomorrow().ok());
    days.find(|day| !is_holiday(*day) && !is_weekend(*day)).unwrap_or(day)
}

/// The first moment after a day.
fn end_of(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_timestamp(day.tomorrow().ok()?.at(0, 0, 0, 0)).ok()
}

/// The time zone of an address in the EU, where a country has one. Islands that are far away have
/// their own, which their postal codes show.
pub(crate) fn zone_of(address: &PostalAddress) -> TimeZone {
    let country = address.country_code.trim().to_ascii_uppercase();
    let postal_code = address.zip_code.trim();
    let begins = |prefixes: &[&str]| prefixes.iter().any(|it| postal_code.starts_with(it));
    let rules = match country.as_str() {
        "ES" if begins(&["35", "38"]) => WESTERN,
        "PT" if begins(&["95", "96", "97", "98", "99"]) => AZORES,
        "FR" if begins(&["971", "972", "977", "978"]) => FRENCH_CARIBBEAN,
        "FR" if begins(&["973"]) => FRENCH_GUIANA,
        "IE" | "PT" => WESTERN,
        "BG" | "CY" | "EE" | "EL" | "FI" | "GR" | "LT" | "LV" | "RO" => EASTERN,
        _ => CENTRAL,
    };
    TimeZone::posix(rules).unwrap_or(TimeZone::UTC)
}

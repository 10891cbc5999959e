//! How long a merchant's data about shoppers is kept.

use jiff::{SignedDuration, Timestamp};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::faults::Faults;
use crate::json::Json;
use crate::reader::read;

/// A century.
const DAYS_MAX: i64 = 36_500;

/// After how many days the data of shoppers is erased. What is absent is kept.
#[omit_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetentionPeriods {
    /// Orders of which nothing was returned, counted from their last change.
    #[schema(example = 730, minimum = 1, maximum = 36500)]
    pub orders_days: Option<i64>,
    /// Returns that are finished, with their orders, counted from their last change.
    #[schema(example = 1095, minimum = 1, maximum = 36500)]
    pub returns_days: Option<i64>,
    /// Mails to shoppers that were delivered or discarded, counted from when they were written.
    /// Messages end with the setting `retention_days`, also mails.
    #[schema(example = 7, minimum = 1, maximum = 36500)]
    pub mails_days: Option<i64>,
    /// Audit records about the merchant, which are removed.
    #[schema(example = 1095, minimum = 1, maximum = 36500)]
    pub audit_days: Option<i64>,
}

impl RetentionPeriods {
    /// Reads the periods, or returns everything wrong with them.
    pub fn read(document: &Json<'_>) -> Result<Self, Faults> {
        let (periods, _) = read(document, true, |root| {
            root.object(|at| {
                at.refuse_unknown();
                let days = |key| at.optional(key, |value| value.integer(1..=DAYS_MAX));
                Self {
                    orders_days: days("orders_days"),
                    returns_days: days("returns_days"),
                    mails_days: days("mails_days"),
                    audit_days: days("audit_days"),
                }
            })
        })?;
        Ok(periods)
    }
}

/// What was last changed before this time is old enough.
pub fn cutoff(now: Timestamp, days: i64) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(days.saturating_mul(24))).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn periods_are_read_and_absent_ones_keep_the_data() {
        let document = json::parse(br#"{"orders_days":730}"#).unwrap();
        let periods = RetentionPeriods::read(&document).unwrap();
        assert_eq!(periods, RetentionPeriods { orders_days: Some(730), ..Default::default() });
        for refused in [r#"{"orders_days":0}"#, r#"{"audit_days":36501}"#, r#"{"days":1}"#] {
            let document = json::parse(refused.as_bytes()).unwrap();
            assert!(RetentionPeriods::read(&document).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_day_has_24_hours() {
        let now: Timestamp = "2026-03-30T12:00:00Z".parse().unwrap();
        assert_eq!(cutoff(now, 2).to_string(), "2026-03-28T12:00:00Z");
    }
}

//! What to look for in the failure queue. It is part of the address, so a search can be kept and passed on.

use domain::messages::kind::MessageKind;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde::Deserialize;
use store::FailureFilter;

use crate::core::{form::Form, format::merchant_named, words::address};

/// A field for a time holds whole minutes; this is the last microsecond of one.
const REST_OF_MINUTE_US: i64 = 60_000_000 - 1;

/// The fields as they were typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    pub(crate) merchant: String,
    pub(crate) kind: String,
    pub(crate) status: String,
    /// Failed at this time or later, and at this time or earlier.
    pub(crate) from: String,
    pub(crate) to: String,
    /// Where the page begins.
    pub(crate) after: String,
}

/// What is wrong with the fields, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) merchant: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
}

impl Wrong {
    pub(crate) fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

impl Search {
    /// The search that a form was sent from.
    pub(crate) fn of(form: &Form) -> Self {
        let field = |name: &str| form.text(name).to_owned();
        Self {
            merchant: field("merchant"),
            kind: field("kind"),
            status: field("status"),
            from: field("from"),
            to: field("to"),
            after: field("after"),
        }
    }

    pub(crate) fn address(&self) -> String {
        let query = [
            ("merchant", self.merchant.as_str()),
            ("kind", &self.kind),
            ("status", &self.status),
            ("from", &self.from),
            ("to", &self.to),
            ("after", &self.after),
        ];
        address("/console/failures", &query)
    }

    /// The first page of everything.
    pub(crate) fn is_everything(&self) -> bool {
        self.address() == "/console/failures"
    }

    /// The first page of the same search.
    pub(crate) fn beginning(&self) -> String {
        Self { after: String::new(), ..self.clone() }.address()
    }

    pub(crate) fn filter(&self) -> Result<FailureFilter, Box<Wrong>> {
        let mut wrong = Wrong::default();
        let merchant = merchant_named(self.merchant.trim()).unwrap_or_else(|why| {
            wrong.merchant = Some(crate::core::problem::sentence(&why));
            None
        });
        let status = number(self.status.trim()).unwrap_or_else(|why| {
            wrong.status = Some(why);
            None
        });
        let from = moment(self.from.trim()).unwrap_or_else(|why| {
            wrong.from = Some(why);
            None
        });
        let to = moment(self.to.trim()).unwrap_or_else(|why| {
            wrong.to = Some(why);
            None
        });
        if wrong.is_any() {
            return Err(Box::new(wrong));
        }
        let until = |to: Timestamp| to.as_microsecond().saturating_add(REST_OF_MINUTE_US);
        Ok(FailureFilter {
            merchant,
            kind: MessageKind::parse(&self.kind),
            status,
            from_us: from.map_or(i64::MIN, Timestamp::as_microsecond),
            to_us: to.map_or(i64::MAX, until),
        })
    }
}

fn number(text: &str) -> Result<Option<i64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let known = text.parse().ok().filter(|status| (0..=599).contains(status));
    known.map(Some).ok_or_else(|| "A status is a number from 0 to 599.".to_owned())
}

/// A time as browsers send it: without a zone, which is UTC here.
fn moment(text: &str) -> Result<Option<Timestamp>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let civil = text.parse::<DateTime>().ok();
    let zoned = civil.and_then(|civil| civil.to_zoned(TimeZone::UTC).ok());
    let known = zoned.map(|zoned| zoned.timestamp());
    known.map(Some).ok_or_else(|| "Write a time as 2026-02-14T16:00.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_ask_for_everything() {
        let filter = Search::default().filter().unwrap();

        assert!(filter.merchant.is_none() && filter.kind.is_none() && filter.status.is_none());
        assert_eq!((filter.from_us, filter.to_us), (i64::MIN, i64::MAX));
        assert!(Search::default().is_everything());
    }

    #[test]
    fn a_minute_is_meant_whole() {
        let minute = "2026-02-14T16:02".to_owned();
        let search = Search { from: minute.clone(), to: minute, ..Search::default() };

        let filter = search.filter().unwrap();

        assert_eq!(filter.to_us - filter.from_us, REST_OF_MINUTE_US);
        assert_eq!(filter.from_us, 1_771_084_920_000_000);
    }

    #[test]
    fn every_field_that_is_wrong_says_so() {
        let bad = |text: &str| text.to_owned();
        let search = Search {
            merchant: bad("No Such"),
            status: bad("6xx"),
            from: bad("yesterday"),
            to: bad("2026-13-01T00:00"),
            ..Search::default()
        };

        let wrong = search.filter().unwrap_err();

        assert!(wrong.merchant.is_some() && wrong.status.is_some());
        assert!(wrong.from.is_some() && wrong.to.is_some());
    }
}

//! The filter of the failure queue. It is part of the address, so that a search can be bookmarked
//! and shared.

use domain::messages::kind::MessageKind;
use jiff::Timestamp;
use serde::Deserialize;
use store::FailureFilter;

use crate::{
    core::{
        form::Form,
        format::to_sentence,
        lists::{Paging, check_merchant_field},
        urls::add_query,
    },
    messages::time_fields::{end_of_minute_us, parse_minute},
};

const PATH: &str = "/console/failures";

/// The fields as they were entered.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FailureSearch {
    pub(crate) merchant: String,
    pub(crate) kind: String,
    pub(crate) status: String,
    /// The first and the last minute of the time of failure.
    pub(crate) from: String,
    pub(crate) to: String,
    /// The cursor of the page.
    pub(crate) after: String,
}

/// What is wrong with the fields.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchFaults {
    pub(crate) merchant: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
}

impl SearchFaults {
    pub(crate) fn any(&self) -> bool {
        *self != Self::default()
    }
}

impl FailureSearch {
    /// The search of the page that a form was sent from.
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

    fn query(&self) -> [(&'static str, &str); 5] {
        [
            ("merchant", &self.merchant),
            ("kind", &self.kind),
            ("status", &self.status),
            ("from", &self.from),
            ("to", &self.to),
        ]
    }

    pub(crate) fn url(&self) -> String {
        add_query(&self.first_page_url(), &[("after", &self.after)])
    }

    pub(crate) fn first_page_url(&self) -> String {
        add_query(PATH, &self.query())
    }

    pub(crate) fn paging(&self, next: Option<&str>) -> Paging {
        Paging::in_order(PATH, &self.query(), &self.after, next)
    }

    pub(crate) fn has_filter(&self) -> bool {
        self.first_page_url() != PATH
    }

    pub(crate) fn is_first_page(&self) -> bool {
        self.after.is_empty()
    }

    pub(crate) fn filter(&self) -> Result<FailureFilter, Box<SearchFaults>> {
        let mut faults = SearchFaults::default();
        let merchant = check_merchant_field(&self.merchant).map_err(|why| to_sentence(&why));
        let merchant = value_or_fault(merchant, &mut faults.merchant);
        let status = value_or_fault(parse_status(self.status.trim()), &mut faults.status);
        let from = value_or_fault(parse_minute(self.from.trim()), &mut faults.from);
        let to = value_or_fault(parse_minute(self.to.trim()), &mut faults.to);
        if faults.any() {
            return Err(Box::new(faults));
        }
        Ok(FailureFilter {
            merchant,
            kind: MessageKind::parse(&self.kind),
            status,
            from_us: from.map_or(i64::MIN, Timestamp::as_microsecond),
            to_us: to.map_or(i64::MAX, end_of_minute_us),
        })
    }
}

/// The value of a field; its fault is kept for the page.
fn value_or_fault<T>(parsed: Result<Option<T>, String>, fault: &mut Option<String>) -> Option<T> {
    parsed.unwrap_or_else(|why| {
        *fault = Some(why);
        None
    })
}

fn parse_status(text: &str) -> Result<Option<i64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let status = text.parse().ok().filter(|status| (0..=599).contains(status));
    status.map(Some).ok_or_else(|| "Enter a status from 0 to 599.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_match_everything() {
        let filter = FailureSearch::default().filter().unwrap();

        assert!(filter.merchant.is_none() && filter.kind.is_none() && filter.status.is_none());
        assert_eq!((filter.from_us, filter.to_us), (i64::MIN, i64::MAX));
        assert!(!FailureSearch::default().has_filter());
    }

    #[test]
    fn a_minute_includes_its_last_microsecond() {
        let minute = "2026-02-14T16:02".to_owned();
        let search = FailureSearch { from: minute.clone(), to: minute, ..FailureSearch::default() };

        let filter = search.filter().unwrap();

        assert_eq!(filter.to_us - filter.from_us, 59_999_999);
        assert_eq!(filter.from_us, 1_771_084_920_000_000);
    }

    #[test]
    fn every_wrong_field_has_a_fault() {
        let bad = |text: &str| text.to_owned();
        let search = FailureSearch {
            merchant: bad("No Such"),
            status: bad("6xx"),
            from: bad("yesterday"),
            to: bad("2026-13-01T00:00"),
            ..FailureSearch::default()
        };

        let faults = search.filter().unwrap_err();

        assert!(faults.merchant.is_some() && faults.status.is_some());
        assert!(faults.from.is_some() && faults.to.is_some());
    }
}

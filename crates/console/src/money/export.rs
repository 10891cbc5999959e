//! The entries of a merchant as a CSV file.

use app::{merchants::change_merchant::load_merchant, money::export::stream_csv};
use axum::{
    body::Body,
    extract::State,
    http::{
        HeaderValue,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    },
    response::{IntoResponse, Response},
};
use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};
use serde::Deserialize;

use crate::access::visit::Member;
use server::{Web, error::ApiError, query::Query, requests::identifiers::parse_merchant};

/// Which entries. The days are in UTC; an empty day means no limit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ExportQuery {
    merchant: String,
    from: String,
    /// The last day, which is included.
    to: String,
}

impl ExportQuery {
    fn from(&self) -> Result<Option<Timestamp>, ApiError> {
        Ok(read_day(&self.from)?.and_then(start_of))
    }

    fn to(&self) -> Result<Option<Timestamp>, ApiError> {
        let last = read_day(&self.to)?;
        Ok(last.and_then(|day| start_of(day.checked_add(1.day()).ok()?)))
    }
}

fn read_day(text: &str) -> Result<Option<Date>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |_| ApiError::BadRequest(format!("{text} is not a day such as 2026-02-28"));
    text.parse().map(Some).map_err(wrong)
}

/// None for days at the end of time, which limit nothing.
fn start_of(day: Date) -> Option<Timestamp> {
    day.to_zoned(TimeZone::UTC).ok().map(|start| start.timestamp())
}

pub(super) async fn download(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut query): Query<ExportQuery>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut query.merchant);
    let merchant = parse_merchant(&query.merchant)?;
    load_merchant(&web.app, &merchant).await?;
    let (from, to) = (query.from()?, query.to()?);
    let disposition = format!("attachment; filename=\"entries-{merchant}.csv\"");
    let disposition = HeaderValue::try_from(disposition);
    let headers = [
        (CONTENT_DISPOSITION, disposition.expect("a merchant's identifier is plain ASCII")),
        (CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let rows = stream_csv(web.app.clone(), merchant, from, to);
    Ok((headers, Body::from_stream(rows)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: &str, to: &str) -> Option<[Option<String>; 2]> {
        let merchant = "acme".to_owned();
        let query = ExportQuery { merchant, from: from.to_owned(), to: to.to_owned() };
        let format = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Some([format(query.from().ok()?), format(query.to().ok()?)])
    }

    #[test]
    fn a_period_has_its_last_day_and_may_be_open() {
        let day = |text: &str| Some(text.to_owned());
        let february = [day("2026-02-01T00:00:00Z"), day("2026-03-01T00:00:00Z")];
        assert_eq!(period("2026-02-01", "2026-02-28"), Some(february));
        assert_eq!(period("", ""), Some([None, None]));
        assert_eq!(period("", "9999-12-31"), Some([None, None]));
        for wrong in ["2026-02-30", "yesterday", "-", "\"><script>"] {
            assert_eq!(period(wrong, ""), None, "{wrong}");
            assert_eq!(period("", wrong), None, "{wrong}");
        }
    }
}

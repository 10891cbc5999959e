//! What the lists of the warehouse have in common: a filter, and a table with the latest change
//! first.

use app::core::work_lists::WorkListQuery;
use askama::Template;

use crate::core::{
    badge::Badge,
    form::non_empty,
    format::TimeElement,
    frame::Frame,
    lists::{PAGE_SIZE, Paging, StatusFilter, StatusQuery, parse_merchant_filter},
};
use server::error::ApiError;

#[derive(Template)]
#[template(path = "warehouse/work_list.html", whitespace = "minimize")]
pub(super) struct WorkListPage<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) filter: StatusFilter,
    /// The headings of the columns between merchant and status.
    pub(super) headings: &'static [&'static str],
    pub(super) rows: Vec<WorkRow>,
    /// What the page says when nothing is stored.
    pub(super) empty: &'static str,
    pub(super) paging: Paging,
}

pub(super) struct WorkRow {
    pub(super) url: String,
    pub(super) identifier: String,
    pub(super) merchant: String,
    /// One for each heading.
    pub(super) cells: Vec<String>,
    pub(super) status: Badge,
    pub(super) updated: TimeElement,
}

/// The query for the store; `statuses` are the names that the list knows.
pub(super) fn work_query(
    query: &StatusQuery,
    statuses: &[&'static str],
) -> Result<WorkListQuery, ApiError> {
    Ok(WorkListQuery {
        merchant: parse_merchant_filter(&query.merchant)?,
        status: statuses.iter().copied().find(|status| *status == query.status),
        after: non_empty(&query.before).map(str::to_owned),
        limit: PAGE_SIZE,
        newest_first: true,
        ..WorkListQuery::default()
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::core::{
        fixtures::{
            HOSTILE, assert_is_text, hostile_status_filter, hostile_status_query, sample_visitor,
        },
        frame::Section,
    };

    #[test]
    fn a_row_stays_text() {
        let hostile = || HOSTILE.to_owned();
        let visitor = sample_visitor();
        assert_is_text(&WorkListPage {
            frame: Frame::new(&visitor, Section::DropShip, "Drop-ship orders"),
            filter: hostile_status_filter(),
            headings: &["Units"],
            rows: vec![WorkRow {
                url: hostile(),
                identifier: hostile(),
                merchant: hostile(),
                cells: vec![hostile()],
                status: Badge::plain("x"),
                updated: TimeElement(Timestamp::UNIX_EPOCH),
            }],
            empty: "",
            paging: hostile_status_query().paging("/console/drop-ship", Some(HOSTILE)),
        });
    }
}

//! What pages with lists have in common: filters and paging.

use app::{core::list_query::ListQuery, merchants::change_merchant::list_merchants};
use domain::identifier::MerchantId;
use serde::Deserialize;

use super::{form::non_empty, urls::add_query};
use crate::access::visitor::Visitor;
use server::{Web, error::ApiError};

/// How many rows a page of a list has.
pub(crate) const PAGE_SIZE: usize = 50;
/// How many merchants a filter offers.
const MERCHANTS_MAX: usize = 500;

/// An option of a select field in a filter.
pub(crate) struct FilterOption {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) selected: bool,
}

impl FilterOption {
    pub(crate) fn new(value: &str, label: &str, selected: &str) -> Self {
        Self { value: value.to_owned(), label: label.to_owned(), selected: value == selected }
    }
}

/// The merchants of a filter: none for a merchant's people, who have nothing to choose, and all for
/// an operator. A selected merchant that does not exist stays selected.
pub(crate) async fn merchant_options(
    web: &Web,
    visitor: &Visitor,
    selected: &str,
) -> Result<Vec<FilterOption>, ApiError> {
    if visitor.own_merchant().is_some() {
        return Ok(Vec::new());
    }
    let all = list_merchants(&web.app, "", MERCHANTS_MAX).await?;
    let mut options: Vec<FilterOption> = all
        .into_iter()
        .map(|it| {
            let label = format!("{} ({})", it.name, it.merchant);
            FilterOption::new(&it.merchant, &label, selected)
        })
        .collect();
    if !selected.is_empty() && options.iter().all(|it| !it.selected) {
        options.push(FilterOption::new(selected, selected, selected));
    }
    Ok(options)
}

/// The merchant of a filter, where empty means all. An impossible identifier is not found.
pub(crate) fn parse_merchant_filter(text: &str) -> Result<Option<MerchantId>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let missing = |_| ApiError::App(app::AppError::NotFound("merchant"));
    MerchantId::parse_stored(text).map(Some).map_err(missing)
}

/// The same for a text field, which shows what is wrong with the identifier.
pub(crate) fn check_merchant_field(text: &str) -> Result<Option<MerchantId>, String> {
    match text.trim() {
        "" => Ok(None),
        text => MerchantId::parse(text).map(Some),
    }
}

/// The links to the first and the next page of a list.
pub(crate) struct Paging {
    /// Absent on the first page.
    pub(crate) first: Option<String>,
    pub(crate) next: Option<String>,
    pub(crate) first_label: &'static str,
    pub(crate) next_label: &'static str,
}

impl Paging {
    /// For a list that starts with the newest entry. This page starts before the cursor `before`.
    pub(crate) fn newest_first(
        path: &str,
        filter: &[(&str, &str)],
        before: &str,
        next: Option<&str>,
    ) -> Self {
        Self {
            first: first_page(path, filter, before),
            next: next.map(|next| next_page(path, filter, "before", next)),
            first_label: "Newest",
            next_label: "Older",
        }
    }

    /// For a list in any other order. This page starts after the cursor `after`.
    pub(crate) fn in_order(
        path: &str,
        filter: &[(&str, &str)],
        after: &str,
        next: Option<&str>,
    ) -> Self {
        Self {
            first: first_page(path, filter, after),
            next: next.map(|next| next_page(path, filter, "after", next)),
            first_label: "First page",
            next_label: "Next page",
        }
    }
}

fn first_page(path: &str, filter: &[(&str, &str)], cursor: &str) -> Option<String> {
    non_empty(cursor).map(|_| add_query(path, filter))
}

fn next_page(path: &str, filter: &[(&str, &str)], cursor_name: &str, cursor: &str) -> String {
    add_query(path, &[filter, &[(cursor_name, cursor)]].concat())
}

/// The query of the lists of orders and returns: merchant, status and cursor.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct StatusQuery {
    pub(crate) merchant: String,
    pub(crate) status: String,
    pub(crate) before: String,
}

/// The filter above a list. See `templates/core/filter.html`.
pub(crate) struct StatusFilter {
    pub(crate) merchants: Vec<FilterOption>,
    pub(crate) statuses: Vec<FilterOption>,
}

impl StatusQuery {
    /// The filter with the selected options; `statuses` are names and labels.
    pub(crate) async fn filter(
        &self,
        web: &Web,
        visitor: &Visitor,
        statuses: &[(&str, &str)],
    ) -> Result<StatusFilter, ApiError> {
        let option = |(name, label): &(&str, &str)| FilterOption::new(name, label, &self.status);
        Ok(StatusFilter {
            merchants: merchant_options(web, visitor, &self.merchant).await?,
            statuses: statuses.iter().map(option).collect(),
        })
    }

    /// Which rows to list, with the status as `parse_status` reads it.
    pub(crate) fn list_query<S>(
        &self,
        parse_status: impl FnOnce(&str) -> Option<S>,
    ) -> Result<ListQuery<'_, S>, ApiError> {
        Ok(ListQuery {
            merchant: parse_merchant_filter(&self.merchant)?,
            status: parse_status(&self.status),
            before: Some(self.before.as_str()),
            limit: PAGE_SIZE,
        })
    }

    pub(crate) fn paging(&self, path: &str, next: Option<&str>) -> Paging {
        let filter = [("merchant", self.merchant.as_str()), ("status", self.status.as_str())];
        Paging::newest_first(path, &filter, &self.before, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_has_the_same_filter() {
        let query = |before: &str| StatusQuery {
            merchant: "acme".to_owned(),
            status: String::new(),
            before: before.to_owned(),
        };
        let first = query("").paging("/console/orders", Some("7_acme_A/1"));
        assert!(first.first.is_none());
        let older = "/console/orders?merchant=acme&before=7_acme_A%2F1";
        assert_eq!(first.next.as_deref(), Some(older));
        let last = query("7_acme_A").paging("/console/orders", None);
        assert_eq!(last.first.as_deref(), Some("/console/orders?merchant=acme"));
        assert!(last.next.is_none());
    }
}

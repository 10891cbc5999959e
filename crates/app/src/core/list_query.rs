//! Lists that are read page by page: where a page starts, and which rows are listed.

use std::str::FromStr;

use domain::identifier::MerchantId;
use store::{Cursor, ListFilter};

use crate::AppError;

/// The position that the parameter `name` of a request says. None if the request starts at the
/// beginning: without the parameter, or with an empty one. Any other text must be a position. A
/// list that started over instead would be read again and again.
pub(crate) fn read_position<'a, P>(
    name: &'static str,
    text: Option<&'a str>,
    parse: impl FnOnce(&'a str) -> Option<P>,
) -> Result<Option<P>, AppError> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| parse(text).ok_or(AppError::UnreadablePosition(name))).transpose()
}

/// The start of a page of a list that has its oldest rows first.
pub(crate) fn read_after<Id: Default + FromStr>(
    text: Option<&str>,
) -> Result<Cursor<Id>, AppError> {
    Ok(read_position("after", text, Cursor::parse)?.unwrap_or_else(Cursor::oldest))
}

/// Which rows to list.
#[derive(Clone, Debug)]
pub struct ListQuery<'a, S> {
    pub merchant: Option<MerchantId>,
    pub status: Option<S>,
    /// The cursor that the page before ended with.
    pub before: Option<&'a str>,
    pub limit: usize,
}

impl<S: Copy> ListQuery<'_, S> {
    pub(crate) fn filter(&self) -> Result<ListFilter<S>, AppError> {
        let before = read_position("before", self.before, Cursor::parse)?;
        Ok(ListFilter {
            before: before.unwrap_or_else(Cursor::newest),
            merchant: self.merchant.clone(),
            status: self.status,
            limit: self.limit,
        })
    }
}

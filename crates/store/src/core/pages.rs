//! Lists that are read page by page, newest first, and filtered by what has no index.
//!
//! A page examines a bounded number of rows, so it costs the same however much is stored. It may be
//! short, or even empty, although more rows follow: then it says where to continue.

use domain::identifier::MerchantId;

use crate::core::{
    cursor::Cursor,
    value::{Value, params},
};

/// The most rows that one page may examine to find those that match.
const EXAMINED_MAX: usize = 2_000;

/// How many rows a page has, and how many it examines.
#[derive(Clone, Copy)]
pub(crate) struct PageSize {
    limit: usize,
    examined: usize,
}

impl PageSize {
    /// A page of `limit` rows. Only a page that is filtered examines more rows than it returns.
    pub(crate) fn new(limit: usize, filtered: bool) -> Self {
        Self { limit, examined: if filtered { EXAMINED_MAX } else { limit + 1 } }
    }

    /// How many rows to read.
    pub(crate) fn rows(self) -> usize {
        self.examined
    }

    /// The rows that match, and the row to continue after when there may be more.
    pub(crate) fn cut<T: Clone>(
        self,
        examined: Vec<T>,
        matches: impl Fn(&T) -> bool,
    ) -> (Vec<T>, Option<T>) {
        let end = examined.last().filter(|_| examined.len() == self.examined).cloned();
        let mut found: Vec<T> = examined.into_iter().filter(matches).take(self.limit + 1).collect();
        if found.len() > self.limit {
            found.truncate(self.limit);
            let last = found.last().cloned();
            return (found, last);
        }
        (found, end)
    }
}

/// Which rows of a list to return, newest first.
#[derive(Clone, Debug)]
pub struct ListFilter<Status> {
    pub before: Cursor,
    /// Of one merchant, or of all.
    pub merchant: Option<MerchantId>,
    pub status: Option<Status>,
    pub limit: usize,
}

/// A list of all merchants, and the same list of one.
pub(crate) struct ListSql {
    /// With the parameters time, merchant, identifier and limit.
    pub(crate) of_all: &'static str,
    /// With the parameters merchant, time, identifier and limit.
    pub(crate) of_one: &'static str,
}

impl<Status> ListFilter<Status> {
    pub(crate) fn page_size(&self) -> PageSize {
        PageSize::new(self.limit, self.status.is_some())
    }

    /// The statement for this filter, and its values.
    pub(crate) fn statement(&self, list: &ListSql) -> (&'static str, Vec<Value>) {
        let Cursor { at_us, merchant, id } = &self.before;
        let rows = self.page_size().rows();
        match &self.merchant {
            None => (list.of_all, params![*at_us, merchant.as_str(), id.as_str(), rows]),
            Some(owner) => (list.of_one, params![owner.as_str(), *at_us, id.as_str(), rows]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_where_the_next_one_begins() {
        let even = |number: &i32| number % 2 == 0;
        let plain = PageSize::new(2, false);
        assert_eq!(plain.cut(vec![9, 8, 7], |_| true), (vec![9, 8], Some(8)));
        assert_eq!(plain.cut(vec![9, 8], |_| true), (vec![9, 8], None));
        let filtered = PageSize { limit: 2, examined: 4 };
        assert_eq!(filtered.cut(vec![8, 7, 6, 4], even), (vec![8, 6], Some(6)));
        assert_eq!(filtered.cut(vec![9, 8, 7, 5], even), (vec![8], Some(5)), "all it may examine");
        assert_eq!(filtered.cut(vec![9, 8, 7], even), (vec![8], None), "all there is");
    }
}

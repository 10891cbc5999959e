//! Lists that are read page by page, newest first, and filtered by what has no index.
//!
//! A page examines a bounded number of rows, so it costs the same however much is stored. It may be
//! short, or even empty, although more rows follow: then it says where to continue.

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

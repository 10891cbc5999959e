//! Lists that are read page by page, newest first, and filtered by what no index knows.
//!
//! A page looks at a bounded number of rows, so it costs the same however much is stored. It may be short, or
//! even empty, although more follow: then it says where to go on.

/// How many rows one page may look at while it searches for those that match.
const LOOKED_AT_MAX: usize = 2_000;

/// How many rows a page has, and how many it looks at.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    limit: usize,
    most: usize,
}

impl Extent {
    /// A page of `limit` rows; no more is read than is wanted unless it is picky.
    pub(crate) fn new(limit: usize, picky: bool) -> Self {
        Self { limit, most: if picky { LOOKED_AT_MAX } else { limit + 1 } }
    }

    /// How many rows to read.
    pub(crate) fn most(self) -> i64 {
        i64::try_from(self.most).unwrap_or(i64::MAX)
    }

    /// Those of the rows that match, and the row to go on behind when there may be more.
    pub(crate) fn cut<T: Clone>(
        self,
        looked_at: Vec<T>,
        matches: impl Fn(&T) -> bool,
    ) -> (Vec<T>, Option<T>) {
        let end = looked_at.last().filter(|_| looked_at.len() == self.most).cloned();
        let mut found: Vec<T> =
            looked_at.into_iter().filter(matches).take(self.limit + 1).collect();
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
        let plain = Extent::new(2, false);
        assert_eq!(plain.cut(vec![9, 8, 7], |_| true), (vec![9, 8], Some(8)));
        assert_eq!(plain.cut(vec![9, 8], |_| true), (vec![9, 8], None));
        let picky = Extent { limit: 2, most: 4 };
        assert_eq!(picky.cut(vec![8, 7, 6, 4], even), (vec![8, 6], Some(6)));
        assert_eq!(picky.cut(vec![9, 8, 7, 5], even), (vec![8], Some(5)), "all it may look at");
        assert_eq!(picky.cut(vec![9, 8, 7], even), (vec![8], None), "all there is");
    }
}

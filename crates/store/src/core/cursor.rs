//! Positions in lists that are read page by page.
//!
//! A list is ordered by a time, then by merchant, then by an identifier. A page starts after the
//! position of the last row of the page before it. Callers get that position as a text, which they
//! send back to read on.

use std::{fmt, str::FromStr};

/// A position in a list. Lists that have no need of the merchant leave it empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<Id = String> {
    pub at_us: i64,
    pub merchant: String,
    pub id: Id,
}

impl<Id: Default> Cursor<Id> {
    /// Where a list begins that has its oldest rows first.
    pub fn oldest() -> Self {
        Self { at_us: i64::MIN, merchant: String::new(), id: Id::default() }
    }

    /// Where a list begins that has its newest rows first.
    pub fn newest() -> Self {
        Self { at_us: i64::MAX, merchant: String::new(), id: Id::default() }
    }
}

impl<Id: FromStr> Cursor<Id> {
    /// The position that a text was made from.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '_');
        let at_us = parts.next()?.parse().ok()?;
        let merchant = parts.next()?.to_owned();
        Some(Self { at_us, merchant, id: parts.next()?.parse().ok()? })
    }
}

impl<Id: fmt::Display> fmt::Display for Cursor<Id> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}_{}_{}", self.at_us, self.merchant, self.id)
    }
}

/// The position to read on from, when a page has as many rows as it may.
pub fn next_page<T, Id: fmt::Display>(
    page: &[T],
    limit: usize,
    position: impl FnOnce(&T) -> Cursor<Id>,
) -> Option<String> {
    let last = page.last().filter(|_| page.len() == limit)?;
    Some(position(last).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_whatever_the_identifier() {
        for id in ["ORD-1", "a_b_c", ""] {
            let cursor = Cursor { at_us: 7, merchant: "acme".to_owned(), id: id.to_owned() };
            assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
        }
        let numbered = Cursor { at_us: -7, merchant: String::new(), id: 42_i64 };
        assert_eq!(Cursor::parse(&numbered.to_string()), Some(numbered));
    }

    #[test]
    fn other_texts_are_no_cursors() {
        for text in ["", "x_y_z", "7_acme", "7"] {
            assert_eq!(Cursor::<String>::parse(text), None, "{text}");
        }
        assert_eq!(Cursor::<i64>::parse("7_acme_x"), None);
    }

    #[test]
    fn only_a_full_page_has_a_next_one() {
        let position = |id: &i64| Cursor { at_us: 1, merchant: "acme".to_owned(), id: *id };
        assert_eq!(next_page(&[1, 2], 2, position).as_deref(), Some("1_acme_2"));
        assert_eq!(next_page(&[1], 2, position), None);
        assert_eq!(next_page(&[], 0, position), None);
    }
}

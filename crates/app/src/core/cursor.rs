//! Where a list goes on: behind a time, a merchant and a name.

use std::fmt;

/// The place behind which a page begins, as it stands in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor(pub(crate) (i64, String, String));

impl Cursor {
    /// The cursor that `text` holds; the beginning of the list when it holds none.
    pub(crate) fn of(text: Option<&str>) -> Self {
        let read = |text: &str| {
            let mut parts = text.splitn(3, '_');
            let at_us = parts.next()?.parse().ok()?;
            Some(Self((at_us, parts.next()?.to_owned(), parts.next()?.to_owned())))
        };
        text.and_then(read).unwrap_or_else(|| Self((i64::MAX, String::new(), String::new())))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at_us, merchant, name) = &self.0;
        write!(formatter, "{at_us}_{merchant}_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_whatever_the_name() {
        for name in ["ORD-1", "a_b_c", ""] {
            let cursor = Cursor((7, "acme".to_owned(), name.to_owned()));
            assert_eq!(Cursor::of(Some(&cursor.to_string())), cursor);
        }
        for none in [None, Some(""), Some("x_y_z"), Some("7_acme")] {
            assert_eq!(Cursor::of(none).0.0, i64::MAX);
        }
    }
}

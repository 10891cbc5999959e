//! Why bytes are not a JSON document, and where.

use std::fmt;

/// Why bytes are not a JSON document, and where the fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for Malformed {}

//! Money: entries, balances, and refunds that differ from the promise.

pub(crate) mod books;
pub(crate) mod differences;

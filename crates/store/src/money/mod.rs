//! Money: what events of returns posted.

pub(crate) mod checks;
pub(crate) mod postings;

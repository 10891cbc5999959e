//! Money: what events of returns posted.

pub(crate) mod postings;

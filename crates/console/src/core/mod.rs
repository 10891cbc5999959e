//! What all pages have in common, and the pages about everything.

pub(crate) mod audit;
pub(crate) mod badge;
pub(crate) mod chart;
pub(crate) mod difference;
pub(crate) mod field;
#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod frame;
pub(crate) mod lists;
pub(crate) mod overview;
pub(crate) mod problem;
pub(crate) mod search;
pub(crate) mod urls;

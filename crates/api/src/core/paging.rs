//! The length of pages of lists.

/// The maximum length of a page.
pub(crate) const PAGE_MAX: usize = 500;
/// The length of a page if the request does not specify one.
pub(crate) const PAGE: usize = 100;

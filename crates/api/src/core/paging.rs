//! How long the pages of lists are.

/// The most elements of a page.
pub(crate) const PAGE_MAX: usize = 500;
/// The elements of a page when the request does not say how many.
pub(crate) const PAGE: usize = 100;

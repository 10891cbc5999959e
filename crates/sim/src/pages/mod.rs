//! The pages for people.

pub(crate) mod form;
pub(crate) mod page;
pub(crate) mod view;

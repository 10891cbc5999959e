//! Returns, their policy, their parcels and their refunds.

pub(crate) mod carrier;
pub(crate) mod current_message;
pub(crate) mod history;
mod label_view;
pub(crate) mod labels;
pub(crate) mod lifecycle;
pub(crate) mod list;
pub(crate) mod policy;
pub(crate) mod refunds;
mod return_answer;

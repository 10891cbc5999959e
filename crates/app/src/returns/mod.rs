//! Returns: start, change, label, list and refund them.

pub mod carrier_events;
pub mod change_return;
pub mod check_request;
pub mod history;
pub mod label;
pub mod label_documents;
pub mod operator_returns;
pub(crate) mod origin;
pub mod policies;
pub mod refund_case;
pub mod refund_problems;
pub mod renew_label;
pub(crate) mod return_draft;
pub mod return_list;
pub mod return_story;
pub(crate) mod settle_refunds;
pub mod shopper;
pub mod start_return;
